//! Tokens as the protocol has them: each placed by the one before.

use std::borrow::Cow;
use std::ops::Range;

use text::{PositionEncoding, Text};
use tower_lsp_server::ls_types::SemanticToken;

/// Writes tokens in order of place. O(text that it passes), whatever the number of tokens.
pub(crate) struct TokenWriter<'t> {
    text: &'t Text,
    encoding: PositionEncoding,
    multiline: bool,
    line: usize,
    span: Range<usize>,
    content: Cow<'t, str>,
    /// A place on the line, in bytes from its start and in the client's units.
    passed: (usize, u32),
    last: (usize, u32),
    pub(crate) tokens: Vec<SemanticToken>,
}

impl<'t> TokenWriter<'t> {
    pub(crate) fn new(text: &'t Text, encoding: PositionEncoding, multiline: bool) -> Self {
        Self {
            text,
            encoding,
            multiline,
            line: 0,
            span: text.line_span(0),
            content: text.line(0),
            passed: (0, 0),
            last: (0, 0),
            tokens: Vec::new(),
        }
    }

    /// Puts a token; over lines it becomes one a line, unless the client takes it whole.
    pub(crate) fn put(&mut self, span: Range<usize>, kind: u32, modifiers: u32) {
        self.go_to(span.start);
        let (line, start) = (self.line, self.column(span.start));
        if span.end <= self.span.end {
            let end = self.column(span.end);
            self.push(line, start, end - start, kind, modifiers);
            return;
        }
        if self.multiline {
            let (mut line, mut from, mut length) = (self.line, start, 0);
            let first = line;
            while self.span.end < span.end && line + 1 < self.text.line_count() {
                // A line's end counts as it is written.
                let next = self.text.line_start(line + 1);
                length += self.column(self.span.end) - from;
                let ending = self.text.slice(self.span.end..next.min(span.end));
                length += self.units(&ending);
                if next >= span.end {
                    self.push(first, start, length, kind, modifiers);
                    return;
                }
                self.go_to(next);
                (line, from) = (self.line, 0);
            }
            length += self.column(span.end) - from;
            self.push(first, start, length, kind, modifiers);
            return;
        }
        let mut start = start;
        loop {
            let end = self.column(span.end.min(self.span.end));
            if end > start {
                self.push(self.line, start, end - start, kind, modifiers);
            }
            if span.end <= self.span.end || self.line + 1 >= self.text.line_count() {
                return;
            }
            let next = self.text.line_start(self.line + 1);
            if next >= span.end {
                return;
            }
            self.go_to(next);
            start = 0;
        }
    }

    fn push(&mut self, line: usize, start: u32, length: u32, kind: u32, modifiers: u32) {
        if length == 0 {
            return;
        }
        let (last_line, last_start) = self.last;
        // What is one thing to the eye is one token.
        if let Some(before) = self.tokens.last_mut().filter(|before| {
            line == last_line
                && last_start + before.length == start
                && (before.token_type, before.token_modifiers_bitset) == (kind, modifiers)
        }) {
            before.length += length;
            return;
        }
        let delta_line = u32::try_from(line - last_line).unwrap_or(u32::MAX);
        let delta_start = if line == last_line { start - last_start } else { start };
        self.tokens.push(SemanticToken {
            delta_line,
            delta_start,
            length,
            token_type: kind,
            token_modifiers_bitset: modifiers,
        });
        self.last = (line, start);
    }

    /// Makes the line of `offset` the current one. Tokens come in order, so it is this one or one
    /// not far behind it.
    fn go_to(&mut self, offset: usize) {
        let next = |line: usize| {
            (line + 1 < self.text.line_count()).then(|| self.text.line_start(line + 1))
        };
        if next(self.line).is_none_or(|next| offset < next) {
            return;
        }
        self.line = self.text.line_of(offset);
        self.span = self.text.line_span(self.line);
        self.content = self.text.line(self.line);
        self.passed = (0, 0);
    }

    /// The column of a place on the current line.
    fn column(&mut self, offset: usize) -> u32 {
        let at = offset.clamp(self.span.start, self.span.end) - self.span.start;
        let (bytes, units) = if at >= self.passed.0 { self.passed } else { (0, 0) };
        let units = units + self.units(self.content.get(bytes..at).unwrap_or_default());
        self.passed = (at, units);
        units
    }

    fn units(&self, text: &str) -> u32 {
        let units = match self.encoding {
            PositionEncoding::Utf8 => text.len(),
            _ if text.is_ascii() => text.len(),
            encoding => text.chars().map(|c| encoding.len(c)).sum(),
        };
        u32::try_from(units).unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(source: &str, spans: &[Range<usize>], multiline: bool) -> Vec<[u32; 3]> {
        let text = Text::new(source);
        let mut writer = TokenWriter::new(&text, PositionEncoding::Utf16, multiline);
        spans.iter().for_each(|span| writer.put(span.clone(), 0, 0));
        writer.tokens.iter().map(|t| [t.delta_line, t.delta_start, t.length]).collect()
    }

    #[test]
    fn each_is_placed_by_the_one_before() {
        let source = "ab 'é😀' c\n\nd";
        let at = |s: &str| {
            let start = source.find(s).unwrap();
            start..start + s.len()
        };
        let spans = [at("ab"), at("'é😀'"), at("c"), at("d")];
        assert_eq!(written(source, &spans, false), [[0, 0, 2], [0, 3, 5], [0, 6, 1], [2, 0, 1]]);
    }

    #[test]
    fn neighbours_of_one_kind_are_one() {
        assert_eq!(written("// a b", &[0..2, 2..4, 5..6], false), [[0, 0, 4], [0, 5, 1]]);
    }

    #[test]
    fn one_over_lines_is_cut_unless_the_client_takes_it() {
        let source = "a /* b\r\n\r\n c */ d";
        let comment = source.find('/').unwrap()..source.find(" d").unwrap();
        let end = source.len() - 1..source.len();
        let spans = [comment, end];
        assert_eq!(written(source, &spans, false), [[0, 2, 4], [2, 0, 5], [0, 6, 1]]);
        assert_eq!(written(source, &spans, true), [[0, 2, 13], [2, 6, 1]]);
    }
}
