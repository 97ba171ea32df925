//! What is reported, and where.

use std::ops::Range;

use super::parser::{Open, Parser, Stop};
use crate::errors::SyntaxError;

/// Words that stand only behind others.
pub(super) const CLOSERS: &[&str] =
    &["then", "elif", "else", "fi", "do", "done", "esac", "}", "in", "]]"];
/// Longest word that a message quotes.
const QUOTED: usize = 40;

fn error(span: Range<usize>, message: String) -> SyntaxError {
    SyntaxError { span, message, missing: None }
}

impl Parser<'_> {
    pub(super) fn line(&self, at: usize) -> usize {
        1 + self.bytes[..at.min(self.bytes.len())].iter().filter(|byte| **byte == b'\n').count()
    }

    /// The token that is next, for a message; nothing at the end.
    fn token(&self) -> Option<Range<usize>> {
        let rest = self.source.get(self.at..).filter(|rest| !rest.is_empty())?;
        let signs = ["&&", "||", ";;&", ";;", ";&", "&>>", "&>", "|&", "<<<", "<<", ">>"];
        let sign = signs.iter().find(|sign| rest.starts_with(**sign)).map(|sign| sign.len());
        let first = rest.chars().next().map_or(1, char::len_utf8);
        let length = sign.unwrap_or_else(|| {
            let end = |c: char| c.is_whitespace() || ";&|()<>".contains(c);
            let word = rest.find(end).unwrap_or(rest.len()).max(first);
            rest[..word].char_indices().nth(QUOTED).map_or(word, |(at, _)| at)
        });
        Some(self.at..self.at + length)
    }

    /// Fails at what is next; `wanted` says what should stand there.
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
        if let Some(error) = self.swallowed_word() {
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
        let is_closer = CLOSERS.contains(&word) || word == ")" || word.starts_with(";;");
        let message = if let Some(inner) = inner.filter(|_| is_closer && is_wanted_outside) {
            errors.extend(self.unclosed(inner));
            let opens = &self.source[inner.span.clone()];
            let line = self.line(inner.span.start);
            format!("unexpected {quoted}: `{opens}` on line {line} is not closed")
        } else if let Some(open) = inner.filter(|open| open.head.is_some() && wanted.is_none()) {
            errors.extend(self.unclosed(open));
            format!("unexpected {quoted}, expected `{}` before it", open.wants)
        } else if let Some(wanted) = wanted {
            format!("expected {wanted} before {quoted}")
        } else if word == ")" && inner.is_some_and(|open| open.wants == "esac") {
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
            // The last of the line is marked, for its end cannot be seen.
            let start = self.source[..token.start].char_indices().next_back();
            start.map_or(0, |(at, _)| at)..token.start
        } else {
            token
        };
        errors.push(error(span, message));
        Stop::Failed(errors)
    }

    fn closes(&self, open: &Open, word: &str) -> bool {
        open.wants == word
            || open.wants == "fi" && matches!(word, "elif" | "else")
            || open.wants == "esac" && word.starts_with(";;")
    }

    /// The word that opens what another word closes.
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

    /// That something is not closed, at what opens it.
    pub(super) fn unclosed(&self, open: &Open) -> Vec<SyntaxError> {
        if let Some(error) = self.swallowed_word() {
            return vec![error];
        }
        if let Some(head) = open.head.clone() {
            let opens = &self.source[head.clone()];
            let line = self.line(head.start);
            let message = format!("expected `{}` after `{opens}` on line {line}", open.wants);
            return vec![error(head, message)];
        }
        let likelier = self.left_open.as_ref().filter(|likelier| {
            likelier.wants == open.wants && open.span.start < likelier.span.start
        });
        let open = likelier.unwrap_or(open);
        vec![self.unclosed_at(open.span.clone())]
    }

    /// That the word which what is open innermost needs became an argument: `if a then`.
    fn swallowed_word(&self) -> Option<SyntaxError> {
        let (depth, span) = self.swallowed.clone()?;
        let open = self.open.last().filter(|_| depth == self.open.len())?;
        let word = self.source.get(span.clone())?;
        let fits = open.span.start < span.start && open.wants == word;
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

    /// That nothing closes what opens at `span`.
    pub(super) fn never_closed(&self, span: Range<usize>) -> Stop {
        if self.exits_at.is_some_and(|end| end <= span.start) {
            return Stop::Unclear;
        }
        let doubtful = self.long.iter().find(|long| long.is_doubtful && long.closes.len() == 1);
        let span = doubtful.map_or(span, |long| long.opens.clone());
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
