//! Each statement by itself, so that what is wrong in one says nothing of the others.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use text::Text;

use super::lines::Line;
use crate::Syntax;
use crate::errors::{Missing, SyntaxError};

/// Most errors of one text.
const MOST: usize = 20;
/// Most bytes of statements that are parsed anew.
const PARSED: usize = 1 << 20;
/// Signs that something follows on.
const OPERATORS: &[&str] = &["=", "+", "-", "*", "/", "%", "@", "&", "|", "^", "<", ">", "~", "."];

impl Syntax {
    /// What is wrong with statements of which the layout says nothing.
    pub(super) fn wrong_statements(&self, source: &str, lines: &[&Line<'_>]) -> Vec<SyntaxError> {
        let (mut errors, mut parsed) = (Vec::new(), 0);
        // What stands at the margin with its body first: most of a file is right.
        let mut rest = lines;
        while let Some(first) = rest.first() {
            let body = rest[1..].iter().take_while(|line| line.depth > first.depth).count();
            let (part, behind) = rest.split_at(1 + body);
            rest = behind;
            let end = part.last().map_or(first.span.end, |last| last.span.end);
            parsed += end - first.span.start;
            if parsed > PARSED {
                break;
            }
            if body > 0 && first.depth == 0 && first.goes_on_after().is_none() {
                let whole = source[first.span.start..end].to_owned() + "\n";
                let wants_more = if first.word == "try" { "finally:\n pass\n" } else { "" };
                if self
                    .parse_part(&(whole + wants_more))
                    .is_some_and(|part| !part.root().has_error())
                {
                    continue;
                }
            }
            for line in part {
                errors.extend(self.wrong(source, line));
                if errors.len() >= MOST {
                    return errors;
                }
            }
        }
        errors
    }

    fn parse_part(&self, part: &str) -> Option<Self> {
        Self::parse(self.language(), &Text::new(part), None, &AtomicBool::new(false))
    }

    /// What the parser says of a line by itself, with what it needs around.
    fn wrong(&self, source: &str, line: &Line<'_>) -> Option<SyntaxError> {
        let text = &source[line.span.clone()];
        let (before, behind) = match line.word {
            "elif" | "else" => ("if x: pass\n", ""),
            "except" | "finally" => ("try: pass\n", ""),
            "try" => ("", "\nfinally: pass"),
            "case" if line.colon.is_some() => ("match x:\n ", ""),
            "match" if line.wants_body() => ("", "\n case _: pass"),
            _ if text.starts_with('@') => ("", "\ndef f(): pass"),
            _ => ("", ""),
        };
        let body = if line.wants_body() && line.word != "match" { " pass" } else { "" };
        let part = format!("{before}{text}{body}{behind}\n");
        let parsed = self.parse_part(&part)?;
        let node = *parsed.broken(1, usize::MAX).first()?;
        let error = parsed.stumble(node).error;
        // As far as it stands in what was put around, it is of the line's end.
        let place =
            |at: usize| (at.max(before.len()) - before.len()).min(text.len()) + line.span.start;
        let start = place(error.span.start).min(line.span.end - 1);
        let start = (0..=start).rev().find(|at| source.is_char_boundary(*at)).unwrap_or(start);
        let missing = error.missing.map(|m| Missing { at: m.at.map(place), ..m });
        let span = start..place(error.span.end).max(start + 1);
        Some(SyntaxError { span, message: error.message, missing })
    }
}

/// Mistakes that are told in better words than the parser's.
pub(super) fn known_mistake(source: &str, line: &Line<'_>) -> Option<SyntaxError> {
    let text = &source[line.span.clone()];
    let expected = |token: &'static str, after: Range<usize>| {
        let message = format!("expected `{token}` after `{}`", &text[after.clone()]);
        let (start, end) = (line.span.start + after.start, line.span.start + after.end);
        let missing = Some(Missing { token, at: Some(end) });
        Some(SyntaxError { span: start..end, message, missing })
    };
    let name_at = |start: usize| {
        let start = start + text[start..].len() - text[start..].trim_start().len();
        let end = text[start..].find(|c: char| !c.is_alphanumeric() && c != '_');
        start..end.map_or(text.len(), |length| start + length)
    };
    let word = text.find(line.word).map(|at| at..at + line.word.len())?;
    match line.word {
        "def" => {
            let name = name_at(word.end);
            let next = text[name.end..].trim_start();
            if !name.is_empty() && !next.starts_with(['(', '[']) {
                return expected("(", name);
            }
        }
        "for" => {
            let header = &text[word.end..line.colon.map_or(text.len(), |c| c - line.span.start)];
            let mut words = header.split(|c: char| !c.is_alphanumeric() && c != '_');
            let target = name_at(word.end);
            if !words.any(|word| word == "in") && !target.is_empty() {
                return expected("in", target);
            }
        }
        _ => {}
    }
    let ends_open = OPERATORS.iter().find(|sign| text.ends_with(**sign));
    let is_import = text.ends_with('*') && text.contains("import");
    let is_stub = text.ends_with("...") || text.ends_with('/') && text.contains('(');
    if let Some(sign) = ends_open.filter(|_| !is_import && !is_stub) {
        let end = line.span.end;
        return Some(SyntaxError {
            span: end - sign.len()..end,
            message: format!("expected a value after `{sign}`"),
            missing: None,
        });
    }
    None
}
