//! Breakpoints. Those set in the user interface join the workspace's; those set elsewhere are shown.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use ::debug::{Breakpoint, BreakpointBinding, ClientRequest, Session as Debugged};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{DapConnection, Flow, tool_call};

/// Most breakpoints in one file.
const MAX_PER_FILE: usize = 2_000;

/// The breakpoints that the user interface knows.
#[derive(Default)]
pub(super) struct SentBreakpoints {
    /// By id: the description last sent.
    by_id: HashMap<u64, Value>,
    /// By file: the lines that the user interface set.
    lines_by_file: HashMap<PathBuf, BTreeSet<u32>>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct SourceBreakpoint {
    line: u32,
    #[serde(default)]
    condition: Option<String>,
    #[serde(default)]
    hit_condition: Option<String>,
    #[serde(default)]
    log_message: Option<String>,
}

impl SourceBreakpoint {
    /// Converts to an argument of `debug_breakpoint`.
    fn tool_argument(&self, file: &Path) -> Value {
        let mut request = json!({ "file": file.to_string_lossy(), "line": self.line });
        let conditions = [
            ("condition", &self.condition),
            ("hit_condition", &self.hit_condition),
            ("log_message", &self.log_message),
        ];
        for (name, value) in conditions {
            if let Some(value) = value.as_ref().filter(|value| !value.is_empty()) {
                request[name] = value.as_str().into();
            }
        }
        request
    }
}

fn breakpoint_json(one: &Breakpoint, bound: Option<&BreakpointBinding>) -> Value {
    let name = one.file.file_name().map(|name| name.to_string_lossy());
    let mut breakpoint = json!({
        "id": one.id, "verified": bound.is_some_and(|bound| bound.verified),
        "line": bound.and_then(|bound| bound.line).unwrap_or(one.line),
        "source": { "name": name, "path": one.file.to_string_lossy() },
    });
    if let Some(message) = bound.and_then(|bound| bound.message.as_deref()) {
        breakpoint["message"] = message.into();
    }
    breakpoint
}

impl DapConnection {
    /// Handles `setBreakpoints`: replaces the user interface's breakpoints in one file.
    pub(super) async fn set_breakpoints(
        &mut self,
        request: &ClientRequest,
    ) -> Result<Value, String> {
        let path = request.arguments["source"]["path"].as_str();
        let path = PathBuf::from(path.ok_or("breakpoints need a source with a path")?);
        let mut wanted: Vec<SourceBreakpoint> = match &request.arguments["breakpoints"] {
            Value::Array(_) => serde_json::from_value(request.arguments["breakpoints"].clone())
                .map_err(|error| format!("`breakpoints`: {error}"))?,
            _ => Vec::new(),
        };
        if wanted.len() > MAX_PER_FILE {
            return Err(format!("more than {MAX_PER_FILE} breakpoints in one file"));
        }
        wanted.sort_by_key(|one| one.line);
        let lines: Vec<u64> = match request.arguments["breakpoints"].as_array() {
            Some(all) => all.iter().filter_map(|one| one["line"].as_u64()).collect(),
            None => Vec::new(),
        };
        let refused =
            if self.may_control { self.replace_in_file(&path, &wanted).await.err() } else { None };
        let sent = self.in_file(&path);
        let answers = lines.iter().map(|line| {
            let found = sent.iter().find(|(one, _)| u64::from(one.line) == *line);
            let why = refused.as_deref().unwrap_or("this session is read-only");
            match found {
                Some((one, sent)) => {
                    self.breakpoints.by_id.insert(one.id, sent.clone());
                    sent.clone()
                }
                None => json!({ "verified": false, "line": line, "message": why }),
            }
        });
        let answers: Vec<_> = answers.collect();
        Ok(json!({ "breakpoints": answers }))
    }

    /// Adds these breakpoints to the workspace and removes those that the user interface set before.
    async fn replace_in_file(
        &mut self,
        path: &Path,
        wanted: &[SourceBreakpoint],
    ) -> Result<(), String> {
        let lines: BTreeSet<u32> = wanted.iter().map(|one| one.line).collect();
        let before = self.breakpoints.lines_by_file.get(path).cloned().unwrap_or_default();
        let file = path.to_string_lossy();
        for line in before.difference(&lines) {
            let params = json!({ "action": "remove", "file": file, "line": line });
            // It may have been removed elsewhere.
            let _ = tool_call::call(&self.client, "debug_breakpoint", params).await;
        }
        self.breakpoints.lines_by_file.insert(path.to_owned(), lines);
        if wanted.is_empty() {
            return Ok(());
        }
        let all: Vec<_> = wanted.iter().map(|one| one.tool_argument(path)).collect();
        let params = json!({ "action": "set", "breakpoints": all });
        tool_call::call(&self.client, "debug_breakpoint", params).await.map(drop)
    }

    fn in_file(&self, path: &Path) -> Vec<(Breakpoint, Value)> {
        let bound =
            self.debugged.as_ref().map(|session| session.breakpoint_bindings()).unwrap_or_default();
        let all =
            debug_tools::debugger(self.client.tools()).breakpoints().in_file(path).into_iter();
        all.map(|one| {
            let sent = breakpoint_json(&one, bound.get(&one.id));
            (one, sent)
        })
        .collect()
    }

    /// Sends events for breakpoints that were added, removed or moved.
    pub(super) fn send_breakpoint_changes(&mut self, session: &Debugged) -> Flow {
        let bound = session.breakpoint_bindings();
        let all = debug_tools::debugger(self.client.tools()).breakpoints().all();
        let gone: Vec<u64> = {
            let is_there = |id: &u64| all.iter().any(|one| one.id == *id);
            self.breakpoints.by_id.keys().copied().filter(|id| !is_there(id)).collect()
        };
        for id in gone {
            self.breakpoints.by_id.remove(&id);
            let body =
                json!({ "reason": "removed", "breakpoint": { "id": id, "verified": false } });
            if self.send_event("breakpoint", body) == Flow::Stop {
                return Flow::Stop;
            }
        }
        for one in &all {
            let sent = breakpoint_json(one, bound.get(&one.id));
            let before = self.breakpoints.by_id.insert(one.id, sent.clone());
            if before.as_ref() == Some(&sent) {
                continue;
            }
            let reason = if before.is_some() { "changed" } else { "new" };
            if self.send_event("breakpoint", json!({ "reason": reason, "breakpoint": sent }))
                == Flow::Stop
            {
                return Flow::Stop;
            }
        }
        Flow::Continue
    }
}
