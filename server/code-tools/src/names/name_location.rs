//! The name that a call is about.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use syntax::{SyntaxError, SyntaxWarning};
use text::{PositionEncoding, Text};
use workspace::{Document, Snapshot};

use super::range::Position;
use tools::{Code, Context, Effect, ToolError};

/// Longest quoted name in a message, in characters.
const MAX_QUOTED_CHARS: usize = 60;

/// The first `max` syntax errors of a document, and whether there are more.
///
/// # Errors
/// When cancelled.
pub(crate) fn syntax_errors(
    tool: &'static str,
    context: &Context<'_>,
    document: &Document,
    max: usize,
) -> Result<(Vec<SyntaxError>, bool), ToolError> {
    let syntax = document.syntax(context.interrupt);
    context.check_interrupt(tool)?;
    let mut errors = syntax.map(|syntax| syntax.errors(max + 1)).unwrap_or_default();
    let truncated = errors.len() > max;
    errors.truncate(max);
    Ok((errors, truncated))
}

/// The first `max` warnings about valid but ambiguous text: duplicate keys of a JSON object.
pub(crate) fn syntax_warnings(
    context: &Context<'_>,
    document: &Document,
    max: usize,
) -> Vec<SyntaxWarning> {
    let syntax = document.syntax(context.interrupt);
    syntax.map(|syntax| syntax.warnings(max)).unwrap_or_default()
}

/// Where a name is written: by position, or by line and name.
#[derive(Deserialize, JsonSchema)]
pub(super) struct NameLocation {
    /// The file: a file: URI, a path relative to the workspace, or absolute inside it.
    pub(super) uri: String,
    /// A position in the name or directly after it, 0-based as in LSP.
    #[serde(default)]
    pub(super) position: Option<Position>,
    /// Instead of `position`: the 1-based line of the name.
    #[serde(default)]
    pub(super) line: Option<usize>,
    /// With `line`: the name as written there.
    #[serde(default)]
    pub(super) name: Option<String>,
}

/// A resolved position: document, text and offset.
pub(super) struct NamePosition {
    pub(super) document: Arc<Document>,
    pub(super) offset: usize,
}

impl NameLocation {
    pub(super) fn effects(&self, context: &Context<'_>) -> Result<Vec<Effect>, ToolError> {
        Ok(vec![Effect::read(&context.snapshot.locate_to_read(&self.uri)?)])
    }

    /// # Errors
    /// If the file or the position does not exist, or names of its language are not supported.
    pub(super) fn resolve(
        &self,
        tool: &str,
        snapshot: &Snapshot,
        encoding: PositionEncoding,
    ) -> Result<NamePosition, ToolError> {
        let document = document(tool, snapshot, &self.uri)?;
        let invalid =
            |message: &str| ToolError::new(Code::InvalidParams, format!("{tool}: {message}"));
        let text = document.text();
        let offset = match (self.position, self.line, &self.name) {
            (Some(position), None, None) => {
                check_line(tool, text, position.line as usize + 1)?;
                text.offset(text::Position::new(position.line, position.character), encoding)
            }
            (None, Some(line), Some(name)) => {
                check_line(tool, text, line)?;
                find_name_on_line(tool, text, line, name)?
            }
            (None, Some(_), None) | (None, None, Some(_)) => {
                return Err(invalid("`line` and `name` go together"));
            }
            (None, None, None) => {
                return Err(invalid("where the name is, is missing").hint(
                    "give `position` {line, character}, 0-based; or `line`, 1-based, and `name`",
                ));
            }
            (Some(_), ..) => {
                return Err(invalid(
                    "`position` says where the name is, and so do `line` and `name`",
                )
                .hint("give one or the other"));
            }
        };
        Ok(NamePosition { document, offset })
    }
}

/// The document that the caller names, if its language supports names.
pub(crate) fn document(
    tool: &str,
    snapshot: &Snapshot,
    uri: &str,
) -> Result<Arc<Document>, ToolError> {
    let path = snapshot.locate_to_read(uri)?;
    let Some(document) = snapshot.document_or_file(uri) else {
        snapshot.read(&path)?;
        let message = format!("{tool}: {}: has just gone", path.display_path());
        return Err(ToolError::new(Code::FileNotFound, message));
    };
    if document.language().is_none() {
        let message =
            format!("{tool}: {}: is in no language that is known here", path.display_path());
        return Err(ToolError::new(Code::Unsupported, message)
            .hint("`grep_search` finds words in any text; `tandem doctor` lists the languages"));
    }
    Ok(document)
}

pub(crate) fn check_line(tool: &str, text: &Text, line: usize) -> Result<(), ToolError> {
    let lines = text.line_count();
    if (1..=lines).contains(&line) {
        return Ok(());
    }
    let message = format!("{tool}: there is no line {line} (counted from 1)");
    Err(ToolError::new(Code::InvalidParams, message).hint(format!("the text has {lines}")))
}

/// The offset of a name on a 1-based line; an error unless it occurs exactly once.
fn find_name_on_line(tool: &str, text: &Text, line: usize, name: &str) -> Result<usize, ToolError> {
    let quoted: String = name.chars().take(MAX_QUOTED_CHARS).collect();
    if name.is_empty() {
        return Err(ToolError::new(Code::InvalidParams, format!("{tool}: `name` is empty")));
    }
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let written = text.line(line - 1);
    let mut found = written.match_indices(name).map(|(at, _)| at).filter(|&at| {
        !written[..at].ends_with(is_word) && !written[at + name.len()..].starts_with(is_word)
    });
    match (found.next(), found.next()) {
        (Some(at), None) => Ok(text.line_start(line - 1) + at),
        (None, _) => {
            let message = format!("{tool}: line {line} does not hold the name `{quoted}`");
            Err(ToolError::new(Code::NoMatch, message).hint("lines are 1-based"))
        }
        (Some(_), Some(_)) => {
            let message = format!("{tool}: line {line} holds `{quoted}` more than once");
            Err(ToolError::new(Code::Ambiguous, message).hint("give `position` instead"))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_on_its_line_as_a_word() {
        let text = Text::new("x\nfoo(foobar, a.foo_, \u{e9}t\u{e9}) # bar bar\n");
        let at = |name| find_name_on_line("t", &text, 2, name);
        assert_eq!(at("foo"), Ok(2));
        assert_eq!(at("foobar"), Ok(6));
        assert_eq!(at("\u{e9}t\u{e9}"), Ok(22));
        assert_eq!(at("fo").unwrap_err().code, Code::NoMatch);
        assert_eq!(at("bar").unwrap_err().code, Code::Ambiguous);
        assert_eq!(at("").unwrap_err().code, Code::InvalidParams);
    }
}
