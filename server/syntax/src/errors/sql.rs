//! Brackets, strings and comments of SQL, read without its tree: the parser takes no dialect whole.
//!
//! Dialects differ in what a quote may hold. Where that matters nothing is said of the text.

use std::ops::Range;

use super::scan::{Event, Scan, Unclosed};

/// What a line begins with that is not SQL but for the program that reads it, where no bracket is open.
const COMMANDS: &[&str] = &["\\", ".", "prompt ", "rem "];
/// What makes a template of a text.
const TEMPLATE: &[&str] = &["{{", "{%", "{#"];

/// What is open and closed in a text, or nothing where dialects would read it in different ways.
pub(super) fn scan(source: &str) -> Option<Scan> {
    let mut reader = Reader { source, at: 0, depth: 0, doubtful: None, found: Scan::default() };
    let mut fresh_line = true;
    while let Some(byte) = source.as_bytes().get(reader.at) {
        let is_fresh = std::mem::replace(&mut fresh_line, *byte == b'\n');
        if !is_fresh || !reader.is_no_code() {
            reader.piece(*byte)?;
        }
    }
    Some(reader.found)
}

struct Reader<'s> {
    source: &'s str,
    at: usize,
    depth: usize,
    /// The first string over lines that is followed by what no string is followed by.
    doubtful: Option<Range<usize>>,
    found: Scan,
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        self.source.get(self.at..).unwrap_or_default()
    }

    fn pass_line(&mut self) {
        self.at += self.rest().find('\n').unwrap_or(self.rest().len());
    }

    /// Goes behind a line that is no code: to its end.
    fn is_no_code(&mut self) -> bool {
        let line = self.rest().lines().next().unwrap_or_default();
        let word =
            |word: &&&str| line.get(..word.len()).is_some_and(|w| w.eq_ignore_ascii_case(word));
        if line.starts_with('#') || self.depth == 0 && COMMANDS.iter().find(word).is_some() {
            self.at += line.len();
            return true;
        }
        if word(&&"copy ") && line.to_ascii_lowercase().contains(" from stdin") {
            // What follows is data, up to a line of its own.
            let data = self.rest();
            let end = ["\n\\.\n", "\n\\.\r\n"].into_iter().filter_map(|end| data.find(end)).min();
            self.at += end.unwrap_or(data.len());
            return true;
        }
        false
    }

    /// Nothing where it may be read in two ways.
    fn piece(&mut self, byte: u8) -> Option<()> {
        let rest = self.rest();
        match byte {
            _ if rest.starts_with("--") => self.pass_line(),
            _ if rest.starts_with("/*") => match rest[2..].find("*/") {
                // Some count how deep comments stand in each other.
                Some(length) if rest[2..2 + length].contains("/*") => return None,
                Some(length) => self.at += length + 4,
                None => self.unclosed(self.at..self.at + 2, "comment"),
            },
            b'{' if TEMPLATE.iter().any(|mark| rest.starts_with(mark)) => return None,
            b'\'' | b'"' | b'`' => self.string(byte)?,
            b'$' if !self.follows_word() => self.dollar()?,
            b'(' | b'[' => {
                self.depth += 1;
                self.found.events.push(Event::Opens(self.at, byte));
                self.at += 1;
            }
            b')' | b']' => {
                self.depth = self.depth.saturating_sub(1);
                self.found.events.push(Event::Closes(self.at, byte));
                self.at += 1;
            }
            _ => self.at += 1,
        }
        Some(())
    }

    fn follows_word(&self) -> bool {
        let before = self.at.checked_sub(1).and_then(|at| self.source.as_bytes().get(at));
        before.is_some_and(|b| is_word(*b))
    }

    fn string(&mut self, quote: u8) -> Option<()> {
        let bytes = self.source.as_bytes();
        // `q'[it's]'`
        if self.at > 0 && quote == b'\'' && matches!(bytes[self.at - 1], b'q' | b'Q') {
            return None;
        }
        let opens = self.at..self.at + 1;
        let mut end = opens.end;
        loop {
            let Some(length) = memchr::memchr(quote, &bytes[end..]) else {
                let opens = self.doubtful.take().unwrap_or(opens);
                self.unclosed(opens, "string");
                return Some(());
            };
            end += length + 1;
            // To some a backslash takes the meaning of a quote, to others not.
            if bytes[end - 2] == b'\\' {
                return None;
            }
            if bytes.get(end) != Some(&quote) {
                break;
            }
            end += 1;
        }
        let over_lines = self.source[opens.start..end].contains('\n');
        if over_lines && bytes.get(end).is_some_and(|b| is_word(*b)) {
            self.doubtful.get_or_insert(opens);
        }
        self.at = end;
        Some(())
    }

    /// A text between `$$` or `$name$`.
    fn dollar(&mut self) -> Option<()> {
        let rest = self.rest();
        let name = rest[1..].bytes().take_while(|b| is_word(*b)).count();
        let is_parameter = rest.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
        if is_parameter || rest.as_bytes().get(1 + name) != Some(&b'$') {
            self.at += 1;
            return Some(());
        }
        let mark = &rest[..name + 2];
        // One that nothing closes may as well be a name.
        self.at += rest[mark.len()..].find(mark)? + 2 * mark.len();
        Some(())
    }

    fn unclosed(&mut self, opens: Range<usize>, what: &'static str) {
        self.at = self.source.len();
        self.found.unclosed.push(Unclosed { opens, end: self.at, what });
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}
