//! Inlay hints with blame. Off by default.

use tower_lsp_server::jsonrpc::Error;
use tower_lsp_server::ls_types::{InlayHint, InlayHintLabel, InlayHintParams, InlayHintTooltip};

use super::{document_blame, printable, subject};
use crate::convert::{position_to_lsp, range_from_lsp};
use crate::request_context::RequestContext;

const METHOD: &str = "textDocument/inlayHint";
/// Most lines considered for one request.
const MAX_LINES: usize = 5_000;

/// One hint at the first line of each run of lines from one commit.
pub(crate) fn answer(
    context: &RequestContext<'_>,
    params: InlayHintParams,
) -> Result<Vec<InlayHint>, Error> {
    let encoding = context.session.encoding;
    let uri = params.text_document.uri.as_str();
    let Some(document) = context.snapshot.document_or_file(uri) else { return Ok(Vec::new()) };
    let Some((diff, blame)) = document_blame(context, &document, METHOD)? else {
        return Ok(Vec::new());
    };
    let (text, lines) = (document.text(), &diff.lines);
    let span = text.span(range_from_lsp(params.range), encoding);
    let first = lines.line_of(span.start);
    let last = lines.line_of(span.end).min(lines.count().saturating_sub(1)).min(first + MAX_LINES);
    let mut hints = Vec::new();
    let before = first.checked_sub(1).and_then(|line| blame.commit(&diff, line));
    let mut before = before.map(|commit| commit.id);
    for line in first..=last {
        let commit = blame.commit(&diff, line);
        let id = commit.map(|commit| commit.id);
        if std::mem::replace(&mut before, id) == id {
            continue;
        }
        let Some(commit) = commit else { continue };
        let whole = text.slice(lines.start(line)..lines.start(line + 1));
        let end = lines.start(line) + whole.trim_end_matches(['\r', '\n']).len();
        let author = &commit.author;
        hints.push(InlayHint {
            position: position_to_lsp(text.position(end, encoding)),
            label: InlayHintLabel::String(format!(
                "{}, {}",
                printable(&author.name, 40),
                author.day()
            )),
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
