//! How much of a text a parser may be given.
//!
//! A grammar's own scanner keeps what it counts (how deep blocks are indented, which texts are
//! still open) in 1,024 bytes. Those of three languages write past them, and tree-sitter ends the
//! process then. What would let it come to that is not read: the text ends there for the parser,
//! as if it were cut off. No text that a person writes gets near.

use std::ops::Range;

use serde::Deserialize;
use text::Text;

/// What a scanner keeps count of.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Counts {
    /// How deep lines are indented: two bytes each, beside up to 257 for strings.
    Indents,
    /// Where blocks begin, in the same way or behind their signs: four bytes each, and two blocks
    /// may begin in one place.
    Blocks,
    /// The words that end texts which have begun.
    Heredocs,
}

/// Most places in lines where blocks may begin.
const INDENTS: usize = 250;
const BLOCKS: usize = 120;
/// Most bytes of words of texts that are open together.
const WORDS: usize = 400;

impl Counts {
    /// Up to where `text` can be read. O(n).
    pub(crate) fn readable(self, text: &Text) -> usize {
        match self {
            Self::Indents => Columns::new(INDENTS, false).up_to(text),
            Self::Blocks => Columns::new(BLOCKS, true).up_to(text),
            Self::Heredocs => heredocs(text),
        }
    }
}

/// Deepest nesting of brackets that is read. Unclosed, deeper ones cost tree-sitter a time that
/// grows with the square of their number or faster, in one step that nothing interrupts (minutes
/// on 50 KB). Files of real projects stay under 120.
pub(crate) const NESTING: usize = 2_000;

/// How deep brackets stand in each other, whatever is around them, and up to where no deeper than
/// [`NESTING`]. O(n).
pub(crate) fn nesting(text: &Text) -> (usize, usize) {
    let (mut at, mut depth, mut deepest) = (0, 0_usize, 0);
    for chunk in text.chunks() {
        for (here, byte) in chunk.bytes().enumerate() {
            match byte {
                b'(' | b'[' | b'{' => {
                    depth += 1;
                    if depth > NESTING {
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

/// What stands in for a character that a scanner must not see: part of a word, as it is.
pub(crate) const MASK: &[u8; 4] = b"xxxx";

/// Where characters beyond ASCII stand that may be taken for digits of `{1..2}`, in order. The
/// scanner of Bash looks such a character up in a table that is not long enough, which can end the
/// process. O(n).
pub(crate) fn masked(text: &Text) -> Vec<Range<usize>> {
    #[derive(Clone, Copy, PartialEq)]
    enum Place {
        Outside,
        /// Behind the bracket or digits.
        Digits {
            second: bool,
        },
        Dot,
    }
    let (mut at, mut place, mut masked) = (0, Place::Outside, Vec::new());
    for chunk in text.chunks() {
        let bytes = chunk.as_bytes();
        let mut here = 0;
        while here < bytes.len() {
            if place == Place::Outside {
                match memchr::memchr(b'{', &bytes[here..]) {
                    Some(brace) => here += brace,
                    None => break,
                }
            }
            place = match (place, bytes[here]) {
                (_, b'{') => Place::Digits { second: false },
                (Place::Digits { .. }, b'0'..=b'9') => place,
                (Place::Digits { second: false }, b'.') => Place::Dot,
                (Place::Dot, b'.') => Place::Digits { second: true },
                (Place::Digits { .. }, 0x80..) => {
                    let length = chunk[here..].chars().next().map_or(1, char::len_utf8);
                    masked.push(at + here..at + here + length);
                    Place::Outside
                }
                _ => Place::Outside,
            };
            here += 1;
        }
        at += bytes.len();
    }
    masked
}

/// The columns in which something begins that may be a block: what is open is one inside the
/// other, each further right, so there is never more of it than there are columns.
struct Columns {
    /// By column, of which scanners know the last 16 bits.
    seen: Vec<bool>,
    /// How many more there may be.
    left: usize,
    /// Whether `-`, `?` and `:` begin blocks behind which others begin on the same line.
    signs: bool,
}

/// Where in a line one is.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// Before anything but blanks and signs.
    Start,
    /// Behind what may be a sign, if a blank follows.
    Sign,
    /// In an anchor or a tag.
    Property,
    /// Behind a `\` before anything else: the next line goes on counting.
    Joined,
    Rest,
}

impl Columns {
    fn new(most: usize, signs: bool) -> Self {
        Self { seen: vec![false; 1 << 16], left: most, signs }
    }

    fn up_to(mut self, text: &Text) -> usize {
        let (mut at, mut column, mut place) = (0, 0, Place::Start);
        for chunk in text.chunks() {
            let bytes = chunk.as_bytes();
            let mut here = 0;
            while here < bytes.len() {
                if place == Place::Rest {
                    match memchr::memchr2(b'\n', b'\r', &bytes[here..]) {
                        Some(end) => here += end,
                        None => break,
                    }
                }
                let byte = bytes[here];
                (place, column) = match (byte, place) {
                    (b'\n' | b'\r', Place::Joined) => (Place::Start, column),
                    (b'\n' | b'\r', _) => (Place::Start, 0),
                    (b' ', _) => (Place::Start, column + 1),
                    (b'\t', _) => (Place::Start, column + if self.signs { 1 } else { 8 }),
                    (0x0c, _) if !self.signs => (Place::Start, 0),
                    (_, Place::Property) => (place, column + usize::from(byte & 0xc0 != 0x80)),
                    (_, Place::Sign) => (Place::Rest, column),
                    _ => {
                        let seen = &mut self.seen[column % (1 << 16)];
                        if !std::mem::replace(seen, true) {
                            let Some(left) = self.left.checked_sub(1) else { return at + here };
                            self.left = left;
                        }
                        match byte {
                            b'-' | b'?' | b':' if self.signs => (Place::Sign, column + 1),
                            b'&' | b'!' if self.signs => (Place::Property, column + 1),
                            b'\\' if !self.signs => (Place::Joined, column),
                            _ => (Place::Rest, column),
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

fn heredocs(text: &Text) -> usize {
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
        if open.iter().map(|word| 4 + word.len()).sum::<usize>() > WORDS {
            return at;
        }
        at += line.len();
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(counts: Counts, source: &str) -> usize {
        counts.readable(&Text::new(source))
    }

    #[test]
    fn what_people_write_is_read() {
        let deep: String = (0..60).map(|n| " ".repeat(n) + "- ? a: &b\n").collect();
        assert_eq!(read(Counts::Blocks, &deep), deep.len());
        let many = "text: - a - b ? c : d : e ".repeat(200);
        assert_eq!(read(Counts::Blocks, &many), many.len());
        let wide: String = (0..200).map(|n| " ".repeat(n) + "x\n").collect();
        assert_eq!(read(Counts::Indents, &wide), wide.len());
        let texts = "f(<<~SQL, <<-'A b')\n  a\n  SQL\nA b\nb << CONST\n".repeat(500);
        assert_eq!(read(Counts::Heredocs, &texts), texts.len());
    }

    #[test]
    fn brackets_are_read_to_a_depth() {
        assert_eq!(nesting(&Text::new("(]".repeat(9_000).as_str())), (1, 18_000));
        let deep = "%w(".repeat(NESTING + 5);
        assert_eq!(nesting(&Text::new(&deep)), (NESTING + 1, 3 * NESTING + 2));
    }

    #[test]
    fn what_is_no_digit_is_masked_where_one_may_stand() {
        let text = Text::new("{é {1..2é} {1.é} {中 {12{🙂 é ${é} {..é");
        let masked: Vec<_> =
            masked(&text).into_iter().map(|m| text.slice(m).into_owned()).collect();
        assert_eq!(masked, ["é", "é", "中", "🙂", "é", "é"]);
    }

    #[test]
    fn what_is_too_much_is_not() {
        assert!(read(Counts::Blocks, &"- ".repeat(400)) < 400);
        assert!(read(Counts::Blocks, &"&a - ".repeat(400)) < 1000);
        let joined: String = (0..400).map(|n| "\\\n ".repeat(n) + "x\n").collect();
        assert!(read(Counts::Indents, &joined) < joined.len());
        let word = "A".repeat(1019);
        assert_eq!(read(Counts::Heredocs, &format!("a\nx = <<{word}\n{word}\n")), 2);
    }
}
