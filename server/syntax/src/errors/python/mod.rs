//! Python: checks a text line by line.
//!
//! The grammar accepts empty bodies and inconsistent indentation, and for one wrong line it often
//! rejects the whole file. So the text is read as CPython does: logical lines first, then
//! indentation, then each statement on its own.

mod layout;
mod lines;
mod statements;

use super::SyntaxError;
use crate::Syntax;
use lines::Line;

/// The errors of the lines that could be read.
pub(super) struct PythonErrors {
    /// Layout errors, which may cause others.
    layout: Vec<SyntaxError>,
    /// Errors within single statements.
    statements: Vec<SyntaxError>,
    /// The start of the first line that could not be read because of a malformed bracket or string.
    end: usize,
}

impl PythonErrors {
    /// Merges these errors with `others` (those of the tree), which count only where this checker
    /// could not read. After a layout or bracket error, the rest of the definition is skipped.
    pub(super) fn merge(self, source: &str, others: Vec<SyntaxError>) -> Vec<SyntaxError> {
        let is_read = !self.layout.is_empty() || !self.statements.is_empty();
        let others = others.into_iter().filter_map(|error| {
            let leads = super::root_causes::is_bracket_error(&error);
            (leads || !is_read || error.span.start >= self.end).then_some((error, leads))
        });
        let layout = self.layout.into_iter().map(|error| (error, true));
        let statements = self.statements.into_iter().map(|error| (error, false));
        let mut all: Vec<_> = others.chain(layout).chain(statements).collect();
        all.sort_by_key(|(error, _)| error.span.start);
        let mut end = 0;
        let mut keeps = |(error, leads): (SyntaxError, bool)| {
            let is_kept = error.span.start >= end;
            if is_kept && leads {
                end = next_definition(source, error.span.start);
            }
            is_kept.then_some(error)
        };
        all.into_iter().filter_map(&mut keeps).collect()
    }
}

/// The start of the next definition at the margin.
fn next_definition(source: &str, at: usize) -> usize {
    let mut rest = at;
    while let Some(newline) = source[rest..].find('\n') {
        rest += newline + 1;
        let begins = ["@", "async ", "class ", "def ", "from ", "import "];
        if begins.iter().any(|word| source[rest..].starts_with(word)) {
            return rest;
        }
    }
    source.len() + 1
}

impl Syntax {
    /// Checks the lines of a text; single statements are checked only if the tree has errors.
    pub(super) fn python_errors(&self, source: &str, is_broken: bool) -> PythonErrors {
        let (lines, is_whole) = lines::lines(source, &self.opaque());
        let end = match lines.last() {
            _ if is_whole => source.len(),
            Some(last) => last.span.end,
            None => 0,
        };
        let layout = layout::errors(source, &lines, is_whole);
        let mut statements: Vec<_> =
            lines.iter().filter_map(|line| statements::known_mistake(source, line)).collect();
        if is_broken {
            let is_reported = |line: &&Line<'_>| {
                let mut errors = layout.iter().chain(&statements);
                let span = line.span.clone();
                errors.any(|error| span.start <= error.span.start && error.span.start < span.end)
            };
            let rest: Vec<&Line<'_>> = lines.iter().filter(|line| !is_reported(line)).collect();
            statements.extend(self.statement_errors(source, &rest));
        }
        PythonErrors { layout, statements, end }
    }
}
