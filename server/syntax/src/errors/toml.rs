//! TOML: what a reader of all of the language refuses.
//!
//! The grammar does not take all that is right (version 1.1), and does not compare keys. So the
//! reader says whether a text is right; where the grammar finds the mistake too, it knows the place
//! better, because the reader goes on inside an array that nothing closes.

use std::ops::Range;

use toml::de::DeTable;

use super::SyntaxError;
use crate::Syntax;
use crate::language::Errors;

/// What the reader says of a key or a table that stands twice.
const DUPLICATE: &str = "duplicate key";

impl Syntax {
    /// The errors of a text: none where a reader of TOML takes it.
    pub(super) fn toml_errors(&self, source: &str) -> Vec<SyntaxError> {
        let (_, refused) = DeTable::parse_recoverable(source);
        let mut refused: Vec<SyntaxError> = refused
            .iter()
            .map(|e| self.refusal(e.message(), e.span().unwrap_or_default()))
            .collect();
        refused.sort_by_key(|error| error.span.start);
        let Some(first) = refused.first() else { return Vec::new() };
        let line = self.text().line_start(self.text().line_of(first.span.start));
        let mut errors = self.told_of_tree(super::MOST, Errors::Toml, None);
        errors.retain(|error| error.span.start >= line || error.missing.is_some());
        if errors.is_empty() {
            // What comes after the first may follow from it, but for keys in a sound text.
            if !refused.iter().all(|error| error.message.starts_with(DUPLICATE)) {
                refused.truncate(1);
            }
            errors = refused;
        }
        errors
    }

    fn refusal(&self, message: &str, span: Range<usize>) -> SyntaxError {
        if message == DUPLICATE {
            let message = format!("{DUPLICATE} {}", self.quoted(&span));
            return SyntaxError { span, message, missing: None };
        }
        SyntaxError { span: self.mark_at(span.start), message: message.to_owned(), missing: None }
    }
}
