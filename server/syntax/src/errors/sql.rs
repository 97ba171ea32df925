//! SQL: brackets, strings and comments, scanned without the tree, because the grammar covers no
//! dialect completely.
//!
//! Dialects differ in the escapes within quotes. If that matters, nothing is reported.

use std::ops::Range;

use super::scan::{BracketEvent, Scan, Unterminated};

/// Starts of lines that are commands to the client program, if no bracket is open.
const CLIENT_COMMANDS: &[&str] = &["\\", ".", "prompt ", "rem "];
/// Markup that makes the text a template.
const TEMPLATE_MARKS: &[&str] = &["{{", "{%", "{#"];

/// The brackets and unterminated strings of a text; `None` if dialects would read it differently.
pub(super) fn scan(source: &str) -> Option<Scan> {
    let mut scanner =
        SqlScanner { source, at: 0, depth: 0, suspicious_string: None, found: Scan::default() };
    let mut fresh_line = true;
    while let Some(byte) = source.as_bytes().get(scanner.at) {
        let is_fresh = std::mem::replace(&mut fresh_line, *byte == b'\n');
        if !is_fresh || !scanner.skip_non_code() {
            scanner.scan_token(*byte)?;
        }
    }
    Some(scanner.found)
}

struct SqlScanner<'s> {
    source: &'s str,
    at: usize,
    depth: usize,
    /// The first multi-line string that is followed by something no string is followed by.
    suspicious_string: Option<Range<usize>>,
    found: Scan,
}

impl SqlScanner<'_> {
    fn rest(&self) -> &str {
        self.source.get(self.at..).unwrap_or_default()
    }

    fn skip_line(&mut self) {
        self.at += self.rest().find('\n').unwrap_or(self.rest().len());
    }

    /// Skips a line that is no code.
    fn skip_non_code(&mut self) -> bool {
        let line = self.rest().lines().next().unwrap_or_default();
        let word =
            |word: &&&str| line.get(..word.len()).is_some_and(|w| w.eq_ignore_ascii_case(word));
        if line.starts_with('#') || self.depth == 0 && CLIENT_COMMANDS.iter().find(word).is_some() {
            self.at += line.len();
            return true;
        }
        if word(&&"copy ") && line.to_ascii_lowercase().contains(" from stdin") {
            // Data follows, up to its terminator line.
            let data = self.rest();
            let end = ["\n\\.\n", "\n\\.\r\n"].into_iter().filter_map(|end| data.find(end)).min();
            self.at += end.unwrap_or(data.len());
            return true;
        }
        false
    }

    /// `None` if dialects would read it differently.
    fn scan_token(&mut self, byte: u8) -> Option<()> {
        let rest = self.rest();
        match byte {
            _ if rest.starts_with("--") => self.skip_line(),
            _ if rest.starts_with("/*") => match rest[2..].find("*/") {
                // Some dialects nest comments.
                Some(length) if rest[2..2 + length].contains("/*") => return None,
                Some(length) => self.at += length + 4,
                None => self.unterminated(self.at..self.at + 2, "comment"),
            },
            b'{' if TEMPLATE_MARKS.iter().any(|mark| rest.starts_with(mark)) => return None,
            b'\'' | b'"' | b'`' => self.string(byte)?,
            b'$' if !self.follows_word() => self.dollar_quoted()?,
            b'(' | b'[' => {
                self.depth += 1;
                self.found.events.push(BracketEvent::Open(self.at, byte));
                self.at += 1;
            }
            b')' | b']' => {
                self.depth = self.depth.saturating_sub(1);
                self.found.events.push(BracketEvent::Close(self.at, byte));
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
        // Oracle's `q'[it's]'`.
        if self.at > 0 && quote == b'\'' && matches!(bytes[self.at - 1], b'q' | b'Q') {
            return None;
        }
        let opens = self.at..self.at + 1;
        let mut end = opens.end;
        loop {
            let Some(length) = memchr::memchr(quote, &bytes[end..]) else {
                let opens = self.suspicious_string.take().unwrap_or(opens);
                self.unterminated(opens, "string");
                return Some(());
            };
            end += length + 1;
            // Only some dialects treat a backslash as an escape.
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
            self.suspicious_string.get_or_insert(opens);
        }
        self.at = end;
        Some(())
    }

    /// A dollar-quoted string: `$$…$$` or `$name$…$name$`.
    fn dollar_quoted(&mut self) -> Option<()> {
        let rest = self.rest();
        let name = rest[1..].bytes().take_while(|b| is_word(*b)).count();
        let is_parameter = rest.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
        if is_parameter || rest.as_bytes().get(1 + name) != Some(&b'$') {
            self.at += 1;
            return Some(());
        }
        let mark = &rest[..name + 2];
        // An unterminated one may be a name.
        self.at += rest[mark.len()..].find(mark)? + 2 * mark.len();
        Some(())
    }

    fn unterminated(&mut self, opens: Range<usize>, what: &'static str) {
        self.at = self.source.len();
        self.found.unterminated.push(Unterminated { opens, end: self.at, what });
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}
