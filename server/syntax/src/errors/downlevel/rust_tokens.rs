//! A tolerant tokenizer for Rust.

/// Token kinds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::errors) enum TokenKind {
    /// A name or a keyword; raw names too.
    Word,
    Lifetime,
    Number,
    /// A string or character literal.
    Literal,
    /// A single punctuation character.
    Punctuation,
}

/// A token and its span.
#[derive(Debug, Clone, Copy)]
pub(in crate::errors) struct Token {
    pub(in crate::errors) start: usize,
    pub(in crate::errors) end: usize,
    pub(in crate::errors) kind: TokenKind,
}

/// The tokens of a text from `start` on, without comments. O(text).
pub(in crate::errors) fn tokens(source: &str, start: usize) -> Vec<Token> {
    let bytes = source.as_bytes();
    let byte = |at: usize| bytes.get(at).copied().unwrap_or(0);
    let (mut at, mut tokens) = (start, Vec::new());
    while at < bytes.len() {
        let first = bytes[at];
        let (kind, end) = match first {
            b' ' | b'\t' | b'\n' | b'\r' => {
                at += 1;
                continue;
            }
            b'/' if byte(at + 1) == b'/' => {
                at = memchr::memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |n| at + n);
                continue;
            }
            b'/' if byte(at + 1) == b'*' => {
                at = comment_end(bytes, at);
                continue;
            }
            b'"' => (TokenKind::Literal, text_end(bytes, at, b'"')),
            b'\'' => quoted(source, at),
            b'0'..=b'9' => (TokenKind::Number, number_end(bytes, at)),
            _ if is_part(first) => word(bytes, at),
            _ => (TokenKind::Punctuation, at + 1),
        };
        tokens.push(Token { start: at, end, kind });
        at = end;
    }
    tokens
}

fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

fn end_of(bytes: &[u8], at: usize, part: impl Fn(u8) -> bool) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().position(|byte| !part(*byte)).unwrap_or(rest.len())
}

fn comment_end(bytes: &[u8], start: usize) -> usize {
    let (mut at, mut depth) = (start + 2, 1);
    while depth > 0 && at < bytes.len() {
        match (bytes[at], bytes.get(at + 1)) {
            (b'/', Some(b'*')) => (depth, at) = (depth + 1, at + 2),
            (b'*', Some(b'/')) => (depth, at) = (depth - 1, at + 2),
            _ => at += 1,
        }
    }
    at
}

fn text_end(bytes: &[u8], start: usize, quote: u8) -> usize {
    let mut at = start + 1;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            byte if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// A character literal or a lifetime.
fn quoted(source: &str, at: usize) -> (TokenKind, usize) {
    let bytes = source.as_bytes();
    let inside = source[at + 1..].chars().next();
    let after = at + 1 + inside.map_or(0, char::len_utf8);
    match inside {
        Some('\\') => (TokenKind::Literal, text_end(bytes, at, b'\'')),
        Some(c) if bytes.get(after) == Some(&b'\'') && c != '\'' => (TokenKind::Literal, after + 1),
        _ => {
            let mut end = end_of(bytes, at + 1, is_part);
            if &bytes[at + 1..end] == b"r" && bytes.get(end) == Some(&b'#') {
                end = end_of(bytes, end + 1, is_part);
            }
            (TokenKind::Lifetime, end.max(at + 1))
        }
    }
}

fn number_end(bytes: &[u8], at: usize) -> usize {
    let end = end_of(bytes, at, is_part);
    match (bytes.get(end), bytes.get(end + 1)) {
        (Some(b'.'), Some(b'0'..=b'9')) => end_of(bytes, end + 1, is_part),
        _ => end,
    }
}

/// A word, or the literal that it is the prefix of.
fn word(bytes: &[u8], at: usize) -> (TokenKind, usize) {
    let end = end_of(bytes, at, is_part);
    let raw = matches!(&bytes[at..end], b"r" | b"br" | b"cr");
    match bytes.get(end) {
        Some(b'"') if matches!(&bytes[at..end], b"b" | b"c") => {
            (TokenKind::Literal, text_end(bytes, end, b'"'))
        }
        Some(b'\'') if &bytes[at..end] == b"b" => (TokenKind::Literal, text_end(bytes, end, b'\'')),
        Some(b'"' | b'#') if raw => {
            let quote = end_of(bytes, end, |byte| byte == b'#');
            if bytes.get(quote) != Some(&b'"') {
                return (TokenKind::Word, end_of(bytes, quote, is_part));
            }
            let mut close = vec![b'"'];
            close.resize(1 + quote - end, b'#');
            let found = memchr::memmem::find(&bytes[quote + 1..], &close);
            (TokenKind::Literal, found.map_or(bytes.len(), |n| quote + 1 + n + close.len()))
        }
        _ => (TokenKind::Word, end),
    }
}
