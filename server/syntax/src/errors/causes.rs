//! Brackets without their other halves, and strings and comments that nothing closes: what makes a
//! parser stumble far from where they stand.

use std::ops::Range;

use super::brackets::{Lone, lone, other_half};
use super::scan::Scan;
use super::{Missing, SyntaxError};
use crate::Syntax;

/// A problem of the text's, and the part in which what the tree says follows from it.
pub(super) struct Cause {
    pub(super) error: SyntaxError,
    pub(super) reach: Range<usize>,
    /// What would close it, if that is what is wrong.
    pub(super) missing: Option<char>,
}

impl Syntax {
    /// What would close the string that opens at `opens`.
    fn quote_of(&self, opens: &Range<usize>) -> Option<Missing> {
        let opened = self.text().slice(opens.clone());
        let quote = self.language().quotes().iter().find(|q| q.open == opened)?;
        Some(Missing { token: quote.close(), at: None })
    }

    /// What the brackets and quotes of a text show.
    pub(super) fn causes(&self, source: &str, scan: &Scan) -> Vec<Cause> {
        let text = self.text();
        let mut causes = Vec::new();
        // Behind what swallowed the rest of a line, or of the text, nobody knows about brackets.
        let known =
            scan.unclosed.iter().map(|u| text.line_start(text.line_of(u.opens.start))).min();
        for unclosed in &scan.unclosed {
            let line = text.line_of(unclosed.opens.start) + 1;
            let to_the_end = unclosed.end == source.len();
            let end = if to_the_end { source.len() } else { next_at_margin(source, unclosed.end) };
            let span = match to_the_end {
                true => unclosed.opens.clone(),
                false => unclosed.opens.start..source[..unclosed.end].trim_end().len(),
            };
            causes.push(Cause {
                error: SyntaxError {
                    span,
                    message: format!("unclosed {} that starts on line {line}", unclosed.what),
                    missing: self.quote_of(&unclosed.opens).filter(|_| !to_the_end),
                },
                // With what comes first behind it, which the parser may not have seen as such.
                reach: text.line_start(line - 1)..end + 2,
                missing: None,
            });
            if to_the_end {
                break;
            }
        }
        let lines = Lines::of(source);
        let depth = |at: usize| lines.depth(at);
        let (found, pairs) = lone(&scan.events, depth);
        let macros = Macros::of(self, source);
        for lone in found.into_iter().filter(|l| known.is_none_or(|known| l.at() < known)) {
            if is_closed_on_line(source, lone) || macros.may_explain(lone) {
                continue;
            }
            if known.is_some() && matches!(lone, Lone::Opens(..)) {
                // It may be closed in what was swallowed.
                continue;
            }
            let at = lone.at();
            let around = pairs.iter().filter(|(open, close)| *open < at && at < *close);
            let end = around.map(|(_, close)| *close).min().unwrap_or(source.len());
            let (bracket, message, missing) = match lone {
                Lone::Opens(at, bracket) => {
                    let line = text.line_of(at) + 1;
                    let bracket = char::from(bracket);
                    let message = format!("unclosed `{bracket}` that opens on line {line}");
                    (bracket, message, Some(other_half(bracket as u8)))
                }
                Lone::Closes(_, bracket) => {
                    let opening = other_half(bracket);
                    let bracket = char::from(bracket);
                    (bracket, format!("`{bracket}` has no opening `{opening}`"), None)
                }
            };
            causes.push(Cause {
                error: SyntaxError {
                    span: at..at + bracket.len_utf8(),
                    message,
                    missing: missing.and_then(token_of).map(|token| Missing { token, at: None }),
                },
                reach: at..end + 1,
                missing,
            });
        }
        causes
    }
}

fn token_of(bracket: char) -> Option<&'static str> {
    [")", "]", "}"].into_iter().find(|token| token.starts_with(bracket))
}

/// Whether the rest of the line has the other half of a bracket: what was left open stands elsewhere,
/// and it is not known where.
fn is_closed_on_line(source: &str, lone: Lone) -> bool {
    let Lone::Opens(at, bracket @ (b'(' | b'[')) = lone else { return false };
    let (mut depth, mut quote) = (0, None);
    let line = source[at..].lines().next().unwrap_or_default();
    let mut bytes = line.bytes();
    while let Some(byte) = bytes.next() {
        match (quote, byte) {
            (Some(_), b'\\') => {
                bytes.next();
            }
            (Some(open), _) if byte == open => quote = None,
            (Some(_), _) => {}
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, _) if byte == bracket => depth += 1,
            (None, _) if char::from(byte) == other_half(bracket) => depth -= 1,
            (None, _) => {}
        }
        if depth == 0 {
            return true;
        }
    }
    false
}

/// Lines of C and C++ that begin with what looks like a macro, in capitals, and do not end as a
/// statement does: what it opens or closes is not in the text.
struct Macros {
    first: Option<usize>,
    /// Lines of calls that hold brackets without their other halves.
    calls: Vec<Range<usize>>,
}

impl Macros {
    fn of(syntax: &Syntax, source: &str) -> Self {
        let mut macros = Self { first: None, calls: Vec::new() };
        if !matches!(syntax.language().id(), "c" | "cpp") {
            return macros;
        }
        let mut start = 0;
        // Whether the line before is at the end of a statement.
        let mut ended = true;
        for line in source.split_inclusive('\n') {
            let code = line.trim();
            let word = code.len() - code.trim_start_matches(is_capital).len();
            if word > 0 && code.as_bytes()[0].is_ascii_uppercase() {
                if code[word..].starts_with('(') {
                    macros.calls.push(start..start + line.len());
                }
                let whole = ended
                    && code.matches('(').count() == code.matches(')').count()
                    && !code.contains(';')
                    && !code[word..].trim_start().starts_with([',', '=']);
                if word > 2 && whole && line.starts_with([' ', '\t']) {
                    macros.first.get_or_insert(start);
                }
            }
            start += line.len();
            ended = code.is_empty() || code.ends_with([';', '{', '}', ')', ':', '/']);
        }
        macros
    }

    fn may_explain(&self, lone: Lone) -> bool {
        let at = lone.at();
        let opened = matches!(lone, Lone::Closes(_, b'}' | b')'))
            && self.first.is_some_and(|first| first < at);
        let next = self.calls.partition_point(|line| line.end <= at);
        opened || self.calls.get(next).is_some_and(|line| line.start <= at)
    }
}

fn is_capital(c: char) -> bool {
    c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_'
}

/// Where lines start, and how deep they stand.
pub(super) struct Lines(Vec<(usize, usize)>);

impl Lines {
    pub(super) fn of(source: &str) -> Self {
        let mut start = 0;
        let line = |line: &str| {
            let blanks = line.len() - line.trim_start_matches([' ', '\t']).len();
            start += line.len();
            (start - line.len(), blanks)
        };
        Self(source.split_inclusive('\n').map(line).collect())
    }

    /// Of the line of `at`, and where its first character stands.
    pub(super) fn depth(&self, at: usize) -> (usize, usize) {
        let line = self.0.partition_point(|(start, _)| *start <= at).saturating_sub(1);
        self.0.get(line).map_or((0, 0), |(start, blanks)| (*blanks, start + blanks))
    }
}

pub(super) fn is_bracket(error: &SyntaxError) -> bool {
    error.message.starts_with("unclosed") || error.message.contains("has no opening")
}

/// Where the next line starts, after `at`, that begins something of its own at the margin.
fn next_at_margin(source: &str, at: usize) -> usize {
    let mut rest = at;
    while let Some(newline) = source[rest..].find('\n') {
        rest += newline + 1;
        if source[rest..].starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '@') {
            return rest - 1;
        }
    }
    source.len()
}
