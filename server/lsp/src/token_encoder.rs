//! Encodes semantic tokens as LSP does: each position relative to the previous token.

use std::borrow::Cow;
use std::ops::Range;

use text::{PositionEncoding, Text};
use tower_lsp_server::ls_types::SemanticToken;

/// Encodes tokens in order of position. O(text from the first token to the last).
pub(crate) struct TokenEncoder<'t> {
    /// The lines that contain tokens, and their byte offset.
    text: Cow<'t, str>,
    base: usize,
    encoding: PositionEncoding,
    multiline: bool,
    line: usize,
    /// The current line without its ending, and the start of the next one, relative to `base`.
    span: Range<usize>,
    next: Option<usize>,
    /// The last column computed on this line: bytes from its start, and code units.
    passed: (usize, u32),
    last: (usize, u32),
    pub(crate) tokens: Vec<SemanticToken>,
}

impl<'t> TokenEncoder<'t> {
    /// Creates a writer for tokens within `span` of `text`.
    pub(crate) fn new(
        text: &'t Text,
        span: Range<usize>,
        encoding: PositionEncoding,
        multiline: bool,
    ) -> Self {
        let line = text.line_of(span.start);
        let base = text.line_start(line);
        let end = text.line_start(text.line_of(span.end) + 1);
        let mut writer = Self {
            text: text.slice(base..end),
            base,
            encoding,
            multiline,
            line,
            span: 0..0,
            next: None,
            passed: (0, 0),
            last: (0, 0),
            tokens: Vec::new(),
        };
        writer.enter(0);
        writer
    }

    /// Adds a token. One that spans lines is split by line, unless the client accepts multiline tokens.
    pub(crate) fn put(&mut self, span: Range<usize>, kind: u32, modifiers: u32) {
        let span = span.start.saturating_sub(self.base)..span.end.saturating_sub(self.base);
        self.go_to(span.start);
        let (line, start) = (self.line, self.column(span.start));
        if span.end <= self.span.end {
            let end = self.column(span.end);
            self.push(line, start, end - start, kind, modifiers);
            return;
        }
        if self.multiline {
            let (mut from, mut length) = (start, 0);
            while let Some(next) = self.next.filter(|_| self.span.end < span.end) {
                // A line ending counts as many units as it has.
                length += self.column(self.span.end) - from;
                length += self.units(self.span.end, next.min(span.end));
                if next >= span.end {
                    self.push(line, start, length, kind, modifiers);
                    return;
                }
                self.enter_next(next);
                from = 0;
            }
            length += self.column(span.end) - from;
            self.push(line, start, length, kind, modifiers);
            return;
        }
        let mut start = start;
        loop {
            let end = self.column(span.end.min(self.span.end));
            if end > start {
                self.push(self.line, start, end - start, kind, modifiers);
            }
            match self.next.filter(|next| self.span.end < span.end && *next < span.end) {
                Some(next) => self.enter_next(next),
                None => return,
            }
            start = 0;
        }
    }

    fn push(&mut self, line: usize, start: u32, length: u32, kind: u32, modifiers: u32) {
        if length == 0 {
            return;
        }
        let (last_line, last_start) = self.last;
        // Adjacent tokens of one kind are merged.
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

    /// Advances to the line of `offset`. Tokens come in order, so it is this line or a later one.
    fn go_to(&mut self, offset: usize) {
        while let Some(next) = self.next.filter(|next| *next <= offset) {
            self.enter_next(next);
        }
    }

    fn enter_next(&mut self, start: usize) {
        self.line += 1;
        self.enter(start);
    }

    /// Starts the line at `start`.
    fn enter(&mut self, start: usize) {
        let bytes = self.text.as_bytes();
        let rest = bytes.get(start..).unwrap_or_default();
        let end = memchr::memchr2(b'\n', b'\r', rest).map_or(bytes.len(), |at| start + at);
        let is_two = bytes.get(end..).is_some_and(|rest| rest.starts_with(b"\r\n"));
        self.span = start..end;
        self.next = (end < bytes.len()).then(|| end + if is_two { 2 } else { 1 });
        self.passed = (0, 0);
    }

    /// The column of an offset on the current line, in the client's code units.
    fn column(&mut self, offset: usize) -> u32 {
        let at = offset.clamp(self.span.start, self.span.end) - self.span.start;
        let (bytes, units) = if at >= self.passed.0 { self.passed } else { (0, 0) };
        let start = self.span.start;
        let units = units + self.units(start + bytes, start + at);
        self.passed = (at, units);
        units
    }

    fn units(&self, start: usize, end: usize) -> u32 {
        let text = self.text.get(start..end).unwrap_or_default();
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
        let covered = spans[0].start..spans[spans.len() - 1].end;
        let mut writer = TokenEncoder::new(&text, covered, PositionEncoding::Utf16, multiline);
        spans.iter().for_each(|span| writer.put(span.clone(), 0, 0));
        writer.tokens.iter().map(|t| [t.delta_line, t.delta_start, t.length]).collect()
    }

    #[test]
    fn positions_are_relative_to_the_previous_token() {
        let source = "ab 'é😀' c\n\nd";
        let at = |s: &str| {
            let start = source.find(s).unwrap();
            start..start + s.len()
        };
        let spans = [at("ab"), at("'é😀'"), at("c"), at("d")];
        assert_eq!(written(source, &spans, false), [[0, 0, 2], [0, 3, 5], [0, 6, 1], [2, 0, 1]]);
    }

    #[test]
    fn adjacent_tokens_of_one_kind_are_merged() {
        assert_eq!(written("// a b", &[0..2, 2..4, 5..6], false), [[0, 0, 4], [0, 5, 1]]);
    }

    /// All line endings, with a token between any two positions.
    #[test]
    fn positions_agree_with_the_text() {
        let source = "a\n\nb😀\r\nc\rd\r\n\r\ne\u{2028}f\n";
        let text = Text::new(source);
        // No token starts inside CRLF.
        let is_place =
            |at: &usize| !source[..*at].ends_with('\r') || !source[*at..].starts_with('\n');
        let places: Vec<_> = source.char_indices().map(|(at, _)| at).filter(is_place).collect();
        for (n, start) in places.iter().enumerate() {
            for end in &places[n + 1..] {
                let tokens = written(source, std::slice::from_ref(&(*start..*end)), true);
                let at = text.position(*start, PositionEncoding::Utf16);
                assert_eq!(&tokens[0][..2], [at.line, at.character], "{start}..{end}");
                let units = source[*start..*end].encode_utf16().count();
                assert_eq!(usize::try_from(tokens[0][2]).unwrap(), units, "{start}..{end}");
            }
        }
    }

    #[test]
    fn a_multiline_token_is_split_unless_the_client_accepts_it() {
        let source = "a /* b\r\n\r\n c */ d";
        let comment = source.find('/').unwrap()..source.find(" d").unwrap();
        let end = source.len() - 1..source.len();
        let spans = [comment, end];
        assert_eq!(written(source, &spans, false), [[0, 2, 4], [2, 0, 5], [0, 6, 1]]);
        assert_eq!(written(source, &spans, true), [[0, 2, 13], [2, 6, 1]]);
    }
}
