//! Lua's tokens.

use std::ops::Range;

use super::First;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Name,
    Keyword,
    Number,
    String,
    Sign,
    End,
}

#[derive(Debug, Clone)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) span: Range<usize>,
}

const KEYWORDS: &[&str] = &[
    "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "if", "in", "local",
    "nil", "not", "or", "repeat", "return", "then", "true", "until", "while",
];
/// Signs, the longest first.
const SIGNS: &[&str] = &["...", "..", "==", "~=", "<=", ">=", "//", "::", "<<", ">>"];

/// The number of the line that a place is on, from 1.
pub(super) fn line(source: &str, at: usize) -> usize {
    1 + memchr::memchr_iter(b'\n', &source.as_bytes()[..at.min(source.len())]).count()
}

/// The token at `from` or behind it.
pub(super) fn next(source: &str, from: usize) -> Result<Token, Box<First>> {
    let mut at = from;
    loop {
        let rest = &source[at..];
        let blanks =
            rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n', '\x0b', '\x0c']).len();
        at += blanks;
        let rest = &source[at..];
        if at == 0 && rest.starts_with('#') {
            at += rest.find('\n').unwrap_or(rest.len());
        } else if let Some(comment) = rest.strip_prefix("--") {
            at = match long(source, at + 2) {
                Some(Some(end)) => end,
                Some(None) => return Err(unclosed(source, at, "comment")),
                None => at + 2 + comment.find('\n').unwrap_or(comment.len()),
            };
        } else {
            break;
        }
    }
    let rest = &source[at..];
    let Some(first) = rest.chars().next() else {
        return Ok(Token { kind: Kind::End, span: at..at });
    };
    let part = |c: char| c.is_alphanumeric() || c == '_' || !c.is_ascii();
    let second_is_digit = rest[first.len_utf8()..].starts_with(|c: char| c.is_ascii_digit());
    let (kind, length) = match first {
        '"' | '\'' => (Kind::String, quoted(rest).ok_or_else(|| unclosed(source, at, "string"))?),
        '[' if rest[1..].starts_with(['[', '=']) => match long(source, at) {
            Some(Some(end)) => (Kind::String, end - at),
            Some(None) => return Err(unclosed(source, at, "string")),
            None => (Kind::Sign, 1),
        },
        c if c.is_ascii_digit() || c == '.' && second_is_digit => (Kind::Number, number(rest)),
        c if part(c) => {
            let length = rest.find(|c| !part(c)).unwrap_or(rest.len());
            let kind = if KEYWORDS.contains(&&rest[..length]) { Kind::Keyword } else { Kind::Name };
            (kind, length)
        }
        c => {
            let sign = SIGNS.iter().find(|sign| rest.starts_with(**sign));
            (Kind::Sign, sign.map_or(c.len_utf8(), |sign| sign.len()))
        }
    };
    Ok(Token { kind, span: at..at + length })
}

fn unclosed(source: &str, at: usize, what: &str) -> Box<First> {
    let line = line(source, at);
    let rest = &source[at..];
    let length = match rest.starts_with(['"', '\'']) {
        true => rest.lines().next().unwrap_or_default().trim_end().len(),
        false => rest.chars().next().map_or(0, char::len_utf8),
    };
    First::new(at..at + length, format!("unclosed {what} that starts on line {line}"), false)
}

/// Where a text in long brackets ends that starts at `at`; `None` inside where nothing closes it.
fn long(source: &str, at: usize) -> Option<Option<usize>> {
    let inside = source[at..].strip_prefix('[')?;
    let level = inside.len() - inside.trim_start_matches('=').len();
    inside[level..].starts_with('[').then(|| {
        let start = at + level + 2;
        let close = format!("]{}]", "=".repeat(level));
        let found = memchr::memmem::find(&source.as_bytes()[start..], close.as_bytes());
        found.map(|found| start + found + close.len())
    })
}

/// How long a string in quotes is that starts a text, if it is closed on its line.
fn quoted(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 1;
    loop {
        match *bytes.get(at)? {
            b'\\' => {
                // `\z` passes over blanks and lines.
                at += 2;
                if bytes[at - 1..].starts_with(b"z") {
                    at += bytes[at..].iter().take_while(|b| b.is_ascii_whitespace()).count();
                } else if bytes[at - 1..].starts_with(b"\r\n") {
                    at += 1;
                }
            }
            b'\n' => return None,
            byte if byte == bytes[0] => return Some(at + 1),
            _ => at += 1,
        }
    }
}

fn number(text: &str) -> usize {
    let hex = text.starts_with("0x") || text.starts_with("0X");
    let mut before = ' ';
    let end = text.find(|c: char| {
        let exponent = if hex { ['p', 'P'] } else { ['e', 'E'] };
        let is_part = c.is_ascii_alphanumeric()
            || c == '.'
            || c == '_'
            || matches!(c, '+' | '-') && exponent.contains(&before);
        before = c;
        !is_part
    });
    let length = end.unwrap_or(text.len());
    // `1..2` are two numbers and a sign.
    text[..length].find("..").unwrap_or(length).max(1)
}
