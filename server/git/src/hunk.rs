//! The hunks of a diff and their lines.

use std::ops::Range;

/// Byte ranges of a line.
pub type ByteRanges = Vec<Range<usize>>;

/// A hunk. Lines count from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// The first line before, and the number of lines.
    pub old: (u32, u32),
    /// The first line after, and the number of lines.
    pub new: (u32, u32),
    /// The header line, `@@ … @@` and the function context.
    pub header: Vec<u8>,
    /// Its lines.
    pub lines: Vec<DiffLine>,
}

/// One line of a hunk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiffLine {
    /// ` `, `+` or `-`.
    pub origin: char,
    /// Its line number before.
    pub old: Option<u32>,
    /// Its line number after.
    pub new: Option<u32>,
    /// Its bytes, line end included.
    pub content: Vec<u8>,
    /// The byte ranges that differ from its counterpart.
    pub changed: ByteRanges,
}
