//! Runbooks: procedures in Markdown, whose fenced steps name tool calls.

mod get_runbook;
mod list_runbooks;
mod search_runbooks;

use schemars::JsonSchema;
use serde::Serialize;
use tools::{Code, Context, Effect, ToolError};

pub(crate) use self::get_runbook::GetRunbook;
pub(crate) use self::list_runbooks::ListRunbooks;
pub(crate) use self::search_runbooks::SearchRunbooks;
use crate::library::{Document, Kind, documents};

/// How a workspace gets its first runbook.
const HINT: &str = "a runbook is a Markdown file in .tandem/runbooks; fenced blocks marked `sh`, or \
     `tandem` with `TOOL {arguments}`, are its steps";

/// A runbook in lists.
#[derive(Serialize, JsonSchema)]
struct Summary {
    /// What `get_runbook` takes.
    name: String,
    /// Its title.
    title: String,
    /// What it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    /// Its tags.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tags: Vec<String>,
    /// Its file.
    path: String,
}

impl Summary {
    fn new(document: &Document) -> Self {
        Self {
            name: document.name.clone(),
            title: document.title.clone(),
            description: document.description.clone(),
            tags: document.tags.clone(),
            path: document.path.clone(),
        }
    }
}

/// Reads are of documents that may not exist; each is checked against the rules when it is read.
fn effects() -> Vec<Effect> {
    Vec::new()
}

fn runbooks(context: &Context<'_>, tool: &str) -> Result<Vec<Document>, ToolError> {
    documents(context, tool, Kind::Runbook)
}

/// The runbook with this name or path.
fn find(context: &Context<'_>, tool: &str, name: &str) -> Result<Document, ToolError> {
    let all = runbooks(context, tool)?;
    let stem = name.strip_suffix(".md").unwrap_or(name);
    let is_named = |document: &&Document| document.name == stem || document.path == name;
    if let Some(document) = all.iter().find(is_named) {
        return Ok(document.clone());
    }
    let shown: String = name.chars().take(60).collect();
    let error =
        ToolError::new(Code::FileNotFound, format!("{tool}: no runbook is called `{shown}`"));
    let names: Vec<&str> = all.iter().map(|document| document.name.as_str()).take(20).collect();
    Err(error.hint(match names.is_empty() {
        true => HINT.to_owned(),
        false => format!("there are {}", names.join(", ")),
    }))
}
