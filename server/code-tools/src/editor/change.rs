//! Inserts text at the person's selection or cursor, through the editor.

use std::borrow::Cow;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use text::{FileEncoding, LineEndings, Text};
use workspace::{
    Change, CommitError, ContentHash, Document, EditorError, FilePath, FileText, Selection,
    SelectionError, Source,
};

use super::editor_position::{Span, locate_document, selection_error};
use crate::review::{Kind, Proposed, review};
use tools::{Code, Context, Effect, ToolError, from_commit_error, results::diff};

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The text. Its line endings become the document's.
    content: String,
    /// Which selection, if there are several: 1 is the first that `get_selection` lists.
    #[serde(default)]
    selection: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Whether the text changed.
    changed: bool,
    /// The file, relative to the workspace.
    path: String,
    /// Range of the inserted text.
    #[serde(flatten)]
    span: Span,
    /// SHA-256 of the whole new text; `apply_edit` takes it as `expected_hash`.
    hash: String,
    /// Id of the action in the history, for `undo_action`.
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<String>,
}

/// What the text replaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EditTarget {
    /// The selected text.
    Selection,
    /// Nothing: it is inserted at the cursor.
    Cursor,
}

/// The change, planned on one state of the document.
struct PlannedChange {
    document: Arc<Document>,
    path: FilePath,
    span: std::ops::Range<usize>,
    new: String,
    /// Whether it is the only selection, so its position afterwards is known.
    is_followed: bool,
}

/// A document that changes meanwhile is tried once more.
const MAX_ATTEMPTS: usize = 2;

pub(super) fn effects(
    context: &Context<'_>,
    tool: &str,
    params: &Params,
    at: EditTarget,
) -> Result<Vec<Effect>, ToolError> {
    let (document, selections) =
        context.snapshot.selected().map_err(|error| selection_error(tool, &error))?;
    let planned = plan(context, tool, document.clone(), selections, params, at)?;
    let mut effect = Effect::write(&planned.path);
    if context.asks_about(&planned.path) {
        let displayed = planned.path.display_path();
        let before = document.text().to_string();
        effect.detail = Some(diff(&displayed, &displayed, &before, &planned.after().to_string()));
    }
    Ok(vec![effect])
}

pub(super) fn run(
    context: &Context<'_>,
    tool: &'static str,
    params: &Params,
    at: EditTarget,
) -> Result<Output, ToolError> {
    let take_turn = || {
        let turn = context.workspace.write_lock(context.interrupt);
        context.check_interrupt(tool)?;
        turn.ok_or_else(|| ToolError::new(Code::Cancelled, format!("{tool}: cancelled")))
    };
    // The write lock is not held while a person reviews.
    let reviews = context.editor.wants_review();
    let mut turn = if reviews { None } else { Some(take_turn()?) };
    for attempt in 1.. {
        let selected = context.workspace.selected_since(&context.snapshot);
        let (document, selections) = selected.map_err(|error| selection_error(tool, &error))?;
        let planned = plan(context, tool, document, &selections, params, at)?;
        let file = planned.file();
        check_approved(context, &file)?;
        let after = planned.after();
        let whole = after.to_string();
        let end = planned.span.start + planned.new.len();
        let mut output = Output {
            changed: true,
            path: planned.path.display_path(),
            span: Span::from_span(&after, planned.span.start..end),
            hash: ContentHash::digest(whole.as_bytes()).to_string(),
            action: None,
        };
        if *planned.document.text().slice(planned.span.clone()) == *planned.new {
            output.changed = false;
            return Ok(output);
        }
        context.check_interrupt(tool)?;
        if reviews {
            // There is one hunk: all or nothing.
            let proposed = [planned.proposed(&file, &whole)];
            review(context, tool, &proposed)?;
            turn = Some(take_turn()?);
        }
        let Some(turn) = &turn else { break };
        let edits = vec![(planned.span.clone(), planned.new.clone())];
        let changes = [Change::Edit { file, edits, after: whole }];
        let seen = context.workspace.snapshot();
        match context.commit(turn, tool, &seen, &changes) {
            Err(error)
                if !reviews && attempt < MAX_ATTEMPTS && has_moved(context, &planned, &error) => {}
            Err(error) => return Err(from_commit_error(&error)),
            Ok(committed) => {
                output.action = committed.action.map(|id| id.to_string());
                if planned.is_followed {
                    let anchor = if at == EditTarget::Selection { planned.span.start } else { end };
                    let selection = Selection { anchor, cursor: end };
                    let uri = planned.document.uri();
                    context.workspace.select(&context.snapshot, uri, &after, vec![selection]);
                }
                return Ok(output);
            }
        }
    }
    let message = format!("{tool}: other programs kept changing the files");
    Err(ToolError::new(Code::Conflict, message).hint("try again"))
}

/// Whether the edit failed because the person was typing; it may fit the new text.
fn has_moved(context: &Context<'_>, planned: &PlannedChange, error: &CommitError) -> bool {
    match error {
        CommitError::DocumentChanged { .. } => true,
        CommitError::Editor { source: EditorError::Refused(_), .. } => {
            let now = context.workspace.snapshot();
            let document = now.document(planned.document.uri());
            document.is_some_and(|now| now.revision() != planned.document.revision())
        }
        _ => false,
    }
}

fn plan(
    context: &Context<'_>,
    tool: &str,
    document: Arc<Document>,
    selections: &[Selection],
    params: &Params,
    at: EditTarget,
) -> Result<PlannedChange, ToolError> {
    let (displayed, path) = locate_document(&context.snapshot, document.uri());
    let Some(path) = path else {
        let message =
            format!("{tool}: {displayed}: is outside the workspace and cannot be changed");
        return Err(ToolError::new(Code::PathForbidden, message));
    };
    if !context.editor.can_apply() {
        let message = format!("{tool}: {displayed}: is open in an editor that cannot apply edits");
        return Err(ToolError::new(Code::Unsupported, message)
            .hint("use a client with workspace/applyEdit"));
    }
    let selection = selection_to_use(tool, &displayed, &document, selections, params.selection)?;
    let new = with_line_ends_of(document.text(), &params.content).into_owned();
    let span = match at {
        EditTarget::Selection => selection.span(),
        EditTarget::Cursor => selection.cursor..selection.cursor,
    };
    // A selection next to the cursor is not changed by the edit.
    let is_followed =
        selections.len() == 1 && (at == EditTarget::Selection || selection.span().is_empty());
    Ok(PlannedChange { document, path, span, new, is_followed })
}

impl PlannedChange {
    fn after(&self) -> Text {
        let mut after = self.document.text().clone();
        after.replace(self.span.clone(), &self.new);
        after
    }

    fn proposed<'a>(&'a self, file: &'a FileText, after: &str) -> Proposed<'a> {
        Proposed {
            path: &self.path,
            file: Some(file),
            old: self.document.text().to_string(),
            new: after.to_owned(),
            kind: Kind::Whole,
        }
    }

    fn file(&self) -> FileText {
        let bytes = self.document.text().to_string().into_bytes();
        FileText {
            path: self.path.clone(),
            text: self.document.text().clone(),
            encoding: FileEncoding::Utf8,
            source: Source::Open(self.document.clone()),
            size: bytes.len(),
            hash: ContentHash::digest(&bytes),
        }
    }
}

/// The selection to use; an error if there are several and none is chosen.
fn selection_to_use(
    tool: &str,
    displayed: &str,
    document: &Document,
    selections: &[Selection],
    selection_number: Option<usize>,
) -> Result<Selection, ToolError> {
    let one = match (selection_number, selections) {
        (Some(number), _) => number.checked_sub(1).and_then(|at| selections.get(at)),
        (None, [only]) => Some(only),
        (None, []) => {
            let uri = document.uri().clone();
            return Err(selection_error(tool, &SelectionError::NotReported { uri }));
        }
        (None, several) => {
            let message = format!("{tool}: {displayed}: {} places are selected", several.len());
            let places = several.iter().take(50).map(|s| Span::from_selection(document.text(), *s));
            return Err(ToolError::new(Code::Ambiguous, message)
                .hint("pass `selection`: 1 is the first")
                .details(json!({ "selections": places.collect::<Vec<_>>() })));
        }
    };
    one.copied().ok_or_else(|| {
        let message = format!("{tool}: {displayed}: this selection does not exist");
        let hint = format!("there are {}; they are 1-based", selections.len());
        ToolError::new(Code::InvalidParams, message).hint(hint)
    })
}

/// Refuses if the content differs from the one that the person approved.
fn check_approved(context: &Context<'_>, file: &FileText) -> Result<(), ToolError> {
    if context.approved(&file.path).is_none_or(|approved| approved == Some(file.hash)) {
        return Ok(());
    }
    let message = format!("{}: changed since it was approved", file.path.display_path());
    Err(ToolError::new(Code::Conflict, message).hint("call again"))
}

/// `content` with the line endings of `text`, if those are uniform.
fn with_line_ends_of<'a>(text: &Text, content: &'a str) -> Cow<'a, str> {
    let line_end = match LineEndings::detect(text) {
        LineEndings::Lf => "\n",
        LineEndings::CrLf => "\r\n",
        LineEndings::Cr => "\r",
        LineEndings::None | LineEndings::Mixed => return Cow::Borrowed(content),
    };
    Cow::Owned(content.replace("\r\n", "\n").replace('\n', line_end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uses_the_line_endings_of_the_text() {
        for (text, content, expected) in [
            ("a\n", "x\r\ny\n", "x\ny\n"),
            ("a\r\n", "x\ny\r\n", "x\r\ny\r\n"),
            ("a\rb", "x\ny", "x\ry"),
            ("a", "x\r\ny\n", "x\r\ny\n"),
            ("a\nb\r\n", "x\r\ny\n", "x\r\ny\n"),
        ] {
            assert_eq!(with_line_ends_of(&Text::new(text), content), expected, "{text:?}");
        }
    }
}
