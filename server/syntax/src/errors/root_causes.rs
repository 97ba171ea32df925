//! Unmatched brackets and unterminated strings and comments: errors that make a parser fail far
//! from their position.

use std::ops::Range;

use super::brackets::{UnmatchedBracket, matching_bracket, unmatched_brackets};
use super::scan::Scan;
use super::{Missing, SyntaxError};
use crate::Syntax;

/// An error found in the text, and the span in which errors of the tree are attributed to it.
pub(super) struct RootCause {
    pub(super) error: SyntaxError,
    pub(super) affected: Range<usize>,
    /// The missing closing bracket, if that is the error.
    pub(super) missing: Option<char>,
}

impl Syntax {
    /// The closing delimiter of the string that opens at `opens`.
    fn closing_quote(&self, opens: &Range<usize>) -> Option<Missing> {
        let opened = self.text().slice(opens.clone());
        let quote = self.language().quotes().iter().find(|q| q.open == opened)?;
        Some(Missing { token: quote.close(), at: None })
    }

    /// The errors that brackets and quotes of a text show.
    pub(super) fn root_causes(&self, source: &str, scan: &Scan) -> Vec<RootCause> {
        let text = self.text();
        let mut causes = Vec::new();
        // After an unterminated string or comment nothing is known about brackets.
        let known =
            scan.unterminated.iter().map(|u| text.line_start(text.line_of(u.opens.start))).min();
        for unterminated in &scan.unterminated {
            let line = text.line_of(unterminated.opens.start) + 1;
            let to_the_end = unterminated.end == source.len();
            let end = if to_the_end {
                source.len()
            } else {
                next_line_at_margin(source, unterminated.end)
            };
            let span = match to_the_end {
                true => unterminated.opens.clone(),
                false => unterminated.opens.start..source[..unterminated.end].trim_end().len(),
            };
            causes.push(RootCause {
                error: SyntaxError {
                    span,
                    message: format!("unclosed {} that starts on line {line}", unterminated.what),
                    missing: self.closing_quote(&unterminated.opens).filter(|_| !to_the_end),
                },
                // Includes the next token, which the parser may have misread.
                affected: text.line_start(line - 1)..end + 2,
                missing: None,
            });
            if to_the_end {
                break;
            }
        }
        let lines = LineIndents::new(source);
        let indent = |at: usize| lines.indent(at);
        let (found, pairs) = unmatched_brackets(&scan.events, indent);
        let macros = MacroLines::new(self, source);
        for unmatched in found.into_iter().filter(|l| known.is_none_or(|known| l.at() < known)) {
            if is_closed_on_line(source, unmatched) || macros.may_explain(unmatched) {
                continue;
            }
            if known.is_some() && matches!(unmatched, UnmatchedBracket::Opening(..)) {
                // It may be closed inside the unterminated string.
                continue;
            }
            let at = unmatched.at();
            let around = pairs.iter().filter(|(open, close)| *open < at && at < *close);
            let end = around.map(|(_, close)| *close).min().unwrap_or(source.len());
            let (bracket, message, missing) = match unmatched {
                UnmatchedBracket::Opening(at, bracket) => {
                    let line = text.line_of(at) + 1;
                    let bracket = char::from(bracket);
                    let message = format!("unclosed `{bracket}` that opens on line {line}");
                    (bracket, message, Some(matching_bracket(bracket as u8)))
                }
                UnmatchedBracket::Closing(_, bracket) => {
                    let opening = matching_bracket(bracket);
                    let bracket = char::from(bracket);
                    (bracket, format!("`{bracket}` has no opening `{opening}`"), None)
                }
            };
            causes.push(RootCause {
                error: SyntaxError {
                    span: at..at + bracket.len_utf8(),
                    message,
                    missing: missing
                        .and_then(closing_token)
                        .map(|token| Missing { token, at: None }),
                },
                affected: at..end + 1,
                missing,
            });
        }
        causes
    }
}

fn closing_token(bracket: char) -> Option<&'static str> {
    [")", "]", "}"].into_iter().find(|token| token.starts_with(bracket))
}

/// Whether a bracket is closed on the rest of its line. Then some other bracket is unmatched, at an
/// unknown position.
fn is_closed_on_line(source: &str, unmatched: UnmatchedBracket) -> bool {
    let UnmatchedBracket::Opening(at, bracket @ (b'(' | b'[')) = unmatched else { return false };
    let (mut indent, mut quote) = (0, None);
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
            (None, _) if byte == bracket => indent += 1,
            (None, _) if char::from(byte) == matching_bracket(bracket) => indent -= 1,
            (None, _) => {}
        }
        if indent == 0 {
            return true;
        }
    }
    false
}

/// Lines of C and C++ that look like a macro call (in capitals, without a statement's end): the
/// macro may open or close brackets.
struct MacroLines {
    first: Option<usize>,
    /// Macro calls that may contain unbalanced brackets.
    calls: Vec<Range<usize>>,
}

impl MacroLines {
    fn new(syntax: &Syntax, source: &str) -> Self {
        let mut macros = Self { first: None, calls: Vec::new() };
        if !matches!(syntax.language().id(), "c" | "cpp") {
            return macros;
        }
        let mut start = 0;
        // Whether the previous line ends a statement.
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

    fn may_explain(&self, unmatched: UnmatchedBracket) -> bool {
        let at = unmatched.at();
        let opened = matches!(unmatched, UnmatchedBracket::Closing(_, b'}' | b')'))
            && self.first.is_some_and(|first| first < at);
        let next = self.calls.partition_point(|line| line.end <= at);
        opened || self.calls.get(next).is_some_and(|line| line.start <= at)
    }
}

fn is_capital(c: char) -> bool {
    c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_'
}

/// The start and indentation of every line.
pub(super) struct LineIndents(Vec<(usize, usize)>);

impl LineIndents {
    pub(super) fn new(source: &str) -> Self {
        let mut start = 0;
        let line = |line: &str| {
            let blanks = line.len() - line.trim_start_matches([' ', '\t']).len();
            start += line.len();
            (start - line.len(), blanks)
        };
        Self(source.split_inclusive('\n').map(line).collect())
    }

    /// The indentation of the line of `at`, and the offset of its first character.
    pub(super) fn indent(&self, at: usize) -> (usize, usize) {
        let line = self.0.partition_point(|(start, _)| *start <= at).saturating_sub(1);
        self.0.get(line).map_or((0, 0), |(start, blanks)| (*blanks, start + blanks))
    }
}

pub(super) fn is_bracket_error(error: &SyntaxError) -> bool {
    error.message.starts_with("unclosed") || error.message.contains("has no opening")
}

/// The end of the line before the next one after `at` that starts at the margin.
fn next_line_at_margin(source: &str, at: usize) -> usize {
    let mut rest = at;
    while let Some(newline) = source[rest..].find('\n') {
        rest += newline + 1;
        if source[rest..].starts_with(|c: char| c.is_alphanumeric() || c == '_' || c == '@') {
            return rest - 1;
        }
    }
    source.len()
}
