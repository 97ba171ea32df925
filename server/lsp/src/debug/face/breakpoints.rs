//! Breakpoints that a person sets in the user interface join those of the workspace; those that others
//! set are shown there.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use ::debug::{Asked, Bound, Breakpoint, Session as Debugged};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Next, View, tool};

/// Most breakpoints of one file.
const MOST: usize = 2_000;

/// What the interface knows of breakpoints.
#[derive(Default)]
pub(super) struct Shown {
    /// By number: what was told last.
    told: HashMap<u64, Value>,
    /// The lines that the interface set, by file.
    own: HashMap<PathBuf, BTreeSet<u32>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Wanted {
    line: u32,
    #[serde(default)]
    condition: Option<String>,
    #[serde(default)]
    hit_condition: Option<String>,
    #[serde(default)]
    log_message: Option<String>,
}

impl Wanted {
    /// As `debug_breakpoint` takes it.
    fn asked(&self, file: &Path) -> Value {
        let mut asked = json!({ "file": file.to_string_lossy(), "line": self.line });
        let conditions = [
            ("condition", &self.condition),
            ("hit_condition", &self.hit_condition),
            ("log_message", &self.log_message),
        ];
        for (name, value) in conditions {
            if let Some(value) = value.as_ref().filter(|value| !value.is_empty()) {
                asked[name] = value.as_str().into();
            }
        }
        asked
    }
}

fn described(one: &Breakpoint, bound: Option<&Bound>) -> Value {
    let name = one.file.file_name().map(|name| name.to_string_lossy());
    let mut told = json!({
        "id": one.id, "verified": bound.is_some_and(|bound| bound.verified),
        "line": bound.and_then(|bound| bound.line).unwrap_or(one.line),
        "source": { "name": name, "path": one.file.to_string_lossy() },
    });
    if let Some(message) = bound.and_then(|bound| bound.message.as_deref()) {
        told["message"] = message.into();
    }
    told
}

impl View {
    /// The breakpoints of one file as they are wanted now.
    pub(super) async fn set_breakpoints(&mut self, asked: &Asked) -> Result<Value, String> {
        let path = asked.arguments["source"]["path"].as_str();
        let path = PathBuf::from(path.ok_or("only code in files has breakpoints here")?);
        let mut wanted: Vec<Wanted> = match &asked.arguments["breakpoints"] {
            Value::Array(_) => serde_json::from_value(asked.arguments["breakpoints"].clone())
                .map_err(|error| format!("`breakpoints`: {error}"))?,
            _ => Vec::new(),
        };
        if wanted.len() > MOST {
            return Err(format!("more than {MOST} breakpoints in one file"));
        }
        wanted.sort_by_key(|one| one.line);
        let lines: Vec<u64> = match asked.arguments["breakpoints"].as_array() {
            Some(all) => all.iter().filter_map(|one| one["line"].as_u64()).collect(),
            None => Vec::new(),
        };
        let refused = if self.is_full { self.join(&path, &wanted).await.err() } else { None };
        let told = self.those_of(&path);
        let answers = lines.iter().map(|line| {
            let found = told.iter().find(|(one, _)| u64::from(one.line) == *line);
            let why = refused.as_deref().unwrap_or("this view only watches, and sets none");
            match found {
                Some((one, told)) => {
                    self.shown.told.insert(one.id, told.clone());
                    told.clone()
                }
                None => json!({ "verified": false, "line": line, "message": why }),
            }
        });
        let answers: Vec<_> = answers.collect();
        Ok(json!({ "breakpoints": answers }))
    }

    /// Makes the workspace's set have these of a file, and not those that the interface set before.
    async fn join(&mut self, path: &Path, wanted: &[Wanted]) -> Result<(), String> {
        let lines: BTreeSet<u32> = wanted.iter().map(|one| one.line).collect();
        let before = self.shown.own.get(path).cloned().unwrap_or_default();
        let file = path.to_string_lossy();
        for line in before.difference(&lines) {
            let params = json!({ "action": "remove", "file": file, "line": line });
            // Somebody else may have removed it.
            let _ = tool::call(&self.client, "debug_breakpoint", params).await;
        }
        self.shown.own.insert(path.to_owned(), lines);
        if wanted.is_empty() {
            return Ok(());
        }
        let all: Vec<_> = wanted.iter().map(|one| one.asked(path)).collect();
        let params = json!({ "action": "set", "breakpoints": all });
        tool::call(&self.client, "debug_breakpoint", params).await.map(drop)
    }

    fn those_of(&self, path: &Path) -> Vec<(Breakpoint, Value)> {
        let bound = self.debugged.as_ref().map(|session| session.bound()).unwrap_or_default();
        let all = self.client.tools().debugger().breakpoints().of(path).into_iter();
        all.map(|one| {
            let told = described(&one, bound.get(&one.id));
            (one, told)
        })
        .collect()
    }

    /// Tells of breakpoints that came, went, or were bound elsewhere.
    pub(super) fn tell_breakpoints(&mut self, session: &Debugged) -> Next {
        let bound = session.bound();
        let all = self.client.tools().debugger().breakpoints().all();
        let gone: Vec<u64> = {
            let is_there = |id: &u64| all.iter().any(|one| one.id == *id);
            self.shown.told.keys().copied().filter(|id| !is_there(id)).collect()
        };
        for id in gone {
            self.shown.told.remove(&id);
            let body =
                json!({ "reason": "removed", "breakpoint": { "id": id, "verified": false } });
            if self.tell("breakpoint", body) == Next::Over {
                return Next::Over;
            }
        }
        for one in &all {
            let told = described(one, bound.get(&one.id));
            let before = self.shown.told.insert(one.id, told.clone());
            if before.as_ref() == Some(&told) {
                continue;
            }
            let reason = if before.is_some() { "changed" } else { "new" };
            if self.tell("breakpoint", json!({ "reason": reason, "breakpoint": told }))
                == Next::Over
            {
                return Next::Over;
            }
        }
        Next::On
    }
}
