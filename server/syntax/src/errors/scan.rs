//! Finds brackets, and unterminated strings and comments, in text with errors.
//!
//! A parser reports these badly: it continues as if an unterminated string were intended to cover
//! half the text. So the text is scanned using only the languages table. From the tree only
//! error-free nodes are taken, because a quote in a regular expression, for example, opens nothing.

use std::ops::Range;

use super::blocks;
use crate::language::{Errors, Quote};
use crate::{Language, Syntax};

/// Limit of unterminated strings and comments that are reported.
const MAX_UNTERMINATED: usize = 20;

/// Longest character literal between its quotes, in bytes.
const MAX_CHAR_LITERAL_LEN: usize = 10;

/// Longest delimiter of a raw string, in bytes.
const MAX_RAW_DELIMITER_LEN: usize = 16;

/// Error-free nodes in which brackets and quotes have no meaning.
const OPAQUE_KINDS: &[&str] = &[
    "block_comment",
    "char",
    "char_literal",
    "character",
    "character_literal",
    "comment",
    "heredoc_body",
    "html_comment",
    "interpolated_string",
    "interpolated_string_expression",
    "interpreted_string_literal",
    "jsx_text",
    "lifetime",
    "line_comment",
    "line_string_literal",
    "multi_line_string_literal",
    "multiline_string",
    "multiline_string_literal",
    "preproc_arg",
    "quasiquote",
    "quoted_string",
    "raw_string_literal",
    "regex",
    "rune_literal",
    "sigil",
    "string",
    "string_array",
    "string_literal",
    "symbol_array",
    "system_lib_string",
    "template_string",
    "verbatim_string_literal",
];

/// A bracket or conditional-compilation directive, in document order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BracketEvent {
    Open(usize, u8),
    Close(usize, u8),
    /// `#if`.
    If,
    /// `#endif`.
    EndIf,
    Else,
}

/// An unterminated string or comment.
#[derive(Debug)]
pub(super) struct Unterminated {
    /// Its opening delimiter.
    pub(super) opens: Range<usize>,
    /// Its assumed end: the end of its line or of the text.
    pub(super) end: usize,
    pub(super) what: &'static str,
}

/// What the scan of a text found.
#[derive(Debug, Default)]
pub(super) struct Scan {
    pub(super) events: Vec<BracketEvent>,
    pub(super) unterminated: Vec<Unterminated>,
    /// Starts of lines outside of brackets and strings.
    pub(super) lines: Vec<usize>,
    /// Starts of words in code, in languages with keyword-delimited blocks.
    pub(super) words: Vec<usize>,
}

struct Scanner<'s> {
    source: &'s str,
    language: Language,
    opaque: std::iter::Peekable<std::vec::IntoIter<Range<usize>>>,
    /// The first multi-line string that is followed by something no string is followed by.
    suspicious_string: Option<Range<usize>>,
    has_conditions: bool,
    has_block_words: bool,
    /// The end of the current preprocessor directive: macros may define unbalanced brackets.
    directive: usize,
    depth: usize,
    /// The end of a line in which an unterminated `url(` was found.
    urls_end: usize,
    at: usize,
    found: Scan,
}

impl Syntax {
    pub(super) fn scan(&self, source: &str) -> Scan {
        let language = self.language();
        let mut scanner = Scanner {
            source,
            language,
            opaque: self.opaque().into_iter().peekable(),
            suspicious_string: None,
            has_conditions: language.grammar().id_for_node_kind("preproc_if", true) != 0,
            has_block_words: blocks::has_keyword_blocks(language.id()),
            directive: 0,
            depth: 0,
            urls_end: 0,
            at: 0,
            found: Scan::default(),
        };
        scanner.run();
        scanner.found
    }

    /// The spans of error-free strings, comments and the like, in order.
    pub(super) fn opaque(&self) -> Vec<Range<usize>> {
        let mut cursor = self.tree().walk();
        let mut spans = Vec::new();
        loop {
            let node = cursor.node();
            if !node.has_error() && node.is_named() && OPAQUE_KINDS.contains(&node.kind()) {
                spans.push(node.byte_range());
            } else if cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return spans;
                }
            }
        }
    }
}

impl Scanner<'_> {
    fn run(&mut self) {
        let bytes = self.source.as_bytes();
        let mut fresh_line = true;
        while let Some(&byte) = bytes.get(self.at) {
            if byte == b'\n' {
                fresh_line = true;
                self.at += 1;
                continue;
            }
            if fresh_line && !byte.is_ascii_whitespace() {
                fresh_line = false;
                let start = self.at;
                self.start_line();
                if self.at > start {
                    continue;
                }
            }
            let is_skipped = self.skip_opaque()
                || self.css_url()
                || self.comment()
                || self.raw_string()
                || self.quote();
            if !is_skipped {
                self.bracket(byte);
                self.at += 1;
                if self.has_block_words && is_identifier_byte(byte) {
                    self.found.words.push(self.at - 1);
                    while self
                        .source
                        .as_bytes()
                        .get(self.at)
                        .is_some_and(|b| is_identifier_byte(*b))
                    {
                        self.at += 1;
                    }
                }
            }
        }
    }

    fn rest(&self) -> &str {
        self.source.get(self.at..).unwrap_or_default()
    }

    fn end_of_line(&self) -> usize {
        self.rest().find('\n').map_or(self.source.len(), |length| self.at + length)
    }

    /// Handles the start of a line: records it, and any preprocessor directive on it.
    fn start_line(&mut self) {
        if self.depth == 0 {
            self.found.lines.push(self.at);
        }
        if !self.has_conditions {
            return;
        }
        let Some(word) = self.rest().strip_prefix('#').map(str::trim_start) else { return };
        let event = match word {
            _ if word.starts_with("if") => Some(BracketEvent::If),
            _ if word.starts_with("el") => Some(BracketEvent::Else),
            _ if word.starts_with("endif") => Some(BracketEvent::EndIf),
            _ => None,
        };
        let inactive = word.strip_prefix("if").is_some_and(|rest| {
            rest.starts_with([' ', '\t']) && rest.split_whitespace().next() == Some("0")
        });
        self.found.events.extend(event);
        self.directive = self.end_of_directive();
        if inactive {
            self.skip_inactive();
        }
    }

    /// The end of a directive, with continuation lines.
    fn end_of_directive(&self) -> usize {
        let mut end = self.end_of_line();
        while end < self.source.len() && self.source[..end].trim_end_matches('\r').ends_with('\\') {
            let next = self.source[end + 1..].find('\n');
            end = next.map_or(self.source.len(), |length| end + 1 + length);
        }
        // A block comment continues the directive, too.
        let text = &self.source[self.at..end];
        if let Some(open) = text.rfind("/*").filter(|open| !text[*open..].contains("*/"))
            && let Some(close) = self.source[self.at + open..].find("*/")
        {
            let rest = self.at + open + close;
            return self.source[rest..].find('\n').map_or(self.source.len(), |n| rest + n);
        }
        end
    }

    /// Skips an error-free string or comment of the tree. Whether there was one.
    fn skip_opaque(&mut self) -> bool {
        while self.opaque.next_if(|span| span.start < self.at).is_some() {}
        let Some(span) = self.opaque.next_if(|span| span.start == self.at) else { return false };
        let closed = self.source.as_bytes().get(span.end);
        let goes_on = closed.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
        let quote = self.quotes().find(|q| self.rest().starts_with(&q.open));
        let text = self.source.get(span.clone()).unwrap_or_default();
        if text.contains('\n') && quote.is_some_and(|q| !q.lines) && !text.contains("\\\n") {
            // The parser accepts it over several lines, the language does not.
            return false;
        }
        if goes_on && quote.is_some_and(|q| q.lines) && text.contains('\n') {
            let opens = span.start..span.start + quote.map_or(1, |q| q.open.len());
            self.suspicious_string.get_or_insert(opens);
        }
        self.at = span.end.max(self.at + 1);
        true
    }

    /// An unquoted URL, in which `//` starts no comment: `url(https://example.com)`.
    fn css_url(&mut self) -> bool {
        let rest = self.rest();
        let is_url = self.language.errors() == Errors::Css
            && self.at >= self.urls_end
            && rest.get(..4).is_some_and(|word| word.eq_ignore_ascii_case("url("))
            && !rest[4..].trim_start().starts_with(['"', '\'']);
        if !is_url {
            return false;
        }
        let mut depth = 0_usize;
        for (index, byte) in rest.bytes().enumerate() {
            match byte {
                b'(' => depth += 1,
                b')' if depth == 1 => {
                    self.at += index + 1;
                    return true;
                }
                b')' => depth -= 1,
                b'\n' => break,
                _ => {}
            }
        }
        // If it is unterminated on its line, treat it and all further ones on the line as plain
        // brackets, so that the line is searched only once.
        self.urls_end = self.end_of_line();
        false
    }

    fn comment(&mut self) -> bool {
        let rest = self.rest();
        // Check block comments first: their delimiter may start like that of a line comment.
        if let Some((open, close)) = self.language.block_comment()
            && let Some(inside) = rest.strip_prefix(open)
        {
            match inside.find(close) {
                Some(length) => self.at += open.len() + length + close.len(),
                None => {
                    self.unterminated(self.at..self.at + open.len(), self.source.len(), "comment")
                }
            }
            return true;
        }
        let of_line = self.language.line_comments().iter().any(|start| rest.starts_with(start));
        if of_line {
            self.at = self.end_of_line();
        }
        of_line
    }

    fn quotes(&self) -> impl Iterator<Item = &'static Quote> + use<> {
        self.language.quotes().iter()
    }

    /// Skips a string or character literal, and records it if it is unterminated.
    fn quote(&mut self) -> bool {
        let Some(quote) = self.quotes().find(|q| self.rest().starts_with(&q.open)) else {
            return false;
        };
        let inside = self.at + quote.open.len();
        let before = self.source[..self.at].chars().next_back();
        let in_name = before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '\'');
        // An escaped quote, as in CSS selectors: `.content-\[\"\"\]`.
        if before == Some('\\') || quote.in_names && in_name {
            self.at = inside;
            return true;
        }
        // Search short literals only nearby: the rest of a long line may contain many.
        let far = if quote.short { inside + MAX_CHAR_LITERAL_LEN + 1 } else { self.source.len() };
        match closing_delimiter(self.source, inside..far.min(self.source.len()), quote) {
            Some(close) if !quote.short => {
                let end = close + quote.close().len();
                let goes_on = self.source[end..].starts_with(|c: char| c.is_alphanumeric());
                if goes_on && quote.lines && self.source[inside..close].contains('\n') {
                    self.suspicious_string.get_or_insert(self.at..inside);
                }
                self.at = end;
            }
            Some(close) if close > inside => self.at = close + 1,
            _ if quote.short => self.at = inside,
            _ => {
                // An earlier multi-line string ended at the opening quote of another: that one is
                // unterminated.
                let (opens, end) = match self.suspicious_string.take() {
                    Some(before) => (before, self.source.len()),
                    None if quote.lines => (self.at..inside, self.source.len()),
                    None => (self.at..inside, self.end_of_line()),
                };
                self.unterminated(opens, end, "string");
            }
        }
        true
    }

    /// `R"x(…)x"`, which some compilers accept in C, too.
    fn raw_string(&mut self) -> bool {
        if !self.has_conditions || !self.rest().starts_with("R\"") {
            return false;
        }
        let word = |c: char| c.is_alphanumeric() || c == '_';
        let before = &self.source[..self.at];
        let prefix = before.trim_end_matches(word).len();
        if !matches!(&before[prefix..], "" | "L" | "u" | "U" | "u8") {
            return false;
        }
        let rest = &self.rest()[2..];
        let Some(length) = rest.find('(').filter(|length| *length <= MAX_RAW_DELIMITER_LEN) else {
            return false;
        };
        let close = format!("){}\"", &rest[..length]);
        let Some(end) = rest.find(&close) else { return false };
        self.at += 2 + end + close.len();
        true
    }

    /// Skips the code between `#if 0` and its end.
    fn skip_inactive(&mut self) {
        let (mut at, mut depth) = (self.end_of_line(), 0);
        while at < self.source.len() {
            let line = self.source[at + 1..].split('\n').next().unwrap_or_default();
            let word = line.trim_start().strip_prefix('#').map_or("", str::trim_start);
            let ends = word.starts_with("endif");
            if depth == 0 && (ends || word.starts_with("el")) {
                self.at = at;
                return;
            }
            if word.starts_with("if") {
                depth += 1;
            } else if ends {
                depth -= 1;
            }
            at += 1 + line.len();
        }
    }

    /// Records an unterminated construct and continues at its assumed end.
    fn unterminated(&mut self, opens: Range<usize>, end: usize, what: &'static str) {
        self.found.unterminated.push(Unterminated { opens, end, what });
        // After this many, the rest of the text cannot be judged.
        self.at =
            if self.found.unterminated.len() < MAX_UNTERMINATED { end } else { self.source.len() };
    }

    fn bracket(&mut self, byte: u8) {
        match byte {
            _ if self.at < self.directive => {}
            b'(' | b'[' | b'{' => {
                self.depth += 1;
                self.found.events.push(BracketEvent::Open(self.at, byte));
            }
            b')' | b']' | b'}' => {
                self.depth = self.depth.saturating_sub(1);
                self.found.events.push(BracketEvent::Close(self.at, byte));
            }
            _ => {}
        }
    }
}

/// Whether a byte may be part of an identifier.
fn is_identifier_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

/// The offset of the closing delimiter of `quote` within `place`.
fn closing_delimiter(source: &str, place: Range<usize>, quote: &Quote) -> Option<usize> {
    let bytes = source.as_bytes();
    let mut at = place.start;
    while at < place.end {
        match bytes[at] {
            b'\\' if quote.escapes => at += 2,
            b'\n' if !quote.lines => return None,
            _ if bytes[at..].starts_with(quote.close().as_bytes()) => return Some(at),
            _ => at += 1,
        }
    }
    None
}
