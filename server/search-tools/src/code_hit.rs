//! A match of a structural search.

use syntax::StructuralMatch;

use super::page::{Cost, Hit, json_bytes};

/// Longest returned text of a match or capture, in bytes.
const MAX_TEXT_BYTES: usize = 2_000;

/// A match in one file.
pub(super) struct CodeHit {
    /// Its number in the file.
    pub(super) number: u64,
    pub(super) line_number: usize,
    pub(super) end_line: usize,
    pub(super) column: usize,
    pub(super) text: String,
    pub(super) captures: Vec<(String, String)>,
}

impl CodeHit {
    pub(super) fn new(number: u64, found: StructuralMatch, text: &text::Text) -> Self {
        let end = found.span.end.max(found.span.start + 1) - 1;
        let position = text.position(found.span.start, text::PositionEncoding::Utf16);
        let shown = |span: std::ops::Range<usize>| {
            let code = text.slice(span.start..span.end.min(span.start + MAX_TEXT_BYTES));
            if span.len() > MAX_TEXT_BYTES { format!("{code}…") } else { code.into_owned() }
        };
        Self {
            number,
            line_number: text.line_of(found.span.start) + 1,
            end_line: text.line_of(end) + 1,
            column: position.character as usize + 1,
            text: shown(found.span),
            captures: found.captures.into_iter().map(|(n, span)| (n, shown(span))).collect(),
        }
    }
}

impl Hit for CodeHit {
    fn cost(&self) -> Cost {
        let captures = self.captures.iter();
        let captures: usize = captures.map(|(n, t)| json_bytes(n) + json_bytes(t) + 8).sum();
        let lines = self.text.matches('\n').count() + 1;
        Cost { bytes: json_bytes(&self.text) + captures + 150, lines }
    }

    fn line(&self) -> u64 {
        self.number
    }
}
