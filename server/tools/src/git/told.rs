//! Commits, times and files as results show them.

use git::{Changed, CommitInfo, FileDiff, Layout};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::place::{raw, shown};

/// A time as results show it.
pub(super) fn time(seconds: i64) -> String {
    Timestamp::from_second(seconds).unwrap_or_default().to_string()
}

/// Longest message of a commit that is shown, in bytes.
const LONGEST_MESSAGE: usize = 8_000;

pub(super) fn message(message: &str) -> String {
    let end = message.floor_char_boundary(LONGEST_MESSAGE.min(message.len()));
    message[..end].trim_end().to_owned()
}

/// A commit.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Commit {
    /// Its whole name.
    pub(super) commit: String,
    /// Who wrote it.
    pub(super) author: String,
    /// Their address.
    pub(super) email: String,
    /// When it was written, in UTC.
    pub(super) timestamp: String,
    /// Its message.
    pub(super) message: String,
    /// The first line of its message.
    pub(super) subject: String,
    /// Its parents' names, the first one being what it was made on.
    pub(super) parents: Vec<String>,
    /// Who committed it, where that is somebody else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) committer: Option<String>,
    /// When it was committed, in UTC.
    pub(super) committed: String,
}

impl Commit {
    pub(super) fn of(info: &CommitInfo) -> Self {
        let (author, committer) = (&info.author, &info.committer);
        let other = (&author.name, &author.email) != (&committer.name, &committer.email);
        Self {
            commit: info.id.to_string(),
            author: author.name.clone(),
            email: author.email.clone(),
            timestamp: time(author.seconds),
            message: message(&info.message),
            subject: info.message.trim_start().lines().next().unwrap_or_default().to_owned(),
            parents: info.parents.iter().map(ToString::to_string).collect(),
            committer: other.then(|| format!("{} <{}>", committer.name, committer.email)),
            committed: time(committer.seconds),
        }
    }
}

/// A file that differs.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Entry {
    /// Its path, relative to the workspace.
    pub(super) path: String,
    /// The path between quotes, where it is no text: it can be given so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) raw: Option<String>,
    /// `added`, `modified`, `deleted`, `renamed`, `type_changed`, …
    pub(super) status: &'static str,
    /// Its path before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) from: Option<String>,
}

impl Entry {
    pub(super) fn of(layout: &Layout, changed: &Changed) -> Self {
        Self {
            path: shown(layout, &changed.path),
            raw: raw(layout, &changed.path),
            status: changed.kind.as_str(),
            from: changed.from.as_ref().map(|from| shown(layout, from)),
        }
    }
}

/// How a file differs.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct File {
    #[serde(flatten)]
    pub(super) entry: Entry,
    /// Its mode before, as git writes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) old_mode: Option<String>,
    /// Its mode after.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) new_mode: Option<String>,
    /// Whether it is no text.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) binary: bool,
    /// Lines that came.
    pub(super) additions: usize,
    /// Lines that went.
    pub(super) deletions: usize,
    /// The places where it differs.
    pub(super) hunks: Vec<Hunk>,
}

/// A place where a file differs.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Hunk {
    /// Its first line before; lines count from 1.
    pub(super) old_start: u32,
    /// Its lines before.
    pub(super) old_lines: u32,
    /// Its first line after.
    pub(super) new_start: u32,
    /// Its lines after.
    pub(super) new_lines: u32,
    /// The line that begins it in `diff`.
    pub(super) header: String,
    /// Its lines, with `lines: true`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) lines: Option<Vec<Line>>,
}

/// A line of a hunk.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Line {
    /// ` `, `+` or `-`.
    origin: char,
    /// Its number before.
    #[serde(skip_serializing_if = "Option::is_none")]
    old_line: Option<u32>,
    /// Its number after.
    #[serde(skip_serializing_if = "Option::is_none")]
    new_line: Option<u32>,
    /// Its text, without its end.
    text: String,
    /// What of it changed: the first byte of `text` and the one after the last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    changed: Vec<[usize; 2]>,
}

impl File {
    pub(super) fn of(layout: &Layout, file: &FileDiff, with_lines: bool) -> Self {
        let mode = |mode: u32| (mode != 0).then(|| format!("{mode:06o}"));
        Self {
            entry: Entry::of(layout, &file.changed),
            old_mode: mode(file.modes.0),
            new_mode: mode(file.modes.1),
            binary: file.is_binary,
            additions: file.lines.0,
            deletions: file.lines.1,
            hunks: file.hunks.iter().map(|hunk| Hunk::of(hunk, with_lines)).collect(),
        }
    }
}

impl Hunk {
    pub(super) fn of(hunk: &git::Hunk, with_lines: bool) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end_matches('\n').to_owned();
        let line = |line: &git::Line| {
            let shown = text(&line.content);
            // Bytes that are no text are replaced by longer ones.
            let is_exact = line.content.starts_with(shown.as_bytes());
            let spans = line.changed.iter().map(|span| [span.start, span.end.min(shown.len())]);
            Line {
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
