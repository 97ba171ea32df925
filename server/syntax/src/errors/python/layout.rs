//! Python: checks indentation and block structure. A line that ends with a colon has a body, a body
//! ends at a less indented line, and `else` and the like continue a statement of the same
//! indentation.

use std::ops::Range;

use super::lines::{COMPOUND_KEYWORDS, Line};
use crate::syntax_error::{Missing, SyntaxError};

/// Limit of errors per text.
const MAX_ERRORS: usize = 20;
/// Statements of the same indentation.
struct IndentLevel {
    depth: usize,
    /// The first keyword of the last statement (or of its last clause), and its line.
    word: String,
    line: usize,
}

struct LayoutChecker<'s> {
    source: &'s str,
    levels: Vec<IndentLevel>,
    /// Reported indentations, each with the level that it is treated as.
    misplaced: Vec<(usize, usize)>,
    errors: Vec<SyntaxError>,
    /// Whether an error of the current definition was reported: further ones may be consequential.
    is_reported: bool,
}

/// The layout errors of `lines`, which are all lines of the text if `is_whole`.
pub(super) fn errors(source: &str, lines: &[Line<'_>], is_whole: bool) -> Vec<SyntaxError> {
    let top = IndentLevel { depth: 0, word: String::new(), line: 0 };
    let mut checker = LayoutChecker {
        source,
        levels: vec![top],
        misplaced: Vec::new(),
        errors: Vec::new(),
        is_reported: false,
    };
    let mut before: Option<&Line<'_>> = None;
    for line in lines {
        if checker.errors.len() >= MAX_ERRORS {
            break;
        }
        checker.check_line(line, before);
        before = Some(line);
    }
    if is_whole {
        if let Some(last) = before.filter(|last| last.needs_body()) {
            checker.report_missing_body(last);
        }
        checker.close_levels(0, source.trim_end().len());
    }
    checker.errors
}

impl LayoutChecker<'_> {
    fn check_line(&mut self, line: &Line<'_>, before: Option<&Line<'_>>) {
        if line.depth == 0 && line.starts_definition(self.source) {
            self.is_reported = false;
            self.misplaced.clear();
        }
        let opened = before.filter(|before| before.needs_body() || before.is_missing_colon());
        let top = self.levels.last().map_or(0, |level| level.depth);
        if opened.is_some() && line.depth > top {
            self.levels.push(IndentLevel { depth: line.depth, word: String::new(), line: 0 });
        } else {
            if let Some(opened) = opened.filter(|opened| opened.needs_body()) {
                self.report_missing_body(opened);
            }
            self.enter_level(line);
        }
        if let Some(after) = line.clause_of() {
            let fits = |level: &IndentLevel| {
                level.depth == line.depth && after.contains(&level.word.as_str())
            };
            if !self.levels.last().is_some_and(fits) {
                self.unmatched_clause(line, after);
            }
        } else {
            self.check_try(line.span.start);
        }
        if line.is_missing_colon() {
            let last = self.last_token(line);
            self.report(
                last.clone(),
                format!("expected `:` after `{}`", &self.source[last.clone()]),
                Some(Missing { token: ":", at: Some(last.end) }),
            );
        }
        let number = line.number;
        if let Some(level) = self.levels.last_mut() {
            // `finally` may follow the `else` of a loop or a `try`.
            let word = if line.is_compound() { line.word } else { "" };
            word.clone_into(&mut level.word);
            level.line = number;
        }
    }

    /// Moves to the level of a line; reports an error if there is none.
    fn enter_level(&mut self, line: &Line<'_>) {
        let known = self.misplaced.iter().find(|(depth, _)| *depth == line.depth);
        let depth = known.map_or(line.depth, |(_, level)| *level);
        let fitting = self.levels.iter().rposition(|level| level.depth <= depth).unwrap_or(0);
        let level = self.levels[fitting].depth;
        if level == depth {
            self.close_levels(fitting + 1, line.span.start);
            return;
        }
        // Reported together with the missing statement that it continues.
        if line.clause_of().is_some() {
            return;
        }
        let span = self.first_token(line);
        if fitting + 1 == self.levels.len() {
            let message = match self.levels[fitting].line {
                0 => "unexpected indentation".to_owned(),
                beside => format!("unexpected indentation: line {beside} is indented less"),
            };
            self.report(span, message, None);
            self.levels.push(IndentLevel { depth, word: String::new(), line: 0 });
        } else {
            // Treat it as if it were on the next deeper level, where the line before may be.
            let beside = &self.levels[fitting + 1];
            let message = format!(
                "unindent matches no outer line: expected {} columns as on line {}, found {depth}",
                beside.depth, beside.line
            );
            self.misplaced.push((depth, beside.depth));
            self.report(span, message, None);
            self.close_levels(fitting + 2, line.span.start);
        }
    }

    /// Reports a clause such as `else` without a matching statement of the same indentation.
    fn unmatched_clause(&mut self, line: &Line<'_>, after: &[&str]) {
        let word = line.word;
        let fits = |level: &IndentLevel| after.contains(&level.word.as_str());
        let candidates = self.levels.iter().enumerate().filter(|(_, level)| fits(level));
        let nearest = candidates.min_by_key(|(_, level)| level.depth.abs_diff(line.depth));
        let words: Vec<String> = after
            .iter()
            .filter(|opener| {
                COMPOUND_KEYWORDS.contains(opener) || word == "finally" && **opener == "try"
            })
            .map(|opener| format!("`{opener}`"))
            .collect();
        let words = match words.split_last() {
            Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
            _ => words.join(""),
        };
        let message = match nearest {
            Some((_, level)) => format!(
                "`{word}` matches no {words} at this indentation: the one on line {} is at column {}",
                level.line,
                level.depth + 1
            ),
            None => format!("`{word}` matches no {words}"),
        };
        let keep = nearest.map(|(index, _)| index + 1);
        self.report(self.first_token(line), message, None);
        match keep {
            Some(keep) => self.levels.truncate(keep),
            None => {
                let fitting = self.levels.iter().rposition(|level| level.depth <= line.depth);
                self.levels.truncate(fitting.unwrap_or(0) + 1);
            }
        }
    }

    /// Ends the levels from `keep` on at a less indented line.
    fn close_levels(&mut self, keep: usize, at: usize) {
        while self.levels.len() > keep {
            self.check_try(at);
            self.levels.pop();
        }
    }

    /// Reports a `try` without `except` or `finally`.
    fn check_try(&mut self, at: usize) {
        let Some(level) = self.levels.last().filter(|level| level.word == "try") else { return };
        let message = format!("expected `except` or `finally` after `try` on line {}", level.line);
        let end = self.source[at..].chars().next().map_or(at, |c| at + c.len_utf8());
        self.report(at..end, message, None);
    }

    fn report_missing_body(&mut self, opener: &Line<'_>) {
        let line = opener.number;
        let span = opener.span.end - 1..opener.span.end;
        let message = format!("expected an indented block after `{}` on line {line}", opener.word);
        self.report(span, message, None);
    }

    fn first_token(&self, line: &Line<'_>) -> Range<usize> {
        let text = &self.source[line.span.clone()];
        let word = text.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(text.len());
        let length = word.max(text.chars().next().map_or(0, char::len_utf8));
        line.span.start..line.span.start + length
    }

    fn last_token(&self, line: &Line<'_>) -> Range<usize> {
        let text = &self.source[line.span.clone()];
        let rest = text.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_').len();
        let last = text.char_indices().next_back().map_or(0, |(at, _)| at);
        line.span.start + rest.min(last)..line.span.end
    }

    fn report(&mut self, span: Range<usize>, message: String, missing: Option<Missing>) {
        if !self.is_reported {
            self.is_reported = true;
            self.errors.push(SyntaxError { span, message, missing });
        }
    }
}
