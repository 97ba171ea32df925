//! The brackets of a broken text, and the strings and comments that nothing closes.
//!
//! A parser says little of these: it goes on as if what swallowed half of the text were meant. So
//! the text is read anew, by the languages table alone; only what stands sound in the tree is taken
//! from there, for that a quote in a regular expression opens nothing.

use std::ops::Range;

use super::blocks;
use crate::language::{Errors, Quote};
use crate::{Language, Syntax};

/// Most strings and comments that are told of as not closed.
const MOST: usize = 20;

/// Most bytes between quotes in which one character stands.
const SHORT: usize = 10;

/// Longest delimiter of a raw string, in bytes.
const DELIMITER: usize = 16;

/// Sound nodes in which nothing opens or closes.
const OPAQUE: &[&str] = &[
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

/// What matters of a text, in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Event {
    Opens(usize, u8),
    Closes(usize, u8),
    /// Code that is there on a condition begins.
    If,
    /// It ends; another may begin.
    EndIf,
    Else,
}

/// A string or a comment that nothing closes.
#[derive(Debug)]
pub(super) struct Unclosed {
    /// What opens it.
    pub(super) opens: Range<usize>,
    /// How far it goes: to the end of its line or of the text.
    pub(super) end: usize,
    pub(super) what: &'static str,
}

#[derive(Debug, Default)]
pub(super) struct Scan {
    pub(super) events: Vec<Event>,
    pub(super) unclosed: Vec<Unclosed>,
    /// Where lines start that stand in nothing, by what has been read.
    pub(super) lines: Vec<usize>,
    /// Where words start that are code, in languages whose blocks words open.
    pub(super) words: Vec<usize>,
}

struct Scanner<'s> {
    source: &'s str,
    language: Language,
    opaque: std::iter::Peekable<std::vec::IntoIter<Range<usize>>>,
    /// The first string over lines that is followed by what no string is followed by.
    doubtful: Option<Range<usize>>,
    has_conditions: bool,
    has_block_words: bool,
    /// Where a line for the preprocessor ends: halves of brackets may be defined.
    directive: usize,
    depth: usize,
    /// Where a line ends in which an address was found not to be closed.
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
            doubtful: None,
            has_conditions: language.grammar().id_for_node_kind("preproc_if", true) != 0,
            has_block_words: blocks::has_words(language.id()),
            directive: 0,
            depth: 0,
            urls_end: 0,
            at: 0,
            found: Scan::default(),
        };
        scanner.run();
        scanner.found
    }

    /// Sound strings, comments and the like, in order.
    pub(super) fn opaque(&self) -> Vec<Range<usize>> {
        let mut cursor = self.tree().walk();
        let mut spans = Vec::new();
        loop {
            let node = cursor.node();
            if !node.has_error() && node.is_named() && OPAQUE.contains(&node.kind()) {
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
                self.line_starts();
                if self.at > start {
                    continue;
                }
            }
            let is_passed_over = self.opaque()
                || self.css_url()
                || self.comment()
                || self.raw_string()
                || self.quote();
            if !is_passed_over {
                self.bracket(byte);
                self.at += 1;
                if self.has_block_words && is_letter(byte) {
                    self.found.words.push(self.at - 1);
                    while self.source.as_bytes().get(self.at).is_some_and(|b| is_letter(*b)) {
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

    fn line_starts(&mut self) {
        if self.depth == 0 {
            self.found.lines.push(self.at);
        }
        if !self.has_conditions {
            return;
        }
        let Some(word) = self.rest().strip_prefix('#').map(str::trim_start) else { return };
        let event = match word {
            _ if word.starts_with("if") => Some(Event::If),
            _ if word.starts_with("el") => Some(Event::Else),
            _ if word.starts_with("endif") => Some(Event::EndIf),
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

    /// Where the line of a directive ends that may go on behind backslashes.
    fn end_of_directive(&self) -> usize {
        let mut end = self.end_of_line();
        while end < self.source.len() && self.source[..end].trim_end_matches('\r').ends_with('\\') {
            let next = self.source[end + 1..].find('\n');
            end = next.map_or(self.source.len(), |length| end + 1 + length);
        }
        // A comment goes on, too.
        let text = &self.source[self.at..end];
        if let Some(open) = text.rfind("/*").filter(|open| !text[*open..].contains("*/"))
            && let Some(close) = self.source[self.at + open..].find("*/")
        {
            let rest = self.at + open + close;
            return self.source[rest..].find('\n').map_or(self.source.len(), |n| rest + n);
        }
        end
    }

    fn opaque(&mut self) -> bool {
        while self.opaque.next_if(|span| span.start < self.at).is_some() {}
        let Some(span) = self.opaque.next_if(|span| span.start == self.at) else { return false };
        let closed = self.source.as_bytes().get(span.end);
        let goes_on = closed.is_some_and(|b| b.is_ascii_alphanumeric() || *b == b'_');
        let quote = self.quotes().find(|q| self.rest().starts_with(&q.open));
        let text = self.source.get(span.clone()).unwrap_or_default();
        if text.contains('\n') && quote.is_some_and(|q| !q.lines) && !text.contains("\\\n") {
            // The parser lets it go over lines, the language does not.
            return false;
        }
        if goes_on && quote.is_some_and(|q| q.lines) && text.contains('\n') {
            let opens = span.start..span.start + quote.map_or(1, |q| q.open.len());
            self.doubtful.get_or_insert(opens);
        }
        self.at = span.end.max(self.at + 1);
        true
    }

    /// An address without quotes, in which `//` begins no comment: `url(https://example.com)`.
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
        // What is not closed on its line is a bracket like any other, and so are those behind it:
        // a line is searched once.
        self.urls_end = self.end_of_line();
        false
    }

    fn comment(&mut self) -> bool {
        let rest = self.rest();
        // A comment over lines may begin with what begins one of a line.
        if let Some((open, close)) = self.language.block_comment()
            && let Some(inside) = rest.strip_prefix(open)
        {
            match inside.find(close) {
                Some(length) => self.at += open.len() + length + close.len(),
                None => self.unclosed(self.at..self.at + open.len(), self.source.len(), "comment"),
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

    fn quote(&mut self) -> bool {
        let Some(quote) = self.quotes().find(|q| self.rest().starts_with(&q.open)) else {
            return false;
        };
        let inside = self.at + quote.open.len();
        let before = self.source[..self.at].chars().next_back();
        let in_name = before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '\'');
        // Behind a backslash it is escaped, as selectors of CSS have it: `.content-\[\"\"\]`.
        if before == Some('\\') || quote.in_names && in_name {
            self.at = inside;
            return true;
        }
        // What is short is looked for nearby: the rest of a long line may hold a great many.
        let far = if quote.short { inside + SHORT + 1 } else { self.source.len() };
        match closing(self.source, inside..far.min(self.source.len()), quote) {
            Some(close) if !quote.short => {
                let end = close + quote.close().len();
                let goes_on = self.source[end..].starts_with(|c: char| c.is_alphanumeric());
                if goes_on && quote.lines && self.source[inside..close].contains('\n') {
                    self.doubtful.get_or_insert(self.at..inside);
                }
                self.at = end;
            }
            Some(close) if close > inside => self.at = close + 1,
            _ if quote.short => self.at = inside,
            _ => {
                // A string over lines before, which ends where another begins, swallowed what opens
                // this one.
                let (opens, end) = match self.doubtful.take() {
                    Some(before) => (before, self.source.len()),
                    None if quote.lines => (self.at..inside, self.source.len()),
                    None => (self.at..inside, self.end_of_line()),
                };
                self.unclosed(opens, end, "string");
            }
        }
        true
    }

    /// `R"x(…)x"`, which C has too where a compiler takes it.
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
        let Some(length) = rest.find('(').filter(|length| *length <= DELIMITER) else {
            return false;
        };
        let close = format!("){}\"", &rest[..length]);
        let Some(end) = rest.find(&close) else { return false };
        self.at += 2 + end + close.len();
        true
    }

    /// Passes over what stands between `#if 0` and the end of that.
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

    fn unclosed(&mut self, opens: Range<usize>, end: usize, what: &'static str) {
        self.found.unclosed.push(Unclosed { opens, end, what });
        // Behind so many nothing is as it seems.
        self.at = if self.found.unclosed.len() < MOST { end } else { self.source.len() };
    }

    fn bracket(&mut self, byte: u8) {
        match byte {
            _ if self.at < self.directive => {}
            b'(' | b'[' | b'{' => {
                self.depth += 1;
                self.found.events.push(Event::Opens(self.at, byte));
            }
            b')' | b']' | b'}' => {
                self.depth = self.depth.saturating_sub(1);
                self.found.events.push(Event::Closes(self.at, byte));
            }
            _ => {}
        }
    }
}

/// Whether a byte is of a name.
fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || !byte.is_ascii()
}

/// Where what closes a quote stands that begins within `place`.
fn closing(source: &str, place: Range<usize>, quote: &Quote) -> Option<usize> {
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
