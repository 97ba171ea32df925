//! YAML: what is wrong, and on which line.
//!
//! The grammar gives up a whole document where one line is wrong, and does not take all that is
//! right. So a reader that knows all of the language is asked where a text is broken. Where it
//! stops is often far behind the mistake; [`repairs`] tries what would mend the text.

mod keys;
mod lines;
mod repairs;

use saphyr_parser::{Parser, ScanError};

use super::SyntaxError;
use crate::Syntax;
use lines::Line;

/// What readers in use take, though the language forbids it: nothing is said of what follows.
const TAKEN: [&str; 2] =
    ["invalid indentation in quoted scalar", "missing explicit document end marker"];

impl Syntax {
    /// The first error of a text that the parser stumbled over, or the keys that stand twice.
    pub(super) fn yaml_errors(&self, source: &str) -> Vec<SyntaxError> {
        let lines = lines::code(source);
        if is_template(source, &lines) {
            return Vec::new();
        }
        let error = match keys::duplicates(source) {
            Ok(found) => {
                let told = |(span, line)| {
                    let message =
                        format!("duplicate key {}, first on line {line}", self.quoted(&span));
                    SyntaxError { span, message, missing: None }
                };
                return found.into_iter().map(told).collect();
            }
            Err(_) if !self.root().has_error() => return Vec::new(),
            Err(error) => error,
        };
        let at = place(source, error.marker().line(), error.marker().col());
        let is_taken = TAKEN.iter().any(|taken| error.info().starts_with(taken));
        let stopped = self.text().line_of(at);
        if let Some(found) = repairs::find(source, &lines, stopped, is_taken) {
            return vec![found];
        }
        if is_taken {
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

/// What the reader says of a text first.
fn refusal(source: &str) -> Option<ScanError> {
    Parser::new_from_str(source).find_map(Result::err)
}

/// The last place not behind `at` where a character ends.
fn floor(source: &str, at: usize) -> usize {
    (0..=at.min(source.len())).rev().find(|at| source.is_char_boundary(*at)).unwrap_or(0)
}

/// Where a reader stands that counts lines from 1 and columns in characters.
fn place(source: &str, line: usize, column: usize) -> usize {
    let start: usize =
        source.split_inclusive('\n').take(line.saturating_sub(1)).map(str::len).sum();
    let column = source[start..].char_indices().nth(column);
    column.map_or(source.len(), |(at, _)| start + at)
}

/// Whether a program makes YAML of a text (Helm, Jinja, ERB), or it is of a version so old that
/// no reader takes it. What stands in block scalars is text of another language.
fn is_template(source: &str, lines: &[Line<'_>]) -> bool {
    source.starts_with("--- %YAML")
        || lines.iter().any(|line| {
            line.text.contains("{%")
                || line.text.contains("<%")
                || !line.is_comment() && has_expression(line.text)
        })
}

/// Whether a line has `{{ … }}` outside of quotes, and not as GitHub's `${{ … }}`.
fn has_expression(line: &str) -> bool {
    line.match_indices("{{").any(|(at, _)| {
        let before = &line[..at];
        let is_open = |quote: &str| before.matches(quote).count() % 2 == 1;
        let rest = &line[at..];
        let closes = rest.contains("}}") || !rest.contains('}');
        closes && !before.ends_with('$') && !is_open("\"") && !is_open("'")
    })
}
