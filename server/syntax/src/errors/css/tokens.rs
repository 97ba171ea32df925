//! A tokenizer for CSS and SCSS.

use std::ops::Range;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A name, with its prefix (`@`, `$`, `#`, `!`, `%`) and interpolations.
    Word,
    Number,
    Literal,
    /// A single punctuation character.
    Punctuation(u8),
}

#[derive(Debug, Clone)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) span: Range<usize>,
    /// Whether whitespace or comments precede it.
    pub(super) is_spaced: bool,
    /// Whether it is the first on its line.
    pub(super) is_first: bool,
}

impl Token {
    pub(super) fn is(&self, sign: u8) -> bool {
        self.kind == TokenKind::Punctuation(sign)
    }
}

pub(super) fn tokens(source: &str, is_scss: bool) -> Vec<Token> {
    let mut tokenizer = Tokenizer { source, at: 0, is_scss };
    let mut tokens = Vec::new();
    loop {
        let before = tokenizer.at;
        tokenizer.skip_trivia();
        let Some(byte) = source.as_bytes().get(tokenizer.at) else { return tokens };
        let start = tokenizer.at;
        let kind = tokenizer.token(*byte);
        let gap = &source[before..start];
        tokens.push(Token {
            kind,
            span: start..tokenizer.at,
            is_spaced: !gap.is_empty() || start == 0,
            is_first: gap.contains('\n') || before == 0,
        });
    }
}

struct Tokenizer<'s> {
    source: &'s str,
    at: usize,
    is_scss: bool,
}

impl Tokenizer<'_> {
    fn rest(&self) -> &str {
        self.source.get(self.at..).unwrap_or_default()
    }

    fn byte(&self, ahead: usize) -> u8 {
        self.source.as_bytes().get(self.at + ahead).copied().unwrap_or_default()
    }

    fn skip_trivia(&mut self) {
        loop {
            let rest = self.rest();
            let length = rest.len() - rest.trim_start().len();
            let comment = rest[length..]
                .strip_prefix("/*")
                .map(|inside| inside.find("*/").map_or(rest.len() - length, |end| end + 4));
            let line = rest[length..].starts_with("//") && self.is_scss;
            self.at += length;
            match comment {
                Some(comment) => self.at += comment,
                None if line => self.at += self.rest().find('\n').unwrap_or(self.rest().len()),
                None => return,
            }
        }
    }

    fn token(&mut self, byte: u8) -> TokenKind {
        match byte {
            b'"' | b'\'' => self.text(byte),
            b'@' | b'$' | b'#' | b'!' | b'%'
                if is_name_byte(self.byte(1)) || self.byte(1) == b'{' =>
            {
                if byte != b'#' {
                    self.at += 1;
                }
                self.word();
                TokenKind::Word
            }
            b'0'..=b'9' => self.number(),
            b'.' if self.byte(1).is_ascii_digit() => self.number(),
            b'-' | b'+' if self.byte(1).is_ascii_digit() => self.number(),
            b'-' | b'+' if self.byte(1) == b'.' && self.byte(2).is_ascii_digit() => self.number(),
            _ if is_name_byte(byte) => {
                let start = self.at;
                self.word();
                let is_url = self.source[start..self.at].eq_ignore_ascii_case("url");
                if is_url && self.byte(0) == b'(' {
                    let inside = self.rest()[1..].trim_start();
                    if !inside.starts_with(['"', '\'', '$']) {
                        self.at += self.rest().find(')').map_or(self.rest().len(), |end| end + 1);
                    }
                }
                TokenKind::Word
            }
            _ => {
                self.at += self.rest().chars().next().map_or(1, char::len_utf8);
                TokenKind::Punctuation(byte)
            }
        }
    }

    fn text(&mut self, quote: u8) -> TokenKind {
        self.at += 1;
        while let Some(byte) = self.source.as_bytes().get(self.at) {
            match *byte {
                b'\\' => self.at += 1,
                b'\n' => return TokenKind::Literal,
                _ => {}
            }
            self.at += 1;
            if *byte == quote {
                break;
            }
        }
        self.at = self.at.min(self.source.len());
        while !self.source.is_char_boundary(self.at) {
            self.at += 1;
        }
        TokenKind::Literal
    }

    fn number(&mut self) -> TokenKind {
        self.at += 1;
        while is_name_byte(self.byte(0)) || matches!(self.byte(0), b'.' | b'%') {
            self.at += 1;
        }
        self.skip_interpolations();
        TokenKind::Number
    }

    fn word(&mut self) {
        loop {
            let start = self.at;
            if self.byte(0) == b'#' && is_name_byte(self.byte(1)) && self.byte(1) != b'#' {
                self.at += 1;
            }
            while is_name_byte(self.byte(0)) {
                self.at += 1 + usize::from(self.byte(0) == b'\\');
            }
            while self.at < self.source.len() && !self.source.is_char_boundary(self.at) {
                self.at += 1;
            }
            self.at = self.at.min(self.source.len());
            self.skip_interpolations();
            // Text after an interpolation belongs to the same name.
            if self.at == start || !is_name_byte(self.byte(0)) && self.byte(0) != b'#' {
                return;
            }
            if self.byte(0) == b'#' && self.byte(1) != b'{' {
                return;
            }
        }
    }

    /// Skips interpolations `#{…}`.
    fn skip_interpolations(&mut self) {
        while self.byte(0) == b'#' && self.byte(1) == b'{' {
            let mut depth = 0;
            for (at, byte) in self.rest().bytes().enumerate() {
                match byte {
                    b'{' => depth += 1,
                    b'}' => depth -= 1,
                    _ => {}
                }
                if depth == 0 && byte == b'}' {
                    self.at += at + 1;
                    break;
                }
            }
            if depth != 0 {
                self.at = self.source.len();
            }
        }
    }
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'\\') || byte >= 0x80
}
