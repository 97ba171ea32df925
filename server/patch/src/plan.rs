//! The result of a call whose patches all have a place.

use std::ops::Range;

/// One replacement of bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edit {
    /// Byte range of the snapshot, on character boundaries.
    pub range: Range<usize>,
    /// What replaces it.
    pub new_text: String,
}

/// The edits and outcomes of all patches of a call.
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

/// A plan for bytes of unknown encoding.
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

/// The effect of a patch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutcomeKind {
    /// It changes the text.
    Applied,
    /// The text already contains the result of the patch.
    AlreadyApplied,
    /// `old_text` and `new_text` are the same.
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

/// The tier that found the place, named for the differences it tolerates.
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
    /// Small differences that look like typing mistakes.
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

    /// Whether more than line endings differs. Guards are stricter then.
    pub fn is_tolerant(self) -> bool {
        self > Strategy::LineEndings
    }
}

/// The outcome of one patch.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// The effect on the text.
    pub kind: OutcomeKind,
    /// The tier that found the place.
    pub strategy: Strategy,
    /// 0 to 1, for [`Strategy::Similarity`] only.
    pub similarity: Option<f64>,
    /// First line matched, 1-based, of the snapshot.
    pub start_line: usize,
    /// Last line matched, 1-based, of the snapshot.
    pub end_line: usize,
    /// The distance in lines to a hint that missed.
    pub hint_off_by: Option<usize>,
    /// Remarks for the author.
    pub notes: Vec<String>,
}
