//! The range that a code action applies to.

use std::ops::Range as Span;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use text::{PositionEncoding, Text};
use workspace::{ContentHash, Document, Snapshot};

use crate::names::name_location::{check_line, document};
use tools::{Code, ToolError};

/// Parameters that name a range.
#[derive(Clone, Deserialize, JsonSchema)]
pub(super) struct ActionLocation {
    /// The file.
    pub(super) path: String,
    /// First line, 1-based.
    #[serde(default)]
    start_line: Option<usize>,
    /// Last line, 1-based; the first by default.
    #[serde(default)]
    end_line: Option<usize>,
    /// The code on these lines that is meant; by default all of it.
    #[serde(default)]
    code: Option<String>,
    /// Instead of lines: an LSP range, 0-based.
    #[serde(default)]
    range: Option<Range>,
    /// The file's hash; refused if the content differs.
    #[serde(default)]
    pub(super) expected_hash: Option<String>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Range {
    start: Position,
    end: Position,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Position {
    line: u32,
    character: u32,
}

impl ActionLocation {
    /// The document and the byte range.
    ///
    /// # Errors
    /// If the file or the range does not exist.
    pub(super) fn resolve(
        &self,
        tool: &'static str,
        snapshot: &Snapshot,
        encoding: PositionEncoding,
    ) -> Result<(Arc<Document>, Span<usize>), ToolError> {
        let path = snapshot.locate(&self.path)?;
        let document = document(tool, snapshot, &self.path)?;
        let text = document.text();
        if let Some(expected) = &self.expected_hash {
            let hash = snapshot.read(&path)?.hash.to_string();
            if !expected.trim().eq_ignore_ascii_case(&hash) {
                let message = format!("{}: changed since it was read", path.display_path());
                return Err(ToolError::new(Code::Conflict, message)
                    .hint("read it again; details.hash is its current hash")
                    .details(json!({ "path": path.display_path(), "hash": hash })));
            }
        }
        Ok((document.clone(), self.span(tool, text, encoding)?))
    }

    fn span(
        &self,
        tool: &str,
        text: &Text,
        encoding: PositionEncoding,
    ) -> Result<Span<usize>, ToolError> {
        let invalid =
            |message: &str| ToolError::new(Code::InvalidParams, format!("{tool}: {message}"));
        let (first, last) = match (self.range, self.start_line) {
            (Some(_), Some(_)) => {
                return Err(invalid("give `range` or `start_line`, not both"));
            }
            (None, None) => {
                return Err(invalid("give `start_line` or `range`").hint("give `start_line`"));
            }
            (Some(range), None) => {
                let place = |p: Position| text::Position::new(p.line, p.character);
                let (a, b) = (place(range.start), place(range.end));
                let (a, b) = (text.offset(a, encoding), text.offset(b, encoding));
                return Ok(a.min(b)..a.max(b));
            }
            (None, Some(first)) => (first, self.end_line.unwrap_or(first)),
        };
        check_line(tool, text, first)?;
        check_line(tool, text, last)?;
        if last < first {
            return Err(invalid("`end_line` is before `start_line`"));
        }
        let lines = text.line_start(first - 1)..text.line_span(last - 1).end;
        let Some(code) = self.code.as_deref().map(str::trim).filter(|c| !c.is_empty()) else {
            return Ok(lines);
        };
        let written = text.slice(lines.clone());
        let mut found = written.match_indices(code).map(|(at, _)| at);
        match (found.next(), found.next()) {
            (Some(at), None) => {
                let start = lines.start + at;
                Ok(start..start + code.len())
            }
            (None, _) => {
                let message = format!("{tool}: the lines do not contain this `code`");
                Err(ToolError::new(Code::NoMatch, message).hint("lines are 1-based"))
            }
            (Some(_), Some(_)) => {
                let message = format!("{tool}: the lines contain this `code` more than once");
                Err(ToolError::new(Code::Ambiguous, message)
                    .hint("name fewer lines, or give `range`"))
            }
        }
    }
}

/// The current hash of a document's file.
pub(super) fn content_hash(snapshot: &Snapshot, document: &Document) -> String {
    let path = snapshot.locate(document.uri()).ok();
    match path.and_then(|path| snapshot.read(&path).ok()) {
        Some(file) => file.hash.to_string(),
        None => ContentHash::digest(document.text().to_string().as_bytes()).to_string(),
    }
}
