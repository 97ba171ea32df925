//! The logical lines of Python: a line with those that it goes on over.

use std::ops::Range;

/// Longest tab, in columns.
const TAB: usize = 8;

/// Words that begin a statement with a body.
pub(super) const OPENS: &[&str] = &["class", "def", "for", "if", "try", "while", "with"];
/// Words that go on with such a statement, and after which.
pub(super) const GOES_ON: &[(&str, &[&str])] = &[
    ("elif", &["if", "elif"]),
    ("else", &["if", "elif", "for", "while", "except"]),
    ("except", &["try", "except"]),
    ("finally", &["try", "except", "else"]),
];

/// A line with those that it goes on over.
#[derive(Debug)]
pub(super) struct Line<'s> {
    /// Where its first word starts, and its last token ends.
    pub(super) span: Range<usize>,
    /// Counted from 1.
    pub(super) number: usize,
    /// How deep it stands, in columns.
    pub(super) depth: usize,
    /// Its first word, `async` aside.
    pub(super) word: &'s str,
    /// The first colon outside of brackets that belongs to no lambda.
    pub(super) colon: Option<usize>,
}

impl Line<'_> {
    pub(super) fn opens(&self) -> bool {
        OPENS.contains(&self.word) || self.goes_on_after().is_some()
    }

    pub(super) fn goes_on_after(&self) -> Option<&'static [&'static str]> {
        GOES_ON.iter().find(|(word, _)| *word == self.word).map(|(_, after)| *after)
    }

    pub(super) fn lacks_colon(&self) -> bool {
        self.opens() && self.colon.is_none()
    }

    /// Whether it begins what stands by itself at the margin.
    pub(super) fn begins_definition(&self, source: &str) -> bool {
        matches!(self.word, "class" | "def" | "from" | "if" | "import")
            || source[self.span.start..].starts_with('@')
    }

    /// Whether its body is to stand on the next lines.
    pub(super) fn wants_body(&self) -> bool {
        let is_known = self.opens() || matches!(self.word, "match" | "case");
        is_known && self.colon.is_some_and(|colon| colon + 1 == self.span.end)
    }
}

/// The logical lines up to the first bracket or string that is not right, and whether there is none.
pub(super) fn lines<'s>(source: &'s str, opaque: &[Range<usize>]) -> (Vec<Line<'s>>, bool) {
    let bytes = source.as_bytes();
    let (mut lines, mut at) = (Vec::new(), usize::from(source.starts_with('\u{feff}')) * 3);
    let (mut number, mut counted) = (1, 0);
    loop {
        // Blanks, empty lines and comments.
        let mut depth = 0;
        while let Some(byte) = bytes.get(at) {
            match byte {
                b' ' => depth += 1,
                b'\t' => depth = (depth / TAB + 1) * TAB,
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
        let Some((end, colon, next)) = logical(source, start, opaque) else {
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

/// The first word of a line, behind `async`; nothing where it is not a word of the language's own:
/// `match = 1`.
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

/// Where the logical line that starts at `start` ends, its colon, and where the next one starts.
fn logical(
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
            b'(' | b'[' | b'{' => open.push(crate::errors::brackets::other_half(byte)),
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

/// Where a string ends that begins with the quote at `at`.
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
