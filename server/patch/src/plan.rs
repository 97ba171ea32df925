//! What a call comes to when every patch has found its place.

use std::ops::Range;

/// One replacement of bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// Byte range of the snapshot, on character boundaries.
    pub range: Range<usize>,
    /// What replaces it.
    pub new_text: String,
}

/// All patches of a call, placed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Plan {
    /// Sorted, disjoint and minimal.
    pub edits: Vec<Edit>,
    /// One for each patch, in the order of the patches.
    pub outcomes: Vec<Outcome>,
}

impl Plan {
    /// The text after all edits. `text` is the snapshot that was planned on. O(text).
    pub fn apply(&self, text: &str) -> String {
        let grown: usize = self.edits.iter().map(|edit| edit.new_text.len()).sum();
        let mut result = String::with_capacity(text.len() + grown);
        let mut at = 0;
        for edit in &self.edits {
            result.push_str(text.get(at..edit.range.start).unwrap_or_default());
            result.push_str(&edit.new_text);
            at = edit.range.end;
        }
        result.push_str(text.get(at..).unwrap_or_default());
        result
    }

    /// Whether nothing changes.
    pub fn is_unchanged(&self) -> bool {
        self.edits.is_empty()
    }
}

/// Patches placed in bytes of no known encoding.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct BytesPlan {
    /// Sorted and disjoint replacements of byte ranges.
    pub edits: Vec<(Range<usize>, Vec<u8>)>,
    /// One for each patch, in the order of the patches.
    pub outcomes: Vec<Outcome>,
}

impl BytesPlan {
    /// The bytes after all edits.
    pub fn apply(&self, bytes: &[u8]) -> Vec<u8> {
        let mut result = Vec::with_capacity(bytes.len());
        let mut at = 0;
        for (range, new) in &self.edits {
            result.extend_from_slice(bytes.get(at..range.start).unwrap_or_default());
            result.extend_from_slice(new);
            at = range.end;
        }
        result.extend_from_slice(bytes.get(at..).unwrap_or_default());
        result
    }

    /// Whether nothing changes.
    pub fn is_unchanged(&self) -> bool {
        self.edits.is_empty()
    }
}

/// How a patch ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutcomeKind {
    /// It changes the text.
    Applied,
    /// The text already holds what the patch would make.
    AlreadyApplied,
    /// The patch asks for what is there.
    Unchanged,
}

impl OutcomeKind {
    /// The name in results.
    pub fn as_str(self) -> &'static str {
        match self {
            OutcomeKind::Applied => "applied",
            OutcomeKind::AlreadyApplied => "already_applied",
            OutcomeKind::Unchanged => "unchanged",
        }
    }
}

/// The tier that found the place: what had to be overlooked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Strategy {
    /// Nothing.
    Exact,
    /// LF, CRLF or CR.
    LineEndings,
    /// Blanks at the ends of lines.
    TrailingBlanks,
    /// One consistent change of indentation.
    Indentation,
    /// The indentation of the first line alone.
    FirstLine,
    /// Composition, quotes, dashes, blanks and ellipses of Unicode.
    Unicode,
    /// The length of runs of blanks inside lines.
    InnerBlanks,
    /// Blank lines.
    BlankLines,
    /// One level of escaping.
    Escapes,
    /// How a formatter lays the same tokens out.
    Tokens,
    /// Small differences that look like slips of the pen.
    Similarity,
}

impl Strategy {
    /// The name in results.
    pub fn as_str(self) -> &'static str {
        match self {
            Strategy::Exact => "exact",
            Strategy::LineEndings => "line_endings",
            Strategy::TrailingBlanks => "trailing_blanks",
            Strategy::Indentation => "indentation",
            Strategy::FirstLine => "first_line",
            Strategy::Unicode => "unicode",
            Strategy::InnerBlanks => "inner_blanks",
            Strategy::BlankLines => "blank_lines",
            Strategy::Escapes => "escapes",
            Strategy::Tokens => "tokens",
            Strategy::Similarity => "similarity",
        }
    }

    /// Whether more than line endings was overlooked, so that guards are strict.
    pub fn is_tolerant(self) -> bool {
        self > Strategy::LineEndings
    }
}

/// What became of one patch.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// How it ended.
    pub kind: OutcomeKind,
    /// The tier that found the place.
    pub strategy: Strategy,
    /// 0 to 1, for [`Strategy::Similarity`] only.
    pub similarity: Option<f64>,
    /// First line matched, 1-based, of the snapshot.
    pub start_line: usize,
    /// Last line matched, 1-based, of the snapshot.
    pub end_line: usize,
    /// How many lines a stale hint was off.
    pub hint_off_by: Option<usize>,
    /// What the author should know.
    pub notes: Vec<String>,
}
