//! Limits on the text that is given to a parser, because some grammars crash or hang on extreme
//! input.
//!
//! A grammar's external scanner serialises its state (open indentation levels, open heredocs) into
//! 1,024 bytes. The scanners of three grammars write past the end of that buffer, and tree-sitter
//! aborts the process. For such input the parser is given only the text before the critical point.
//! Hand-written files are far from the limits.

use std::ops::Range;

use serde::Deserialize;
use text::Text;

/// Which state the external scanner of a grammar keeps.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ScannerState {
    /// The stack of indentation levels: two bytes each, besides up to 257 bytes for strings.
    Indents,
    /// The stack of open blocks, which start at an indentation or after an indicator such as `-`:
    /// four bytes each; two blocks may start at the same column.
    Blocks,
    /// The end markers of open heredocs.
    Heredocs,
}

/// Limit of distinct columns at which blocks may start.
const MAX_INDENT_COLUMNS: usize = 250;
const MAX_BLOCK_COLUMNS: usize = 120;
/// Limit of bytes for the end markers of heredocs that are open at the same time.
const MAX_HEREDOC_BYTES: usize = 400;

impl ScannerState {
    /// The length of the text that can be parsed safely. O(n).
    pub(crate) fn safe_len(self, text: &Text) -> usize {
        match self {
            Self::Indents => BlockColumns::new(MAX_INDENT_COLUMNS, false).safe_len(text),
            Self::Blocks => BlockColumns::new(MAX_BLOCK_COLUMNS, true).safe_len(text),
            Self::Heredocs => heredocs_safe_len(text),
        }
    }
}

/// Deepest nesting of brackets that is parsed. tree-sitter takes at least quadratic time for more
/// unclosed brackets, in one step that cannot be interrupted (minutes on 50 KB). Files of real
/// projects stay under 120.
pub(crate) const MAX_BRACKET_DEPTH: usize = 2_000;

/// The deepest nesting of brackets, strings and comments included, and the offset at which it
/// exceeds [`MAX_BRACKET_DEPTH`] (or the text's length). O(n).
pub(crate) fn bracket_depth(text: &Text) -> (usize, usize) {
    let (mut at, mut depth, mut deepest) = (0, 0_usize, 0);
    for chunk in text.chunks() {
        for (here, byte) in chunk.bytes().enumerate() {
            match byte {
                b'(' | b'[' | b'{' => {
                    depth += 1;
                    if depth > MAX_BRACKET_DEPTH {
                        return (depth, at + here);
                    }
                    deepest = deepest.max(depth);
                }
                b')' | b']' | b'}' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        at += chunk.len();
    }
    (deepest, text.len())
}

/// What replaces a character that a scanner must not see: part of a word of the same length.
pub(crate) const MASK: &[u8; 4] = b"xxxx";

/// The non-ASCII characters that the scanner of Bash may mistake for digits of `{1..2}`, in order.
/// It looks such a character up in a table that is too short, which can crash the process. O(n).
pub(crate) fn bash_masks(text: &Text) -> Vec<Range<usize>> {
    #[derive(Clone, Copy, PartialEq)]
    enum LineState {
        Outside,
        /// After the brace or digits.
        Digits {
            second: bool,
        },
        Dot,
    }
    let (mut at, mut place, mut masked) = (0, LineState::Outside, Vec::new());
    for chunk in text.chunks() {
        let bytes = chunk.as_bytes();
        let mut here = 0;
        while here < bytes.len() {
            if place == LineState::Outside {
                match memchr::memchr(b'{', &bytes[here..]) {
                    Some(brace) => here += brace,
                    None => break,
                }
            }
            place = match (place, bytes[here]) {
                (_, b'{') => LineState::Digits { second: false },
                (LineState::Digits { .. }, b'0'..=b'9') => place,
                (LineState::Digits { second: false }, b'.') => LineState::Dot,
                (LineState::Dot, b'.') => LineState::Digits { second: true },
                (LineState::Digits { .. }, 0x80..) => {
                    let length = chunk[here..].chars().next().map_or(1, char::len_utf8);
                    masked.push(at + here..at + here + length);
                    LineState::Outside
                }
                _ => LineState::Outside,
            };
            here += 1;
        }
        at += bytes.len();
    }
    masked
}

/// The distinct columns at which blocks may start. Open blocks are nested, each further to the
/// right, so their number is at most the number of columns.
struct BlockColumns {
    /// Indexed by column modulo 2^16, because scanners keep only 16 bits.
    seen: Vec<bool>,
    /// How many more columns there may be.
    left: usize,
    /// Whether `-`, `?` and `:` start blocks, after which another may start on the same line.
    indicators: bool,
}

/// The state of the scan within a line.
#[derive(Clone, Copy, PartialEq)]
enum LineState {
    /// Before anything but whitespace and indicators.
    Start,
    /// After a possible indicator, which is one if a blank follows.
    Indicator,
    /// In an anchor or a tag.
    Property,
    /// After a `\` at the start of a line, which joins the next line.
    Joined,
    Rest,
}

impl BlockColumns {
    fn new(limit: usize, indicators: bool) -> Self {
        Self { seen: vec![false; 1 << 16], left: limit, indicators }
    }

    fn safe_len(mut self, text: &Text) -> usize {
        let (mut at, mut column, mut place) = (0, 0, LineState::Start);
        for chunk in text.chunks() {
            let bytes = chunk.as_bytes();
            let mut here = 0;
            while here < bytes.len() {
                if place == LineState::Rest {
                    match memchr::memchr2(b'\n', b'\r', &bytes[here..]) {
                        Some(end) => here += end,
                        None => break,
                    }
                }
                let byte = bytes[here];
                (place, column) = match (byte, place) {
                    (b'\n' | b'\r', LineState::Joined) => (LineState::Start, column),
                    (b'\n' | b'\r', _) => (LineState::Start, 0),
                    (b' ', _) => (LineState::Start, column + 1),
                    (b'\t', _) => (LineState::Start, column + if self.indicators { 1 } else { 8 }),
                    (0x0c, _) if !self.indicators => (LineState::Start, 0),
                    (_, LineState::Property) => (place, column + usize::from(byte & 0xc0 != 0x80)),
                    (_, LineState::Indicator) => (LineState::Rest, column),
                    _ => {
                        let seen = &mut self.seen[column % (1 << 16)];
                        if !std::mem::replace(seen, true) {
                            let Some(left) = self.left.checked_sub(1) else { return at + here };
                            self.left = left;
                        }
                        match byte {
                            b'-' | b'?' | b':' if self.indicators => {
                                (LineState::Indicator, column + 1)
                            }
                            b'&' | b'!' if self.indicators => (LineState::Property, column + 1),
                            b'\\' if !self.indicators => (LineState::Joined, column),
                            _ => (LineState::Rest, column),
                        }
                    }
                };
                here += 1;
            }
            at += bytes.len();
        }
        text.len()
    }
}

fn heredocs_safe_len(text: &Text) -> usize {
    if !text.chunks().any(|chunk| chunk.ends_with('<') || chunk.contains("<<")) {
        return text.len();
    }
    let whole = text.slice(0..text.len());
    let (mut at, mut open): (usize, Vec<&str>) = (0, Vec::new());
    for line in whole.split_inclusive(['\n', '\r']) {
        if !open.is_empty() {
            open.retain(|word| *word != line.trim());
        }
        for (begin, _) in line.match_indices("<<") {
            let word = line[begin..].trim_start_matches('<').trim_start_matches(['~', '-']);
            let word = match word.chars().next() {
                Some(quote @ ('"' | '\'' | '`')) => word[1..].split(quote).next(),
                _ => word.split(|c: char| !(c.is_alphanumeric() || c == '_')).next(),
            };
            open.extend(word.filter(|w| !w.is_empty()));
        }
        if open.iter().map(|word| 4 + word.len()).sum::<usize>() > MAX_HEREDOC_BYTES {
            return at;
        }
        at += line.len();
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(counts: ScannerState, source: &str) -> usize {
        counts.safe_len(&Text::new(source))
    }

    #[test]
    fn ordinary_files_are_parsed_in_full() {
        let deep: String = (0..60).map(|n| " ".repeat(n) + "- ? a: &b\n").collect();
        assert_eq!(read(ScannerState::Blocks, &deep), deep.len());
        let many = "text: - a - b ? c : d : e ".repeat(200);
        assert_eq!(read(ScannerState::Blocks, &many), many.len());
        let wide: String = (0..200).map(|n| " ".repeat(n) + "x\n").collect();
        assert_eq!(read(ScannerState::Indents, &wide), wide.len());
        let texts = "f(<<~SQL, <<-'A b')\n  a\n  SQL\nA b\nb << CONST\n".repeat(500);
        assert_eq!(read(ScannerState::Heredocs, &texts), texts.len());
    }

    #[test]
    fn brackets_are_parsed_to_a_limited_depth() {
        assert_eq!(bracket_depth(&Text::new("(]".repeat(9_000).as_str())), (1, 18_000));
        let deep = "%w(".repeat(MAX_BRACKET_DEPTH + 5);
        assert_eq!(
            bracket_depth(&Text::new(&deep)),
            (MAX_BRACKET_DEPTH + 1, 3 * MAX_BRACKET_DEPTH + 2)
        );
    }

    #[test]
    fn characters_that_bash_mistakes_for_digits_are_masked() {
        let text = Text::new("{é {1..2é} {1.é} {中 {12{🙂 é ${é} {..é");
        let masked: Vec<_> =
            bash_masks(&text).into_iter().map(|m| text.slice(m).into_owned()).collect();
        assert_eq!(masked, ["é", "é", "中", "🙂", "é", "é"]);
    }

    #[test]
    fn extreme_files_are_cut_off() {
        assert!(read(ScannerState::Blocks, &"- ".repeat(400)) < 400);
        assert!(read(ScannerState::Blocks, &"&a - ".repeat(400)) < 1000);
        let joined: String = (0..400).map(|n| "\\\n ".repeat(n) + "x\n").collect();
        assert!(read(ScannerState::Indents, &joined) < joined.len());
        let word = "A".repeat(1019);
        assert_eq!(read(ScannerState::Heredocs, &format!("a\nx = <<{word}\n{word}\n")), 2);
    }
}
