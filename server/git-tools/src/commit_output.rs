//! Commits, times and diffs as results show them.

use git::{CommitInfo, FileChange, FileDiff, RepoLayout};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::repository_access::{display_path, quoted_path};

/// A time in a result.
pub(super) fn format_time(seconds: i64) -> String {
    Timestamp::from_second(seconds).unwrap_or_default().to_string()
}

/// Longest commit message in a result, in bytes.
const MAX_MESSAGE_BYTES: usize = 8_000;

pub(super) fn clip_message(message: &str) -> String {
    let end = message.floor_char_boundary(MAX_MESSAGE_BYTES.min(message.len()));
    message[..end].trim_end().to_owned()
}

/// A commit.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct CommitOutput {
    /// Its full id.
    pub(super) commit: String,
    /// Its author.
    pub(super) author: String,
    /// The author's email.
    pub(super) email: String,
    /// Its author time, in UTC.
    pub(super) timestamp: String,
    /// Its message.
    pub(super) message: String,
    /// First line of its message.
    pub(super) subject: String,
    /// Its parents.
    pub(super) parents: Vec<String>,
    /// Its committer, if not the author.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) committer: Option<String>,
    /// Its commit time, in UTC.
    pub(super) committed: String,
}

impl CommitOutput {
    pub(super) fn from_info(info: &CommitInfo) -> Self {
        let (author, committer) = (&info.author, &info.committer);
        let other = (&author.name, &author.email) != (&committer.name, &committer.email);
        Self {
            commit: info.id.to_string(),
            author: author.name.clone(),
            email: author.email.clone(),
            timestamp: format_time(author.seconds),
            message: clip_message(&info.message),
            subject: info.message.trim_start().lines().next().unwrap_or_default().to_owned(),
            parents: info.parents.iter().map(ToString::to_string).collect(),
            committer: other.then(|| format!("{} <{}>", committer.name, committer.email)),
            committed: format_time(committer.seconds),
        }
    }
}

/// A changed file.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct FileChangeOutput {
    /// Its path, relative to the workspace.
    pub(super) path: String,
    /// The quoted path, if it is not valid text; accepted as a parameter.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) raw: Option<String>,
    /// `added`, `modified`, `deleted`, `renamed`, `type_changed`, …
    pub(super) status: &'static str,
    /// Its previous path.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) from: Option<String>,
}

impl FileChangeOutput {
    pub(super) fn from_change(layout: &RepoLayout, changed: &FileChange) -> Self {
        Self {
            path: display_path(layout, &changed.path),
            raw: quoted_path(layout, &changed.path),
            status: changed.kind.as_str(),
            from: changed.old_path.as_ref().map(|from| display_path(layout, from)),
        }
    }
}

/// A changed file with its hunks.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct FileDiffOutput {
    #[serde(flatten)]
    pub(super) entry: FileChangeOutput,
    /// Its previous mode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) old_mode: Option<String>,
    /// Its new mode.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) new_mode: Option<String>,
    /// Whether it is binary.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) binary: bool,
    /// Added lines.
    pub(super) additions: usize,
    /// Removed lines.
    pub(super) deletions: usize,
    /// The hunks.
    pub(super) hunks: Vec<HunkOutput>,
}

/// A hunk.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct HunkOutput {
    /// First old line, 1-based.
    pub(super) old_start: u32,
    /// Number of old lines.
    pub(super) old_lines: u32,
    /// First new line, 1-based.
    pub(super) new_start: u32,
    /// Number of new lines.
    pub(super) new_lines: u32,
    /// Its header line in `diff`.
    pub(super) header: String,
    /// Its lines, with `lines: true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) lines: Option<Vec<LineOutput>>,
}

/// A line of a hunk.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct LineOutput {
    /// ` `, `+` or `-`.
    origin: char,
    /// Its old line number.
    #[serde(skip_serializing_if = "Option::is_none")]
    old_line: Option<u32>,
    /// Its new line number.
    #[serde(skip_serializing_if = "Option::is_none")]
    new_line: Option<u32>,
    /// Its text, without line ending.
    text: String,
    /// Changed ranges in `text`, in bytes: start and end.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    changed: Vec<[usize; 2]>,
}

impl FileDiffOutput {
    pub(super) fn from_diff(layout: &RepoLayout, file: &FileDiff, with_lines: bool) -> Self {
        let mode = |mode: u32| (mode != 0).then(|| format!("{mode:06o}"));
        Self {
            entry: FileChangeOutput::from_change(layout, &file.changed),
            old_mode: mode(file.modes.0),
            new_mode: mode(file.modes.1),
            binary: file.is_binary,
            additions: file.lines.0,
            deletions: file.lines.1,
            hunks: file.hunks.iter().map(|hunk| HunkOutput::from_hunk(hunk, with_lines)).collect(),
        }
    }
}

impl HunkOutput {
    pub(super) fn from_hunk(hunk: &git::Hunk, with_lines: bool) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end_matches('\n').to_owned();
        let line = |line: &git::DiffLine| {
            let shown = text(&line.content);
            // Byte offsets hold only if no invalid byte was replaced.
            let is_exact = line.content.starts_with(shown.as_bytes());
            let spans = line.changed.iter().map(|span| [span.start, span.end.min(shown.len())]);
            LineOutput {
                origin: line.origin,
                old_line: line.old,
                new_line: line.new,
                changed: if is_exact {
                    spans.filter(|[start, end]| start < end).collect()
                } else {
                    Vec::new()
                },
                text: shown,
            }
        };
        Self {
            old_start: hunk.old.0,
            old_lines: hunk.old.1,
            new_start: hunk.new.0,
            new_lines: hunk.new.1,
            header: text(&hunk.header),
            lines: with_lines.then(|| hunk.lines.iter().map(line).collect()),
        }
    }
}

/// A commit's id as lines show it.
pub(super) fn short_id(id: &str) -> &str {
    id.get(..10).unwrap_or(id)
}
