//! Scanning ECMAScript text without a parser.

/// How far the matching bracket is searched, in bytes.
const MAX_BRACKET_DISTANCE: usize = 50_000;

/// Lookups around byte offsets of a text.
#[derive(Clone, Copy)]
pub(super) struct TextScanner<'t> {
    source: &'t str,
}

fn is_identifier_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || byte >= 0x80
}

/// The line without a trailing comment; empty if the line looks like part of a comment.
fn without_comment(line: &str) -> &str {
    let trimmed = line.trim_start();
    if trimmed.starts_with("//") || trimmed.starts_with("/*") || trimmed.starts_with('*') {
        return trimmed.rfind("*/").map_or("", |end| &trimmed[end + 2..]);
    }
    let even =
        |text: &str| !['"', '\'', '`'].iter().any(|quote| text.matches(*quote).count() % 2 == 1);
    let comment = line.match_indices("//").find(|(at, _)| even(&line[..*at]));
    let line = comment.map_or(line, |(at, _)| &line[..at]);
    match line.rfind("/*").filter(|at| line[*at..].trim_end().ends_with("*/")) {
        Some(at) => &line[..at],
        None => line,
    }
}

impl<'t> TextScanner<'t> {
    pub(super) fn new(source: &'t str) -> Self {
        Self { source }
    }

    pub(super) fn byte(&self, at: usize) -> Option<u8> {
        self.source.as_bytes().get(at).copied()
    }

    pub(super) fn byte_before(&self, at: usize) -> Option<u8> {
        at.checked_sub(1).and_then(|before| self.byte(before))
    }

    /// The text of a span, or "" if it is out of bounds.
    pub(super) fn text(&self, start: usize, end: usize) -> &'t str {
        self.source.get(start..end).unwrap_or("")
    }

    /// Whether exactly this word is at `at`.
    pub(super) fn is_word(&self, at: usize, word: &str) -> bool {
        self.source.as_bytes().get(at..).is_some_and(|rest| rest.starts_with(word.as_bytes()))
            && !self.byte_before(at).is_some_and(is_identifier_byte)
            && !self.byte(at + word.len()).is_some_and(is_identifier_byte)
    }

    /// The end of the word at `at`; `at` if there is none.
    pub(super) fn word_end(&self, at: usize) -> usize {
        let rest = self.source.as_bytes().get(at..).unwrap_or(b"");
        at + rest.iter().position(|byte| !is_identifier_byte(*byte)).unwrap_or(rest.len())
    }

    /// The word before `at`, whitespace skipped.
    pub(super) fn word_before(&self, at: usize) -> &'t str {
        let before = self.text(0, at).trim_end();
        let bytes = before.as_bytes();
        let start =
            bytes.iter().rposition(|byte| !is_identifier_byte(*byte)).map_or(0, |last| last + 1);
        &before[start..]
    }

    /// The last byte before `at` that is neither whitespace nor in a comment.
    pub(super) fn significant_before(&self, at: usize) -> Option<u8> {
        let mut line = self.line_before(at);
        let mut start = at - line.len();
        loop {
            let code = without_comment(line).trim_end();
            if let Some(last) = code.as_bytes().last() {
                return Some(*last);
            }
            let above = start.checked_sub(1)?;
            line = self.line_before(above);
            start = above - line.len();
        }
    }

    /// The text of the line up to `at`.
    pub(super) fn line_before(&self, at: usize) -> &'t str {
        let before = self.text(0, at);
        before.rfind('\n').map_or(before, |newline| &before[newline + 1..])
    }

    /// Skips spaces and tabs.
    pub(super) fn skip_blanks(&self, mut at: usize) -> usize {
        while matches!(self.byte(at), Some(b' ' | b'\t')) {
            at += 1;
        }
        at
    }

    /// Skips whitespace and comments.
    pub(super) fn skip_trivia(&self, mut at: usize) -> usize {
        loop {
            match (self.byte(at), self.byte(at + 1)) {
                (Some(b' ' | b'\t' | b'\n' | b'\r'), _) => at += 1,
                (Some(b'/'), Some(b'/')) => at = self.end_of_line(at),
                (Some(b'/'), Some(b'*')) => match self.find("*/", at + 2) {
                    Some(end) => at = end + 2,
                    None => return at,
                },
                _ => return at,
            }
        }
    }

    pub(super) fn end_of_line(&self, at: usize) -> usize {
        self.find("\n", at).unwrap_or(self.source.len())
    }

    fn find(&self, needle: &str, from: usize) -> Option<usize> {
        let rest = self.source.as_bytes().get(from..)?;
        memchr::memmem::find(rest, needle.as_bytes()).map(|found| from + found)
    }

    /// The offset after the bracket (including `<`) that matches the one at `open`.
    pub(super) fn closing_bracket_end(&self, open: usize) -> Option<usize> {
        let mut stack: Vec<u8> = Vec::new();
        let (mut at, last) = (open, open + MAX_BRACKET_DISTANCE);
        while let Some(byte) = self.byte(at).filter(|_| at < last) {
            match byte {
                b'(' => stack.push(b')'),
                b'[' => stack.push(b']'),
                b'{' => stack.push(b'}'),
                b'<' if at == open
                    || stack.last() == Some(&b'>')
                    || self.starts_type_arguments(at) =>
                {
                    stack.push(b'>');
                }
                b'>' if stack.last() != Some(&b'>') || self.byte_before(at) == Some(b'=') => {}
                b')' | b']' | b'}' | b'>' => {
                    if stack.pop() != Some(byte) {
                        return None;
                    }
                    if stack.is_empty() {
                        return Some(at + 1);
                    }
                }
                b'\'' | b'"' | b'`' => at = self.string_end(at)? - 1,
                b'/' if matches!(self.byte(at + 1), Some(b'/' | b'*')) => {
                    let after = self.skip_trivia(at);
                    at = if after > at { after - 1 } else { at };
                }
                _ => {}
            }
            at += 1;
        }
        None
    }

    /// Whether `<` directly follows a name, as type arguments do.
    fn starts_type_arguments(&self, at: usize) -> bool {
        self.byte_before(at).is_some_and(is_identifier_byte)
    }

    /// The offset after the quote that closes the one at `at`.
    fn string_end(&self, at: usize) -> Option<usize> {
        let quote = self.byte(at)?;
        let mut here = at + 1;
        loop {
            match self.byte(here)? {
                b'\\' => here += 1,
                b'\n' if quote != b'`' => return None,
                byte if byte == quote => return Some(here + 1),
                _ => {}
            }
            here += 1;
        }
    }

    /// Whether the type at `at` ends a declaration without a body.
    pub(super) fn is_signature(&self, at: usize) -> bool {
        let (mut at, mut last) = (at, b':');
        loop {
            let next = self.skip_trivia(at);
            let newline = self.text(at, next).contains('\n');
            let Some(byte) = self.byte(next) else { return true };
            let goes_on = matches!(last, b':' | b'|' | b'&' | b'?' | b'=' | b',')
                || matches!(
                    self.word_before(next),
                    "is" | "keyof" | "extends" | "typeof" | "infer"
                );
            if newline && !goes_on && !matches!(byte, b'|' | b'&' | b'?' | b':' | b'.' | b'{') {
                return true;
            }
            match byte {
                b';' => return true,
                b'}' | b')' | b']' => return byte == b'}',
                b'{' if !goes_on && last != b'>' => return false,
                b'{' if last == b'>' && self.byte_before(at.saturating_sub(1)) != Some(b'=') => {
                    return false;
                }
                b'(' | b'[' | b'{' | b'<' => match self.closing_bracket_end(next) {
                    Some(close) => (at, last) = (close, b')'),
                    None => return false,
                },
                b'\'' | b'"' | b'`' => match self.string_end(next) {
                    Some(end) => (at, last) = (end, b'"'),
                    None => return false,
                },
                _ => {
                    let end = self.word_end(next).max(next + 1);
                    (at, last) = (end, byte);
                }
            }
        }
    }
}
