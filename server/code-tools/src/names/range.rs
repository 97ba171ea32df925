//! LSP positions and ranges, as these tools take and return them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use text::{PositionEncoding, Text};

/// A position between two characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Position {
    /// 0-based line.
    pub(super) line: u32,
    /// 0-based character, in the negotiated encoding (UTF-16 units by default).
    pub(super) character: u32,
}

/// A range of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct Range {
    /// Its start.
    pub(super) start: Position,
    /// Its end, exclusive.
    pub(super) end: Position,
}

impl Range {
    pub(super) fn from_span(
        text: &Text,
        span: std::ops::Range<usize>,
        encoding: PositionEncoding,
    ) -> Self {
        let range = text.range(span, encoding);
        let position = |p: text::Position| Position { line: p.line, character: p.character };
        Self { start: position(range.start), end: position(range.end) }
    }

    /// Its first line, 1-based.
    pub(super) fn line(&self) -> usize {
        self.start.line as usize + 1
    }
}
