//! A change that a person reviews before it is made.

use std::sync::Arc;
use std::time::Duration;

/// A proposed change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// The tool that makes it.
    pub tool: &'static str,
    /// A one-line description.
    pub title: String,
    /// The changed files.
    pub files: Vec<ProposedFile>,
    /// How long to wait for the person.
    pub timeout: Duration,
}

/// The proposed change of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProposedFile {
    /// Its URI; of an open document as the client spells it.
    pub uri: Arc<str>,
    /// Its new URI if it is moved.
    pub moved_to: Option<Arc<str>>,
    /// `created`, `deleted` or `moved`; `None` for an edit.
    pub action: Option<&'static str>,
    /// The version of the open document that the change applies to.
    pub version: Option<i32>,
    /// The language's id.
    pub language: Option<&'static str>,
    /// Its text now; empty if it does not exist.
    pub old_text: String,
    /// Its text afterwards.
    pub new_text: String,
    /// The differences between the two texts, in order.
    pub hunks: Vec<ProposedHunk>,
}

/// One changed range of lines, 1-based. For an empty range, the start is the line before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProposedHunk {
    /// Its first line in the old text.
    pub old_start: usize,
    /// Its number of lines in the old text.
    pub old_lines: usize,
    /// Its first line in the new text.
    pub new_start: usize,
    /// Its number of lines in the new text.
    pub new_lines: usize,
}

/// The person's decision on a proposal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// Apply all of it.
    Accepted,
    /// Apply only these hunks: pairs of a file's index in the proposal and its hunks' indexes.
    Chosen(Vec<(usize, Vec<usize>)>),
    /// Apply nothing.
    Refused,
}
