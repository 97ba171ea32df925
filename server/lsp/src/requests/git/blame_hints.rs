//! Inlay hints that say whom lines come from; off unless the person asks for them.

use tower_lsp_server::jsonrpc::Error;
use tower_lsp_server::ls_types::{InlayHint, InlayHintLabel, InlayHintParams, InlayHintTooltip};
use workspace::Budget;

use super::{plain, subject};
use crate::convert::{position_to_lsp, range_from_lsp};
use crate::error;
use crate::git::hunks::compare;
use crate::question::Question;

const METHOD: &str = "textDocument/inlayHint";
/// Most lines that are looked at for one answer.
const MOST: usize = 5_000;

/// One hint where the lines of a commit begin.
pub(crate) fn answer(
    question: &Question<'_>,
    params: InlayHintParams,
) -> Result<Vec<InlayHint>, Error> {
    let (session, snapshot) = (question.session, &question.snapshot);
    let uri = params.text_document.uri.as_str();
    let Some(document) = snapshot.document_or_file(uri) else { return Ok(Vec::new()) };
    let of_git = |error| error::of_git(METHOD, error);
    let compared = compare(session, snapshot, &document).map_err(of_git)?;
    let Some(compared) = compared else { return Ok(Vec::new()) };
    let blamed =
        session.git.blames.of(&compared, &Budget::new(question.interrupt)).map_err(of_git)?;
    let Some(blamed) = blamed else { return Ok(Vec::new()) };
    let (text, lines) = (document.text(), &compared.lines);
    let span = text.span(range_from_lsp(params.range), session.encoding);
    let first = lines.line_of(span.start);
    let last = lines.line_of(span.end).min(lines.count().saturating_sub(1)).min(first + MOST);
    let mut hints = Vec::new();
    let before = first.checked_sub(1).and_then(|line| blamed.commit(&compared, line));
    let mut before = before.map(|commit| commit.id);
    for line in first..=last {
        let commit = blamed.commit(&compared, line);
        let id = commit.map(|commit| commit.id);
        if std::mem::replace(&mut before, id) == id {
            continue;
        }
        let Some(commit) = commit else { continue };
        let whole = text.slice(lines.start(line)..lines.start(line + 1));
        let end = lines.start(line) + whole.trim_end_matches(['\r', '\n']).len();
        let author = &commit.author;
        hints.push(InlayHint {
            position: position_to_lsp(text.position(end, session.encoding)),
            label: InlayHintLabel::String(format!("{}, {}", plain(&author.name, 40), author.day())),
            kind: None,
            text_edits: None,
            tooltip: Some(InlayHintTooltip::String(format!(
                "{:.10} {}",
                commit.id,
                subject(commit)
            ))),
            padding_left: Some(true),
            padding_right: None,
            data: None,
        });
    }
    Ok(hints)
}
