//! `memory_remember`: stores a memory.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use workspace::FilePath;

use super::evidence::Evidence;
use super::fact::Fact;
use super::recall::location;
use super::store::{Scope, Store};
use tools::{
    Code, Context, Effect, EffectKind, Tool, ToolError,
    results::{Lines, str_at},
};

pub(crate) struct MemoryRemember;

/// Longest name of a client, in characters.
const MAX_CLIENT_CHARS: usize = 100;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The fact, in a sentence or two that stand for themselves. No passwords, tokens or keys.
    content: String,
    /// A unique name in its category: a later memory of the same key takes its place.
    #[serde(default)]
    key: Option<String>,
    /// What it is about.
    #[serde(default)]
    title: Option<String>,
    /// Its kind, such as `decision`, `convention`, `service`, `incident`.
    #[serde(default)]
    category: Option<String>,
    /// Words to find it by.
    #[serde(default)]
    tags: Vec<String>,
    /// The file that shows it: relative to the workspace, absolute inside it, or a file: URI.
    #[serde(default)]
    path: Option<String>,
    /// The first line that shows it, 1-based; the whole file by default.
    #[serde(default)]
    start_line: Option<usize>,
    /// The last such line; `start_line` by default.
    #[serde(default)]
    end_line: Option<usize>,
    /// Where it holds: in this workspace, or in all of the person's.
    #[serde(default)]
    scope: Scope,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Its id.
    id: String,
    /// Whether it took the place of an earlier memory, whose tags were kept.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    joined: bool,
    /// The lines that were taken as evidence.
    #[serde(skip_serializing_if = "Option::is_none")]
    evidence: Option<TakenEvidence>,
}

/// Lines of a file.
#[derive(Serialize, JsonSchema)]
struct TakenEvidence {
    path: String,
    start_line: usize,
    end_line: usize,
}

impl Tool for MemoryRemember {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "memory_remember";
    const DESCRIPTION: &'static str = "Remember a fact for later sessions: a decision, a convention, \
        what you found out. With `path` and lines it is compared with the code whenever it is \
        recalled, and marked as outdated once they change. Stored outside the workspace; facts in \
        the same words are joined.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read, EffectKind::Admin];
    // The state folder is outside the workspace.
    const OWN_SANDBOX: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("fact", "content"), ("memory", "content"), ("value", "content")];
    const EXAMPLES: &'static [&'static str] = &[
        r#"{"content": "Totals are computed in app.py.", "path": "app.py", "tags": ["totals"]}"#,
        r#"{"content": "The person prefers small commits.", "scope": "person"}"#,
    ];

    fn text(result: &Value) -> Option<String> {
        let mut lines = Lines::default();
        let joined = if result["joined"] == true { ", joined with the earlier one" } else { "" };
        lines.push(format_args!("remembered as {}{joined}", str_at(result, "id")));
        if result["evidence"].is_object() {
            lines.push(format_args!("evidence: {}", location(&result["evidence"])));
        }
        Some(lines.finish(""))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let fact = params.fact(context);
        if let Some(mistake) = fact.mistake().or_else(|| params.mistake()) {
            return Err(invalid(&mistake));
        }
        if fact.has_secret() {
            return Err(invalid(
                "this looks like a password, a token or a key; memories hold none",
            )
            .hint("leave it out, and say where it is kept instead"));
        }
        let path = params.path.as_ref();
        let path = path.map(|path| context.snapshot.locate(path)).transpose()?;
        Ok(path.iter().map(Effect::read).collect())
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let mut fact = params.fact(context);
        if let Some(path) = &params.path {
            let path = context.snapshot.locate(path)?;
            fact.evidence = Some(params.evidence(context, &path)?);
        }
        let id = fact.id();
        let store = Store::open(context, Self::NAME, params.scope)?;
        let (fact, joined) = store.remember(&id, fact)?;
        let evidence = fact.evidence.map(|evidence| TakenEvidence {
            path: evidence.path,
            start_line: evidence.start_line,
            end_line: evidence.end_line,
        });
        Ok(Output { id, joined, evidence })
    }
}

impl Params {
    fn fact(&self, context: &Context<'_>) -> Fact {
        let trimmed = |text: &Option<String>| {
            text.as_ref().map(|text| text.trim().to_owned()).filter(|text| !text.is_empty())
        };
        let tags = self.tags.iter().map(|tag| tag.trim().to_owned());
        let now = Timestamp::now();
        Fact {
            content: self.content.trim().to_owned(),
            key: trimmed(&self.key),
            title: trimmed(&self.title),
            category: trimmed(&self.category),
            tags: tags.filter(|tag| !tag.is_empty()).collect(),
            evidence: None,
            client: client(context),
            created: now,
            updated: now,
        }
    }

    fn mistake(&self) -> Option<String> {
        if self.path.is_none() {
            let has_lines = self.start_line.is_some() || self.end_line.is_some();
            return has_lines.then(|| "lines need a `path`".to_owned());
        }
        if self.scope == Scope::Person {
            return Some("a memory for all workspaces cannot be about a file of one".to_owned());
        }
        match (self.start_line, self.end_line) {
            (None, Some(_)) => Some("`end_line` needs a `start_line`".to_owned()),
            (Some(0), _) => Some("lines count from 1".to_owned()),
            (Some(start), Some(end)) if start > end => {
                Some(format!("start_line {start} is after end_line {end}"))
            }
            _ => None,
        }
    }

    fn evidence(&self, context: &Context<'_>, path: &FilePath) -> Result<Evidence, ToolError> {
        let file = context.snapshot.read(path)?;
        let range = self.start_line.map(|start| (start, self.end_line.unwrap_or(start)));
        let shown = path.display_path();
        Evidence::take(shown.clone(), &file.text.to_string(), range)
            .map_err(|why| invalid(&format!("{shown}: {why}")))
    }
}

/// The client that calls.
fn client(context: &Context<'_>) -> Option<String> {
    let caller = &context.caller;
    let own = context.session.audit.front_end();
    let front_end = if caller.front_end.is_empty() { own } else { caller.front_end };
    let name = caller.client.as_deref().unwrap_or(front_end);
    let name: String = name.chars().filter(|c| !c.is_control()).take(MAX_CLIENT_CHARS).collect();
    (!name.is_empty()).then_some(name)
}

fn invalid(why: &str) -> ToolError {
    ToolError::new(Code::InvalidParams, format!("{}: {why}", MemoryRemember::NAME))
}
