//! PHP: errors that the tokens show better than the tree: unterminated strings that swallow lines,
//! and method declarations without name or keyword, which the parser reads as something else.

use std::ops::Range;

use super::SyntaxError;

/// Modifiers of a member, each allowed once.
const MODIFIERS: &[&str] =
    &["public", "protected", "private", "abstract", "final", "static", "readonly"];
/// Modifiers that occur only on members.
const MEMBER_MODIFIERS: &[&str] = &["public", "protected", "private", "abstract"];

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TokenKind {
    Word,
    Punctuation,
    String,
}

#[derive(Debug, Clone)]
struct Token {
    kind: TokenKind,
    span: Range<usize>,
}

/// The errors of the text: those of the tree (`errors`), without the consequences of an error found
/// here.
pub(super) fn errors(source: &str, is_broken: bool, errors: Vec<SyntaxError>) -> Vec<SyntaxError> {
    let mut lexer = Lexer {
        source,
        bytes: source.as_bytes(),
        at: 0,
        tokens: Vec::new(),
        suspicious_string: None,
    };
    lexer.tokenize();
    let string = lexer.suspicious_string.clone().filter(|_| is_broken).map(|opens| {
        let line = 1 + source[..opens.start].matches('\n').count();
        let message = format!("unclosed string that starts on line {line}");
        SyntaxError { span: opens, message, missing: None }
    });
    if let Some(string) = string {
        return vec![string];
    }
    let Some(member_error) = broken_member(source, &lexer.tokens, is_broken) else { return errors };
    let mut errors = errors;
    let line = source[..member_error.span.start].rfind('\n').unwrap_or(0);
    errors.retain(|error| error.span.start < line);
    errors.push(member_error);
    errors
}

/// The first member declaration without name or keyword, or with a repeated modifier.
fn broken_member(source: &str, tokens: &[Token], is_broken: bool) -> Option<SyntaxError> {
    let text = |token: &Token| &source[token.span.clone()];
    let error = |token: &Token, message: String| {
        Some(SyntaxError { span: token.span.clone(), message, missing: None })
    };
    for (number, token) in tokens.iter().enumerate() {
        let is_name = number.checked_sub(1).is_some_and(|before| {
            matches!(text(&tokens[before]), ">" | ":" | "$" | "function" | "const" | "case" | "fn")
        });
        if token.kind != TokenKind::Word || !MEMBER_MODIFIERS.contains(&text(token)) || is_name {
            continue;
        }
        let [second, third, ..] = &tokens[number + 1..] else { continue };
        if second.kind != TokenKind::Word {
            continue;
        }
        if text(second) == text(token) {
            return error(second, format!("unexpected `{}`", text(second)));
        }
        if !is_broken || text(third) != "(" {
            continue;
        }
        match text(second) {
            "function" => {
                return error(second, "expected a name after `function`".to_owned());
            }
            // `private(set)`
            word if MODIFIERS.contains(&word) => {}
            word => return error(second, format!("expected `function` before `{word}`")),
        }
    }
    None
}

struct Lexer<'s> {
    source: &'s str,
    bytes: &'s [u8],
    at: usize,
    tokens: Vec<Token>,
    /// The first multi-line string with a word directly before or after it, or without an end.
    suspicious_string: Option<Range<usize>>,
}

impl Lexer<'_> {
    fn tokenize(&mut self) {
        while let Some(opens) = self.source[self.at..].find("<?") {
            self.at += opens + 2;
            if self.starts_with("xml") {
                continue;
            }
            if self.starts_with("php") {
                self.at += 3;
            }
            self.code();
        }
    }

    fn starts_with(&self, text: &str) -> bool {
        self.bytes[self.at.min(self.bytes.len())..].starts_with(text.as_bytes())
    }

    /// Moves after the next `text`, or to the end.
    fn skip_past(&mut self, text: &str) {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let found = memchr::memmem::find(rest, text.as_bytes());
        self.at = found.map_or(self.bytes.len(), |found| self.at + found + text.len());
    }

    fn code(&mut self) {
        while let Some(byte) = self.bytes.get(self.at).copied() {
            let start = self.at;
            match byte {
                b'?' if self.starts_with("?>") => {
                    self.at += 2;
                    return;
                }
                b'#' if self.starts_with("#[") => self.at += 1,
                b'#' => self.line_comment(),
                b'/' if self.starts_with("//") => self.line_comment(),
                b'/' if self.starts_with("/*") => self.skip_past("*/"),
                b'<' if self.starts_with("<<<") => self.heredoc(),
                b'\'' | b'"' | b'`' => self.string(byte),
                _ if is_word(byte) => {
                    while self.bytes.get(self.at).is_some_and(|byte| is_word(*byte)) {
                        self.at += 1;
                    }
                    self.tokens.push(Token { kind: TokenKind::Word, span: start..self.at });
                }
                _ if byte.is_ascii_whitespace() => self.at += 1,
                _ => {
                    self.at += 1;
                    self.tokens.push(Token { kind: TokenKind::Punctuation, span: start..self.at });
                }
            }
        }
    }

    /// A comment ends with the line or with the PHP code.
    fn line_comment(&mut self) {
        let rest = &self.bytes[self.at..];
        let line = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let end = memchr::memmem::find(&rest[..line], b"?>").unwrap_or(line);
        self.at += end;
    }

    fn string(&mut self, quote: u8) {
        let opens = self.at..self.at + 1;
        let before = self.at.checked_sub(1).map(|at| self.bytes[at]);
        let is_behind_word = before.is_some_and(is_word) && !matches!(before, Some(b'b' | b'B'));
        self.at += 1;
        let mut is_closed = false;
        while let Some(byte) = self.bytes.get(self.at).copied() {
            self.at += 1;
            match byte {
                b'\\' => self.at += 1,
                byte if byte == quote => {
                    is_closed = true;
                    break;
                }
                b'{' if quote != b'\'' && self.bytes.get(self.at) == Some(&b'$') => {
                    self.interpolation()
                }
                b'$' if quote != b'\'' && self.bytes.get(self.at) == Some(&b'{') => {
                    self.at += 1;
                    self.interpolation();
                }
                _ => {}
            }
        }
        self.at = self.at.min(self.bytes.len());
        let goes_on = self.bytes.get(self.at).is_some_and(|byte| is_word(*byte) || *byte == b'$');
        let is_long = memchr::memchr(b'\n', &self.bytes[opens.end..self.at]).is_some();
        if is_long && (goes_on || is_behind_word) || !is_closed {
            self.suspicious_string.get_or_insert(opens.clone());
        }
        self.tokens.push(Token { kind: TokenKind::String, span: opens.start..self.at });
    }

    /// An interpolated expression, up to its `}`.
    fn interpolation(&mut self) {
        /// Anything longer is no expression.
        const MAX_INTERPOLATION_LEN: usize = 2_000;
        let end = (self.at + MAX_INTERPOLATION_LEN).min(self.bytes.len());
        let (mut at, mut depth) = (self.at, 1usize);
        while at < end {
            match self.bytes[at] {
                b'{' => depth += 1,
                b'}' if depth == 1 => {
                    self.at = at + 1;
                    return;
                }
                b'}' => depth -= 1,
                b'\n' => return,
                quote @ (b'"' | b'\'') => {
                    let rest = &self.bytes[at + 1..end];
                    match memchr::memchr2(quote, b'\n', rest) {
                        Some(close) if rest[close] == quote => at += 1 + close,
                        _ => return,
                    }
                }
                _ => {}
            }
            at += 1;
        }
    }

    /// A heredoc: `<<<END`.
    fn heredoc(&mut self) {
        self.at += 3;
        let rest = &self.source[self.at..];
        let line = rest.lines().next().unwrap_or_default();
        let end = line.trim().trim_matches(['\'', '"']);
        if end.is_empty() || !end.bytes().all(is_word) {
            return;
        }
        let mut at = self.at + line.len() + 1;
        for line in self.source.get(at..).unwrap_or_default().split_inclusive('\n') {
            let indent = line.len() - line.trim_start_matches([' ', '\t']).len();
            let is_end = line[indent..]
                .strip_prefix(end)
                .is_some_and(|rest| !rest.bytes().next().is_some_and(is_word));
            if is_end {
                self.at = at + indent + end.len();
                return;
            }
            at += line.len();
        }
        self.at = self.bytes.len();
    }
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}
