//! Content changes, as LSP clients send them.

use crate::{PositionEncoding, Range, Text};

/// A content change: a range to replace, or the whole text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContentChange {
    /// The range to replace; `None` replaces the whole text.
    pub range: Option<Range>,
    /// The replacement.
    pub text: String,
}

/// The result of [`Text::apply`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Applied {
    /// Whether the range was partly outside the text, or backwards, and was corrected.
    pub clamped: bool,
}

impl Text {
    /// Applies a change. Its range is clamped to the text; a backwards range is reversed. O(log n +
    /// change).
    pub fn apply(&mut self, change: &ContentChange, encoding: PositionEncoding) -> Applied {
        let Some(range) = change.range else {
            *self = Text::new(&change.text);
            return Applied { clamped: false };
        };
        let (a, a_exact) = self.locate(range.start, encoding);
        let (b, b_exact) = self.locate(range.end, encoding);
        self.replace(a.min(b)..a.max(b), &change.text);
        Applied { clamped: !(a_exact && b_exact && a <= b) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Position;

    fn apply(text: &str, range: (u32, u32, u32, u32), new: &str) -> (String, bool) {
        let mut text = Text::new(text);
        let range =
            Range { start: Position::new(range.0, range.1), end: Position::new(range.2, range.3) };
        let change = ContentChange { range: Some(range), text: new.to_owned() };
        let applied = text.apply(&change, PositionEncoding::Utf16);
        (text.to_string(), applied.clamped)
    }

    #[test]
    fn changes_are_applied_at_their_range() {
        assert_eq!(apply("one\ntwo\n", (1, 0, 1, 3), "2"), ("one\n2\n".into(), false));
        assert_eq!(apply("a\r\nb", (0, 1, 1, 0), ""), ("ab".into(), false));
        assert_eq!(apply("😀x", (0, 2, 0, 3), "y"), ("😀y".into(), false));
        assert_eq!(apply("one\n", (1, 0, 1, 0), "two"), ("one\ntwo".into(), false));
    }

    #[test]
    fn a_range_outside_the_text_is_clamped_and_reported() {
        assert_eq!(apply("ab\ncd", (0, 9, 0, 9), "!"), ("ab!\ncd".into(), true));
        assert_eq!(apply("ab", (7, 0, 9, 0), "!"), ("ab!".into(), true));
        assert_eq!(apply("abc", (0, 2, 0, 1), "-"), ("a-c".into(), true));
        assert_eq!(apply("😀", (0, 1, 0, 1), "!"), ("!😀".into(), true));
        assert_eq!(apply("a", (u32::MAX, u32::MAX, u32::MAX, u32::MAX), "b"), ("ab".into(), true));
    }
}
