//! YAML: reports which line is wrong.
//!
//! For one wrong line the grammar rejects the whole document, and it rejects some valid texts. So a
//! full YAML parser decides whether a text is valid. It often stops far after the mistake, so
//! [`repairs`] searches for the change that makes the text valid.

mod keys;
mod lines;
mod repairs;

use saphyr_parser::{Parser, ScanError};

use super::SyntaxError;
use crate::Syntax;
use lines::Line;

/// Errors that parsers in use do not report, although the specification demands it; nothing after
/// them is reported.
const TOLERATED_ERRORS: [&str; 2] =
    ["invalid indentation in quoted scalar", "missing explicit document end marker"];

impl Syntax {
    /// The first error of a text, or its duplicate keys.
    pub(super) fn yaml_errors(&self, source: &str) -> Vec<SyntaxError> {
        let lines = lines::code(source);
        if is_template(source, &lines) {
            return Vec::new();
        }
        let error = match keys::duplicates(source) {
            Ok(found) => {
                let errors = |(span, line)| {
                    let message =
                        format!("duplicate key {}, first on line {line}", self.quoted(&span));
                    SyntaxError { span, message, missing: None }
                };
                return found.into_iter().map(errors).collect();
            }
            Err(_) if !self.root().has_error() => return Vec::new(),
            Err(error) => error,
        };
        let at = byte_offset(source, error.marker().line(), error.marker().col());
        let is_tolerated =
            TOLERATED_ERRORS.iter().any(|tolerated| error.info().starts_with(tolerated));
        let stopped = self.text().line_of(at);
        if let Some(found) = repairs::find(source, &lines, stopped, is_tolerated) {
            return vec![found];
        }
        if is_tolerated {
            return Vec::new();
        }
        let last = self.last_before(at);
        if error.info().starts_with("simple key expect") {
            let message = format!("expected `:` after {}", self.quoted(&last));
            return vec![SyntaxError { span: last, message, missing: None }];
        }
        let span = self.mark_at(at);
        vec![SyntaxError { span, message: error.info().to_owned(), missing: None }]
    }
}

/// The first error of the YAML parser.
fn first_parser_error(source: &str) -> Option<ScanError> {
    Parser::new_from_str(source).find_map(Result::err)
}

/// The last character boundary at or before `at`.
fn floor_char_boundary(source: &str, at: usize) -> usize {
    (0..=at.min(source.len())).rev().find(|at| source.is_char_boundary(*at)).unwrap_or(0)
}

/// The byte offset of a line (from 1) and column (in characters).
fn byte_offset(source: &str, line: usize, column: usize) -> usize {
    let start: usize =
        source.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let column = source[start..].char_indices().nth(column);
    column.map_or(source.len(), |(at, _)| start + at)
}

/// Whether the text is a template (Helm, Jinja, ERB), or of an old YAML version that no parser
/// accepts. Block scalars do not count.
fn is_template(source: &str, lines: &[Line<'_>]) -> bool {
    source.starts_with("--- %YAML")
        || lines.iter().any(|line| {
            line.text.contains("{%")
                || line.text.contains("<%")
                || !line.is_comment() && has_expression(line.text)
        })
}

/// Whether a line has `{{ … }}` outside of quotes, other than GitHub's `${{ … }}`.
fn has_expression(line: &str) -> bool {
    line.match_indices("{{").any(|(at, _)| {
        let before = &line[..at];
        let is_open = |quote: &str| before.matches(quote).count() % 2 == 1;
        let rest = &line[at..];
        let closes = rest.contains("}}") || !rest.contains('}');
        closes && !before.ends_with('$') && !is_open("\"") && !is_open("'")
    })
}
