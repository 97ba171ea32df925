//! Where a document differs from what its repository keeps of it.

use std::ops::RangeInclusive;
use std::sync::Arc;

use git::{GitError, LineChange, line_after, line_before};
use serde::Serialize;
use text::Text;
use tower_lsp_server::ls_types::{Position, Range};
use workspace::{Document, Snapshot};

use super::tracked::{Tracked, tracked};
use crate::convert::position_to_lsp;
use crate::session::Session;

/// Most hunks of one document that are told.
const MOST: usize = 5_000;

/// A document's hunks, as the client is told.
#[derive(Debug, Clone, Hash, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Hunks {
    pub(crate) uri: String,
    pub(crate) version: i32,
    /// Whether the index has the file.
    pub(crate) tracked: bool,
    /// Whether a merge has left it open.
    pub(crate) conflicted: bool,
    /// The state that the hunks are of, as the tools take it.
    pub(crate) state: String,
    /// Where the text differs from the index.
    pub(crate) hunks: Vec<Hunk>,
    /// Where the index differs from the last commit.
    pub(crate) staged: Vec<Hunk>,
    /// Whether there are more.
    pub(crate) truncated: bool,
}

/// One place that differs. Its lines count from 1, as the tools have them: `git_stage` takes those
/// of one that is not staged, `git_unstage` those of one that is.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub(crate) struct Hunk {
    pub(crate) kind: Kind,
    /// Its lines in the document, from the beginning of the first to that of the one behind them.
    #[serde(serialize_with = "range")]
    pub(crate) range: (u32, u32),
    pub(crate) old_start: usize,
    pub(crate) old_lines: usize,
    pub(crate) new_start: usize,
    pub(crate) new_lines: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Kind {
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
    pub(crate) fn of(change: &LineChange, lines: (u32, u32)) -> Self {
        let kind = match (change.old.is_empty(), change.new.is_empty()) {
            (true, _) => Kind::Added,
            (_, true) => Kind::Removed,
            _ => Kind::Changed,
        };
        // Of no lines, the line before is named.
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

    /// Whether one of these lines of the document is the hunk's; where its lines went, those on
    /// both sides are.
    pub(crate) fn touches(&self, first: u32, last: u32) -> bool {
        let (start, end) = self.range;
        match start == end {
            true => first <= start && start <= last.saturating_add(1),
            false => first < end && start <= last,
        }
    }
}

/// A document beside what its repository keeps of it.
pub(crate) struct Compared {
    pub(crate) tracked: Arc<Tracked>,
    /// The state that all this is of.
    pub(crate) state: String,
    /// Where the document, as git would keep it, differs from the index.
    pub(crate) unstaged: Vec<LineChange>,
    /// Where the lines of that begin in the document.
    pub(crate) lines: Lines,
}

/// Where the lines of a text begin as git counts them, which knows of no other end than LF.
pub(crate) struct Lines(Vec<usize>);

impl Lines {
    pub(crate) fn of(text: &Text) -> Self {
        let mut starts = vec![0];
        let mut before = 0;
        for chunk in text.chunks() {
            let ends = chunk.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
            starts.extend(ends.map(|(at, _)| before + at + 1));
            before += chunk.len();
        }
        // A last line of nothing is none.
        if starts.last() == Some(&before) {
            starts.pop();
        }
        starts.push(before);
        Self(starts)
    }

    /// Where a line begins; the end of the text behind the last one.
    pub(crate) fn start(&self, line: usize) -> usize {
        self.0.get(line).or(self.0.last()).copied().unwrap_or_default()
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.0.len() - 1
    }

    /// The line, as git counts, that holds a place.
    pub(crate) fn line_of(&self, offset: usize) -> usize {
        self.0.partition_point(|start| *start <= offset).saturating_sub(1)
    }
}

/// Compares a document with what its repository keeps of it; `None` without a repository.
///
/// # Errors
/// When the repository cannot be read.
pub(crate) fn compare(
    session: &Session,
    snapshot: &Snapshot,
    document: &Document,
) -> Result<Option<Compared>, GitError> {
    let Some((file, bytes)) = snapshot.bytes_to_save(document) else { return Ok(None) };
    let Some(tracked) = tracked(session, snapshot, document, &file)? else { return Ok(None) };
    let text = tracked.kept.as_kept(&bytes);
    let unstaged = tracked.kept.unstaged(&text).unwrap_or_default();
    let lines = Lines::of(document.text());
    let state = tracked.kept.state(&text);
    Ok(Some(Compared { tracked, state, unstaged, lines }))
}

impl Compared {
    /// What is not staged.
    pub(crate) fn hunks(&self, document: &Document) -> Vec<Hunk> {
        let hunk = |change: &LineChange| {
            let lines = (change.new.start, change.new.end);
            Hunk::of(change, self.place(document, lines))
        };
        self.unstaged.iter().map(hunk).collect()
    }

    /// The part of a change that is not staged whose lines are selected in the document; `None`
    /// where those are all of it, or none.
    pub(crate) fn part(
        &self,
        document: &Document,
        change: &LineChange,
        selected: &RangeInclusive<u32>,
    ) -> Option<LineChange> {
        part(change, |line| selected.contains(&self.place(document, (line, line)).0))
    }

    /// As [`Compared::part`], of a change that is staged.
    pub(crate) fn staged_part(
        &self,
        document: &Document,
        change: &LineChange,
        selected: &RangeInclusive<u32>,
    ) -> Option<LineChange> {
        part(change, |line| {
            let here = line_after(&self.unstaged, line);
            // What has gone since, or been changed, stands nowhere.
            line_before(&self.unstaged, here) == Some(line)
                && selected.contains(&self.place(document, (here, here)).0)
        })
    }

    /// What is staged, as the index has it, and where it stands in the document.
    pub(crate) fn staged(&self, document: &Document) -> Vec<(LineChange, Hunk)> {
        let staged = self.tracked.kept.staged().unwrap_or_default();
        let hunk = |change: LineChange| {
            let after = |line| line_after(&self.unstaged, line);
            let start = after(change.new.start);
            let end = match change.new.is_empty() {
                true => start,
                false => after(change.new.end - 1) + 1,
            };
            let hunk = Hunk::of(&change, self.place(document, (start, end.max(start))));
            (change, hunk)
        };
        staged.into_iter().map(hunk).collect()
    }

    /// Lines of the document as the client counts them.
    fn place(&self, document: &Document, (start, end): (usize, usize)) -> (u32, u32) {
        let text = document.text();
        let line = |line: usize| {
            let offset = self.lines.start(line);
            let at = position_to_lsp(text.position(offset, text::PositionEncoding::Utf8)).line;
            // Behind a last line without an end there is another one, as ranges go.
            match line >= self.lines.count() && !text.is_empty() && !ends_line(text) {
                true => at + 1,
                false => at,
            }
        };
        (line(start), line(end))
    }
}

/// The part of a change whose lines, of those that came, are selected: with each goes the one that
/// went in its place, and with the last one what else went.
fn part(change: &LineChange, is_selected: impl Fn(usize) -> bool) -> Option<LineChange> {
    let mut selected = change.new.clone().filter(|line| is_selected(*line));
    let first = selected.next()?;
    let new = first..selected.last().unwrap_or(first) + 1;
    if new == change.new {
        return None;
    }
    let went = |line: usize| match line == change.new.end {
        true => change.old.end,
        false => (change.old.start + line - change.new.start).min(change.old.end),
    };
    Some(LineChange { old: went(new.start)..went(new.end), new })
}

fn ends_line(text: &Text) -> bool {
    text.slice(text.len() - 1..text.len()).ends_with('\n')
}

/// A document's hunks; `None` where it lies in no repository.
///
/// # Errors
/// When the repository cannot be read.
pub(crate) fn of(
    session: &Session,
    snapshot: &Snapshot,
    document: &Document,
) -> Result<Option<Hunks>, GitError> {
    let Some(compared) = compare(session, snapshot, document)? else { return Ok(None) };
    let mut hunks = compared.hunks(document);
    let staged = compared.staged(document).into_iter().map(|(_, hunk)| hunk);
    let mut staged: Vec<Hunk> = staged.collect();
    let truncated = hunks.len().max(staged.len()) > MOST;
    hunks.truncate(MOST);
    staged.truncate(MOST);
    Ok(Some(Hunks {
        uri: document.uri().to_string(),
        version: document.version(),
        tracked: compared.tracked.kept.index.is_some(),
        conflicted: compared.tracked.kept.is_conflicted,
        state: compared.state.clone(),
        hunks,
        staged,
        truncated,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_takes_along_what_went_in_its_place() {
        let change = LineChange { old: 10..12, new: 20..24 };
        let part = |first, last| part(&change, |line| (first..=last).contains(&line));
        let found = |old, new| Some(LineChange { old, new });
        assert_eq!(part(20, 20), found(10..11, 20..21));
        assert_eq!(part(21, 22), found(11..12, 21..23));
        assert_eq!(part(22, 30), found(12..12, 22..24));
        assert_eq!((part(20, 23), part(0, 19)), (None, None));
        let change = LineChange { old: 10..14, new: 20..22 };
        let last = super::part(&change, |line| line == 21);
        assert_eq!(last, found(11..14, 21..22));
    }
}
