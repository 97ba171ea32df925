//! Lines of a text. Each has its own line ending, so mixed files keep theirs.

use std::ops::Range;

/// How a line ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LineEnding {
    /// At the end of the text.
    None,
    Lf,
    CrLf,
    Cr,
}

impl LineEnding {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            LineEnding::None => "",
            LineEnding::Lf => "\n",
            LineEnding::CrLf => "\r\n",
            LineEnding::Cr => "\r",
        }
    }

    fn at_end_of(line: &str) -> LineEnding {
        let bytes = line.as_bytes();
        match bytes.last() {
            Some(b'\n') if bytes.len() > 1 && bytes[bytes.len() - 2] == b'\r' => LineEnding::CrLf,
            Some(b'\n') => LineEnding::Lf,
            Some(b'\r') => LineEnding::Cr,
            _ => LineEnding::None,
        }
    }
}

/// A table of line starts. A line ending at the end of the text does not begin another line.
#[derive(Debug)]
pub(crate) struct Lines<'t> {
    text: &'t str,
    /// The start of each line, then the end of the text.
    starts: Vec<usize>,
}

impl<'t> Lines<'t> {
    /// The lines of `text` from the byte `from` on. O(text).
    pub(crate) fn new(text: &'t str, from: usize) -> Lines<'t> {
        let bytes = text.as_bytes();
        let mut starts = Vec::with_capacity(bytes.len() / 24 + 2);
        starts.push(from);
        if memchr::memchr(b'\r', bytes).is_none() {
            starts.extend(memchr::memchr_iter(b'\n', bytes).map(|at| at + 1));
        } else {
            starts.extend(
                memchr::memchr2_iter(b'\n', b'\r', bytes)
                    .filter(|&at| bytes[at] == b'\n' || bytes.get(at + 1) != Some(&b'\n'))
                    .map(|at| at + 1),
            );
        }
        if starts.last() != Some(&text.len()) {
            starts.push(text.len());
        }
        Lines { text, starts }
    }

    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// The bytes of a line with its ending.
    pub(crate) fn range(&self, line: usize) -> Range<usize> {
        self.starts[line]..self.starts[line + 1]
    }

    /// The bytes of `count` lines from `first` on, with their endings.
    pub(crate) fn span(&self, first: usize, count: usize) -> Range<usize> {
        self.starts[first]..self.starts[first + count]
    }

    /// A line with its ending.
    pub(crate) fn line_with_ending(&self, line: usize) -> &'t str {
        &self.text[self.range(line)]
    }

    /// A line without its ending.
    pub(crate) fn content(&self, line: usize) -> &'t str {
        let whole = self.line_with_ending(line);
        &whole[..whole.len() - LineEnding::at_end_of(whole).as_str().len()]
    }

    pub(crate) fn ending(&self, line: usize) -> LineEnding {
        LineEnding::at_end_of(self.line_with_ending(line))
    }

    /// The line that holds the byte `offset`; the last one for the end of the text.
    pub(crate) fn line_at(&self, offset: usize) -> usize {
        self.starts
            .partition_point(|&start| start <= offset)
            .saturating_sub(1)
            .min(self.len().saturating_sub(1))
    }
}

/// A line, with its content and its ending apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TextLine<'t> {
    pub(crate) content: &'t str,
    pub(crate) ending: LineEnding,
}

impl<'t> TextLine<'t> {
    pub(crate) fn is_blank(&self) -> bool {
        is_blank(self.content)
    }
}

/// The lines of a text. O(text).
pub(crate) fn split_lines(text: &str) -> Vec<TextLine<'_>> {
    let lines = Lines::new(text, 0);
    (0..lines.len())
        .map(|line| TextLine { content: lines.content(line), ending: lines.ending(line) })
        .collect()
}

/// Whether a byte is horizontal whitespace.
pub(crate) fn is_blank_byte(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | 0x0b | 0x0c)
}

pub(crate) fn is_blank(line: &str) -> bool {
    line.bytes().all(is_blank_byte)
}

fn is_blank_char(c: char) -> bool {
    c.is_ascii() && is_blank_byte(c as u8)
}

/// A line without trailing blanks.
pub(crate) fn trim_end(line: &str) -> &str {
    line.trim_end_matches(is_blank_char)
}

/// A line without leading and trailing blanks.
pub(crate) fn trim(line: &str) -> &str {
    line.trim_matches(is_blank_char)
}

/// The leading blanks of a line.
pub(crate) fn indent(line: &str) -> &str {
    &line[..line.len() - line.trim_start_matches(is_blank_char).len()]
}

/// The number of line endings in `text`, fast where there is no CR.
pub(crate) fn count_endings(text: &str) -> usize {
    let bytes = text.as_bytes();
    let lf = memchr::memchr_iter(b'\n', bytes).count();
    if memchr::memchr(b'\r', bytes).is_none() {
        return lf;
    }
    lf + memchr::memchr_iter(b'\r', bytes).filter(|&at| bytes.get(at + 1) != Some(&b'\n')).count()
}

/// Whether `offset` is between the CR and the LF of a CRLF.
pub(crate) fn splits_crlf(text: &str, offset: usize) -> bool {
    let bytes = text.as_bytes();
    offset > 0 && bytes.get(offset) == Some(&b'\n') && bytes[offset - 1] == b'\r'
}

/// Whether `offset` is inside the indentation of its line, after at least one blank.
pub(crate) fn starts_inside_indent(text: &str, offset: usize) -> bool {
    let head = &text.as_bytes()[..offset];
    let before = head.iter().rev().take_while(|&&byte| matches!(byte, b' ' | b'\t')).count();
    before > 0
        && head
            .get(offset.wrapping_sub(before + 1))
            .is_none_or(|byte| matches!(byte, b'\n' | b'\r'))
}

/// Whether a text has only whitespace and byte order marks.
pub(crate) fn is_blank_text(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || c == '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_ending_is_its_own() {
        let lines = Lines::new("a\nb\r\nc\rd", 0);
        assert_eq!(lines.len(), 4);
        let endings: Vec<_> = (0..4).map(|line| lines.ending(line)).collect();
        assert_eq!(endings, [LineEnding::Lf, LineEnding::CrLf, LineEnding::Cr, LineEnding::None]);
        assert_eq!(lines.content(1), "b");
        assert_eq!(count_endings("a\nb\r\nc\rd"), 3);
    }

    #[test]
    fn no_line_after_the_last_ending() {
        assert_eq!(Lines::new("a\n", 0).len(), 1);
        assert_eq!(Lines::new("", 0).len(), 0);
        assert_eq!(Lines::new("\n", 0).len(), 1);
        assert_eq!(Lines::new("\u{feff}", 3).len(), 0);
        assert_eq!(Lines::new("ab\ncd", 0).line_at(3), 1);
        assert_eq!(Lines::new("ab\ncd", 0).line_at(5), 1);
    }
}
