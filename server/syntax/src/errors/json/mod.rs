//! JSON: parses the text without the tree, because the grammar covers one dialect and files use
//! four.
//!
//! A text with comments is parsed as JSON with comments, whatever its file name: its consumers must
//! accept them. Templates are skipped.

mod literals;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;

use super::brackets::{UnmatchedBracket, matching_bracket, unmatched_brackets};
use super::root_causes::LineIndents;
use super::scan::BracketEvent;
use super::{Missing, SyntaxError, SyntaxWarning};
use crate::language::JsonDialect;
use literals::{is_comment, is_json5_number, is_number, unescaped};

/// Limit of errors per text: a text with more is something else.
const MAX_ERRORS: usize = 20;
/// Deepest nesting that is followed.
const MAX_DEPTH: usize = 10_000;
/// Longest piece of source text quoted in a message, in characters.
const MAX_QUOTE_CHARS: usize = 30;

/// What the parser expects next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Expected {
    Value,
    /// The first element of an array, or its end.
    FirstValue,
    FirstKey,
    Key,
    Colon,
    /// A comma, or the closing bracket.
    Comma,
    /// Nothing more.
    End,
}

struct JsonParser<'s> {
    source: &'s str,
    at: usize,
    dialect: JsonDialect,
    has_comments: bool,
    /// The offsets and brackets of open objects and arrays.
    open: Vec<(usize, u8)>,
    /// The end of the last token.
    last: usize,
    /// Whether that token is an unterminated string, which contains the rest of its line.
    is_after_unterminated_string: bool,
    errors: Vec<SyntaxError>,
    /// The names of open objects, if duplicates are searched.
    names: Option<ObjectNames>,
}

/// The names of open objects, the outermost first, with the duplicates found so far.
#[derive(Default)]
struct ObjectNames {
    open: Vec<HashMap<String, usize>>,
    duplicates: Vec<SyntaxWarning>,
}

/// The errors, in document order.
pub(super) fn errors(source: &str, dialect: JsonDialect) -> Vec<SyntaxError> {
    parse(source, dialect, None).0
}

/// Duplicate names in the objects of a text without errors: RFC 8259 requires unique names, and
/// parsers differ in which one they use.
pub(super) fn duplicates(source: &str, dialect: JsonDialect) -> Vec<SyntaxWarning> {
    match parse(source, dialect, Some(ObjectNames::default())) {
        (errors, Some(names)) if errors.is_empty() => names.duplicates,
        _ => Vec::new(),
    }
}

fn parse(
    source: &str,
    dialect: JsonDialect,
    names: Option<ObjectNames>,
) -> (Vec<SyntaxError>, Option<ObjectNames>) {
    if ["{{", "{%", "<%"].iter().any(|mark| has_mark_outside_strings(source, mark)) {
        return (Vec::new(), None);
    }
    let mut parser = JsonParser {
        source,
        at: if source.starts_with('\u{feff}') { 3 } else { 0 },
        dialect,
        has_comments: false,
        open: Vec::new(),
        last: 0,
        is_after_unterminated_string: false,
        errors: Vec::new(),
        names,
    };
    parser.skip_trivia();
    // Another language with the same file name, such as YAML in `.eslintrc`.
    if parser.byte().is_some_and(|b| b.is_ascii_alphabetic() || b == b'#')
        && !["true", "false", "null"].iter().any(|word| source[parser.at..].starts_with(word))
    {
        return (Vec::new(), None);
    }
    parser.parse();
    if parser.has_comments && dialect == JsonDialect::Strict {
        return parse(source, JsonDialect::Comments, parser.names.map(|_| ObjectNames::default()));
    }
    if !parser.errors.is_empty()
        && parser.errors.len() < MAX_ERRORS
        && source.len() <= super::MAX_TEXT_LEN
    {
        parser.replace_by_bracket_error();
    }
    (parser.errors, parser.names)
}

/// Whether a template mark is outside of strings: `{{ a }}` is no JSON, but `"{{"` is. A `{` that
/// is doubled by mistake ends its line, or is followed by a quoted name or another bracket.
fn has_mark_outside_strings(source: &str, mark: &str) -> bool {
    source.lines().any(|line| {
        // Count quotes from mark to mark: the whole text may be one line.
        let (mut counted, mut quotes) = (0, 0);
        line.match_indices(mark).any(|(at, _)| {
            let piece = &line[counted..at];
            quotes += piece.matches('"').count() - piece.matches("\\\"").count();
            counted = at;
            let behind = line[at + mark.len()..].trim_end();
            let repeated_keyword =
                mark == "{{" && (behind.is_empty() || behind.starts_with(['"', '{', '}']));
            quotes.is_multiple_of(2) && !repeated_keyword
        })
    })
}

impl JsonParser<'_> {
    fn parse(&mut self) {
        let mut expected = Expected::Value;
        let mut any = false;
        while self.errors.len() < MAX_ERRORS {
            self.skip_trivia();
            let Some(byte) = self.byte() else { break };
            if expected == Expected::End {
                let new_line = self.source[self.last..self.at].contains(['\n', '\r']);
                if self.dialect == JsonDialect::Lines && new_line {
                    expected = Expected::Value;
                } else {
                    let token = self.token();
                    let message =
                        format!("expected the end of the text before {}", self.quoted(&token));
                    self.report(token, message, None);
                    return;
                }
            }
            any = true;
            expected = match (byte, expected) {
                (b'}' | b']', _) => match self.closing_bracket(byte, expected) {
                    Some(next) => next,
                    None => return,
                },
                (b',', Expected::Comma) => {
                    self.advance(1);
                    self.after_comma()
                }
                (b':', Expected::Colon) => {
                    self.advance(1);
                    Expected::Value
                }
                (b':', Expected::Comma) if self.is_name_in_array() => {
                    self.assume_object_start();
                    self.advance(1);
                    Expected::Value
                }
                (b',' | b':', _) => {
                    let at = self.at..self.at + 1;
                    self.report(at, format!("unexpected `{}`", char::from(byte)), None);
                    self.advance(1);
                    match (byte, expected) {
                        (b':', Expected::Comma) => Expected::Value,
                        _ => expected,
                    }
                }
                (_, Expected::Comma | Expected::Colon) if self.is_after_unterminated_string => {
                    self.is_after_unterminated_string = false;
                    self.after_comma()
                }
                (_, Expected::Comma) => {
                    self.expected_token(",");
                    self.after_comma()
                }
                (_, Expected::Colon) => {
                    self.expected_token(":");
                    Expected::Value
                }
                (_, Expected::Key | Expected::FirstKey) => {
                    let start = self.at;
                    self.key(byte);
                    self.check_duplicate_name(start..self.at);
                    Expected::Colon
                }
                (b'{' | b'[', _) => {
                    if self.open.len() >= MAX_DEPTH {
                        return;
                    }
                    self.open.push((self.at, byte));
                    if let Some(names) = self.names.as_mut().filter(|_| byte == b'{') {
                        names.open.push(HashMap::new());
                    }
                    self.advance(1);
                    if byte == b'{' { Expected::FirstKey } else { Expected::FirstValue }
                }
                _ => {
                    self.scalar(byte);
                    self.after_value()
                }
            };
        }
        // The closing brackets may be inside the unterminated string.
        if self.errors.len() >= MAX_ERRORS || self.is_after_unterminated_string {
            return;
        }
        if let Some((at, bracket)) = self.open.pop() {
            let close = if bracket == b'{' { "}" } else { "]" };
            let line = self.source[..at].matches('\n').count() + 1;
            let message = format!("unclosed `{}` that opens on line {line}", char::from(bracket));
            self.report(at..at + 1, message, Some(Missing { token: close, at: None }));
        } else if any && expected == Expected::Value && self.dialect != JsonDialect::Lines {
            self.expected_value();
        }
    }

    /// Whether the token before a colon is a string in an array: the opening `{` is missing.
    fn is_name_in_array(&self) -> bool {
        let is_list = self.open.last().is_some_and(|(_, bracket)| *bracket == b'[');
        is_list && self.source[..self.last].ends_with('"')
    }

    /// Continues as if an object opened before the last string.
    fn assume_object_start(&mut self) {
        let before = &self.source[..self.last - 1];
        let start = before.rfind('"').unwrap_or(self.last - 1);
        let name = start..self.last;
        let message = format!("expected `{{` before {}", self.quoted(&name));
        self.open.push((start, b'{'));
        if let Some(names) = &mut self.names {
            names.open.push(HashMap::new());
        }
        self.report(name, message, Some(Missing { token: "{", at: Some(start) }));
    }

    /// Replaces errors by the unmatched bracket that causes them: the indentation shows the wrong
    /// bracket better than the position where parsing failed.
    fn replace_by_bracket_error(&mut self) {
        let lines = LineIndents::new(self.source);
        let (found, _) = unmatched_brackets(&self.brackets(), |at| lines.indent(at));
        // Later ones may be consequential.
        let Some(&unmatched) = found.first() else { return };
        let at = unmatched.at();
        // Brackets inside an unterminated string do not count, and a closing bracket adds nothing
        // if the missing opening one is reported.
        let explains = |error: &SyntaxError| {
            error.message.starts_with("unclosed string")
                || matches!(unmatched, UnmatchedBracket::Closing(..))
                    && error.message.starts_with("expected `{`")
        };
        if self.errors.iter().any(explains) {
            return;
        }
        self.errors.retain(|error| error.span.start < at && !error.message.starts_with("unclosed"));
        let (message, missing) = match unmatched {
            UnmatchedBracket::Opening(_, bracket) => {
                let close = if bracket == b'{' { "}" } else { "]" };
                let line = self.source[..at].matches('\n').count() + 1;
                let bracket = char::from(bracket);
                let message = format!("unclosed `{bracket}` that opens on line {line}");
                (message, Some(Missing { token: close, at: None }))
            }
            UnmatchedBracket::Closing(_, bracket) => {
                let (opening, bracket) = (matching_bracket(bracket), char::from(bracket));
                (format!("`{bracket}` has no opening `{opening}`"), None)
            }
        };
        self.report(at..at + 1, message, missing);
    }

    /// The brackets outside of strings and comments.
    fn brackets(&self) -> Vec<BracketEvent> {
        let mut parser =
            JsonParser { errors: Vec::new(), names: None, open: Vec::new(), at: 0, ..*self };
        let mut events = Vec::new();
        loop {
            parser.skip_trivia();
            let Some(byte) = parser.byte() else { return events };
            match byte {
                b'{' | b'[' => events.push(BracketEvent::Open(parser.at, byte)),
                b'}' | b']' => events.push(BracketEvent::Close(parser.at, byte)),
                b'"' => {
                    parser.string(byte);
                    continue;
                }
                b'\'' if parser.dialect == JsonDialect::Json5 => {
                    parser.string(byte);
                    continue;
                }
                _ => {}
            }
            let length = parser.source[parser.at..].chars().next().map_or(1, char::len_utf8);
            parser.advance(length);
        }
    }

    fn byte(&self) -> Option<u8> {
        self.source.as_bytes().get(self.at).copied()
    }

    fn advance(&mut self, bytes: usize) {
        self.is_after_unterminated_string = false;
        self.at += bytes;
        self.last = self.at;
    }

    /// Skips whitespace and comments.
    fn skip_trivia(&mut self) {
        loop {
            let rest = &self.source[self.at..];
            let blanks = rest.len() - rest.trim_start_matches([' ', '\t', '\n', '\r']).len();
            let rest = &rest[blanks..];
            self.at += blanks;
            if rest.starts_with("//") {
                self.has_comments = true;
                self.at += rest.find(['\n', '\r']).unwrap_or(rest.len());
            } else if rest.starts_with("/*") {
                self.has_comments = true;
                match rest.find("*/") {
                    Some(end) => self.at += end + 2,
                    None => {
                        let line = self.source[..self.at].matches('\n').count() + 1;
                        let message = format!("unclosed comment that starts on line {line}");
                        self.report(self.at..self.at + 2, message, None);
                        self.at = self.source.len();
                    }
                }
            } else if self.dialect == JsonDialect::Json5
                && let Some(c) =
                    rest.chars().next().filter(|c| c.is_whitespace() || *c == '\u{feff}')
            {
                self.at += c.len_utf8();
            } else {
                return;
            }
        }
    }

    fn after_value(&self) -> Expected {
        if self.open.is_empty() { Expected::End } else { Expected::Comma }
    }

    fn after_comma(&self) -> Expected {
        match self.open.last() {
            Some((_, b'{')) => Expected::Key,
            _ => Expected::Value,
        }
    }

    /// A closing bracket. `None` if the rest cannot be checked.
    fn closing_bracket(&mut self, byte: u8, expected: Expected) -> Option<Expected> {
        let opening = if byte == b'}' { b'{' } else { b'[' };
        let at = self.at..self.at + 1;
        match self.open.last().copied() {
            Some((_, open)) if open == opening => {}
            Some((opened, open)) => {
                let close = if open == b'{' { "}" } else { "]" };
                let line = self.source[..opened].matches('\n').count() + 1;
                let message = format!("unclosed `{}` that opens on line {line}", char::from(open));
                let missing = Missing { token: close, at: Some(self.last) };
                self.report(opened..opened + 1, message, Some(missing));
                return None;
            }
            None => {
                let message =
                    format!("`{}` has no opening `{}`", char::from(byte), char::from(opening));
                self.report(at, message, None);
                return None;
            }
        }
        match expected {
            Expected::Comma | Expected::FirstKey | Expected::FirstValue => {}
            // After a comma.
            Expected::Key | Expected::Value if self.source[..self.last].ends_with(',') => {
                if matches!(self.dialect, JsonDialect::Strict | JsonDialect::Lines) {
                    let comma = self.last - 1..self.last;
                    let message = format!("unexpected `,` before `{}`", char::from(byte));
                    self.report(comma, message, None);
                }
            }
            Expected::Colon => self.expected_token(":"),
            _ => self.expected_value(),
        }
        self.open.pop();
        if let Some(names) = self.names.as_mut().filter(|_| byte == b'}') {
            names.open.pop();
        }
        self.advance(1);
        Some(self.after_value())
    }

    fn key(&mut self, byte: u8) {
        let json5 = self.dialect == JsonDialect::Json5;
        if byte == b'"' || json5 && byte == b'\'' {
            self.string(byte);
            return;
        }
        let token = self.token();
        let word = &self.source[token.clone()];
        let is_name =
            word.starts_with(|c: char| c.is_alphabetic() || matches!(c, '_' | '$' | '\\'));
        if !(json5 && is_name) {
            let message = format!("expected a name in quotes before {}", self.quoted(&token));
            self.report(token.clone(), message, None);
        }
        self.advance(token.len());
    }

    /// Compares a name with the earlier ones in its object.
    fn check_duplicate_name(&mut self, span: Range<usize>) {
        let source = self.source;
        let Some(names) = &mut self.names else { return };
        let Some(object) = names.open.last_mut() else { return };
        let name = unescaped(source[span.clone()].trim_matches(['"', '\'']));
        if is_comment(&name) || names.duplicates.len() >= MAX_ERRORS {
            return;
        }
        match object.entry(name) {
            Entry::Vacant(place) => drop(place.insert(span.start)),
            Entry::Occupied(first) => {
                let line = source[..*first.get()].matches('\n').count() + 1;
                let message =
                    format!("duplicate name {}, first on line {line}", self.quoted(&span));
                if let Some(names) = &mut self.names {
                    names.duplicates.push(SyntaxWarning { span, message });
                }
            }
        }
    }

    fn scalar(&mut self, byte: u8) {
        let json5 = self.dialect == JsonDialect::Json5;
        if byte == b'"' || json5 && byte == b'\'' {
            self.string(byte);
            return;
        }
        let token = self.token();
        let word = &self.source[token.clone()];
        let known = matches!(word, "true" | "false" | "null")
            || is_number(word)
            || json5 && is_json5_number(word);
        if !known {
            let message = format!("unexpected {}", self.quoted(&token));
            self.report(token.clone(), message, None);
        }
        self.advance(token.len());
    }

    fn string(&mut self, quote: u8) {
        let start = self.at;
        self.is_after_unterminated_string = false;
        let bytes = self.source.as_bytes();
        let json5 = self.dialect == JsonDialect::Json5;
        let mut at = start + 1;
        loop {
            match bytes.get(at) {
                None | Some(b'\n' | b'\r') => {
                    let line = self.source[..start].matches('\n').count() + 1;
                    let end = start + self.source[start..at].trim_end().len();
                    let token = if quote == b'"' { "\"" } else { "'" };
                    let missing = Some(Missing { token, at: None });
                    let message = format!("unclosed string that starts on line {line}");
                    self.report(start..end, message, missing);
                    self.is_after_unterminated_string = true;
                    break;
                }
                Some(b'\\') => {
                    let next = bytes.get(at + 1).copied().unwrap_or(b'\n');
                    let hex = |from: usize| {
                        let digits = bytes.get(from..from + 4);
                        digits.is_some_and(|d| d.iter().all(u8::is_ascii_hexdigit))
                    };
                    let known = match next {
                        b'u' => hex(at + 2),
                        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => true,
                        // The string ends with the line, or is continued on it.
                        b'\n' | b'\r' if !json5 => {
                            at += 1;
                            continue;
                        }
                        _ => json5,
                    };
                    let length = self.source[at + 1..].chars().next().map_or(0, char::len_utf8);
                    if !known && self.errors.len() < MAX_ERRORS {
                        let escape = at..at + 1 + length;
                        let message = format!("invalid escape {}", self.quoted(&escape));
                        self.report(escape, message, None);
                    }
                    at += 1 + length;
                    if json5 && next == b'\r' && bytes.get(at) == Some(&b'\n') {
                        at += 1;
                    }
                }
                Some(byte) if *byte == quote => {
                    at += 1;
                    break;
                }
                Some(_) => at += 1,
            }
        }
        self.at = at;
        self.last = at;
    }

    /// The word or punctuation at the current position.
    fn token(&self) -> Range<usize> {
        let rest = &self.source[self.at..];
        let ends =
            |c: char| c.is_whitespace() || matches!(c, ',' | ':' | '{' | '}' | '[' | ']' | '"');
        let first = rest.chars().next().map_or(0, char::len_utf8);
        let end = rest[first..].find(ends).map_or(rest.len(), |end| first + end);
        let rest = &rest[..end];
        let comment = rest.find("//").into_iter().chain(rest.find("/*")).min();
        self.at..self.at + end.min(comment.filter(|c| *c > 0).unwrap_or(end))
    }

    fn quoted(&self, span: &Range<usize>) -> String {
        let word = &self.source[span.clone()];
        let mut quoted: String = word.chars().take(MAX_QUOTE_CHARS).collect();
        if quoted.len() < word.len() {
            quoted.push('…');
        }
        format!("`{quoted}`")
    }

    fn expected_token(&mut self, token: &'static str) {
        let next = match self.byte() {
            Some(b'"') => self.at..(self.at + 1).min(self.source.len()),
            _ => self.token(),
        };
        let message = match self.byte() {
            Some(b'"') => format!("expected `{token}` before the string"),
            _ => format!("expected `{token}` before {}", self.quoted(&next)),
        };
        let missing = Some(Missing { token, at: Some(self.last) });
        self.report(next, message, missing);
    }

    fn expected_value(&mut self) {
        let end = self.last;
        let start = self.source[..end].char_indices().next_back().map_or(0, |(at, _)| at);
        let message = format!("expected a value after {}", self.quoted(&(start..end)));
        self.report(start..end, message, None);
    }

    fn report(&mut self, span: Range<usize>, message: String, missing: Option<Missing>) {
        self.errors.push(SyntaxError { span, message, missing });
    }
}

#[cfg(test)]
mod tests;
