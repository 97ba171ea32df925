//! Completing a line that is still being typed, so that the text parses.
//!
//! Half a line breaks more than itself: the parser takes the next lines for its rest, or the whole
//! function for an error. So a name is inserted at the cursor, brackets that the line opened are
//! closed, and one of the language's line endings (`endings` in `languages.toml`) is appended: the
//! one that leaves the fewest errors.

use text::Text;

use crate::language::Quote;
use crate::{Language, Syntax};

/// Longest line that is completed, in bytes.
const MAX_LINE_LEN: usize = 2 << 10;

/// How many lines to search for the next one that is not blank.
const MAX_BLANK_LINES: usize = 20;

/// How many lines above may belong to the same statement.
const MAX_LINES_ABOVE: usize = 12;

/// The weight of a MISSING node, compared to a byte of an ERROR node: where the parser made a token
/// up, the code after it may be attached wrongly without another error.
const MISSING_WEIGHT: usize = 30;

/// In an `endings` entry: the brackets that close those opened on the line.
const CLOSING_MARK: char = '$';

/// In an `endings` entry: a name.
const NAME_MARK: char = '_';

/// What follows the cursor on its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineRest {
    /// Nothing.
    Empty,
    /// Closing brackets or a statement's end, as editors insert them automatically.
    Closing,
    /// Other code.
    Code,
}

impl LineRest {
    fn from_text(rest: &str) -> Self {
        let closes = |c: char| c.is_whitespace() || matches!(c, ')' | ']' | '}' | ';');
        match rest.trim() {
            "" => Self::Empty,
            rest if rest.chars().all(closes) => Self::Closing,
            _ => Self::Code,
        }
    }
}

/// A text with the line at the cursor completed, and its tree.
#[derive(Debug, Clone)]
pub struct FinishedLine {
    /// The completed text and its tree. Up to the cursor it equals the original text.
    pub syntax: Syntax,
    /// The weight of the remaining errors, 0 if there are none.
    pub errors: usize,
    /// What is between the cursor and the end of the line.
    pub rest: LineRest,
    /// The offsets in the original text at which something was inserted, and its lengths.
    inserted: [(usize, usize); 2],
}

impl FinishedLine {
    /// Maps an offset of the completed text to the original text.
    #[must_use]
    pub fn to_original_offset(&self, at: usize) -> usize {
        self.inserted
            .iter()
            .fold(at, |at, (start, length)| at - at.saturating_sub(*start).min(*length))
    }
}

impl Syntax {
    /// The text with `name` inserted at `offset` and the line completed so that as few errors as
    /// possible are left. `base` is an earlier state with its error weight, which is good enough:
    /// the search stops there, and only what differs from `base` is parsed. `None` in a string or
    /// comment, for languages without endings, and once `stop` returns true.
    ///
    /// If errors are left, the tree around them may depend on `base`.
    #[must_use]
    pub fn finish_line(
        language: Language,
        text: &Text,
        offset: usize,
        name: &str,
        base: Option<(&Self, usize)>,
        stop: &mut dyn FnMut() -> bool,
    ) -> Option<FinishedLine> {
        let line = LineContext::new(language, text, offset)?;
        let good_enough = base.map_or(0, |(_, errors)| errors);
        let mut best: Option<FinishedLine> = None;
        for ending in line.endings(language, name) {
            let mut finished = text.clone();
            finished.replace(line.end..line.end, &ending);
            finished.replace(offset..offset, name);
            let inserted = [(offset, name.len()), (line.end, ending.len())];
            let base = base.map(|(syntax, _)| syntax).or(best.as_ref().map(|b| &b.syntax));
            let syntax = Self::parse_roughly(language, &finished, base, false, stop)?;
            let errors = syntax.error_weight();
            if best.as_ref().is_none_or(|best| errors < best.errors) {
                best = Some(FinishedLine { syntax, errors, rest: line.rest, inserted });
            }
            if errors <= good_enough {
                break;
            }
        }
        let best = best?;
        if best.errors <= good_enough || !language.row().entry.jsx {
            return Some(best);
        }
        // The error may be valid JSX, which only a full parse accepts.
        let text = best.syntax.text().clone();
        let syntax = Self::parse_until(language, &text, Some(&best.syntax), stop)?;
        let errors = syntax.error_weight();
        Some(if errors < best.errors { FinishedLine { syntax, errors, ..best } } else { best })
    }

    /// The weight of all errors, 0 if there are none. O(nodes with errors).
    #[must_use]
    pub fn error_weight(&self) -> usize {
        let mut cursor = self.tree().walk();
        let mut weight = 0;
        loop {
            let node = cursor.node();
            if node.is_error() {
                weight += 1 + node.byte_range().len();
            } else if node.is_missing() {
                weight += MISSING_WEIGHT;
            } else if node.has_error() && cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return weight;
                }
            }
        }
    }
}

/// What is known of a line without its tree.
struct LineContext {
    /// The offset where its code ends.
    end: usize,
    rest: LineRest,
    /// Closing brackets to try: those for the brackets that the line opened, the innermost first;
    /// also with possible type arguments `<`; also with the brackets that the lines above opened in
    /// the same statement.
    closings: Vec<String>,
    /// Whether the next line is indented deeper.
    deeper: bool,
}

impl LineContext {
    /// Inspects the line of `offset`. `None` if it is too long or in a string or comment.
    fn new(language: Language, text: &Text, offset: usize) -> Option<Self> {
        let number = text.line_of(offset);
        let span = text.line_span(number);
        if span.len() > MAX_LINE_LEN || language.row().entry.endings.is_empty() {
            return None;
        }
        let source = text.slice(span.clone());
        let brackets = OpenBrackets::scan(language, &source, offset - span.start)?;
        let depth = |line: &str| line.len() - line.trim_start().len();
        let following = (number + 1..text.line_count()).take(MAX_BLANK_LINES);
        let mut following = following.map(|n| text.slice(text.line_span(n)));
        let next = following.find(|line| !line.trim().is_empty());
        let end = span.start + brackets.end;
        let mut closings = vec![brackets.closing(false), brackets.closing(true)];
        let above = text.line_start(number.saturating_sub(MAX_LINES_ABOVE))..span.start;
        if above.len() < MAX_LINE_LEN && !above.is_empty() {
            let statement = text.slice(above.start..span.end);
            let around = OpenBrackets::scan(language, &statement, offset - above.start);
            closings.extend(around.map(|around| around.closing_statement(brackets.open.len())));
        }
        closings.dedup();
        Some(Self {
            end: end.max(offset),
            rest: LineRest::from_text(&text.slice(offset..end.max(offset))),
            deeper: next.is_some_and(|next| depth(&next) > depth(&source)),
            closings,
        })
    }

    /// The endings to try, without duplicates, the most likely first.
    fn endings(&self, language: Language, name: &str) -> Vec<String> {
        let endings = &language.row().entry.endings;
        let opens = |ending: &&String| ending.ends_with(['{', ':']);
        let mut ordered: Vec<&String> = Vec::with_capacity(endings.len());
        if self.deeper {
            ordered.extend(endings.iter().filter(opens));
        }
        ordered.extend(endings.iter().filter(|ending| !self.deeper || !opens(ending)));
        let expand = |ending: &str, closing: &str| {
            let mut text = String::with_capacity(ending.len() + closing.len() + name.len());
            for c in ending.chars() {
                match c {
                    CLOSING_MARK => text.push_str(closing),
                    NAME_MARK => text.push_str(name),
                    c => text.push(c),
                }
            }
            text
        };
        // A line with code after the cursor may need no ending.
        let mut all: Vec<String> = Vec::new();
        all.extend((self.rest != LineRest::Empty).then(String::new));
        for closing in &self.closings {
            for ending in &ordered {
                let ending = expand(ending, closing);
                if !all.contains(&ending) {
                    all.push(ending);
                }
            }
        }
        all
    }
}

/// The unclosed brackets of one or more lines.
struct OpenBrackets {
    open: Vec<u8>,
    /// The end of the code, before a comment.
    end: usize,
}

impl OpenBrackets {
    /// `None` if `offset` is in a string or comment.
    fn scan(language: Language, text: &str, offset: usize) -> Option<Self> {
        let mut open: Vec<u8> = Vec::new();
        let (mut at, mut end) = (0, text.trim_end().len());
        let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
        while let Some(rest) = text.get(at..end).filter(|rest| !rest.is_empty()) {
            let quote = language.quotes().iter().find(|q| rest.starts_with(&q.open));
            let block = language.block_comment().filter(|(start, _)| rest.starts_with(start));
            let of_line = language.line_comments().iter().any(|c| rest.starts_with(c));
            let before = text[..at].chars().next_back();
            let in_name = before.is_some_and(char::is_alphanumeric);
            if let Some(length) = block.and_then(|(_, close)| Some(rest.find(close)? + close.len()))
            {
                if at < offset && offset < at + length {
                    return None;
                }
                at += length;
                continue;
            }
            if of_line || block.is_some() {
                let stop = rest.find('\n').filter(|_| of_line).map(|length| at + length);
                match stop.filter(|stop| *stop < offset) {
                    Some(stop) => at = stop,
                    None if at < offset => return None,
                    None => end = text[..at].trim_end().len(),
                }
                continue;
            }
            if let Some(quote) = quote.filter(|q| !(q.in_names && in_name)) {
                let length = quoted_len(rest, quote);
                if length.is_none() && quote.short {
                    at += quote.open.len();
                    continue;
                }
                let close = at + length?;
                if at < offset && offset < close {
                    return None;
                }
                at = close;
                continue;
            }
            let byte = text.as_bytes()[at];
            match byte {
                b'(' | b'[' | b'{' => open.push(byte),
                b')' | b']' | b'}' => {
                    while open.last() == Some(&b'<') {
                        open.pop();
                    }
                    open.pop();
                }
                b'<' if before.is_some_and(is_name) && rest[1..].starts_with(may_start_type) => {
                    open.push(byte);
                }
                b'>' if open.last() == Some(&b'<') && !matches!(before, Some('-' | '=')) => {
                    open.pop();
                }
                _ => {}
            }
            at += rest.chars().next().map_or(1, char::len_utf8);
        }
        Some(Self { open, end })
    }

    /// The closing brackets for all of them, the innermost first.
    fn closing(&self, angles: bool) -> String {
        self.open
            .iter()
            .rev()
            .filter(|open| angles || **open != b'<')
            .map(closing_bracket)
            .collect()
    }

    /// The closing brackets for those of the last line and the ones around them, up to a block's
    /// brace.
    fn closing_statement(&self, on_last_line: usize) -> String {
        let mut number = 0;
        let in_statement = |open: &&u8| {
            number += 1;
            number <= on_last_line || **open != b'{'
        };
        let open = self.open.iter().rev().take_while(in_statement);
        open.filter(|open| **open != b'<').map(closing_bracket).collect()
    }
}

fn closing_bracket(open: &u8) -> char {
    match open {
        b'(' => ')',
        b'[' => ']',
        b'{' => '}',
        _ => '>',
    }
}

/// Whether the character after `<` may start a type argument.
fn may_start_type(c: char) -> bool {
    c.is_alphabetic() || matches!(c, '_' | '&' | '(' | '[' | '\'' | '{' | '*')
}

/// The length of the string at the start of a text, with quotes; `None` if the line ends first.
fn quoted_len(text: &str, quote: &Quote) -> Option<usize> {
    let close = quote.close();
    let inside = &text[quote.open.len()..];
    let mut at = 0;
    while let Some(rest) = inside.get(at..).filter(|rest| !rest.is_empty()) {
        let mut chars = rest.chars();
        let first = chars.next()?;
        if at > 0 && rest.starts_with(close) || !quote.short && rest.starts_with(close) {
            return Some(quote.open.len() + at + close.len());
        }
        // A short literal contains one character, or a backslash and what it escapes.
        if quote.short && at > 0 && !inside.starts_with('\\') {
            return None;
        }
        if first == '\n' && !quote.lines {
            return None;
        }
        at += first.len_utf8();
        if quote.escapes && first == '\\' {
            at += chars.next().map_or(0, char::len_utf8);
        }
    }
    None
}
