//! What is wrong with a JSON text, told without its tree: the parser takes one dialect, files are in
//! four.
//!
//! A text that has comments is read as one that may have them, whatever its name: who reads it takes
//! them. One that is made from a template is not read.

mod words;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::ops::Range;

use serde::Deserialize;

use super::brackets::{Lone, lone, other_half};
use super::causes::Lines;
use super::scan::Event;
use super::{Missing, SyntaxError, SyntaxWarning};
use words::{is_comment, is_json5_number, is_number, unescaped};

/// A way to write JSON.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Dialect {
    /// As in RFC 8259.
    Strict,
    /// With comments, and commas behind the last of a list.
    Comments,
    /// With names without quotes, other quotes, other numbers.
    Json5,
    /// One value a line.
    Lines,
}

/// Most errors of one text: what has more is something else.
const MOST: usize = 20;
/// Deepest nesting that is followed.
const DEEPEST: usize = 10_000;
/// Longest piece of source text quoted in a message, in characters.
const QUOTE: usize = 30;

/// What may come next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Value,
    /// The first of a list, or its end.
    FirstValue,
    FirstKey,
    Key,
    Colon,
    /// A comma, or the end of what is open.
    Comma,
    /// Nothing more.
    End,
}

struct Reader<'s> {
    source: &'s str,
    at: usize,
    dialect: Dialect,
    has_comments: bool,
    /// Where what is open opens, and its bracket.
    open: Vec<(usize, u8)>,
    /// Where the last token ends.
    last: usize,
    /// Whether that is a string that nothing closes: what stood behind it on its line is in it.
    is_torn: bool,
    errors: Vec<SyntaxError>,
    /// The names of each object that is open, and where; where they are compared.
    names: Option<Names>,
}

/// Names of objects that are open, outermost first, and those that stand twice in one of them.
#[derive(Default)]
struct Names {
    open: Vec<HashMap<String, usize>>,
    twice: Vec<SyntaxWarning>,
}

/// The errors, in order of place.
pub(super) fn errors(source: &str, dialect: Dialect) -> Vec<SyntaxError> {
    read(source, dialect, None).0
}

/// Names that stand twice in one object of a text without errors: RFC 8259 wants them unique, and
/// readers differ in which they take.
pub(super) fn duplicates(source: &str, dialect: Dialect) -> Vec<SyntaxWarning> {
    match read(source, dialect, Some(Names::default())) {
        (errors, Some(names)) if errors.is_empty() => names.twice,
        _ => Vec::new(),
    }
}

fn read(source: &str, dialect: Dialect, names: Option<Names>) -> (Vec<SyntaxError>, Option<Names>) {
    if ["{{", "{%", "<%"].iter().any(|mark| is_outside_strings(source, mark)) {
        return (Vec::new(), None);
    }
    let mut reader = Reader {
        source,
        at: if source.starts_with('\u{feff}') { 3 } else { 0 },
        dialect,
        has_comments: false,
        open: Vec::new(),
        last: 0,
        is_torn: false,
        errors: Vec::new(),
        names,
    };
    reader.skip();
    // Another language under a name that both have: YAML in `.eslintrc`.
    if reader.byte().is_some_and(|b| b.is_ascii_alphabetic() || b == b'#')
        && !["true", "false", "null"].iter().any(|word| source[reader.at..].starts_with(word))
    {
        return (Vec::new(), None);
    }
    reader.read();
    if reader.has_comments && dialect == Dialect::Strict {
        return read(source, Dialect::Comments, reader.names.map(|_| Names::default()));
    }
    if !reader.errors.is_empty() && reader.errors.len() < MOST && source.len() <= super::LONGEST {
        reader.blame_brackets();
    }
    (reader.errors, reader.names)
}

/// Whether a template's mark stands where JSON has none: `{{ a }}` is no JSON, but `"{{"` is. A `{`
/// that stands twice by mistake ends its line, or has a name in quotes or another `{` behind it.
fn is_outside_strings(source: &str, mark: &str) -> bool {
    source.lines().any(|line| {
        // From mark to mark: all of a text may be one line.
        let (mut counted, mut quotes) = (0, 0);
        line.match_indices(mark).any(|(at, _)| {
            let piece = &line[counted..at];
            quotes += piece.matches('"').count() - piece.matches("\\\"").count();
            counted = at;
            let behind = line[at + mark.len()..].trim_end();
            let doubled =
                mark == "{{" && (behind.is_empty() || behind.starts_with(['"', '{', '}']));
            quotes.is_multiple_of(2) && !doubled
        })
    })
}

impl Reader<'_> {
    fn read(&mut self) {
        let mut wanted = Wanted::Value;
        let mut any = false;
        while self.errors.len() < MOST {
            self.skip();
            let Some(byte) = self.byte() else { break };
            if wanted == Wanted::End {
                let new_line = self.source[self.last..self.at].contains(['\n', '\r']);
                if self.dialect == Dialect::Lines && new_line {
                    wanted = Wanted::Value;
                } else {
                    let token = self.token();
                    let message =
                        format!("expected the end of the text before {}", self.quoted(&token));
                    self.tell(token, message, None);
                    return;
                }
            }
            any = true;
            wanted = match (byte, wanted) {
                (b'}' | b']', _) => match self.closes(byte, wanted) {
                    Some(next) => next,
                    None => return,
                },
                (b',', Wanted::Comma) => {
                    self.take(1);
                    self.after_comma()
                }
                (b':', Wanted::Colon) => {
                    self.take(1);
                    Wanted::Value
                }
                (b':', Wanted::Comma) if self.is_name_in_list() => {
                    self.opens_object();
                    self.take(1);
                    Wanted::Value
                }
                (b',' | b':', _) => {
                    let at = self.at..self.at + 1;
                    self.tell(at, format!("unexpected `{}`", char::from(byte)), None);
                    self.take(1);
                    match (byte, wanted) {
                        (b':', Wanted::Comma) => Wanted::Value,
                        _ => wanted,
                    }
                }
                (_, Wanted::Comma | Wanted::Colon) if self.is_torn => {
                    self.is_torn = false;
                    self.after_comma()
                }
                (_, Wanted::Comma) => {
                    self.expected(",");
                    self.after_comma()
                }
                (_, Wanted::Colon) => {
                    self.expected(":");
                    Wanted::Value
                }
                (_, Wanted::Key | Wanted::FirstKey) => {
                    let start = self.at;
                    self.key(byte);
                    self.name(start..self.at);
                    Wanted::Colon
                }
                (b'{' | b'[', _) => {
                    if self.open.len() >= DEEPEST {
                        return;
                    }
                    self.open.push((self.at, byte));
                    if let Some(names) = self.names.as_mut().filter(|_| byte == b'{') {
                        names.open.push(HashMap::new());
                    }
                    self.take(1);
                    if byte == b'{' { Wanted::FirstKey } else { Wanted::FirstValue }
                }
                _ => {
                    self.scalar(byte);
                    self.after_value()
                }
            };
        }
        // What closes the rest may be in a string that nothing closes.
        if self.errors.len() >= MOST || self.is_torn {
            return;
        }
        if let Some((at, bracket)) = self.open.pop() {
            let close = if bracket == b'{' { "}" } else { "]" };
            let line = self.source[..at].matches('\n').count() + 1;
            let message = format!("unclosed `{}` that opens on line {line}", char::from(bracket));
            self.tell(at..at + 1, message, Some(Missing { token: close, at: None }));
        } else if any && wanted == Wanted::Value && self.dialect != Dialect::Lines {
            self.expected_value();
        }
    }

    /// Whether what stands before a colon is a string in a list: what opened its object is missing.
    fn is_name_in_list(&self) -> bool {
        let is_list = self.open.last().is_some_and(|(_, bracket)| *bracket == b'[');
        is_list && self.source[..self.last].ends_with('"')
    }

    /// Goes on as if an object opened before the string that has just been read.
    fn opens_object(&mut self) {
        let before = &self.source[..self.last - 1];
        let start = before.rfind('"').unwrap_or(self.last - 1);
        let name = start..self.last;
        let message = format!("expected `{{` before {}", self.quoted(&name));
        self.open.push((start, b'{'));
        if let Some(names) = &mut self.names {
            names.open.push(HashMap::new());
        }
        self.tell(name, message, Some(Missing { token: "{", at: Some(start) }));
    }

    /// Puts brackets without their other halves in the place of what follows from them: how deep
    /// lines stand says better which bracket it is than where the reader stopped.
    fn blame_brackets(&mut self) {
        let lines = Lines::of(self.source);
        let (found, _) = lone(&self.brackets(), |at| lines.depth(at));
        // The next ones may follow from the first.
        let Some(&lone) = found.first() else { return };
        let at = lone.at();
        // A bracket that stands within a string that nothing closes is no bracket, and one that
        // closes says nothing new where what opens is known to be missing.
        let explains = |error: &SyntaxError| {
            error.message.starts_with("unclosed string")
                || matches!(lone, Lone::Closes(..)) && error.message.starts_with("expected `{`")
        };
        if self.errors.iter().any(explains) {
            return;
        }
        self.errors.retain(|error| error.span.start < at && !error.message.starts_with("unclosed"));
        let (message, missing) = match lone {
            Lone::Opens(_, bracket) => {
                let close = if bracket == b'{' { "}" } else { "]" };
                let line = self.source[..at].matches('\n').count() + 1;
                let bracket = char::from(bracket);
                let message = format!("unclosed `{bracket}` that opens on line {line}");
                (message, Some(Missing { token: close, at: None }))
            }
            Lone::Closes(_, bracket) => {
                let (opening, bracket) = (other_half(bracket), char::from(bracket));
                (format!("`{bracket}` has no opening `{opening}`"), None)
            }
        };
        self.tell(at..at + 1, message, missing);
    }

    /// The brackets outside of strings and comments.
    fn brackets(&self) -> Vec<Event> {
        let mut reader =
            Reader { errors: Vec::new(), names: None, open: Vec::new(), at: 0, ..*self };
        let mut events = Vec::new();
        loop {
            reader.skip();
            let Some(byte) = reader.byte() else { return events };
            match byte {
                b'{' | b'[' => events.push(Event::Opens(reader.at, byte)),
                b'}' | b']' => events.push(Event::Closes(reader.at, byte)),
                b'"' => {
                    reader.string(byte);
                    continue;
                }
                b'\'' if reader.dialect == Dialect::Json5 => {
                    reader.string(byte);
                    continue;
                }
                _ => {}
            }
            let length = reader.source[reader.at..].chars().next().map_or(1, char::len_utf8);
            reader.take(length);
        }
    }

    fn byte(&self) -> Option<u8> {
        self.source.as_bytes().get(self.at).copied()
    }

    fn take(&mut self, bytes: usize) {
        self.is_torn = false;
        self.at += bytes;
        self.last = self.at;
    }

    /// Blanks and comments.
    fn skip(&mut self) {
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
                        self.tell(self.at..self.at + 2, message, None);
                        self.at = self.source.len();
                    }
                }
            } else if self.dialect == Dialect::Json5
                && let Some(c) =
                    rest.chars().next().filter(|c| c.is_whitespace() || *c == '\u{feff}')
            {
                self.at += c.len_utf8();
            } else {
                return;
            }
        }
    }

    fn after_value(&self) -> Wanted {
        if self.open.is_empty() { Wanted::End } else { Wanted::Comma }
    }

    fn after_comma(&self) -> Wanted {
        match self.open.last() {
            Some((_, b'{')) => Wanted::Key,
            _ => Wanted::Value,
        }
    }

    /// A closing bracket. `None` where what follows cannot be told of.
    fn closes(&mut self, byte: u8, wanted: Wanted) -> Option<Wanted> {
        let half = if byte == b'}' { b'{' } else { b'[' };
        let at = self.at..self.at + 1;
        match self.open.last().copied() {
            Some((_, open)) if open == half => {}
            Some((opened, open)) => {
                let close = if open == b'{' { "}" } else { "]" };
                let line = self.source[..opened].matches('\n').count() + 1;
                let message = format!("unclosed `{}` that opens on line {line}", char::from(open));
                let missing = Missing { token: close, at: Some(self.last) };
                self.tell(opened..opened + 1, message, Some(missing));
                return None;
            }
            None => {
                let message =
                    format!("`{}` has no opening `{}`", char::from(byte), char::from(half));
                self.tell(at, message, None);
                return None;
            }
        }
        match wanted {
            Wanted::Comma | Wanted::FirstKey | Wanted::FirstValue => {}
            // Behind a comma.
            Wanted::Key | Wanted::Value if self.source[..self.last].ends_with(',') => {
                if matches!(self.dialect, Dialect::Strict | Dialect::Lines) {
                    let comma = self.last - 1..self.last;
                    let message = format!("unexpected `,` before `{}`", char::from(byte));
                    self.tell(comma, message, None);
                }
            }
            Wanted::Colon => self.expected(":"),
            _ => self.expected_value(),
        }
        self.open.pop();
        if let Some(names) = self.names.as_mut().filter(|_| byte == b'}') {
            names.open.pop();
        }
        self.take(1);
        Some(self.after_value())
    }

    fn key(&mut self, byte: u8) {
        let json5 = self.dialect == Dialect::Json5;
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
            self.tell(token.clone(), message, None);
        }
        self.take(token.len());
    }

    /// Compares a name with those before it in its object.
    fn name(&mut self, span: Range<usize>) {
        let source = self.source;
        let Some(names) = &mut self.names else { return };
        let Some(object) = names.open.last_mut() else { return };
        let name = unescaped(source[span.clone()].trim_matches(['"', '\'']));
        if is_comment(&name) || names.twice.len() >= MOST {
            return;
        }
        match object.entry(name) {
            Entry::Vacant(place) => drop(place.insert(span.start)),
            Entry::Occupied(first) => {
                let line = source[..*first.get()].matches('\n').count() + 1;
                let message =
                    format!("duplicate name {}, first on line {line}", self.quoted(&span));
                if let Some(names) = &mut self.names {
                    names.twice.push(SyntaxWarning { span, message });
                }
            }
        }
    }

    fn scalar(&mut self, byte: u8) {
        let json5 = self.dialect == Dialect::Json5;
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
            self.tell(token.clone(), message, None);
        }
        self.take(token.len());
    }

    fn string(&mut self, quote: u8) {
        let start = self.at;
        self.is_torn = false;
        let bytes = self.source.as_bytes();
        let json5 = self.dialect == Dialect::Json5;
        let mut at = start + 1;
        loop {
            match bytes.get(at) {
                None | Some(b'\n' | b'\r') => {
                    let line = self.source[..start].matches('\n').count() + 1;
                    let end = start + self.source[start..at].trim_end().len();
                    let token = if quote == b'"' { "\"" } else { "'" };
                    let missing = Some(Missing { token, at: None });
                    let message = format!("unclosed string that starts on line {line}");
                    self.tell(start..end, message, missing);
                    self.is_torn = true;
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
                        // The string ends with the line, or goes on in it.
                        b'\n' | b'\r' if !json5 => {
                            at += 1;
                            continue;
                        }
                        _ => json5,
                    };
                    let length = self.source[at + 1..].chars().next().map_or(0, char::len_utf8);
                    if !known && self.errors.len() < MOST {
                        let escape = at..at + 1 + length;
                        let message = format!("no escape: {}", self.quoted(&escape));
                        self.tell(escape, message, None);
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

    /// The word or sign that starts here.
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
        let mut quoted: String = word.chars().take(QUOTE).collect();
        if quoted.len() < word.len() {
            quoted.push('…');
        }
        format!("`{quoted}`")
    }

    fn expected(&mut self, token: &'static str) {
        let next = match self.byte() {
            Some(b'"') => self.at..(self.at + 1).min(self.source.len()),
            _ => self.token(),
        };
        let message = match self.byte() {
            Some(b'"') => format!("expected `{token}` before the string"),
            _ => format!("expected `{token}` before {}", self.quoted(&next)),
        };
        let missing = Some(Missing { token, at: Some(self.last) });
        self.tell(next, message, missing);
    }

    fn expected_value(&mut self) {
        let end = self.last;
        let start = self.source[..end].char_indices().next_back().map_or(0, |(at, _)| at);
        let message = format!("expected a value after {}", self.quoted(&(start..end)));
        self.tell(start..end, message, None);
    }

    fn tell(&mut self, span: Range<usize>, message: String, missing: Option<Missing>) {
        self.errors.push(SyntaxError { span, message, missing });
    }
}

#[cfg(test)]
mod tests;
