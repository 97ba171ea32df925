//! Line and character positions, and their units.

/// The unit of [`Position::character`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum PositionEncoding {
    /// Bytes of the line's UTF-8 text.
    Utf8,
    /// UTF-16 code units: LSP's default.
    #[default]
    Utf16,
    /// Unicode scalar values.
    Utf32,
}

impl PositionEncoding {
    /// How many units `c` has.
    #[must_use]
    pub fn len(self, c: char) -> usize {
        match self {
            Self::Utf8 => c.len_utf8(),
            Self::Utf16 => c.len_utf16(),
            Self::Utf32 => 1,
        }
    }
}

/// A position in a text: 0-based line and character, in some [`PositionEncoding`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Position {
    /// 0-based line.
    pub line: u32,
    /// 0-based offset within the line.
    pub character: u32,
}

impl Position {
    /// Creates a position.
    #[must_use]
    pub fn new(line: u32, character: u32) -> Self {
        Self { line, character }
    }
}

/// A half-open range between two positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Range {
    /// The first position.
    pub start: Position,
    /// The position after the range.
    pub end: Position,
}
