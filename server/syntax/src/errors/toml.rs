//! TOML: errors of a full TOML parser.
//!
//! The grammar rejects some valid syntax (version 1.1) and does not compare keys, so the parser
//! decides whether a text is valid. If the grammar finds the error too, its position is better,
//! because the parser continues inside an unclosed array.

use std::ops::Range;

use toml::de::DeTable;

use super::SyntaxError;
use crate::Syntax;
use crate::language::Errors;

/// The parser's message for a duplicate key or table.
const DUPLICATE: &str = "duplicate key";

impl Syntax {
    /// The errors of a text; none if the TOML parser accepts it.
    pub(super) fn toml_errors(&self, source: &str) -> Vec<SyntaxError> {
        let (_, rejections) = DeTable::parse_recoverable(source);
        let mut rejections: Vec<SyntaxError> = rejections
            .iter()
            .map(|e| self.rejection_error(e.message(), e.span().unwrap_or_default()))
            .collect();
        rejections.sort_by_key(|error| error.span.start);
        let Some(first) = rejections.first() else { return Vec::new() };
        let line = self.text().line_start(self.text().line_of(first.span.start));
        let mut errors = self.errors_from_tree(super::MAX_TREE_ERRORS, Errors::Toml, None);
        errors.retain(|error| error.span.start >= line || error.missing.is_some());
        if errors.is_empty() {
            // Errors after the first may be consequential, except duplicate keys in an otherwise
            // valid text.
            if !rejections.iter().all(|error| error.message.starts_with(DUPLICATE)) {
                rejections.truncate(1);
            }
            errors = rejections;
        }
        errors
    }

    fn rejection_error(&self, message: &str, span: Range<usize>) -> SyntaxError {
        if message == DUPLICATE {
            let message = format!("{DUPLICATE} {}", self.quoted(&span));
            return SyntaxError { span, message, missing: None };
        }
        SyntaxError { span: self.mark_at(span.start), message: message.to_owned(), missing: None }
    }
}
