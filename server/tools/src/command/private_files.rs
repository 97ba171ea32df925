//! The file access of a program that changes nothing in the workspace.

use std::path::PathBuf;

use process::{Filesystem, Protected};

use crate::{Context, ToolError};

/// Files for a program of a tool that needs none of the workspace: it can write to its `TMPDIR` only. Files that
/// rules deny are hidden.
///
/// # Errors
/// If they cannot be hidden: then nothing may run.
pub fn read_only_files(context: &Context<'_>, tool: &str) -> Result<Filesystem, ToolError> {
    let hidden = context.session.policy.hidden(tool, &context.snapshot)?;
    let protected = Protected { hidden, ..Protected::default() };
    Ok(Filesystem::Confined { writable: Vec::new(), protected })
}

/// The files and folders that nothing may read, absolute: what rules deny, under all its names, and Tandem's secrets.
/// What starts programs outside of the sandbox must hide them itself.
///
/// # Errors
/// If they cannot all be found: then nothing may run.
pub fn hidden_files(context: &Context<'_>, tool: &str) -> Result<Vec<PathBuf>, ToolError> {
    context.session.policy.hidden(tool, &context.snapshot)
}
