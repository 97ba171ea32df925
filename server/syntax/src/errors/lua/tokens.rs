//! A tokenizer for Lua.

use std::ops::Range;

use super::LuaError;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenKind {
    Name,
    Keyword,
    Number,
    String,
    Punctuation,
    End,
}

#[derive(Debug, Clone)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) span: Range<usize>,
}

const KEYWORDS: &[&str] = &[
    "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "if", "in", "local",
    "nil", "not", "or", "repeat", "return", "then", "true", "until", "while",
];
/// Multi-character operators, the longest first.
const OPERATORS: &[&str] = &["...", "..", "==", "~=", "<=", ">=", "//", "::", "<<", ">>"];

/// The line number of an offset, from 1.
pub(super) fn line_number(source: &str, at: usize) -> usize {
    1 + memchr::memchr_iter(b'\n', &source.as_bytes()[..at.min(source.len())]).count()
}

/// The token at or after `from`.
pub(super) fn next_token(source: &str, from: usize) -> Result<Token, Box<LuaError>> {
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
            at = match long_bracket_end(source, at + 2) {
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
        return Ok(Token { kind: TokenKind::End, span: at..at });
    };
    let part = |c: char| c.is_alphanumeric() || c == '_' || !c.is_ascii();
    let second_is_digit = rest[first.len_utf8()..].starts_with(|c: char| c.is_ascii_digit());
    let (kind, length) = match first {
        '"' | '\'' => {
            (TokenKind::String, string_len(rest).ok_or_else(|| unclosed(source, at, "string"))?)
        }
        '[' if rest[1..].starts_with(['[', '=']) => match long_bracket_end(source, at) {
            Some(Some(end)) => (TokenKind::String, end - at),
            Some(None) => return Err(unclosed(source, at, "string")),
            None => (TokenKind::Punctuation, 1),
        },
        c if c.is_ascii_digit() || c == '.' && second_is_digit => {
            (TokenKind::Number, number_len(rest))
        }
        c if part(c) => {
            let length = rest.find(|c| !part(c)).unwrap_or(rest.len());
            let kind = if KEYWORDS.contains(&&rest[..length]) {
                TokenKind::Keyword
            } else {
                TokenKind::Name
            };
            (kind, length)
        }
        c => {
            let sign = OPERATORS.iter().find(|sign| rest.starts_with(**sign));
            (TokenKind::Punctuation, sign.map_or(c.len_utf8(), |sign| sign.len()))
        }
    };
    Ok(Token { kind, span: at..at + length })
}

fn unclosed(source: &str, at: usize, what: &str) -> Box<LuaError> {
    let line_number = line_number(source, at);
    let rest = &source[at..];
    let length = match rest.starts_with(['"', '\'']) {
        true => rest.lines().next().unwrap_or_default().trim_end().len(),
        false => rest.chars().next().map_or(0, char::len_utf8),
    };
    LuaError::new(
        at..at + length,
        format!("unclosed {what} that starts on line {line_number}"),
        false,
    )
}

/// The end of a long-bracket string or comment at `at`; `Some(None)` if it is unterminated.
fn long_bracket_end(source: &str, at: usize) -> Option<Option<usize>> {
    let inside = source[at..].strip_prefix('[')?;
    let level = inside.len() - inside.trim_start_matches('=').len();
    inside[level..].starts_with('[').then(|| {
        let start = at + level + 2;
        let close = format!("]{}]", "=".repeat(level));
        let found = memchr::memmem::find(&source.as_bytes()[start..], close.as_bytes());
        found.map(|found| start + found + close.len())
    })
}

/// The length of the quoted string at the start of `text`, if it is terminated.
fn string_len(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let mut at = 1;
    loop {
        match *bytes.get(at)? {
            b'\\' => {
                // `\z` skips whitespace and line breaks.
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

fn number_len(text: &str) -> usize {
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
    // `1..2` is a number, an operator and a number.
    text[..length].find("..").unwrap_or(length).max(1)
}
