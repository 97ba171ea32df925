//! Code actions of hunks: stage, unstage, revert.

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
use crate::git::hunks::{Compared, Hunk, compare};
use crate::question::Question;

/// The kinds of these actions.
pub(crate) const KINDS: [&str; 3] = [STAGE, UNSTAGE, REVERT];
const STAGE: &str = "git.stage";
const UNSTAGE: &str = "git.unstage";
const REVERT: &str = "git.revert";

/// The actions at a place, behind those that are no business of git's.
pub(crate) fn answer(
    question: &Question<'_>,
    params: CodeActionParams,
) -> Result<Vec<CodeActionOrCommand>, Error> {
    let session = question.session;
    let wanted = |kind: &str| super::is_wanted(params.context.only.as_deref(), kind);
    let uri = params.text_document.uri.as_str();
    // What the client does not hold cannot be changed under its eyes.
    let Some(document) = question.snapshot.document(uri) else { return Ok(Vec::new()) };
    if !KINDS.iter().any(|kind| wanted(kind)) {
        return Ok(Vec::new());
    }
    let compared = compare(session, &question.snapshot, document);
    let compared = compared.map_err(|error| error::of_git("textDocument/codeAction", error))?;
    let Some(compared) = compared else { return Ok(Vec::new()) };
    let (a, b) = (params.range.start.line, params.range.end.line);
    let (first, last) = (a.min(b), a.max(b));
    let selected = selected(&params.range);
    let file = uri_of_path(&compared.tracked.file.absolute());
    let of = (file.as_str(), compared.state.as_str());
    let stages = compared.tracked.layout.check_writable().is_ok();
    let mut actions = Vec::new();
    let unstaged = compared.hunks(document);
    let old = if wanted(REVERT) { Old::of(&compared, document) } else { None };
    let revert = |title: &str, change: &LineChange, hunk: &Hunk| {
        let old = old.as_ref()?.lines(&change.old);
        let span = compared.lines.start(change.new.start)..compared.lines.start(change.new.end);
        let mut action = command(title, REVERT, "tandem.git_discard", of, hunk);
        if session.features.action_literals {
            action.command = None;
            action.edit = edit(session, document, vec![within(document, span, old)]);
        }
        Some(action)
    };
    for (change, hunk) in compared.unstaged.iter().zip(&unstaged) {
        if !hunk.touches(first, last) {
            continue;
        }
        let part = selected.as_ref().and_then(|lines| compared.part(document, change, lines));
        let part = part.map(|part| (Hunk::of(&part, hunk.range), part));
        if stages && wanted(STAGE) {
            let stage =
                |title: &str, hunk: &Hunk| command(title, STAGE, "tandem.git_stage", of, hunk);
            actions.extend(part.as_ref().map(|(hunk, _)| stage("Stage selected lines", hunk)));
            actions.push(stage("Stage hunk", hunk));
        }
        let lines = part.as_ref();
        actions.extend(lines.and_then(|(hunk, part)| revert("Revert selected lines", part, hunk)));
        actions.extend(revert("Revert hunk", change, hunk));
    }
    if stages && wanted(UNSTAGE) {
        let unstage =
            |title: &str, hunk: &Hunk| command(title, UNSTAGE, "tandem.git_unstage", of, hunk);
        for (change, hunk) in &compared.staged(document) {
            if !hunk.touches(first, last) {
                continue;
            }
            let part = selected.as_ref();
            let part = part.and_then(|lines| compared.staged_part(document, change, lines));
            let part = part.map(|part| Hunk::of(&part, hunk.range));
            actions.extend(part.map(|part| unstage("Unstage selected lines", &part)));
            actions.push(unstage("Unstage hunk", hunk));
        }
    }
    Ok(actions.into_iter().filter_map(|action| super::as_client_takes(session, action)).collect())
}

/// The lines of which something is selected; `None` for a mere cursor.
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

/// The index's text, as it would stand in the document.
struct Old {
    text: String,
    /// The document has CRLF where git keeps LF alone.
    is_converted: bool,
}

impl Old {
    /// `None` where it is no text.
    fn of(compared: &Compared, document: &Document) -> Option<Self> {
        let kept = &compared.tracked.kept.index.as_ref()?.bytes;
        let text = text::decode(kept.clone()).ok()?.text;
        let is_converted = !text.contains("\r\n") && document.text().to_string().contains("\r\n");
        Some(Self { text, is_converted })
    }

    fn lines(&self, lines: &Span<usize>) -> String {
        let own = self.text.split_inclusive('\n').skip(lines.start).take(lines.len());
        let old: String = own.collect();
        if self.is_converted { old.replace('\n', "\r\n") } else { old }
    }
}

/// An insertion behind the last line, moved before that line's end: the same text, at a place that
/// clients agree on.
fn within(document: &Document, span: Span<usize>, new: String) -> (Span<usize>, String) {
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
