//! Code actions for hunks: stage, unstage, revert.

use std::ops::{Range as Span, RangeInclusive};

use git::LineChange;
use serde_json::json;
use tower_lsp_server::jsonrpc::Error;
use tower_lsp_server::ls_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, CodeActionParams, Command, Range,
};
use workspace::{Document, uri_of_path};

use super::edit;
use crate::error;
use crate::git::hunks::{DocumentDiff, Hunk, diff_with_index};
use crate::request_context::RequestContext;

/// The kinds of these code actions.
pub(crate) const KINDS: [&str; 3] = [STAGE, UNSTAGE, REVERT];
const STAGE: &str = "git.stage";
const UNSTAGE: &str = "git.unstage";
const REVERT: &str = "git.revert";

/// The actions for the hunks that a range touches.
pub(crate) fn answer(
    context: &RequestContext<'_>,
    params: CodeActionParams,
) -> Result<Vec<CodeActionOrCommand>, Error> {
    let session = context.session;
    let wanted = |kind: &str| super::is_wanted(params.context.only.as_deref(), kind);
    let uri = params.text_document.uri.as_str();
    // Only open documents: others would change without the user seeing it.
    let Some(document) = context.snapshot.document(uri) else { return Ok(Vec::new()) };
    if !KINDS.iter().any(|kind| wanted(kind)) {
        return Ok(Vec::new());
    }
    let diff = diff_with_index(session, &context.snapshot, document);
    let diff = diff.map_err(|error| error::from_git_error("textDocument/codeAction", error))?;
    let Some(diff) = diff else { return Ok(Vec::new()) };
    let (a, b) = (params.range.start.line, params.range.end.line);
    let (first, last) = (a.min(b), a.max(b));
    let selected = selected(&params.range);
    let file = uri_of_path(&diff.tracked.file.absolute());
    let target = (file.as_str(), diff.state.as_str());
    let is_writable = diff.tracked.layout.check_writable().is_ok();
    let mut actions = Vec::new();
    let unstaged = diff.hunks(document);
    let old = if wanted(REVERT) { IndexText::new(&diff, document) } else { None };
    let revert = |title: &str, change: &LineChange, hunk: &Hunk| {
        let old = old.as_ref()?.lines(&change.old);
        let span = diff.lines.start(change.new.start)..diff.lines.start(change.new.end);
        let mut action = command(title, REVERT, "tandem.git_discard", target, hunk);
        if session.features.action_literals {
            action.command = None;
            action.edit = edit(session, document, vec![before_last_line_end(document, span, old)]);
        }
        Some(action)
    };
    for (change, hunk) in diff.unstaged.iter().zip(&unstaged) {
        if !hunk.touches(first, last) {
            continue;
        }
        let part = selected.as_ref().and_then(|lines| diff.partial_change(document, change, lines));
        let part = part.map(|part| (Hunk::new(&part, hunk.range), part));
        if is_writable && wanted(STAGE) {
            let stage =
                |title: &str, hunk: &Hunk| command(title, STAGE, "tandem.git_stage", target, hunk);
            actions.extend(part.as_ref().map(|(hunk, _)| stage("Stage selected lines", hunk)));
            actions.push(stage("Stage hunk", hunk));
        }
        let lines = part.as_ref();
        actions.extend(lines.and_then(|(hunk, part)| revert("Revert selected lines", part, hunk)));
        actions.extend(revert("Revert hunk", change, hunk));
    }
    if is_writable && wanted(UNSTAGE) {
        let unstage =
            |title: &str, hunk: &Hunk| command(title, UNSTAGE, "tandem.git_unstage", target, hunk);
        for (change, hunk) in &diff.staged(document) {
            if !hunk.touches(first, last) {
                continue;
            }
            let part = selected.as_ref();
            let part = part.and_then(|lines| diff.partial_staged_change(document, change, lines));
            let part = part.map(|part| Hunk::new(&part, hunk.range));
            actions.extend(part.map(|part| unstage("Unstage selected lines", &part)));
            actions.push(unstage("Unstage hunk", hunk));
        }
    }
    Ok(actions
        .into_iter()
        .filter_map(|action| super::as_literal_or_command(session, action))
        .collect())
}

/// The lines with selected text. `None` for an empty selection.
fn selected(range: &Range) -> Option<RangeInclusive<u32>> {
    let (start, end) = (range.start.min(range.end), range.start.max(range.end));
    let last = if end.character == 0 { end.line.checked_sub(1)? } else { end.line };
    (start != end && start.line <= last).then_some(start.line..=last)
}

fn command(
    title: &str,
    kind: &'static str,
    tool: &str,
    (file, state): (&str, &str),
    hunk: &Hunk,
) -> CodeAction {
    let lines = json!({
        "old_start": hunk.old_start, "old_lines": hunk.old_lines,
        "new_start": hunk.new_start, "new_lines": hunk.new_lines,
    });
    CodeAction {
        title: title.to_owned(),
        kind: Some(CodeActionKind::from(kind)),
        command: Some(Command {
            title: title.to_owned(),
            command: tool.to_owned(),
            arguments: Some(vec![
                json!({ "files": [file], "hunks": [lines], "expected_state": state }),
            ]),
        }),
        ..CodeAction::default()
    }
}

/// The index's text, converted to the document's line endings.
struct IndexText {
    text: String,
    /// Whether the document has CRLF where git stores LF.
    is_converted: bool,
}

impl IndexText {
    /// `None` if the index has no text.
    fn new(diff: &DocumentDiff, document: &Document) -> Option<Self> {
        let kept = &diff.tracked.kept.index.as_ref()?.bytes;
        let text = text::decode(kept.clone()).ok()?.text;
        let is_converted = !text.contains("\r\n") && document.text().to_string().contains("\r\n");
        Some(Self { text, is_converted })
    }

    fn lines(&self, lines: &Span<usize>) -> String {
        let selected = self.text.split_inclusive('\n').skip(lines.start).take(lines.len());
        let old: String = selected.collect();
        if self.is_converted { old.replace('\n', "\r\n") } else { old }
    }
}

/// Moves an insertion at the end of the document before the last line ending: the same result, at a
/// position that all clients accept.
fn before_last_line_end(
    document: &Document,
    span: Span<usize>,
    new: String,
) -> (Span<usize>, String) {
    let text = document.text();
    if span.start < text.len() {
        return (span, new);
    }
    for end in ["\r\n", "\n"] {
        let Some(at) = text.len().checked_sub(end.len()) else { continue };
        if let Some(lines) = new.strip_suffix(end)
            && text.slice(at..text.len()) == end
        {
            return (at..at, format!("{end}{lines}"));
        }
    }
    (span, new)
}
