//! The logical lines of Python: a line with its continuation lines.

use std::ops::Range;

/// Tab stop width, in columns.
const TAB_WIDTH: usize = 8;

/// Keywords of compound statements.
pub(super) const COMPOUND_KEYWORDS: &[&str] =
    &["class", "def", "for", "if", "try", "while", "with"];
/// Keywords of clauses, and the keywords that each may follow.
pub(super) const CLAUSE_KEYWORDS: &[(&str, &[&str])] = &[
    ("elif", &["if", "elif"]),
    ("else", &["if", "elif", "for", "while", "except"]),
    ("except", &["try", "except"]),
    ("finally", &["try", "except", "else"]),
];

/// A logical line.
#[derive(Debug)]
pub(super) struct Line<'s> {
    /// From its first word to the end of its last token.
    pub(super) span: Range<usize>,
    /// The line number, from 1.
    pub(super) number: usize,
    /// The indentation, in columns.
    pub(super) depth: usize,
    /// Its first word, after `async`.
    pub(super) word: &'s str,
    /// The first colon outside of brackets and lambdas.
    pub(super) colon: Option<usize>,
}

impl Line<'_> {
    pub(super) fn is_compound(&self) -> bool {
        COMPOUND_KEYWORDS.contains(&self.word) || self.clause_of().is_some()
    }

    pub(super) fn clause_of(&self) -> Option<&'static [&'static str]> {
        CLAUSE_KEYWORDS.iter().find(|(word, _)| *word == self.word).map(|(_, after)| *after)
    }

    pub(super) fn is_missing_colon(&self) -> bool {
        self.is_compound() && self.colon.is_none()
    }

    /// Whether it starts a definition at the margin.
    pub(super) fn starts_definition(&self, source: &str) -> bool {
        matches!(self.word, "class" | "def" | "from" | "if" | "import")
            || source[self.span.start..].starts_with('@')
    }

    /// Whether its body must follow on the next lines.
    pub(super) fn needs_body(&self) -> bool {
        let is_known = self.is_compound() || matches!(self.word, "match" | "case");
        is_known && self.colon.is_some_and(|colon| colon + 1 == self.span.end)
    }
}

/// The logical lines up to the first malformed bracket or string, and whether there is none.
pub(super) fn lines<'s>(source: &'s str, opaque: &[Range<usize>]) -> (Vec<Line<'s>>, bool) {
    let bytes = source.as_bytes();
    let (mut lines, mut at) = (Vec::new(), usize::from(source.starts_with('\u{feff}')) * 3);
    let (mut number, mut counted) = (1, 0);
    loop {
        // Skip indentation, empty lines and comments.
        let mut depth = 0;
        while let Some(byte) = bytes.get(at) {
            match byte {
                b' ' => depth += 1,
                b'\t' => depth = (depth / TAB_WIDTH + 1) * TAB_WIDTH,
                b'\n' | b'\r' | b'\x0c' => depth = 0,
                b'#' => {
                    at = end_of_line(source, at);
                    continue;
                }
                _ => break,
            }
            at += 1;
        }
        if at >= bytes.len() {
            return (lines, true);
        }
        let start = at;
        let Some((end, colon, next)) = logical_line(source, start, opaque) else {
            return (lines, false);
        };
        number += memchr::memchr_iter(b'\n', &bytes[counted..start]).count();
        counted = start;
        let word = first_word(&source[start..end]);
        lines.push(Line { span: start..end, number, depth, word, colon });
        at = next;
    }
}

fn end_of_line(source: &str, at: usize) -> usize {
    source[at..].find('\n').map_or(source.len(), |length| at + length)
}

/// The first word of a line, after `async`; empty if a soft keyword is used as a name: `match = 1`.
fn first_word(line: &str) -> &str {
    let word =
        |text: &str| text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
    let first = &line[..word(line)];
    let rest = line[first.len()..].trim_start();
    match first {
        "async" => &rest[..word(rest)],
        "match" | "case" if rest.starts_with(['=', '.', ',', ')']) => "",
        _ => first,
    }
}

/// The end of the logical line at `start`, its colon, and the start of the next line.
fn logical_line(
    source: &str,
    start: usize,
    opaque: &[Range<usize>],
) -> Option<(usize, Option<usize>, usize)> {
    let bytes = source.as_bytes();
    let (mut at, mut end, mut colon) = (start, start, None);
    let (mut open, mut lambdas) = (Vec::new(), 0_usize);
    while let Some(&byte) = bytes.get(at) {
        let known = opaque.partition_point(|span| span.start < at);
        if let Some(span) = opaque.get(known).filter(|span| span.start == at && !span.is_empty()) {
            let is_comment = byte == b'#';
            at = span.end;
            end = if is_comment { end } else { at };
            continue;
        }
        match byte {
            b'#' => {
                at = end_of_line(source, at);
                continue;
            }
            b'\n' if open.is_empty() => return Some((end, colon, at + 1)),
            b'\\' => {
                let rest = source[at + 1..].trim_start_matches('\r');
                if !rest.starts_with('\n') {
                    return None;
                }
                at = source.len() - rest.len() + 1;
                continue;
            }
            b'"' | b'\'' => {
                at = string_end(source, at)?;
                end = at;
                continue;
            }
            b'(' | b'[' | b'{' => open.push(crate::errors::brackets::matching_bracket(byte)),
            b')' | b']' | b'}' if open.pop() != Some(char::from(byte)) => return None,
            b'l' if open.is_empty() && is_word(source, at, "lambda") => lambdas += 1,
            b':' if open.is_empty() && bytes.get(at + 1) != Some(&b'=') => {
                if lambdas > 0 {
                    lambdas -= 1;
                } else {
                    colon = colon.or(Some(at));
                }
            }
            _ => {}
        }
        if !byte.is_ascii_whitespace() {
            end = at + 1;
        }
        at += 1;
    }
    open.is_empty().then_some((end, colon, source.len()))
}

fn is_word(source: &str, at: usize, word: &str) -> bool {
    let is_letter = |c: char| c.is_alphanumeric() || c == '_';
    source[at..].strip_prefix(word).is_some_and(|rest| !rest.starts_with(is_letter))
        && !source[..at].ends_with(is_letter)
}

/// The end of the string that starts with the quote at `at`.
fn string_end(source: &str, at: usize) -> Option<usize> {
    let quote = &source[at..=at];
    let long = quote.repeat(3);
    let close = if source[at..].starts_with(&long) { long.as_str() } else { quote };
    let mut place = at + close.len();
    let bytes = source.as_bytes();
    while place < bytes.len() {
        match bytes[place] {
            b'\\' => place += 2,
            b'\n' if close.len() == 1 => return None,
            _ if bytes[place..].starts_with(close.as_bytes()) => return Some(place + close.len()),
            _ => place += 1,
        }
    }
    None
}
