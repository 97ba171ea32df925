//! A tokenizer for C and C++ that skips preprocessor lines.

use std::ops::Range;

use crate::errors::brackets::matching_bracket;
use crate::rewrites::c::is_in_string;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenKind {
    Word,
    Number,
    Literal,
    Punctuation,
}

/// Columns between tab stops.
const TAB_WIDTH: usize = 8;

#[derive(Debug, Clone)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) span: Range<usize>,
    /// Its column, if it is the first token of its line; tabs end at multiples of eight.
    pub(super) indent: Option<usize>,
    /// Whether a preprocessor line precedes it.
    pub(super) follows_directive: bool,
    /// The index of the matching bracket.
    pub(super) matching: Option<usize>,
    /// The index of the innermost bracket that contains it.
    pub(super) inside: Option<usize>,
}

const OPERATORS: &[&str] = &[
    "...", "<<=", ">>=", "->*", "::", "->", "++", "--", "<<", "<=", ">=", "==", "!=", "&&", "||",
    "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", ".*", "##",
];

pub(super) fn tokens(source: &str) -> Vec<Token> {
    let mut checker = MacroChecker { source, at: 0 };
    let mut tokens: Vec<Token> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    let (mut follows_directive, mut line) = (false, 0);
    let mut is_first = true;
    while checker.at < source.len() {
        let rest = &source[checker.at..];
        let byte = rest.as_bytes()[0];
        if byte == b'\n' {
            checker.at += 1;
            (line, is_first) = (checker.at, true);
        } else if byte.is_ascii_whitespace() || byte == b'\\' {
            checker.at += 1;
        } else if rest.starts_with("//") {
            checker.at += rest.find('\n').unwrap_or(rest.len());
        } else if let Some(comment) = rest.strip_prefix("/*") {
            checker.at += comment.find("*/").map_or(rest.len(), |end| end + 4);
        } else if byte == b'#' && is_first {
            checker.directive();
            follows_directive = true;
        } else {
            let start = checker.at;
            let kind = checker.token(byte);
            let index = tokens.len();
            let text = &source.as_bytes()[start..checker.at];
            let mut matching = None;
            if let [close @ (b')' | b']' | b'}')] = text
                && let Some(last) = open.last().copied()
                && matching_bracket(source.as_bytes()[tokens[last].span.start])
                    == char::from(*close)
            {
                open.pop();
                tokens[last].matching = Some(index);
                matching = Some(last);
            }
            let indent = is_first.then(|| columns(&source[line..start]));
            let inside = open.last().copied();
            tokens.push(Token {
                kind,
                span: start..checker.at,
                indent,
                follows_directive,
                matching,
                inside,
            });
            if matches!(text, b"(" | b"[" | b"{") {
                open.push(index);
            }
            (follows_directive, is_first) = (false, false);
        }
    }
    tokens
}

struct MacroChecker<'s> {
    source: &'s str,
    at: usize,
}

impl MacroChecker<'_> {
    /// Skips a preprocessor line, and the code disabled by `#if 0`.
    fn directive(&mut self) {
        let word = self.source[self.at + 1..].trim_start_matches([' ', '\t']);
        let is_out = word.strip_prefix("if").is_some_and(|rest| {
            rest.split_whitespace().next() == Some("0") && rest.starts_with([' ', '\t'])
        });
        self.end_line();
        let mut depth = 0_usize;
        while is_out && self.at < self.source.len() {
            let line = self.source[self.at..].trim_start();
            let word =
                line.strip_prefix('#').map_or("", |word| word.trim_start_matches([' ', '\t']));
            if depth == 0 && (word.starts_with("el") || word.starts_with("endif")) {
                return;
            }
            if word.starts_with("if") {
                depth += 1;
            } else if word.starts_with("endif") {
                depth -= 1;
            }
            self.end_line();
        }
    }

    /// Skips a line with its continuations.
    fn end_line(&mut self) {
        loop {
            let rest = &self.source[self.at..];
            let end = rest.find('\n').unwrap_or(rest.len());
            let line = &rest[..end];
            let starts_comment =
                |open: &usize| !line[*open..].contains("*/") && !is_in_string(&line[..*open]);
            if let Some(open) = line.rfind("/*").filter(starts_comment) {
                self.at += rest[open..].find("*/").map_or(rest.len(), |close| open + close + 2);
                continue;
            }
            self.at = (self.at + end + 1).min(self.source.len());
            if !line.trim_end_matches('\r').ends_with('\\') || self.at == self.source.len() {
                return;
            }
        }
    }

    fn token(&mut self, byte: u8) -> TokenKind {
        let rest = &self.source[self.at..];
        let is_word = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
        if byte.is_ascii_digit()
            || byte == b'.' && rest[1..].starts_with(|c: char| c.is_ascii_digit())
        {
            let mut last = ' ';
            let length = rest.find(|c: char| {
                let is_sign = matches!(c, '+' | '-') && matches!(last, 'e' | 'E' | 'p' | 'P');
                last = c;
                !(is_word(c) || c == '.' || c == '\'' || is_sign)
            });
            self.at += length.unwrap_or(rest.len());
            return TokenKind::Number;
        }
        if byte == b'"' || byte == b'\'' {
            self.text(byte);
            return TokenKind::Literal;
        }
        if rest.starts_with(is_word) {
            let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            self.at += length;
            let raw = matches!(&rest[..length], "R" | "LR" | "uR" | "UR" | "u8R");
            match self.source.as_bytes().get(self.at) {
                Some(b'"') if raw => self.raw_text(),
                Some(quote @ (b'"' | b'\''))
                    if matches!(&rest[..length], "L" | "u" | "U" | "u8") =>
                {
                    self.text(*quote);
                }
                _ => return TokenKind::Word,
            }
            return TokenKind::Literal;
        }
        let sign = OPERATORS.iter().find(|sign| rest.starts_with(**sign));
        self.at += sign.map_or_else(|| rest.chars().next().map_or(1, char::len_utf8), |s| s.len());
        TokenKind::Punctuation
    }

    fn text(&mut self, quote: u8) {
        self.at += 1;
        while let Some(byte) = self.source.as_bytes().get(self.at) {
            self.at += 1;
            match *byte {
                b'\\' => self.at += 1,
                b'\n' => break,
                byte if byte == quote => break,
                _ => {}
            }
        }
        self.at = self.at.min(self.source.len());
        while !self.source.is_char_boundary(self.at) {
            self.at += 1;
        }
    }

    fn raw_text(&mut self) {
        let rest = &self.source[self.at + 1..];
        let delimiter = rest.find('(').unwrap_or_default();
        let close = format!("){}\"", &rest[..delimiter]);
        self.at += 1 + rest.find(&close).map_or(rest.len(), |end| end + close.len());
    }
}

/// Columns of a line's beginning.
fn columns(text: &str) -> usize {
    text.bytes().fold(0, |at, byte| {
        if byte == b'\t' { at / TAB_WIDTH * TAB_WIDTH + TAB_WIDTH } else { at + 1 }
    })
}
