//! A change that a person looks at before it is made.

use std::sync::Arc;
use std::time::Duration;

/// A change as it would be made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// The tool that would make it.
    pub tool: &'static str,
    /// What it does, in one line.
    pub title: String,
    /// One entry a file.
    pub files: Vec<ProposedFile>,
    /// How long the person may take.
    pub patience: Duration,
}

/// What would become of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProposedFile {
    /// Its URI; an open document's as the client spells it.
    pub uri: Arc<str>,
    /// Where it would be then, when it is moved.
    pub moved_to: Option<Arc<str>>,
    /// `created`, `deleted` or `moved`, where it is more than an edit.
    pub action: Option<&'static str>,
    /// The version of the open document that the change is for.
    pub version: Option<i32>,
    /// The language's id.
    pub language: Option<&'static str>,
    /// Its text now; empty where there is none.
    pub old_text: String,
    /// Its text afterwards.
    pub new_text: String,
    /// Where the two differ, in order.
    pub hunks: Vec<ProposedHunk>,
}

/// One place that would change. Lines count from 1; of no lines, the line before is named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ProposedHunk {
    /// Its first line in the old text.
    pub old_start: usize,
    /// How many lines it has there.
    pub old_lines: usize,
    /// Its first line in the new text.
    pub new_start: usize,
    /// How many lines it has there.
    pub new_lines: usize,
}

/// What the person says of a proposal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// All of it may happen.
    Accepted,
    /// Of each file named here, by its place in the proposal, these hunks; of others nothing.
    Chosen(Vec<(usize, Vec<usize>)>),
    /// Nothing of it may.
    Refused,
}
