//! A document's differences from the index, and the index's from the last commit.

use std::ops::RangeInclusive;
use std::sync::Arc;

use git::{GitError, LineChange, line_after, line_before};
use serde::Serialize;
use text::Text;
use tower_lsp_server::ls_types::{Position, Range};
use workspace::{Document, Snapshot};

use super::tracked::{TrackedFile, tracked_file};
use crate::convert::position_to_lsp;
use crate::session::Session;

/// Most hunks that are sent for one document.
const MAX_HUNKS: usize = 5_000;

/// A document's hunks, as sent to the client.
#[derive(Debug, Clone, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Hunks {
    pub(crate) uri: String,
    pub(crate) version: i32,
    /// Whether the file is in the index.
    pub(crate) tracked: bool,
    /// Whether the file has unresolved merge conflicts.
    pub(crate) conflicted: bool,
    /// The state token of the hunks, for the git tools.
    pub(crate) state: String,
    /// Differences between the text and the index.
    pub(crate) hunks: Vec<Hunk>,
    /// Differences between the index and the last commit.
    pub(crate) staged: Vec<Hunk>,
    /// Whether hunks were left out.
    pub(crate) truncated: bool,
}

/// One hunk. Its lines count from 1, as in the tools: `git_stage` takes the lines of an unstaged hunk,
/// `git_unstage` those of a staged one.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub(crate) struct Hunk {
    pub(crate) kind: HunkKind,
    /// Its lines in the document, end exclusive.
    #[serde(serialize_with = "range")]
    pub(crate) range: (u32, u32),
    pub(crate) old_start: usize,
    pub(crate) old_lines: usize,
    pub(crate) new_start: usize,
    pub(crate) new_lines: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum HunkKind {
    Added,
    Changed,
    Removed,
}

fn range<S: serde::Serializer>(
    (start, end): &(u32, u32),
    serializer: S,
) -> Result<S::Ok, S::Error> {
    Range { start: Position::new(*start, 0), end: Position::new(*end, 0) }.serialize(serializer)
}

impl Hunk {
    pub(crate) fn new(change: &LineChange, lines: (u32, u32)) -> Self {
        let kind = match (change.old.is_empty(), change.new.is_empty()) {
            (true, _) => HunkKind::Added,
            (_, true) => HunkKind::Removed,
            _ => HunkKind::Changed,
        };
        // An empty side names the line before it.
        let start = |span: &std::ops::Range<usize>| span.start + usize::from(!span.is_empty());
        Self {
            kind,
            range: lines,
            old_start: start(&change.old),
            old_lines: change.old.len(),
            new_start: start(&change.new),
            new_lines: change.new.len(),
        }
    }

    /// Whether the hunk touches these lines of the document. A deletion touches the lines on both sides.
    pub(crate) fn touches(&self, first: u32, last: u32) -> bool {
        let (start, end) = self.range;
        match start == end {
            true => first <= start && start <= last.saturating_add(1),
            false => first < end && start <= last,
        }
    }
}

/// The differences of a document from the index.
pub(crate) struct DocumentDiff {
    pub(crate) tracked: Arc<TrackedFile>,
    /// The state token, for the git tools.
    pub(crate) state: String,
    /// Differences between the document, as git would store it, and the index.
    pub(crate) unstaged: Vec<LineChange>,
    /// The document's line starts.
    pub(crate) lines: LineStarts,
}

/// Line starts as git counts lines: by LF only.
pub(crate) struct LineStarts(Vec<usize>);

impl LineStarts {
    pub(crate) fn new(text: &Text) -> Self {
        let mut starts = vec![0];
        let mut before = 0;
        for chunk in text.chunks() {
            let ends = chunk.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
            starts.extend(ends.map(|(at, _)| before + at + 1));
            before += chunk.len();
        }
        // An empty last line does not count.
        if starts.last() == Some(&before) {
            starts.pop();
        }
        starts.push(before);
        Self(starts)
    }

    /// The start of a line, or the end of the text after the last one.
    pub(crate) fn start(&self, line: usize) -> usize {
        self.0.get(line).or(self.0.last()).copied().unwrap_or_default()
    }

    /// The number of lines.
    pub(crate) fn count(&self) -> usize {
        self.0.len() - 1
    }

    /// The line that contains an offset.
    pub(crate) fn line_of(&self, offset: usize) -> usize {
        self.0.partition_point(|start| *start <= offset).saturating_sub(1)
    }
}

/// Compares a document with the index. `None` outside of a repository.
///
/// # Errors
/// If the repository cannot be read.
pub(crate) fn diff_with_index(
    session: &Session,
    snapshot: &Snapshot,
    document: &Document,
) -> Result<Option<DocumentDiff>, GitError> {
    let Some((file, bytes)) = snapshot.bytes_to_save(document) else { return Ok(None) };
    let Some(tracked) = tracked_file(session, snapshot, document, &file)? else { return Ok(None) };
    let text = tracked.kept.to_git_bytes(&bytes);
    let unstaged = tracked.kept.unstaged(&text).unwrap_or_default();
    let lines = LineStarts::new(document.text());
    let state = tracked.kept.state_id(&text);
    Ok(Some(DocumentDiff { tracked, state, unstaged, lines }))
}

impl DocumentDiff {
    /// The unstaged hunks.
    pub(crate) fn hunks(&self, document: &Document) -> Vec<Hunk> {
        let hunk = |change: &LineChange| {
            let lines = (change.new.start, change.new.end);
            Hunk::new(change, self.client_lines(document, lines))
        };
        self.unstaged.iter().map(hunk).collect()
    }

    /// The part of an unstaged change that lies in the selected lines. `None` if that is all of it, or
    /// nothing.
    pub(crate) fn partial_change(
        &self,
        document: &Document,
        change: &LineChange,
        selected: &RangeInclusive<u32>,
    ) -> Option<LineChange> {
        partial_change(change, |line| {
            selected.contains(&self.client_lines(document, (line, line)).0)
        })
    }

    /// Like [`DocumentDiff::partial_change`], for a staged change.
    pub(crate) fn partial_staged_change(
        &self,
        document: &Document,
        change: &LineChange,
        selected: &RangeInclusive<u32>,
    ) -> Option<LineChange> {
        partial_change(change, |line| {
            let here = line_after(&self.unstaged, line);
            // A line that was changed or deleted since is not in the document.
            line_before(&self.unstaged, here) == Some(line)
                && selected.contains(&self.client_lines(document, (here, here)).0)
        })
    }

    /// The staged changes, and their hunks in the document.
    pub(crate) fn staged(&self, document: &Document) -> Vec<(LineChange, Hunk)> {
        let staged = self.tracked.kept.staged().unwrap_or_default();
        let hunk = |change: LineChange| {
            // Maps a line of the index to the document, across the unstaged changes.
            let after = |line| line_after(&self.unstaged, line);
            let start = after(change.new.start);
            let end = match change.new.is_empty() {
                true => start,
                false => after(change.new.end - 1) + 1,
            };
            let hunk = Hunk::new(&change, self.client_lines(document, (start, end.max(start))));
            (change, hunk)
        };
        staged.into_iter().map(hunk).collect()
    }

    /// Converts lines counted by git to lines counted by the client.
    fn client_lines(&self, document: &Document, (start, end): (usize, usize)) -> (u32, u32) {
        let text = document.text();
        let line = |line: usize| {
            let offset = self.lines.start(line);
            let at = position_to_lsp(text.position(offset, text::PositionEncoding::Utf8)).line;
            // LSP has one more line after a last line without an ending.
            match line >= self.lines.count() && !text.is_empty() && !ends_line(text) {
                true => at + 1,
                false => at,
            }
        };
        (line(start), line(end))
    }
}

/// The part of a change with the selected new lines. Each takes along the old line that it replaces,
/// and the last new line takes all remaining old ones.
fn partial_change(change: &LineChange, is_selected: impl Fn(usize) -> bool) -> Option<LineChange> {
    let mut selected = change.new.clone().filter(|line| is_selected(*line));
    let first = selected.next()?;
    let new = first..selected.last().unwrap_or(first) + 1;
    if new == change.new {
        return None;
    }
    let old_line = |line: usize| match line == change.new.end {
        true => change.old.end,
        false => (change.old.start + line - change.new.start).min(change.old.end),
    };
    Some(LineChange { old: old_line(new.start)..old_line(new.end), new })
}

fn ends_line(text: &Text) -> bool {
    text.slice(text.len() - 1..text.len()).ends_with('\n')
}

/// A document's hunks. `None` outside of a repository.
///
/// # Errors
/// If the repository cannot be read.
pub(crate) fn document_hunks(
    session: &Session,
    snapshot: &Snapshot,
    document: &Document,
) -> Result<Option<Hunks>, GitError> {
    let Some(diff) = diff_with_index(session, snapshot, document)? else { return Ok(None) };
    let mut hunks = diff.hunks(document);
    let staged = diff.staged(document).into_iter().map(|(_, hunk)| hunk);
    let mut staged: Vec<Hunk> = staged.collect();
    let truncated = hunks.len().max(staged.len()) > MAX_HUNKS;
    hunks.truncate(MAX_HUNKS);
    staged.truncate(MAX_HUNKS);
    Ok(Some(Hunks {
        uri: document.uri().to_string(),
        version: document.version(),
        tracked: diff.tracked.kept.index.is_some(),
        conflicted: diff.tracked.kept.is_conflicted,
        state: diff.state.clone(),
        hunks,
        staged,
        truncated,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_partial_change_takes_along_the_lines_that_it_replaces() {
        let change = LineChange { old: 10..12, new: 20..24 };
        let part = |first, last| partial_change(&change, |line| (first..=last).contains(&line));
        let found = |old, new| Some(LineChange { old, new });
        assert_eq!(part(20, 20), found(10..11, 20..21));
        assert_eq!(part(21, 22), found(11..12, 21..23));
        assert_eq!(part(22, 30), found(12..12, 22..24));
        assert_eq!((part(20, 23), part(0, 19)), (None, None));
        let change = LineChange { old: 10..14, new: 20..22 };
        let last = super::partial_change(&change, |line| line == 21);
        assert_eq!(last, found(11..14, 21..22));
    }
}
