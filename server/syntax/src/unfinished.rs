//! A line that is being typed, finished as its language would have it.
//!
//! Half a line breaks more than itself: the parser takes the next lines for the rest of it, or all
//! of a function for an error. So a name is put where the cursor is, what the line opened is closed,
//! and an ending follows that the language has for lines. Endings are data
//! (`endings` in `languages.toml`); the one that leaves the fewest errors is the one.

use text::Text;

use crate::language::Quote;
use crate::{Language, Syntax};

/// Longest line that is finished, in bytes.
const LONGEST: usize = 2 << 10;

/// Most lines looked at for the next one that is not blank.
const BLANK: usize = 20;

/// Most lines above that brackets of the same statement are looked for on.
const ABOVE: usize = 12;

/// What a missing token counts as, beside the bytes of errors: where one is made up, what follows
/// may stand in the wrong place without another error.
const MISSING: usize = 30;

/// In an ending, what closes the brackets that the line opened.
const CLOSING: char = '$';

/// In an ending, a name.
const NAME: char = '_';

/// What stands behind the cursor on its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineRest {
    /// Nothing: it is not written yet.
    Unwritten,
    /// What closes brackets or ends a statement, which editors put there by themselves.
    Closing,
    /// Code.
    Code,
}

impl LineRest {
    fn of(rest: &str) -> Self {
        let closes = |c: char| c.is_whitespace() || matches!(c, ')' | ']' | '}' | ';');
        match rest.trim() {
            "" => Self::Unwritten,
            rest if rest.chars().all(closes) => Self::Closing,
            _ => Self::Code,
        }
    }
}

/// A text with the line at the cursor finished, and its tree.
#[derive(Debug, Clone)]
pub struct Finished {
    /// The finished text and its tree. Up to the cursor it is the text as it is.
    pub syntax: Syntax,
    /// How broken it is still: 0 where it is sound.
    pub errors: usize,
    /// What stands between the cursor and the line's end.
    pub rest: LineRest,
    /// Where something was put in, in places of the text as it is, and how long that is.
    inserted: [(usize, usize); 2],
}

impl Finished {
    /// A place of the finished text in the text as it is.
    #[must_use]
    pub fn original(&self, at: usize) -> usize {
        self.inserted
            .iter()
            .fold(at, |at, (start, length)| at - at.saturating_sub(*start).min(*length))
    }
}

impl Syntax {
    /// The text with `name` put at `offset` and the line finished so that as little as possible is
    /// broken. `base` is an earlier state with its errors, better than which it need not get: only
    /// what differs from it is parsed. `None` in a string or a comment, for languages without
    /// endings, and once `stop` says so.
    ///
    /// What the parser makes of text that stays broken may depend on `base`.
    #[must_use]
    pub fn finish_line(
        language: Language,
        text: &Text,
        offset: usize,
        name: &str,
        base: Option<(&Self, usize)>,
        stop: &mut dyn FnMut() -> bool,
    ) -> Option<Finished> {
        let line = Line::at(language, text, offset)?;
        let enough = base.map_or(0, |(_, errors)| errors);
        let mut best: Option<Finished> = None;
        for ending in line.endings(language, name) {
            let mut finished = text.clone();
            finished.replace(line.end..line.end, &ending);
            finished.replace(offset..offset, name);
            let inserted = [(offset, name.len()), (line.end, ending.len())];
            let base = base.map(|(syntax, _)| syntax).or(best.as_ref().map(|b| &b.syntax));
            let syntax = Self::parse_roughly(language, &finished, base, false, stop)?;
            let errors = syntax.error_weight();
            if best.as_ref().is_none_or(|best| errors < best.errors) {
                best = Some(Finished { syntax, errors, rest: line.rest, inserted });
            }
            if errors <= enough {
                break;
            }
        }
        let best = best?;
        if best.errors <= enough || !language.row().entry.jsx {
            return Some(best);
        }
        // What looks like an error may be what JSX allows.
        let text = best.syntax.text().clone();
        let syntax = Self::parse_until(language, &text, Some(&best.syntax), stop)?;
        let errors = syntax.error_weight();
        Some(if errors < best.errors { Finished { syntax, errors, ..best } } else { best })
    }

    /// How broken the text is: 0 where it is sound. O(nodes with errors).
    #[must_use]
    pub fn error_weight(&self) -> usize {
        let mut cursor = self.tree().walk();
        let mut weight = 0;
        loop {
            let node = cursor.node();
            if node.is_error() {
                weight += 1 + node.byte_range().len();
            } else if node.is_missing() {
                weight += MISSING;
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
struct Line {
    /// The byte where its code ends.
    end: usize,
    rest: LineRest,
    /// What closes the brackets that it opened, the innermost first; then the same with those that
    /// may as well be comparisons, and with those that the lines above opened for what goes on here.
    closings: Vec<String>,
    /// Whether the next line stands deeper.
    deeper: bool,
}

impl Line {
    fn at(language: Language, text: &Text, offset: usize) -> Option<Self> {
        let number = text.line_of(offset);
        let span = text.line_span(number);
        if span.len() > LONGEST || language.row().entry.endings.is_empty() {
            return None;
        }
        let source = text.slice(span.clone());
        let brackets = Brackets::of(language, &source, offset - span.start)?;
        let depth = |line: &str| line.len() - line.trim_start().len();
        let following = (number + 1..text.line_count()).take(BLANK);
        let mut following = following.map(|n| text.slice(text.line_span(n)));
        let next = following.find(|line| !line.trim().is_empty());
        let end = span.start + brackets.end;
        let mut closings = vec![brackets.closing(false), brackets.closing(true)];
        let above = text.line_start(number.saturating_sub(ABOVE))..span.start;
        if above.len() < LONGEST && !above.is_empty() {
            let statement = text.slice(above.start..span.end);
            let around = Brackets::of(language, &statement, offset - above.start);
            closings.extend(around.map(|around| around.closing_statement(brackets.open.len())));
        }
        closings.dedup();
        Some(Self {
            end: end.max(offset),
            rest: LineRest::of(&text.slice(offset..end.max(offset))),
            deeper: next.is_some_and(|next| depth(&next) > depth(&source)),
            closings,
        })
    }

    /// What may end the line, the likeliest first, each once.
    fn endings(&self, language: Language, name: &str) -> Vec<String> {
        let endings = &language.row().entry.endings;
        let opens = |ending: &&String| ending.ends_with(['{', ':']);
        let mut ordered: Vec<&String> = Vec::with_capacity(endings.len());
        if self.deeper {
            ordered.extend(endings.iter().filter(opens));
        }
        ordered.extend(endings.iter().filter(|ending| !self.deeper || !opens(ending)));
        let written = |ending: &str, closing: &str| {
            let mut text = String::with_capacity(ending.len() + closing.len() + name.len());
            for c in ending.chars() {
                match c {
                    CLOSING => text.push_str(closing),
                    NAME => text.push_str(name),
                    c => text.push(c),
                }
            }
            text
        };
        // What is written already may need no ending.
        let mut all: Vec<String> = Vec::new();
        all.extend((self.rest != LineRest::Unwritten).then(String::new));
        for closing in &self.closings {
            for ending in &ordered {
                let ending = written(ending, closing);
                if !all.contains(&ending) {
                    all.push(ending);
                }
            }
        }
        all
    }
}

/// The brackets that a line, or a few lines, opened.
struct Brackets {
    open: Vec<u8>,
    /// Where their code ends: before a comment.
    end: usize,
}

impl Brackets {
    /// `None` where `offset` is in a string or a comment.
    fn of(language: Language, text: &str, offset: usize) -> Option<Self> {
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
                let length = length_of_quoted(rest, quote);
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
                b'<' if before.is_some_and(is_name) && rest[1..].starts_with(starts_type) => {
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

    /// What closes all of them, the innermost first.
    fn closing(&self, angles: bool) -> String {
        self.open.iter().rev().filter(|open| angles || **open != b'<').map(other_half).collect()
    }

    /// What closes those that the last line opened, and those around them up to a block's.
    fn closing_statement(&self, on_last_line: usize) -> String {
        let mut number = 0;
        let in_statement = |open: &&u8| {
            number += 1;
            number <= on_last_line || **open != b'{'
        };
        let open = self.open.iter().rev().take_while(in_statement);
        open.filter(|open| **open != b'<').map(other_half).collect()
    }
}

fn other_half(open: &u8) -> char {
    match open {
        b'(' => ')',
        b'[' => ']',
        b'{' => '}',
        _ => '>',
    }
}

/// Whether what follows a `<` may be an argument of a type.
fn starts_type(c: char) -> bool {
    c.is_alphabetic() || matches!(c, '_' | '&' | '(' | '[' | '\'' | '{' | '*')
}

/// The bytes of a string at the start of a text with its quotes; `None` where the line ends first.
fn length_of_quoted(text: &str, quote: &Quote) -> Option<usize> {
    let close = quote.close();
    let inside = &text[quote.open.len()..];
    let mut at = 0;
    while let Some(rest) = inside.get(at..).filter(|rest| !rest.is_empty()) {
        let mut chars = rest.chars();
        let first = chars.next()?;
        if at > 0 && rest.starts_with(close) || !quote.short && rest.starts_with(close) {
            return Some(quote.open.len() + at + close.len());
        }
        // In a short one stands one character, or a backslash and what it goes with.
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
