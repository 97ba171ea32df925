//! Parsers of patch formats: unified diffs, SEARCH/REPLACE blocks and `*** Begin Patch` envelopes.
//!
//! One parser per format, all with the same result. Counts and line numbers, which models get wrong,
//! are hints at most. Ambiguous input is an error.

mod envelope;
mod hunk;
mod search_replace;
mod unified;

pub use envelope::parse as parse_envelope;
pub use search_replace::parse as parse_search_replace;
pub use unified::parse as parse_unified;

use crate::lines::{TextLine, split_lines};
use crate::patch::Patch;

/// The change of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FilePatches {
    /// As written, without the `a/` and `b/` of diffs; `None` where the input names none.
    pub path: Option<String>,
    /// What happens to the file.
    pub change: Change,
    /// Whether a new file can be run.
    pub executable: bool,
}

impl FilePatches {
    fn new(path: Option<String>, change: Change) -> FilePatches {
        FilePatches { path, change, executable: false }
    }
}

/// What happens to a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// Its text is patched.
    Update(Vec<Patch>),
    /// A new file with this text.
    Create(String),
    /// It is deleted. If the input quotes its content, these patches remove all of it; a file with
    /// other content is not the one that the author knew.
    Delete(Vec<Patch>),
    /// It is copied, and the copy is patched.
    Copy {
        /// The new file's path.
        to: String,
        /// Applied to the copy; may be empty.
        patches: Vec<Patch>,
    },
    /// It is moved, and patched on the way.
    Move {
        /// The new path.
        to: String,
        /// Applied to its text; may be empty.
        patches: Vec<Patch>,
    },
}

/// The input is in no format that is known, or breaks the rules of its own.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FormatError {
    /// No mark of any format was found.
    #[error(
        "this is no known patch format; send SEARCH/REPLACE blocks, a unified diff or a *** Begin Patch envelope"
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

/// Parses input of any format, detected by its markers.
///
/// No line is dropped silently: each is part of a change, or prose outside of all changes.
///
/// # Errors
///
/// [`FormatError`] if the input has the marks of no format or of two, or breaks the rules of its
/// own.
pub fn parse(input: &str) -> Result<Vec<FilePatches>, FormatError> {
    let lines: Vec<&str> = input.lines().collect();
    if lines.iter().any(|line| envelope::is_mark(line)) {
        parse_envelope(input)
    } else if lines.iter().any(|line| search_replace::is_mark(line)) {
        parse_search_replace(input)
    } else if unified::is_diff(&lines) {
        parse_unified(input)
    } else {
        Err(FormatError::Unknown)
    }
}

/// Joins patches of the same file, which are matched against the same text.
fn merge_same_file(files: Vec<FilePatches>) -> Vec<FilePatches> {
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

/// Whether a line is a mark of any format.
fn has_marks(line: &str) -> bool {
    envelope::is_mark(line)
        || search_replace::is_mark(line)
        || line.starts_with("diff --git ")
        || line.starts_with("@@ -")
        || line.starts_with("+++ ")
}

fn is_fence(line: &str) -> bool {
    let line = line.trim();
    let tag = line.trim_start_matches(['<', '/']).strip_suffix('>');
    line.starts_with("```")
        || (line.starts_with('<') && tag.is_some_and(|tag| FENCE_TAGS.contains(&tag)))
}

/// Tags that a chat client has a model write in place of a fence of backticks.
const FENCE_TAGS: [&str; 5] = ["source", "code", "pre", "codename", "sourcecode"];

/// A path without Markdown markup around it; `None` if the line is not a path.
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

fn split_input(input: &str) -> Vec<TextLine<'_>> {
    split_lines(input.strip_prefix('\u{feff}').unwrap_or(input))
}
