//! Line and character positions, and the units that characters are counted in.

/// The unit in which [`Position::character`] counts.
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
    /// How many units `c` takes.
    #[must_use]
    pub fn len(self, c: char) -> usize {
        match self {
            Self::Utf8 => c.len_utf8(),
            Self::Utf16 => c.len_utf16(),
            Self::Utf32 => 1,
        }
    }
}

/// A place in a text: 0-based line, 0-based character in some [`PositionEncoding`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Position {
    /// 0-based line.
    pub line: u32,
    /// 0-based offset within the line.
    pub character: u32,
}

impl Position {
    /// The place at `line` and `character`.
    #[must_use]
    pub fn new(line: u32, character: u32) -> Self {
        Self { line, character }
    }
}

/// A half-open span between two positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Range {
    /// First position of the span.
    pub start: Position,
    /// Position after the span.
    pub end: Position,
}
