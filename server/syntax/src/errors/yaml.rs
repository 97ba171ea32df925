//! YAML: what is wrong, and on which line.
//!
//! The grammar gives up a whole document where one line is wrong, and does not take all that is
//! right. So a reader that knows all of the language is asked where a text is broken: it says where.

use saphyr_parser::{Parser, ScanError};

use super::SyntaxError;
use crate::Syntax;

/// What readers in use take, though the language forbids it: nothing is said of what follows.
const TAKEN: [&str; 2] =
    ["invalid indentation in quoted scalar", "missing explicit document end marker"];

impl Syntax {
    /// The first error of a text that the parser stumbled over, if there is one.
    pub(super) fn yaml_errors(&self, source: &str) -> Option<SyntaxError> {
        if is_template(source) {
            return None;
        }
        let error = Parser::new_from_str(source).find_map(Result::err)?;
        if TAKEN.iter().any(|taken| error.info().starts_with(taken)) {
            return None;
        }
        let at = place(source, &error);
        let last = self.last_before(at);
        if error.info().starts_with("simple key expect") {
            let message = format!("expected `:` after {}", self.quoted(&last));
            return Some(SyntaxError { span: last, message, missing: None });
        }
        let here = source[at..].starts_with(|c: char| !c.is_whitespace());
        let span = if here { self.token_after(at).unwrap_or(last) } else { last };
        Some(SyntaxError { span, message: error.info().to_owned(), missing: None })
    }
}

/// Where a reader stands that counts lines from 1 and columns in characters.
fn place(source: &str, error: &ScanError) -> usize {
    let line = error.marker().line().saturating_sub(1);
    let start: usize = source.split_inclusive('\n').take(line).map(str::len).sum();
    let column = source[start..].char_indices().nth(error.marker().col());
    column.map_or(source.len(), |(at, _)| start + at)
}

/// Whether a program makes YAML of a text (Helm, Jinja, ERB), or it is of a version so old that
/// no reader takes it.
fn is_template(source: &str) -> bool {
    source.starts_with("--- %YAML")
        || source.contains("{%")
        || source.contains("<%")
        || source.lines().any(|line| {
            let code = !line.trim_start().starts_with('#');
            code && line.match_indices("{{").any(|(at, _)| {
                let before = &line[..at];
                let is_open = |quote: &str| before.matches(quote).count() % 2 == 1;
                !before.ends_with('$') && !is_open("\"") && !is_open("'")
            })
        })
}
