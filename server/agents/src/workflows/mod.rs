//! Workflows: pipelines of tool calls in TOML, with one approval, one undo, and a journal.
//!
//! Read `docs/workflows.md` for the format, then [`definition`] (what is checked before anything runs),
//! [`plan`] (what is displayed and approved) and [`run`]. Every step is a call by the executor.

mod definition;
mod expression;
mod file;
mod inputs;
mod journal;
mod parallel;
mod plan;
mod report;
mod run;
mod workflow;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tools::{Code, Context, FamilyState, ToolError};
use workspace::ContentHash;

use self::definition::Workflow;
use self::file::Mistake;
pub(crate) use self::workflow::WorkflowTool;
use crate::library::{Document, Kind, documents};

/// Workflows that are kept checked.
const MAX_CHECKED: usize = 64;
/// How a workspace gets its first workflow of its own.
const HINT: &str = "a workflow is a TOML file in .tandem/workflows; docs/workflows.md describes it";

/// Workflows that were checked, by the hash of their texts: compiling filters takes milliseconds.
#[derive(Default)]
pub(crate) struct CheckedWorkflows(Mutex<HashMap<ContentHash, Arc<Workflow>>>);

impl FamilyState for CheckedWorkflows {}

/// The workflow in `text`.
fn checked(context: &Context<'_>, text: &str) -> Result<Arc<Workflow>, Vec<Mistake>> {
    let hash = ContentHash::digest(text.as_bytes());
    let checked = &context.session.family::<CheckedWorkflows>().0;
    let lock = || checked.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = lock().get(&hash) {
        return Ok(known.clone());
    }
    let workflow = Arc::new(Workflow::parse(context, text)?);
    let mut checked = lock();
    if checked.len() >= MAX_CHECKED {
        checked.clear();
    }
    checked.insert(hash, workflow.clone());
    Ok(workflow)
}

/// The file of the workflow with this name or path.
fn find(context: &Context<'_>, tool: &str, name: &str) -> Result<Document, ToolError> {
    let all = documents(context, tool, Kind::Workflow)?;
    let stem = name.strip_suffix(".toml").unwrap_or(name);
    let is_named = |document: &&Document| document.name == stem || document.path == name;
    if let Some(document) = all.iter().find(is_named) {
        return Ok(document.clone());
    }
    let message = format!("{tool}: no workflow is called `{name:.60}`");
    let names: Vec<&str> = all.iter().map(|document| document.name.as_str()).take(20).collect();
    let hint = format!("there are {}; {HINT}", names.join(", "));
    Err(ToolError::new(Code::FileNotFound, message).hint(hint))
}

/// The error for a file with mistakes.
fn of_mistakes(path: &str, mistakes: &[Mistake]) -> ToolError {
    let lines: Vec<String> = mistakes
        .iter()
        .map(|mistake| format!("{path}:{}: {}", mistake.line, mistake.message))
        .collect();
    let message = format!("workflow: nothing ran: {}", lines.join("\n"));
    ToolError::new(Code::InvalidParams, message)
        .details(serde_json::json!({ "path": path, "mistakes": mistakes }))
        .hint("docs/workflows.md describes the format")
}
