//! The rope.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range as Span;

use ropey::{Rope, RopeSlice};

use crate::{Position, PositionEncoding, Range};

/// A text as a rope. Cloning is O(1); see the crate's documentation for lines and offsets.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Text(Rope);

impl Text {
    /// Creates a rope. O(n).
    #[must_use]
    pub fn new(text: &str) -> Self {
        Self(Rope::from_str(text))
    }

    /// Whether one is an unchanged clone of the other. O(1). Equal texts that were created
    /// separately are not the same.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        self.0.is_instance(&other.0)
    }

    /// Length in bytes.
    #[must_use]
    pub fn len(&self) -> usize {
        self.0.len_bytes()
    }

    /// Whether the text is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Number of lines: one more than the number of line endings.
    #[must_use]
    pub fn line_count(&self) -> usize {
        self.0.len_lines()
    }

    /// The stored pieces of the rope, in order.
    pub fn chunks(&self) -> impl Iterator<Item = &str> {
        self.0.chunks()
    }

    /// The stored piece that contains byte `offset`, and the offset at which it starts; the last
    /// piece for offsets past the end. O(log n).
    #[must_use]
    pub fn chunk_at(&self, offset: usize) -> (&str, usize) {
        let (chunk, start, ..) = self.0.chunk_at_byte(offset.min(self.len()));
        (chunk, start)
    }

    /// The line that contains byte `offset`; the last line for offsets past the end. O(log n).
    #[must_use]
    pub fn line_of(&self, offset: usize) -> usize {
        self.0.byte_to_line(offset.min(self.len()))
    }

    /// The byte at which `line` starts; the end for lines past the last. O(log n).
    #[must_use]
    pub fn line_start(&self, line: usize) -> usize {
        self.0.line_to_byte(line.min(self.0.len_lines()))
    }

    /// The byte span of `line` without its line ending; empty, at the end, for lines past the last.
    #[must_use]
    pub fn line_span(&self, line: usize) -> Span<usize> {
        if line >= self.0.len_lines() {
            return self.len()..self.len();
        }
        let start = self.0.line_to_byte(line);
        start..start + self.line_content(line).len_bytes()
    }

    /// The text of `line` without its line ending.
    #[must_use]
    pub fn line(&self, line: usize) -> Cow<'_, str> {
        self.slice(self.line_span(line))
    }

    /// The text of a byte span, clamped to the text and extended to whole characters. Borrowed if
    /// the rope stores it in one piece.
    #[must_use]
    pub fn slice(&self, span: Span<usize>) -> Cow<'_, str> {
        Cow::from(self.0.slice(self.char_span(span)))
    }

    /// Replaces a byte span, clamped to the text and extended to whole characters. O(log n + new).
    pub fn replace(&mut self, span: Span<usize>, new: &str) {
        let chars = self.char_span(span);
        let at = chars.start;
        if !chars.is_empty() {
            self.0.remove(chars);
        }
        if !new.is_empty() {
            self.0.insert(at, new);
        }
    }

    fn char_span(&self, span: Span<usize>) -> Span<usize> {
        let end = span.end.min(self.len());
        let start = self.0.byte_to_char(span.start.min(end));
        let mut stop = self.0.byte_to_char(end);
        if self.0.char_to_byte(stop) < end {
            stop += 1;
        }
        start..stop
    }

    fn line_content(&self, line: usize) -> RopeSlice<'_> {
        let slice = self.0.line(line);
        let mut len = slice.len_chars();
        if len > 0 && slice.char(len - 1) == '\n' {
            len -= 1;
        }
        if len > 0 && slice.char(len - 1) == '\r' {
            len -= 1;
        }
        slice.slice(..len)
    }

    /// The byte offset of a position. A line past the last means the end, a character past its line
    /// the line's end, and one inside a character that character's start. O(log n).
    #[must_use]
    pub fn offset(&self, position: Position, encoding: PositionEncoding) -> usize {
        self.locate(position, encoding).0
    }

    /// [`Text::offset`], and whether the position is valid as it is.
    pub(crate) fn locate(&self, position: Position, encoding: PositionEncoding) -> (usize, bool) {
        let line = position.line as usize;
        if line >= self.0.len_lines() {
            return (self.len(), false);
        }
        let start = self.0.line_to_byte(line);
        let content = self.line_content(line);
        let want = position.character as usize;
        let (char, exact) = match encoding {
            PositionEncoding::Utf8 => {
                let byte = want.min(content.len_bytes());
                let char = content.byte_to_char(byte);
                (char, content.char_to_byte(char) == want)
            }
            PositionEncoding::Utf16 => {
                let unit = want.min(content.len_utf16_cu());
                let char = content.utf16_cu_to_char(unit);
                (char, content.char_to_utf16_cu(char) == want)
            }
            PositionEncoding::Utf32 => {
                let char = want.min(content.len_chars());
                (char, char == want)
            }
        };
        (start + content.char_to_byte(char), exact)
    }

    /// The position of a byte offset, clamped to the text. An offset inside a CRLF means the line's
    /// end. O(log n).
    #[must_use]
    pub fn position(&self, offset: usize, encoding: PositionEncoding) -> Position {
        let offset = offset.min(self.len());
        let line = self.0.byte_to_line(offset);
        if let Some(column) = self.ascii_column(offset) {
            return Position { line: saturate(line), character: saturate(column) };
        }
        self.rope_position(offset, line, encoding)
    }

    /// The column of an offset, computed without the rope: only if the piece that contains the
    /// offset also contains the line's start, and the text between is ASCII. That is the common
    /// case, and much faster.
    fn ascii_column(&self, offset: usize) -> Option<usize> {
        let (chunk, start) = self.chunk_at(offset);
        let (before, behind) = chunk.as_bytes().split_at_checked(offset - start)?;
        let line = match memchr::memrchr2(b'\n', b'\r', before) {
            Some(ending) => ending + 1,
            None if start == 0 => 0,
            None => return None,
        };
        let in_ending = before.ends_with(b"\r") && behind.starts_with(b"\n");
        let is_plain = before[line..].is_ascii() && chunk.is_char_boundary(offset - start);
        (is_plain && !in_ending).then_some(before.len() - line)
    }

    fn rope_position(&self, offset: usize, line: usize, encoding: PositionEncoding) -> Position {
        let content = self.line_content(line);
        let byte = (offset - self.0.line_to_byte(line)).min(content.len_bytes());
        let char = content.byte_to_char(byte);
        let character = match encoding {
            PositionEncoding::Utf8 => content.char_to_byte(char),
            PositionEncoding::Utf16 => content.char_to_utf16_cu(char),
            PositionEncoding::Utf32 => char,
        };
        Position { line: saturate(line), character: saturate(character) }
    }

    /// The range of a byte span.
    #[must_use]
    pub fn range(&self, span: Span<usize>, encoding: PositionEncoding) -> Range {
        Range { start: self.position(span.start, encoding), end: self.position(span.end, encoding) }
    }

    /// The byte span of a range; a backwards range is reversed.
    #[must_use]
    pub fn span(&self, range: Range, encoding: PositionEncoding) -> Span<usize> {
        let (a, b) = (self.offset(range.start, encoding), self.offset(range.end, encoding));
        a.min(b)..a.max(b)
    }

    /// The single span in which two texts differ: bytes of `self`, then bytes of `other`; `None` if
    /// they are equal. Shared pieces are skipped by address, so that after a small edit this costs
    /// O(pieces), not O(bytes). Both ends are character boundaries.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Option<(Span<usize>, Span<usize>)> {
        let mut start = common_prefix(self.0.chunks(), other.0.chunks());
        let (old, new) = (self.len(), other.len());
        if start == old && start == new {
            return None;
        }
        // Move back to a character boundary in both: different characters may start with the same
        // bytes.
        while !self.char_span(start..start).is_empty() || !other.char_span(start..start).is_empty()
        {
            start -= 1;
        }
        let suffix_limit = old.min(new) - start;
        let mut suffix =
            common_suffix(pieces_from_end(&self.0), pieces_from_end(&other.0)).min(suffix_limit);
        while !self.char_span(old - suffix..old - suffix).is_empty()
            || !other.char_span(new - suffix..new - suffix).is_empty()
        {
            suffix -= 1;
        }
        Some((start..old - suffix, start..new - suffix))
    }
}

fn saturate(n: usize) -> u32 {
    u32::try_from(n).unwrap_or(u32::MAX)
}

fn pieces_from_end(rope: &Rope) -> impl Iterator<Item = &str> {
    rope.chunks_at_byte(rope.len_bytes()).0.reversed()
}

fn common_prefix<'a>(
    mut left: impl Iterator<Item = &'a str>,
    mut right: impl Iterator<Item = &'a str>,
) -> usize {
    let (mut a, mut b): (&[u8], &[u8]) = (b"", b"");
    let mut common = 0;
    loop {
        if a.is_empty() {
            match left.next() {
                Some(chunk) => a = chunk.as_bytes(),
                None => return common,
            }
        }
        if b.is_empty() {
            match right.next() {
                Some(chunk) => b = chunk.as_bytes(),
                None => return common,
            }
        }
        let len = a.len().min(b.len());
        if a.as_ptr() != b.as_ptr() && a[..len] != b[..len] {
            return common + a.iter().zip(b).take_while(|(x, y)| x == y).count();
        }
        common += len;
        (a, b) = (&a[len..], &b[len..]);
    }
}

fn common_suffix<'a>(
    mut left: impl Iterator<Item = &'a str>,
    mut right: impl Iterator<Item = &'a str>,
) -> usize {
    let (mut a, mut b): (&[u8], &[u8]) = (b"", b"");
    let mut common = 0;
    loop {
        if a.is_empty() {
            match left.next() {
                Some(chunk) => a = chunk.as_bytes(),
                None => return common,
            }
        }
        if b.is_empty() {
            match right.next() {
                Some(chunk) => b = chunk.as_bytes(),
                None => return common,
            }
        }
        let len = a.len().min(b.len());
        let (x, y) = (&a[a.len() - len..], &b[b.len() - len..]);
        if x.as_ptr() != y.as_ptr() && x != y {
            return common + x.iter().rev().zip(y.iter().rev()).take_while(|(x, y)| x == y).count();
        }
        common += len;
        (a, b) = (&a[..a.len() - len], &b[..b.len() - len]);
    }
}

impl From<&str> for Text {
    fn from(text: &str) -> Self {
        Self::new(text)
    }
}

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chunks().try_for_each(|chunk| f.write_str(chunk))
    }
}

impl fmt::Debug for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Text({} bytes)", self.len())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use PositionEncoding::{Utf8, Utf16, Utf32};

    #[test]
    fn lines_end_only_where_lsp_says() {
        let text = Text::new("a\nb\r\nc\rd\u{2028}e\u{0B}f\u{85}g");
        let lines: Vec<_> = (0..text.line_count()).map(|l| text.line(l).into_owned()).collect();
        assert_eq!(lines, ["a", "b", "c", "d\u{2028}e\u{0B}f\u{85}g"]);
    }

    #[test]
    fn positions_count_in_the_negotiated_unit() {
        let text = Text::new("é😀e\u{301}x\n");
        let x = text.to_string().find('x').unwrap();
        for (encoding, character) in [(Utf8, 9), (Utf16, 5), (Utf32, 4)] {
            let position = Position::new(0, character);
            assert_eq!(text.position(x, encoding), position);
            assert_eq!(text.offset(position, encoding), x);
        }
    }

    #[test]
    fn the_end_of_a_line_is_before_its_ending() {
        let text = Text::new("ab\r\ncd");
        assert_eq!(text.offset(Position::new(0, 99), Utf16), 2);
        assert_eq!(text.offset(Position::new(9, 0), Utf16), 6);
        assert_eq!(text.position(3, Utf16), Position::new(0, 2));
    }

    fn texts() -> impl Strategy<Value = String> {
        proptest::collection::vec(
            prop_oneof![
                Just("\n"),
                Just("\r"),
                Just("\r\n"),
                Just("a"),
                Just("é"),
                Just("è"),
                Just("😀"),
                Just("e\u{301}"),
                Just("\u{FEFF}"),
                Just("line of text")
            ],
            0..60,
        )
        .prop_map(|v| v.concat())
    }

    proptest! {
        #[test]
        fn offset_and_position_are_inverse(s in texts()) {
            let text = Text::new(&s);
            for (offset, _) in s.char_indices() {
                let in_ending = s.as_bytes()[..=offset].ends_with(b"\r\n");
                for encoding in [Utf8, Utf16, Utf32] {
                    let back = text.offset(text.position(offset, encoding), encoding);
                    prop_assert_eq!(back, offset - usize::from(in_ending));
                }
            }
        }

        #[test]
        fn difference_is_the_edit(a in texts(), b in texts(), c in texts(), new in texts()) {
            let old = Text::new(&[a.as_str(), &b, &c].concat());
            let mut edited = old.clone();
            edited.replace(a.len()..a.len() + b.len(), &new);
            match old.difference(&edited) {
                None => prop_assert_eq!(b, new),
                Some((from, to)) => {
                    let mut again = old.clone();
                    again.replace(from, &edited.slice(to));
                    prop_assert_eq!(again.to_string(), edited.to_string());
                }
            }
        }

        #[test]
        fn positions_do_not_depend_on_the_ropes_pieces(s in texts(), n in 1..90usize) {
            let text = Text::new(&s.repeat(n));
            for offset in 0..=text.len() {
                let line = text.line_of(offset);
                for encoding in [Utf8, Utf16, Utf32] {
                    let measured = text.rope_position(offset, line, encoding);
                    prop_assert_eq!(text.position(offset, encoding), measured);
                }
            }
        }

        #[test]
        fn any_position_is_clamped(s in texts(), line: u32, character: u32) {
            let text = Text::new(&s);
            for encoding in [Utf8, Utf16, Utf32] {
                let offset = text.offset(Position::new(line % 70, character % 30), encoding);
                prop_assert!(s.is_char_boundary(offset));
                prop_assert!(text.offset(Position::new(line, character), encoding) <= s.len());
            }
        }

        #[test]
        fn any_span_can_be_replaced(s in texts(), a in 0..200usize, b in 0..200usize) {
            let mut text = Text::new(&s);
            text.replace(a.min(b)..a.max(b), "new");
            prop_assert!(text.to_string().contains("new"));
        }
    }
}
