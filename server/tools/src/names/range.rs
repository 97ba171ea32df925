//! LSP's positions and ranges, as these tools take and give them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use text::{PositionEncoding, Text};

/// A place between two characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Position {
    /// 0-based line.
    pub(super) line: u32,
    /// 0-based character in it, in the negotiated encoding: UTF-16 units, unless the client said
    /// otherwise.
    pub(super) character: u32,
}

/// A stretch of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub(super) struct Range {
    /// Where it begins.
    pub(super) start: Position,
    /// Where what comes after it begins.
    pub(super) end: Position,
}

impl Range {
    pub(super) fn of(
        text: &Text,
        span: std::ops::Range<usize>,
        encoding: PositionEncoding,
    ) -> Self {
        let range = text.range(span, encoding);
        let position = |p: text::Position| Position { line: p.line, character: p.character };
        Self { start: position(range.start), end: position(range.end) }
    }

    /// Its 1-based first line.
    pub(super) fn line(&self) -> usize {
        self.start.line as usize + 1
    }
}
