//! Python, line by line.
//!
//! The grammar takes a body without a statement and lines that stand as deep as no other, and where
//! one line is wrong, it often gives up a whole file. So the text is read as CPython's own reader
//! does: its logical lines first, then how deep they stand, then each statement by itself.

mod layout;
mod lines;
mod statements;

use super::SyntaxError;
use crate::Syntax;
use lines::Line;

/// What was found in the lines that could be read.
pub(super) struct Reading {
    /// Of how deep lines stand: others may follow from these.
    layout: Vec<SyntaxError>,
    /// Of statements by themselves.
    statements: Vec<SyntaxError>,
    /// Where the first line starts that could not be read: it has a bracket or string that is not
    /// right.
    end: usize,
}

impl Reading {
    /// The errors of this, and those of `others` that stand where it could not read. One in a
    /// definition behind one of layout or of what is not closed is left out.
    pub(super) fn with(self, source: &str, others: Vec<SyntaxError>) -> Vec<SyntaxError> {
        let is_read = !self.layout.is_empty() || !self.statements.is_empty();
        let others = others.into_iter().filter_map(|error| {
            let leads = super::causes::is_bracket(&error);
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

/// Where the next definition begins at the margin.
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
    /// What is wrong with the lines of a text; statements are looked at only if the tree is broken.
    pub(super) fn read_python(&self, source: &str, is_broken: bool) -> Reading {
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
            let is_told = |line: &&Line<'_>| {
                let mut told = layout.iter().chain(&statements);
                let span = line.span.clone();
                told.any(|error| span.start <= error.span.start && error.span.start < span.end)
            };
            let rest: Vec<&Line<'_>> = lines.iter().filter(|line| !is_told(line)).collect();
            statements.extend(self.wrong_statements(source, &rest));
        }
        Reading { layout, statements, end }
    }
}
