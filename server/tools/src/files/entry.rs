//! Shared by the tools that create, move and delete entries.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use workspace::{Change, Committed, Entry, FileError, FileKind, FilePath};

use crate::editing::{of_commit, push_review};
use crate::results::{Lines, count, list_at, number_at, str_at};
use crate::{Code, Context, ToolError};

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Its path now, or before it was deleted, relative to the workspace.
    path: String,
    /// Its previous path.
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<String>,
    /// `file`, `directory`, `link` or `special`.
    kind: &'static str,
    /// Whether anything changed.
    changed: bool,
    /// Whether an existing entry was replaced; it is in the trash.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    overwritten: bool,
    /// Whether open documents are affected; they stay open in the editor.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    open: bool,
    /// Id of the action in the history, for `undo_action`.
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<String>,
}

impl Output {
    pub(super) fn new(path: &FilePath, kind: FileKind) -> Self {
        Self {
            path: path.display_path(),
            source: None,
            kind: match kind {
                FileKind::File => "file",
                FileKind::Directory => "directory",
                FileKind::Link => "link",
                FileKind::Special => "special",
            },
            changed: false,
            overwritten: false,
            open: false,
            action: None,
        }
    }

    pub(super) fn from(mut self, source: &FilePath) -> Self {
        self.source = Some(source.display_path());
        self
    }

    pub(super) fn committed(mut self, committed: &Committed, over: Option<&Entry>) -> Self {
        self.changed = true;
        self.overwritten = over.is_some();
        self.open = !committed.open.is_empty();
        self.action = committed.action.map(|id| id.to_string());
        self
    }
}

/// The path of a destination, whether it exists or not. An error only if a parent cannot be found.
pub(super) fn destination_path(
    located: Result<FilePath, FileError>,
) -> Result<FilePath, ToolError> {
    located.map_err(|error| match error {
        FileError::NotFound { path } => {
            let message = format!("{path}: there is something on the way that is no folder");
            ToolError::new(Code::DirNotFound, message).hint("name a path below a folder")
        }
        error => error.into(),
    })
}

/// The entry at a path; an error that names the path if there is none.
pub(super) fn entry(context: &Context<'_>, path: &FilePath) -> Result<Entry, ToolError> {
    context.snapshot.entry(path).map_err(|error| match error {
        FileError::NotFound { path } => {
            ToolError::new(Code::FileNotFound, format!("{path}: nothing is there"))
        }
        error => error.into(),
    })
}

/// The entry at a destination, to be replaced with `overwrite`; an error without it.
pub(super) fn entry_to_overwrite(
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
pub(super) fn check_root(path: &FilePath, what: &str) -> Result<(), ToolError> {
    if !path.is_root() {
        return Ok(());
    }
    let message = format!("{what}: the workspace's own folder cannot be the target");
    Err(ToolError::new(Code::PathForbidden, message).hint("name what is inside it"))
}

/// Refuses if the content differs from the one that the person approved to delete or replace.
pub(super) fn check_approved(context: &Context<'_>, path: &FilePath) -> Result<(), ToolError> {
    let Some(approved) = context.approved(path) else { return Ok(()) };
    if context.workspace.snapshot().content_hash(path) == Ok(approved) {
        return Ok(());
    }
    let message = format!("{}: changed since it was approved", path.display_path());
    Err(ToolError::new(Code::Conflict, message).hint("call again"))
}

/// Commits `change` as an action of `tool`.
pub(super) fn commit(
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
    context.commit(&turn, tool, &seen, &[change]).map(Some).map_err(|error| of_commit(&error))
}

/// What was done, in one line, and what else changed with it.
pub(super) fn text(done: &str, result: &Value) -> String {
    let mut lines = Lines::default();
    let path = str_at(result, "path");
    if result["changed"] == false {
        return format!("{path}: unchanged");
    }
    match str_at(result, "source") {
        "" => lines.push(format_args!("{done} {path}")),
        source => lines.push(format_args!("{done} {source} to {path}")),
    }
    if result["overwritten"] == true {
        lines.push("[replaced an existing file; undo_action restores it]");
    }
    if result["open"] == true {
        lines.push("[open in the editor, where it stays open]");
    }
    for file in list_at(result, "imports") {
        let edits = usize::try_from(number_at(file, "edits")).unwrap_or(usize::MAX);
        let edits = count(edits, "import");
        lines.push(format_args!("{}: updated {edits}", str_at(file, "path")));
    }
    lines.push_places("imports that were not updated", list_at(result, "left_out"));
    push_review(&mut lines, &result["review"]);
    lines.finish("")
}
