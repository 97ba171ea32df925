//! Splits source text into words, strings and punctuation, without comments.
//!
//! What a test can see is searched by names, and names are also in strings (`getattr(x, "name")`) and in
//! macros, which no tree resolves. So this reads text, not trees, and knows only how a language writes
//! comments and strings.

/// How a language writes comments, strings and imports.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Style {
    Python,
    Rust,
    /// JavaScript and TypeScript.
    Script,
    Go,
    /// C, Java and others alike.
    Braces,
}

impl Style {
    /// The style of a language of the index; `None` for those whose tests are not selected.
    pub(super) fn of_language(id: &str) -> Option<Self> {
        Some(match id {
            "python" => Self::Python,
            "rust" => Self::Rust,
            "javascript" | "typescript" | "tsx" | "jsx" => Self::Script,
            "go" => Self::Go,
            "c" | "cpp" | "java" | "kotlin" | "csharp" | "php" | "scala" => Self::Braces,
            _ => return None,
        })
    }

    /// Whether a module's statements run when it is imported.
    pub(super) fn runs_at_import(self) -> bool {
        matches!(self, Self::Python | Self::Script | Self::Go)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TokenKind {
    /// A name or a keyword.
    Word,
    Number,
    /// A whole string literal.
    String,
    /// A name inside the string before it.
    InString,
    /// The beginning of a name that is completed at run time: `"visit_" + kind`.
    Prefix,
    Punctuation(u8),
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Token {
    pub(super) kind: TokenKind,
    pub(super) start: u32,
    pub(super) end: u32,
    /// Whether it is the first of its line.
    pub(super) is_first: bool,
}

impl Token {
    pub(super) fn text<'t>(&self, text: &'t str) -> &'t str {
        text.get(self.start as usize..self.end as usize).unwrap_or_default()
    }

    pub(super) fn is(&self, byte: u8) -> bool {
        self.kind == TokenKind::Punctuation(byte)
    }
}

/// Longest string whose words may be names, in bytes.
const MAX_NAME_STRING: usize = 120;

/// The tokens of a text. Never fails: broken code has some tokens, too. O(n).
pub(super) fn tokens(style: Style, text: &str) -> Vec<Token> {
    let mut lexer =
        Lexer { style, bytes: text.as_bytes(), at: 0, is_first: true, tokens: Vec::new() };
    lexer.run();
    lexer.tokens
}

struct Lexer<'t> {
    style: Style,
    bytes: &'t [u8],
    at: usize,
    is_first: bool,
    tokens: Vec<Token>,
}

fn starts_word(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_' || byte == b'$' || byte >= 0x80
}

fn is_in_word(byte: u8) -> bool {
    starts_word(byte) || byte.is_ascii_digit()
}

impl Lexer<'_> {
    fn run(&mut self) {
        while let Some(byte) = self.peek(0) {
            match byte {
                b'\n' => {
                    self.is_first = true;
                    self.at += 1;
                }
                b' ' | b'\t' | b'\r' | b'\x0c' => self.at += 1,
                b'#' if self.style == Style::Python => self.skip_line(),
                b'/' if self.style != Style::Python && self.peek(1) == Some(b'/') => {
                    self.skip_line();
                }
                b'/' if self.style != Style::Python && self.peek(1) == Some(b'*') => {
                    self.skip_block_comment();
                }
                b'"' | b'\'' | b'`' => self.quote(byte, false),
                _ if byte.is_ascii_digit() => {
                    let end = self.end_of_word(self.at);
                    self.push(TokenKind::Number, self.at, end);
                    self.at = end;
                }
                _ if starts_word(byte) => self.word(),
                _ => {
                    self.push(TokenKind::Punctuation(byte), self.at, self.at + 1);
                    self.at += 1;
                }
            }
        }
    }

    fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    fn push(&mut self, kind: TokenKind, start: usize, end: usize) {
        let (Ok(start), Ok(end)) = (u32::try_from(start), u32::try_from(end)) else { return };
        self.tokens.push(Token { kind, start, end, is_first: self.is_first });
        self.is_first = false;
    }

    fn end_of_word(&self, start: usize) -> usize {
        let rest = &self.bytes[start..];
        start + rest.iter().position(|byte| !is_in_word(*byte)).unwrap_or(rest.len())
    }

    fn skip_line(&mut self) {
        let rest = &self.bytes[self.at..];
        self.at += rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
    }

    fn skip_block_comment(&mut self) {
        let mut depth = 0;
        while self.at < self.bytes.len() {
            match &self.bytes[self.at..(self.at + 2).min(self.bytes.len())] {
                b"/*" if depth == 0 || self.style == Style::Rust => {
                    depth += 1;
                    self.at += 2;
                }
                b"*/" => {
                    depth -= 1;
                    self.at += 2;
                    if depth == 0 {
                        return;
                    }
                }
                _ => self.at += 1,
            }
        }
    }

    fn word(&mut self) {
        let (start, end) = (self.at, self.end_of_word(self.at));
        let word = &self.bytes[start..end];
        let next = self.bytes.get(end).copied();
        let is_prefix = word.len() <= 3 && word.iter().all(u8::is_ascii_alphabetic);
        if is_prefix && matches!(next, Some(b'"' | b'\'')) {
            let has = |letter: u8| word.iter().any(|byte| byte.eq_ignore_ascii_case(&letter));
            if self.style == Style::Python && word.iter().all(|b| b"rbfuRBFU".contains(b)) {
                self.at = end;
                return self.quote(next.unwrap_or_default(), has(b'f'));
            }
            if self.style == Style::Rust && matches!(word, b"r" | b"b" | b"br" | b"c" | b"cr") {
                self.at = end;
                if next == Some(b'"') && has(b'r') {
                    return self.rust_raw(0);
                }
                return self.quote(next.unwrap_or_default(), false);
            }
        }
        if self.style == Style::Rust && matches!(word, b"r" | b"br" | b"cr") && next == Some(b'#') {
            let hashes = self.bytes[end..].iter().take_while(|byte| **byte == b'#').count();
            if self.bytes.get(end + hashes) == Some(&b'"') {
                self.at = end + hashes;
                return self.rust_raw(hashes);
            }
        }
        self.push(TokenKind::Word, start, end);
        self.at = end;
    }

    /// A raw string of Rust; `at` is at its quote.
    fn rust_raw(&mut self, hashes: usize) {
        let start = self.at;
        let mut at = start + 1;
        while at < self.bytes.len() {
            let closes = self.bytes[at] == b'"'
                && self
                    .bytes
                    .get(at + 1..=at + hashes)
                    .is_some_and(|h| h.iter().all(|b| *b == b'#'));
            if closes {
                break;
            }
            at += 1;
        }
        let end = (at + 1 + hashes).min(self.bytes.len());
        self.string(start, end, start + 1, at.min(self.bytes.len()), false);
        self.at = end;
    }

    /// A string or a character; `at` is at its quote.
    fn quote(&mut self, quote: u8, has_braces: bool) {
        let start = self.at;
        if self.style == Style::Rust && quote == b'\'' && !self.is_rust_character() {
            // A lifetime.
            self.at += 1;
            return;
        }
        let is_triple = self.style == Style::Python
            && self.peek(1) == Some(quote)
            && self.peek(2) == Some(quote);
        let width = if is_triple { 3 } else { 1 };
        let is_long = is_triple || quote == b'`' || self.style == Style::Rust;
        let mut at = start + width;
        let mut content_end = self.bytes.len();
        while at < self.bytes.len() {
            match self.bytes[at] {
                b'\\' if !(self.style == Style::Go && quote == b'`') => at += 2,
                // An unterminated string ends with its line, so that little is misread.
                b'\n' if !is_long => {
                    content_end = at;
                    break;
                }
                byte if byte == quote => {
                    let closes = !is_triple
                        || self
                            .bytes
                            .get(at..at + 3)
                            .is_some_and(|b| b.iter().all(|b| *b == quote));
                    if closes {
                        content_end = at;
                        at += width;
                        break;
                    }
                    at += 1;
                }
                _ => at += 1,
            }
        }
        let end = at.min(self.bytes.len());
        let has_braces = has_braces
            || self.style == Style::Script && quote == b'`'
            || self.style == Style::Rust && quote == b'"';
        self.string(start, end, start + width, content_end.min(end), has_braces);
        self.at = end;
    }

    fn is_rust_character(&self) -> bool {
        match self.peek(1) {
            Some(b'\\') => true,
            Some(byte) if byte >= 0x80 => {
                self.bytes[self.at + 2..].iter().take(4).any(|byte| *byte == b'\'')
            }
            Some(_) => self.peek(2) == Some(b'\''),
            None => false,
        }
    }

    /// The tokens of a string: itself, and the names in it. Words of a sentence are none.
    fn string(&mut self, start: usize, end: usize, from: usize, to: usize, has_braces: bool) {
        self.push(TokenKind::String, start, end);
        let Some(content) = self.bytes.get(from..to) else { return };
        if has_braces {
            self.names_in_braces(from, to);
        }
        let is_short = (1..=MAX_NAME_STRING).contains(&content.len());
        if !is_short || content.iter().any(|byte| byte.is_ascii_whitespace()) {
            return;
        }
        if content.ends_with(b"_") && content.iter().all(|byte| is_in_word(*byte)) {
            self.push(TokenKind::Prefix, from, to);
        }
        if !has_braces || !content.contains(&b'{') {
            self.names_between(from, to);
        }
    }

    fn names_in_braces(&mut self, from: usize, to: usize) {
        let mut at = from;
        while at < to {
            let Some(open) = self.bytes[at..to].iter().position(|byte| *byte == b'{') else {
                return;
            };
            let open = at + open;
            let word = self.bytes[at..open].iter().rev().take_while(|b| is_in_word(**b)).count();
            if word > 1 && self.bytes[open - 1] == b'_' {
                self.push(TokenKind::Prefix, open - word, open);
            }
            let close = self.bytes[open..to].iter().position(|byte| *byte == b'}');
            let close = close.map_or(to, |close| open + close);
            self.names_between(open + 1, close);
            at = close + 1;
        }
    }

    fn names_between(&mut self, from: usize, to: usize) {
        let mut at = from;
        while at < to {
            if starts_word(self.bytes[at]) {
                let end = self.end_of_word(at).min(to);
                self.push(TokenKind::InString, at, end);
                at = end;
            } else {
                at += 1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(style: Style, text: &str) -> Vec<String> {
        let named = |token: &&Token| {
            matches!(token.kind, TokenKind::Word | TokenKind::InString | TokenKind::Prefix)
        };
        tokens(style, text).iter().filter(named).map(|token| token.text(text).to_owned()).collect()
    }

    #[test]
    fn names_are_found_outside_comments_and_sentences() {
        let text = "x = 1  # a comment\ny = 'pkg.mod' + \"two words\" + f'{call(z)} more'\n";
        assert_eq!(names(Style::Python, text), ["x", "y", "pkg", "mod", "call", "z"]);
        let text =
            "fn a<'b>(c: char) { /* d /* e */ */ f!(\"{g} h\", r#\"i j\"#, '\\'', 'k') } // l";
        assert_eq!(names(Style::Rust, text), ["fn", "a", "b", "c", "char", "f", "g", "k"]);
        assert_eq!(names(Style::Script, "a(`${b} c`) // d"), ["a", "b"]);
        assert_eq!(
            names(Style::Python, "g('visit_' + x); h(f'do_{x}')").join(" "),
            "g visit_ visit_ x h do_ x"
        );
    }

    #[test]
    fn broken_text_has_tokens() {
        for text in ["'", "\"\"\"a", "r#\"a", "/* a", "f'{", "'\\", "b'", "é'", "`${", "\u{0}"] {
            for style in [Style::Python, Style::Rust, Style::Script, Style::Go, Style::Braces] {
                tokens(style, text);
            }
        }
    }
}
