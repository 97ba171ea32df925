//! Error messages and their positions.

use std::ops::Range;

use super::parser::{OpenConstruct, Parser, Stop};
use crate::syntax_error::SyntaxError;

/// Keywords that only continue or end a construct.
pub(super) const CLOSING_KEYWORDS: &[&str] =
    &["then", "elif", "else", "fi", "do", "done", "esac", "}", "in", "]]"];
/// Longest word that a message quotes.
const MAX_QUOTE_CHARS: usize = 40;

fn error(span: Range<usize>, message: String) -> SyntaxError {
    SyntaxError { span, message, missing: None }
}

impl Parser<'_> {
    pub(super) fn line(&self, at: usize) -> usize {
        1 + self.bytes[..at.min(self.bytes.len())].iter().filter(|byte| **byte == b'\n').count()
    }

    /// The next token, for a message; `None` at the end.
    fn token(&self) -> Option<Range<usize>> {
        let rest = self.source.get(self.at..).filter(|rest| !rest.is_empty())?;
        let signs = ["&&", "||", ";;&", ";;", ";&", "&>>", "&>", "|&", "<<<", "<<", ">>"];
        let sign = signs.iter().find(|sign| rest.starts_with(**sign)).map(|sign| sign.len());
        let first = rest.chars().next().map_or(1, char::len_utf8);
        let length = sign.unwrap_or_else(|| {
            let end = |c: char| c.is_whitespace() || ";&|()<>".contains(c);
            let word = rest.find(end).unwrap_or(rest.len()).max(first);
            rest[..word].char_indices().nth(MAX_QUOTE_CHARS).map_or(word, |(at, _)| at)
        });
        Some(self.at..self.at + length)
    }

    /// An error at the next token; `wanted` describes what should be there.
    pub(super) fn unexpected(&self, wanted: Option<&str>) -> Stop {
        if self.exits_at.is_some_and(|end| end <= self.at) {
            return Stop::Unclear;
        }
        let Some(token) = self.token() else {
            return match self.open.last() {
                Some(open) => Stop::Failed(self.unclosed(open)),
                None => {
                    let end = self.source.trim_end().len();
                    let start =
                        self.source[..end].char_indices().next_back().map_or(0, |(at, _)| at);
                    let wanted = wanted.unwrap_or("a command");
                    let message = format!("expected {wanted} before the end");
                    Stop::Failed(vec![error(start..end.max(start), message)])
                }
            };
        };
        if let Some(error) = self.keyword_as_argument_error() {
            return Stop::Failed(vec![error]);
        }
        let word = &self.source[token.clone()];
        let shown = if word == "\n" || word == "\r" { "end of line" } else { word };
        let quoted = match shown {
            "end of line" => "the end of the line".to_owned(),
            word => format!("`{word}`"),
        };
        let mut errors = Vec::new();
        let inner = self.open.last();
        let is_wanted_outside = self.open.iter().rev().skip(1).any(|open| self.closes(open, word));
        let is_closer = CLOSING_KEYWORDS.contains(&word) || word == ")" || word.starts_with(";;");
        let message = if let Some(inner) = inner.filter(|_| is_closer && is_wanted_outside) {
            errors.extend(self.unclosed(inner));
            let opens = &self.source[inner.span.clone()];
            let line = self.line(inner.span.start);
            format!("unexpected {quoted}: `{opens}` on line {line} is not closed")
        } else if let Some(open) = inner.filter(|open| open.header.is_some() && wanted.is_none()) {
            errors.extend(self.unclosed(open));
            format!("unexpected {quoted}, expected `{}` before it", open.expected_closer)
        } else if let Some(wanted) = wanted {
            format!("expected {wanted} before {quoted}")
        } else if word == ")" && inner.is_some_and(|open| open.expected_closer == "esac") {
            "unexpected `)`: `;;` is missing before this pattern".to_owned()
        } else if is_closer {
            if let Some(brace) = self.brace.clone().filter(|_| word == "}") {
                errors.push(error(brace, "unexpected `{` as an argument".to_owned()));
            }
            match self.opening(word) {
                Some(opening) => format!("`{word}` has no opening `{opening}`"),
                None => format!("unexpected {quoted}"),
            }
        } else {
            format!("unexpected {quoted}")
        };
        let span = if shown == "end of line" {
            // Underline the last character of the line, because the newline is invisible.
            let start = self.source[..token.start].char_indices().next_back();
            start.map_or(0, |(at, _)| at)..token.start
        } else {
            token
        };
        errors.push(error(span, message));
        Stop::Failed(errors)
    }

    fn closes(&self, open: &OpenConstruct, word: &str) -> bool {
        open.expected_closer == word
            || open.expected_closer == "fi" && matches!(word, "elif" | "else")
            || open.expected_closer == "esac" && word.starts_with(";;")
    }

    /// The keyword or bracket that opens what `word` closes.
    fn opening(&self, word: &str) -> Option<&'static str> {
        Some(match word {
            "then" | "elif" | "else" | "fi" => "if",
            "do" => "for` or `while",
            "done" => "do",
            "esac" | ";;" | ";;&" | ";&" => "case",
            "}" => "{",
            ")" => "(",
            "]]" => "[[",
            _ => return None,
        })
    }

    /// The error for an unclosed construct, at its opening token.
    pub(super) fn unclosed(&self, open: &OpenConstruct) -> Vec<SyntaxError> {
        if let Some(error) = self.keyword_as_argument_error() {
            return vec![error];
        }
        if let Some(header) = open.header.clone() {
            let opens = &self.source[header.clone()];
            let line = self.line(header.start);
            let message =
                format!("expected `{}` after `{opens}` on line {line}", open.expected_closer);
            return vec![error(header, message)];
        }
        let likelier = self.maybe_unclosed.as_ref().filter(|likelier| {
            likelier.expected_closer == open.expected_closer
                && open.span.start < likelier.span.start
        });
        let open = likelier.unwrap_or(open);
        vec![self.unclosed_at(open.span.clone())]
    }

    /// The error for a needed keyword that was parsed as an argument: `if a then`.
    fn keyword_as_argument_error(&self) -> Option<SyntaxError> {
        let (depth, span) = self.keyword_as_argument.clone()?;
        let open = self.open.last().filter(|_| depth == self.open.len())?;
        let word = self.source.get(span.clone())?;
        let fits = open.span.start < span.start && open.expected_closer == word;
        fits.then(|| error(span, format!("expected `;` before `{word}`")))
    }

    fn unclosed_at(&self, span: Range<usize>) -> SyntaxError {
        let line = self.line(span.start);
        let word = self.source.get(span.clone()).unwrap_or_default();
        let message = match word {
            "\"" | "'" | "$'" => format!("unclosed string that starts on line {line}"),
            word => format!("unclosed `{word}` that opens on line {line}"),
        };
        error(span, message)
    }

    /// The error for a construct that opens at `span` and is never closed.
    pub(super) fn unclosed_construct(&self, span: Range<usize>) -> Stop {
        if self.exits_at.is_some_and(|end| end <= span.start) {
            return Stop::Unclear;
        }
        let doubtful = self
            .multiline
            .iter()
            .find(|multiline| multiline.is_suspicious && multiline.closes.len() == 1);
        let span = doubtful.map_or(span, |multiline| multiline.opens.clone());
        Stop::Failed(vec![self.unclosed_at(span)])
    }

    pub(super) fn misquoted_at(&self, span: Range<usize>) -> SyntaxError {
        self.unclosed_at(span)
    }

    pub(super) fn unclosed_document(&self, span: Range<usize>) -> Stop {
        if self.exits_at.is_some_and(|end| end <= span.start) {
            return Stop::Unclear;
        }
        Stop::Failed(vec![self.unclosed_at(span)])
    }
}
