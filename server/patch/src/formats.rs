//! The inputs that people and models write, all read into the same patches.
//!
//! One parser a format. Counts and numbers that models get wrong are hints at most; what
//! could be read in two ways is an error.

mod envelope;
mod search_replace;
mod unified;
mod whole;

pub use envelope::parse as parse_envelope;
pub use search_replace::parse as parse_search_replace;
pub use unified::parse as parse_unified;
pub use whole::parse as parse_whole;

use crate::lines::{Piece, pieces};
use crate::patch::Patch;

/// What is wanted of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePatches {
    /// As written, without the `a/` and `b/` of diffs; `None` where the input names none.
    pub path: Option<String>,
    /// What happens to the file.
    pub change: Change,
}

/// What happens to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Its text is patched.
    Update(Vec<Patch>),
    /// It gets this text, as a new file or in place of all that it has.
    Create(String),
    /// It goes.
    Delete,
    /// It is patched and gets another path.
    Move {
        /// The new path.
        to: String,
        /// Applied to the text on the way; may be empty.
        patches: Vec<Patch>,
    },
}

/// The input is in no format that is known, or breaks the rules of its own.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FormatError {
    /// No mark of any format was found.
    #[error(
        "this is no known patch format; send SEARCH/REPLACE blocks, a unified diff, a *** Begin Patch envelope, or a path and the whole file in a code fence"
    )]
    Unknown,
    /// A line breaks the rules of the format.
    #[error("line {line} of the patch: {problem}")]
    Line {
        /// 1-based.
        line: usize,
        /// What is wrong and what to do.
        problem: String,
    },
}

impl FormatError {
    pub(crate) fn at(index: usize, problem: impl Into<String>) -> FormatError {
        FormatError::Line { line: index + 1, problem: problem.into() }
    }
}

/// The forms in which an edit is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// `*** Begin Patch` … `*** End Patch`.
    Envelope,
    /// Blocks of `<<<<<<< SEARCH`, `=======`, `>>>>>>> REPLACE`.
    SearchReplace,
    /// A unified diff.
    Unified,
    /// A file's whole text.
    Whole,
}

impl Format {
    /// The format whose marks `input` has; whole files have none.
    #[must_use]
    pub fn of(input: &str) -> Format {
        let lines: Vec<&str> = input.lines().collect();
        if lines.iter().any(|line| envelope::is_mark(line)) {
            Format::Envelope
        } else if lines.iter().any(|line| search_replace::is_mark(line)) {
            Format::SearchReplace
        } else if unified::is_diff(&lines) {
            Format::Unified
        } else {
            Format::Whole
        }
    }
}

/// Reads any of the formats, told by its marks.
///
/// # Errors
///
/// [`FormatError`] if the input has the marks of no format or breaks the rules of its own.
pub fn parse(input: &str) -> Result<Vec<FilePatches>, FormatError> {
    match Format::of(input) {
        Format::Envelope => parse_envelope(input),
        Format::SearchReplace => parse_search_replace(input),
        Format::Unified => parse_unified(input),
        Format::Whole => parse_whole(input),
    }
}

/// Joins patches of the same file, which are matched against the same text.
fn merged(files: Vec<FilePatches>) -> Vec<FilePatches> {
    let mut result: Vec<FilePatches> = Vec::with_capacity(files.len());
    for file in files {
        if let Change::Update(patches) = &file.change
            && let Some(Change::Update(earlier)) = result
                .iter_mut()
                .find(|other| other.path == file.path)
                .map(|other| &mut other.change)
        {
            earlier.extend(patches.iter().cloned());
        } else {
            result.push(file);
        }
    }
    result
}

/// The two texts of a run of lines marked with blank, minus and plus.
#[derive(Default)]
struct Hunk {
    old: String,
    new: String,
    changes: bool,
    /// Unmarked empty lines, which may be context or only stand before what follows.
    pending: Vec<&'static str>,
    /// Which texts the last line went to.
    last: (bool, bool),
}

impl Hunk {
    fn add(&mut self, line: &Piece<'_>) {
        let ending = if line.ending.as_str() == "\r\n" { "\r\n" } else { "\n" };
        if line.content.is_empty() {
            self.pending.push(ending);
            return;
        }
        self.settle();
        let (mark, text) = line.content.split_at_checked(1).unwrap_or(("", line.content));
        let (old, new, text) = match mark {
            " " => (true, true, text),
            "-" => (true, false, text),
            "+" => (false, true, text),
            // A line of context whose mark was forgotten.
            _ => (true, true, line.content),
        };
        self.push(old, new, text, ending);
    }

    fn settle(&mut self) {
        for ending in std::mem::take(&mut self.pending) {
            self.push(true, true, "", ending);
        }
    }

    fn push(&mut self, old: bool, new: bool, text: &str, ending: &str) {
        for (wanted, side) in [(old, &mut self.old), (new, &mut self.new)] {
            if wanted {
                side.push_str(text);
                side.push_str(ending);
            }
        }
        self.changes |= old != new;
        self.last = (old, new);
    }

    /// The last line has no ending in the texts it belongs to.
    fn without_ending(&mut self) {
        self.settle();
        for (wanted, side) in [(self.last.0, &mut self.old), (self.last.1, &mut self.new)] {
            if wanted && side.ends_with('\n') {
                side.pop();
                if side.ends_with('\r') {
                    side.pop();
                }
            }
        }
    }

    fn is_empty(&self) -> bool {
        self.old.is_empty() && self.new.is_empty()
    }

    fn patch(self) -> Patch {
        Patch::new(self.old, self.new)
    }
}

fn is_fence(line: &str) -> bool {
    line.trim_start().starts_with("```")
}

/// A path without what markdown puts around it; `None` if this is no path.
fn path_in(line: &str) -> Option<String> {
    let bare = line
        .trim()
        .trim_start_matches(['#', '>', ' '])
        .trim_matches(['*', '`', '"', ' '])
        .trim_end_matches(':');
    let bare = bare.trim_matches(['*', '`', '"', ' ']);
    let bare = ["File:", "file:", "Path:", "path:", "filepath:"]
        .iter()
        .find_map(|word| bare.strip_prefix(word))
        .unwrap_or(bare)
        .trim_matches(['*', '`', '"', ' ']);
    let plausible = !bare.is_empty()
        && bare.len() <= 1000
        && !bare.contains(['<', '>', '|', '\0'])
        && (!bare.contains(' ')
            || bare.contains('/')
            || bare.rsplit_once('.').is_some_and(|(_, end)| !end.contains(' ') && !end.is_empty()))
        && (bare.contains(['/', '.', '\\'])
            || bare.chars().next().is_some_and(char::is_uppercase)
            || !bare.contains(' '))
        && !bare.ends_with('.');
    plausible.then(|| bare.to_owned())
}

fn split(input: &str) -> Vec<Piece<'_>> {
    pieces(input.strip_prefix('\u{feff}').unwrap_or(input))
}
