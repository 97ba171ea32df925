//! Conflict markers of a merge in a document.

use std::ops::Range as Span;

use git::Conflict;
use serde_json::json;
use text::Text;
use tower_lsp_server::ls_types::{Diagnostic, DiagnosticSeverity, NumberOrString};
use workspace::Document;

use super::hunks::LineStarts;
use crate::convert::range_to_lsp;
use crate::session::Session;

/// The diagnostic code of a conflict.
pub(crate) const CODE: &str = "merge-conflict";
const START_MARKER: &[u8] = b"<<<<<<<";

/// A conflict in a document.
pub(crate) struct DocumentConflict {
    pub(crate) conflict: Conflict,
    /// From its first marker to the end of its last one.
    pub(crate) span: Span<usize>,
    /// Its first marker line.
    marker: Span<usize>,
}

/// A document's conflicts, in order.
pub(crate) fn find(document: &Document) -> Vec<DocumentConflict> {
    let text = document.text().to_string();
    if memchr::memmem::find(text.as_bytes(), START_MARKER).is_none() {
        return Vec::new();
    }
    let lines = LineStarts::new(document.text());
    let open = |conflict: Conflict| {
        let start = lines.start(conflict.start - 1);
        let line = text[start..lines.start(conflict.start)].trim_end_matches(['\r', '\n']);
        let marker = start..start + line.len();
        DocumentConflict { span: start..lines.start(conflict.end), marker, conflict }
    };
    git::conflicts(&text).into_iter().map(open).collect()
}

impl DocumentConflict {
    /// The diagnostic for the conflict.
    pub(crate) fn diagnostic(&self, session: &Session, document: &Document) -> Diagnostic {
        let (ours, theirs) = (&self.conflict.ours.label, &self.conflict.theirs.label);
        let message = match ours.is_empty() || theirs.is_empty() {
            true => "unresolved merge conflict".to_owned(),
            false => format!("merge conflict between `{ours:.100}` and `{theirs:.100}`"),
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

/// Whether a syntax error may result from a conflict. That includes one on the line before, whose block
/// the marker breaks.
pub(crate) fn explain_error(
    conflicts: &[DocumentConflict],
    text: &Text,
    error: &Span<usize>,
) -> bool {
    let line_before = |conflict: &DocumentConflict| {
        text.line_start(text.line_of(conflict.span.start).saturating_sub(1))
    };
    conflicts
        .iter()
        .any(|conflict| error.start < conflict.span.end && line_before(conflict) <= error.end)
}

/// Whether a span touches a conflict. Other diagnostics are dropped there, since markers are not code.
pub(crate) fn touch(conflicts: &[DocumentConflict], span: &Span<usize>) -> bool {
    conflicts
        .iter()
        .any(|conflict| span.start < conflict.span.end && conflict.span.start <= span.end)
}
