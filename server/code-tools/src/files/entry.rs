//! Shared by the tools that create, move and delete entries.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use workspace::{Committed, Entry, FileKind, FilePath};

use crate::editing::push_review;
use tools::results::{Lines, count, list_at, number_at, str_at};

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
