//! Parses each statement on its own, so that an error in one does not affect the others.

use std::ops::Range;
use std::sync::atomic::AtomicBool;

use text::Text;

use super::lines::Line;
use crate::Syntax;
use crate::syntax_error::{Missing, SyntaxError};

/// Limit of errors per text.
const MAX_ERRORS: usize = 20;
/// Limit of bytes of statements that are parsed again.
const MAX_PARSED_BYTES: usize = 1 << 20;
/// Operators that need a right operand.
const OPERATORS: &[&str] = &["=", "+", "-", "*", "/", "%", "@", "&", "|", "^", "<", ">", "~", "."];

impl Syntax {
    /// The errors of statements without layout errors.
    pub(super) fn statement_errors(&self, source: &str, lines: &[&Line<'_>]) -> Vec<SyntaxError> {
        let (mut errors, mut parsed) = (Vec::new(), 0);
        // First try each top-level statement with its body: most of a file is valid.
        let mut rest = lines;
        while let Some(first) = rest.first() {
            let body = rest[1..].iter().take_while(|line| line.depth > first.depth).count();
            let (part, behind) = rest.split_at(1 + body);
            rest = behind;
            let end = part.last().map_or(first.span.end, |last| last.span.end);
            parsed += end - first.span.start;
            if parsed > MAX_PARSED_BYTES {
                break;
            }
            if body > 0 && first.depth == 0 && first.clause_of().is_none() {
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
                errors.extend(self.line_error(source, line));
                if errors.len() >= MAX_ERRORS {
                    return errors;
                }
            }
        }
        errors
    }

    fn parse_part(&self, part: &str) -> Option<Self> {
        Self::parse(self.language(), &Text::new(part), None, &AtomicBool::new(false))
    }

    /// The parser's error for a single line, wrapped in the context that it needs.
    fn line_error(&self, source: &str, line: &Line<'_>) -> Option<SyntaxError> {
        let text = &source[line.span.clone()];
        let (before, behind) = match line.word {
            "elif" | "else" => ("if x: pass\n", ""),
            "except" | "finally" => ("try: pass\n", ""),
            "try" => ("", "\nfinally: pass"),
            "case" if line.colon.is_some() => ("match x:\n ", ""),
            "match" if line.needs_body() => ("", "\n case _: pass"),
            _ if text.starts_with('@') => ("", "\ndef f(): pass"),
            _ => ("", ""),
        };
        let body = if line.needs_body() && line.word != "match" { " pass" } else { "" };
        let part = format!("{before}{text}{body}{behind}\n");
        let parsed = self.parse_part(&part)?;
        let node = *parsed.error_nodes(1, usize::MAX).first()?;
        let error = parsed.tree_error(node).error;
        // Positions inside the added context are moved to the end of the line.
        let place =
            |at: usize| (at.max(before.len()) - before.len()).min(text.len()) + line.span.start;
        let start = place(error.span.start).min(line.span.end - 1);
        let start = (0..=start).rev().find(|at| source.is_char_boundary(*at)).unwrap_or(start);
        let missing = error.missing.map(|m| Missing { at: m.at.map(place), ..m });
        let span = start..place(error.span.end).max(start + 1);
        Some(SyntaxError { span, message: error.message, missing })
    }
}

/// Common mistakes with a clearer message than the parser's.
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
    // `1.` is a number.
    let is_float = text.strip_suffix('.').is_some_and(ends_with_integer);
    if let Some(sign) = ends_open.filter(|_| !is_import && !is_stub && !is_float) {
        let end = line.span.end;
        return Some(SyntaxError {
            span: end - sign.len()..end,
            message: format!("expected a value after `{sign}`"),
            missing: None,
        });
    }
    None
}

/// Whether the last word of a text is an integer.
fn ends_with_integer(text: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let word = &text[text.trim_end_matches(is_part).len()..];
    let is_fraction = text.len() > word.len() && text[..text.len() - word.len()].ends_with('.');
    !is_fraction && word.starts_with(|c: char| c.is_ascii_digit())
}
