//! The conflicts that a merge has left between markers in a document.

use std::ops::Range as Span;

use git::Conflict;
use serde_json::json;
use text::Text;
use tower_lsp_server::ls_types::{Diagnostic, DiagnosticSeverity, NumberOrString};
use workspace::Document;

use super::hunks::Lines;
use crate::convert::range_to_lsp;
use crate::session::Session;

/// The code of what is said about a conflict.
pub(crate) const CODE: &str = "merge-conflict";
const MARKER: &[u8] = b"<<<<<<<";

/// A conflict, and where it stands.
pub(crate) struct Open {
    pub(crate) conflict: Conflict,
    /// From its first marker to the end of its last one.
    pub(crate) span: Span<usize>,
    /// Its first marker.
    marker: Span<usize>,
}

/// A document's conflicts, in order.
pub(crate) fn of(document: &Document) -> Vec<Open> {
    let text = document.text().to_string();
    if memchr::memmem::find(text.as_bytes(), MARKER).is_none() {
        return Vec::new();
    }
    let lines = Lines::of(document.text());
    let open = |conflict: Conflict| {
        let start = lines.start(conflict.start - 1);
        let line = text[start..lines.start(conflict.start)].trim_end_matches(['\r', '\n']);
        let marker = start..start + line.len();
        Open { span: start..lines.start(conflict.end), marker, conflict }
    };
    git::conflicts(&text).into_iter().map(open).collect()
}

impl Open {
    /// What is said about it.
    pub(crate) fn diagnostic(&self, session: &Session, document: &Document) -> Diagnostic {
        let (ours, theirs) = (&self.conflict.ours.label, &self.conflict.theirs.label);
        let message = match ours.is_empty() || theirs.is_empty() {
            true => "a merge has left this open".to_owned(),
            false => format!("`{ours:.100}` and `{theirs:.100}` both changed this"),
        };
        Diagnostic {
            range: range_to_lsp(document.text(), self.marker.clone(), session.encoding),
            severity: Some(DiagnosticSeverity::ERROR),
            code: Some(NumberOrString::String(CODE.to_owned())),
            source: Some("tandem".to_owned()),
            message,
            data: Some(json!({ "kind": CODE })),
            ..Diagnostic::default()
        }
    }
}

/// Whether a syntax error may come of one of these, as of the line before it whose block it breaks.
pub(crate) fn explain(open: &[Open], text: &Text, error: &Span<usize>) -> bool {
    let before = |open: &Open| text.line_start(text.line_of(open.span.start).saturating_sub(1));
    open.iter().any(|open| error.start < open.span.end && before(open) <= error.end)
}

/// Whether something lies in one of these, where nothing else is said: markers are no language's.
pub(crate) fn holds(open: &[Open], span: &Span<usize>) -> bool {
    open.iter().any(|open| span.start < open.span.end && open.span.start <= span.end)
}
