//! Checks and commits of entries that a tool creates, replaces, moves or deletes.

use workspace::{Change, Committed, Entry, FileError, FileKind, FilePath};

use crate::{Code, Context, ToolError, from_commit_error};

/// The path of a destination, whether it exists or not. An error only if a parent cannot be found.
pub fn destination_path(located: Result<FilePath, FileError>) -> Result<FilePath, ToolError> {
    located.map_err(|error| match error {
        FileError::NotFound { path } => {
            let message = format!("{path}: there is something on the way that is no folder");
            ToolError::new(Code::DirNotFound, message).hint("name a path below a folder")
        }
        error => error.into(),
    })
}

/// The entry at a path; an error that names the path if there is none.
pub fn entry(context: &Context<'_>, path: &FilePath) -> Result<Entry, ToolError> {
    context.snapshot.entry(path).map_err(|error| match error {
        FileError::NotFound { path } => {
            ToolError::new(Code::FileNotFound, format!("{path}: nothing is there"))
        }
        error => error.into(),
    })
}

/// The entry at a destination, to be replaced with `overwrite`; an error without it.
pub fn entry_to_overwrite(
    context: &Context<'_>,
    tool: &str,
    entry: &Entry,
    to: &FilePath,
    overwrite: bool,
) -> Result<Option<Entry>, ToolError> {
    let over = match context.snapshot.entry(to) {
        Ok(over) => over,
        Err(FileError::NotFound { .. }) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let exists = |hint: &str| {
        let message = format!("{tool}: {}: exists already", to.display_path());
        Err(ToolError::new(Code::Exists, message).hint(hint))
    };
    if !overwrite {
        return exists("`overwrite: true` replaces it; it can be had back by `undo_action`");
    }
    if (over.kind == FileKind::Directory) != (entry.kind == FileKind::Directory) {
        return exists("a folder takes the place of a folder only; delete it first");
    }
    Ok(Some(over))
}

/// Refuses to delete or move the root itself.
pub fn check_root(path: &FilePath, what: &str) -> Result<(), ToolError> {
    if !path.is_root() {
        return Ok(());
    }
    let message = format!("{what}: the workspace's own folder cannot be the target");
    Err(ToolError::new(Code::PathForbidden, message).hint("name what is inside it"))
}

/// Refuses if the content differs from the one that the person approved to delete or replace.
pub fn check_approved(context: &Context<'_>, path: &FilePath) -> Result<(), ToolError> {
    let Some(approved) = context.approved(path) else { return Ok(()) };
    if context.workspace.snapshot().content_hash(path) == Ok(approved) {
        return Ok(());
    }
    let message = format!("{}: changed since it was approved", path.display_path());
    Err(ToolError::new(Code::Conflict, message).hint("call again"))
}

/// Commits `change` as an action of `tool`.
pub fn commit(
    context: &Context<'_>,
    tool: &'static str,
    change: impl FnOnce() -> Result<Option<Change>, ToolError>,
) -> Result<Option<Committed>, ToolError> {
    let cancelled =
        || ToolError::new(Code::Cancelled, format!("{tool}: cancelled; nothing changed"));
    let turn = context.workspace.write_lock(context.interrupt).ok_or_else(cancelled)?;
    context.check_interrupt(tool)?;
    let Some(change) = change()? else { return Ok(None) };
    let seen = context.workspace.snapshot();
    context
        .commit(&turn, tool, &seen, &[change])
        .map(Some)
        .map_err(|error| from_commit_error(&error))
}
