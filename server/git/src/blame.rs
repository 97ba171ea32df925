//! `git blame`: which commit each line of a file comes from.
//!
//! After git's algorithm: from the newest commit on, each commit passes the lines that it shares
//! with a parent to that parent, along the diff between the two, and is blamed for the rest.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::rc::Rc;

use git2::{Blob, Commit, Oid, Patch};
use rustc_hash::{FxHashMap, FxHashSet};

use workspace::CallBudget;

use crate::commits::CommitInfo;
use crate::limits::MAX_BLAME_TEXTS;
use crate::patch::diff_options;
use crate::similarity::match_lines;
use crate::{GitError, Repo, RepoPath};

/// What to blame, and how.
#[derive(Debug, Clone, Default)]
pub struct BlameOptions<'a> {
    /// The file.
    pub path: RepoPath,
    /// The commit to start from; HEAD by default.
    pub at: Option<Oid>,
    /// The work tree's text, as git would store it; lines that differ from the commit have no
    /// commit.
    pub text: Option<&'a [u8]>,
    /// Only these lines, from 1, inclusive; all if empty.
    pub ranges: Vec<(usize, usize)>,
    /// Commits to look through (`--ignore-rev`): their lines go to similar lines of their parents.
    pub ignored: FxHashSet<Oid>,
    /// Whether lines moved within the file keep their commit (`-M`).
    pub moved: bool,
    /// Whether to ignore whitespace changes.
    pub ignore_whitespace: bool,
}

/// Consecutive lines that come from one commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlameHunk {
    /// The first line, from 1.
    pub line: usize,
    /// How many lines.
    pub count: usize,
    /// The commit; `None` for uncommitted lines.
    pub commit: Option<Oid>,
    /// The first line in that commit.
    pub original_line: usize,
    /// The file's path in that commit.
    pub path: RepoPath,
    /// Whether the commit is one of the ignored, but no earlier line resembles these.
    pub is_ignored: bool,
    /// Whether it is a root commit.
    pub is_boundary: bool,
}

/// The commits that a file's lines come from.
#[derive(Debug, Clone, Default)]
pub struct Blame {
    /// Runs of lines, in order.
    pub hunks: Vec<BlameHunk>,
    /// The metadata of those commits.
    pub commits: FxHashMap<Oid, CommitInfo>,
    /// The blamed text.
    pub text: Vec<u8>,
}

/// Lines of the blamed file, and their position in a suspect's version. Both from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct LineRun {
    line: usize,
    suspect_line: usize,
    count: usize,
}

/// A changed run of lines between a parent's (`old`) and a suspect's version (`new`): start and
/// count, from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Chunk {
    pub(crate) old: (usize, usize),
    pub(crate) new: (usize, usize),
}

/// Runs of lines that a parent has too, and the rest.
type Split = (Vec<LineRun>, Vec<LineRun>);

/// Equal lines kept around the changes when two texts are trimmed.
const CONTEXT_LINES: usize = 200;
/// Minimal letters and digits of a moved run of lines, as in git.
const MIN_MOVED_LETTERS: usize = 20;

struct BlameWalk<'r> {
    repo: &'r Repo,
    options: &'r BlameOptions<'r>,
    budget: &'r CallBudget<'r>,
    /// Newest first; commits of the same second in the order in which they were queued.
    queue: BinaryHeap<(i64, Reverse<usize>, Oid, RepoPath)>,
    runs: FxHashMap<(Oid, RepoPath), Vec<LineRun>>,
    order: usize,
    done: Vec<BlameHunk>,
    /// Recently read versions: a parent's version is soon the suspect's.
    texts: VecDeque<(Oid, Rc<Blob<'r>>)>,
}

impl Repo {
    /// The commits that the lines of a file come from.
    ///
    /// # Errors
    /// When there is no such file, or history cannot be read.
    pub fn blame(
        &self,
        options: &BlameOptions<'_>,
        budget: &CallBudget<'_>,
    ) -> Result<Blame, GitError> {
        let head = match options.at {
            Some(id) => Some(id),
            None => self.head()?.commit,
        };
        let head = head.map(|id| self.git.find_commit(id)).transpose()?;
        let path = &options.path;
        let committed = match &head {
            Some(head) => self.blob_at(head, path)?,
            None => None,
        };
        let no_file =
            || GitError::NotFound { what: format!("{}: no such file", path.to_string_lossy()) };
        let text = match options.text {
            Some(text) => text.to_vec(),
            None => {
                let id = committed.ok_or_else(no_file)?;
                self.find_blob(id)?.content().to_vec()
            }
        };
        let mut walk = BlameWalk {
            repo: self,
            options,
            budget,
            queue: BinaryHeap::new(),
            runs: FxHashMap::default(),
            order: 0,
            done: Vec::new(),
            texts: VecDeque::new(),
        };
        let runs = requested_runs(options, count_lines(&text))?;
        match (options.text, &head) {
            (None, Some(head)) => walk.add_suspect(head, path, runs),
            (None, None) => return Err(no_file()),
            (Some(_), head) => walk.start_in_work_tree(head.as_ref(), committed, &text, runs)?,
        }
        walk.run()?;
        let mut lines = walk.done;
        lines.sort_by_key(|blamed| blamed.line);
        let mut blame = Blame { hunks: merge_adjacent(lines), commits: FxHashMap::default(), text };
        for id in blame.hunks.iter().filter_map(|blamed| blamed.commit) {
            if let std::collections::hash_map::Entry::Vacant(vacant) = blame.commits.entry(id) {
                vacant.insert(self.commit_info(id)?);
            }
        }
        Ok(blame)
    }

    /// The blob that a commit has at a path; `None` if there is no file.
    fn blob_at(&self, commit: &Commit<'_>, path: &RepoPath) -> Result<Option<Oid>, GitError> {
        let entry = self.entry(commit, path)?;
        let is_file = |mode: i32| matches!(mode, 0o100_644 | 0o100_755 | 0o100_664 | 0o120_000);
        Ok(entry.filter(|(_, mode)| is_file(*mode)).map(|(id, _)| id))
    }
}

impl<'r> BlameWalk<'r> {
    fn text(&mut self, id: Oid) -> Result<Rc<Blob<'r>>, GitError> {
        if let Some((_, text)) = self.texts.iter().find(|(known, _)| *known == id) {
            return Ok(text.clone());
        }
        let text = Rc::new(self.repo.find_blob(id)?);
        self.texts.truncate(MAX_BLAME_TEXTS - 1);
        self.texts.push_front((id, text.clone()));
        Ok(text)
    }

    fn add_suspect(&mut self, commit: &Commit<'_>, path: &RepoPath, runs: Vec<LineRun>) {
        if runs.is_empty() {
            return;
        }
        let known = self.runs.entry((commit.id(), path.clone())).or_default();
        if known.is_empty() {
            let order = Reverse(self.order);
            self.queue.push((commit.time().seconds(), order, commit.id(), path.clone()));
            self.order += 1;
        }
        known.extend(runs);
    }

    fn start_in_work_tree(
        &mut self,
        head: Option<&Commit<'_>>,
        committed: Option<Oid>,
        text: &[u8],
        runs: Vec<LineRun>,
    ) -> Result<(), GitError> {
        let path = &self.options.path;
        let mut rest = runs;
        if let Some(head) = head {
            // The index may know that the file was renamed since the last commit.
            let (path, committed) = match committed {
                Some(id) => (path.clone(), Some(id)),
                None => match self.repo.staged_rename_from(path, self.budget)? {
                    Some(from) => {
                        let id = self.repo.blob_at(head, &from)?;
                        (from, id)
                    }
                    None => (path.clone(), None),
                },
            };
            if let Some(id) = committed {
                let blob = self.text(id)?;
                let chunks = self.chunks(blob.content(), text)?;
                let (inherited, kept) = split_by_chunks(&rest, &chunks);
                self.add_suspect(head, &path, inherited);
                rest = kept;
            }
        }
        for run in rest {
            self.done.push(BlameHunk {
                line: run.line + 1,
                count: run.count,
                commit: None,
                original_line: run.suspect_line + 1,
                path: path.clone(),
                is_ignored: false,
                is_boundary: false,
            });
        }
        Ok(())
    }

    fn run(&mut self) -> Result<(), GitError> {
        while let Some((_, _, id, path)) = self.queue.pop() {
            self.budget.check()?;
            let Some(mut runs) = self.runs.remove(&(id, path.clone())) else { continue };
            runs.sort_by_key(|run| run.suspect_line);
            let commit = self.repo.git.find_commit(id)?;
            let Some(own) = self.repo.blob_at(&commit, &path)? else { continue };
            let rest = self.pass_to_parents(&commit, &path, own, runs)?;
            let is_ignored = self.options.ignored.contains(&id);
            for run in rest {
                self.done.push(BlameHunk {
                    line: run.line + 1,
                    count: run.count,
                    commit: Some(id),
                    original_line: run.suspect_line + 1,
                    path: path.clone(),
                    is_ignored,
                    is_boundary: commit.parent_count() == 0,
                });
            }
        }
        Ok(())
    }

    /// Passes lines to the parents that have them; returns the rest.
    fn pass_to_parents(
        &mut self,
        commit: &Commit<'_>,
        path: &RepoPath,
        own: Oid,
        runs: Vec<LineRun>,
    ) -> Result<Vec<LineRun>, GitError> {
        let mut parents = Vec::new();
        for parent in commit.parents() {
            if let Some(id) = self.repo.blob_at(&parent, path)? {
                if id == own {
                    self.add_suspect(&parent, path, runs);
                    return Ok(Vec::new());
                }
                parents.push((parent, path.clone(), id));
            } else if let Some(from) = self.repo.renamed_from(&parent, commit, path, self.budget)?
                && let Some(id) = self.repo.blob_at(&parent, &from)?
            {
                if id == own {
                    self.add_suspect(&parent, &from, runs);
                    return Ok(Vec::new());
                }
                parents.push((parent, from, id));
            }
        }
        if parents.is_empty() {
            return Ok(runs);
        }
        let text = self.text(own)?;
        let mut rest = runs;
        for (parent, path, id) in &parents {
            let old = self.text(*id)?;
            let chunks = self.chunks(old.content(), text.content())?;
            let (inherited, kept) = split_by_chunks(&rest, &chunks);
            self.add_suspect(parent, path, inherited);
            rest = kept;
            if self.options.ignored.contains(&commit.id()) {
                let (similar, kept) =
                    split_by_similarity(&rest, &chunks, old.content(), text.content());
                self.add_suspect(parent, path, similar);
                rest = kept;
            }
        }
        if self.options.moved {
            for (parent, path, id) in &parents {
                let old = self.text(*id)?;
                let (moved, kept) = self.find_moved(&rest, old.content(), text.content())?;
                self.add_suspect(parent, path, moved);
                rest = kept;
            }
        }
        Ok(rest)
    }

    /// The changes between two versions.
    fn chunks(&self, old: &[u8], new: &[u8]) -> Result<Vec<Chunk>, GitError> {
        let mut git_options = diff_options(0);
        git_options
            .ignore_whitespace(self.options.ignore_whitespace)
            .force_text(true)
            .interhunk_lines(0);
        let (skipped, old, new) = trim_common(old, new);
        let patch = Patch::from_buffers(old, None, new, None, Some(&mut git_options))?;
        let mut chunks = Vec::with_capacity(patch.num_hunks());
        for number in 0..patch.num_hunks() {
            let (hunk, _) = patch.hunk(number)?;
            // A hunk without lines on one side names the line before it.
            let span = |start: u32, count: u32| {
                let start = if count == 0 { start } else { start.saturating_sub(1) };
                (start as usize, count as usize)
            };
            chunks.push(Chunk {
                old: shift(span(hunk.old_start(), hunk.old_lines()), skipped),
                new: shift(span(hunk.new_start(), hunk.new_lines()), skipped),
            });
        }
        Ok(chunks)
    }

    /// Finds lines that stand elsewhere in the parent's version, longest runs first.
    fn find_moved(&self, runs: &[LineRun], old: &[u8], new: &[u8]) -> Result<Split, GitError> {
        let lines: Vec<&[u8]> = new.split_inclusive(|byte| *byte == b'\n').collect();
        let letters = |lines: &[&[u8]]| {
            lines.iter().flat_map(|line| line.iter()).filter(|b| b.is_ascii_alphanumeric()).count()
        };
        let mut pending = runs.to_vec();
        let (mut moved, mut kept) = (Vec::new(), Vec::new());
        while let Some(run) = pending.pop() {
            let own = lines.get(run.suspect_line..run.suspect_line + run.count).unwrap_or_default();
            if letters(own) < MIN_MOVED_LETTERS {
                kept.push(run);
                continue;
            }
            let chunks = self.chunks(old, &own.concat())?;
            let whole = [LineRun { line: 0, suspect_line: 0, count: run.count }];
            let (same, _) = split_by_chunks(&whole, &chunks);
            // Here `line` is the position in this run, `suspect_line` the position in the parent's
            // version.
            let best = same
                .into_iter()
                .max_by_key(|same| letters(&own[same.line..same.line + same.count]));
            match best {
                Some(same)
                    if letters(&own[same.line..same.line + same.count]) >= MIN_MOVED_LETTERS =>
                {
                    moved.push(LineRun {
                        line: run.line + same.line,
                        suspect_line: same.suspect_line,
                        count: same.count,
                    });
                    let end = same.line + same.count;
                    let around = [(0, same.line), (end, run.count - end)];
                    pending.extend(around.into_iter().filter(|(_, count)| *count > 0).map(
                        |(at, count)| LineRun {
                            line: run.line + at,
                            suspect_line: run.suspect_line + at,
                            count,
                        },
                    ));
                }
                _ => kept.push(run),
            }
        }
        kept.sort_by_key(|run| run.suspect_line);
        Ok((moved, kept))
    }
}

impl Repo {
    /// The path in the last commit of a file that the index has renamed.
    fn staged_rename_from(
        &self,
        path: &RepoPath,
        budget: &CallBudget<'_>,
    ) -> Result<Option<RepoPath>, GitError> {
        let head = self.head_tree()?;
        let mut git_options = diff_options(0);
        self.check_tree(head.as_ref(), budget)?;
        let mut diff = self.git.diff_tree_to_index(head.as_ref(), None, Some(&mut git_options))?;
        diff.find_similar(Some(&mut crate::diff::rename_options()))?;
        let found = diff.deltas().find(|delta| {
            delta.status() == git2::Delta::Renamed
                && delta.new_file().path_bytes() == Some(path.as_bytes())
        });
        Ok(found.and_then(|delta| delta.old_file().path_bytes().map(RepoPath::new)))
    }
}

fn shift((start, count): (usize, usize), by: usize) -> (usize, usize) {
    (start + by, count)
}

/// Bytes compared at a time: comparing slices is a `memcmp`.
const BLOCK: usize = 1 << 10;

fn same_at_start(one: &[u8], other: &[u8]) -> usize {
    let blocks = one.chunks(BLOCK).zip(other.chunks(BLOCK)).take_while(|(a, b)| a == b);
    let at = (BLOCK * blocks.count()).min(one.len()).min(other.len());
    at + one[at..].iter().zip(&other[at..]).take_while(|(a, b)| a == b).count()
}

fn same_at_end(one: &[u8], other: &[u8]) -> usize {
    let blocks = one.rchunks(BLOCK).zip(other.rchunks(BLOCK)).take_while(|(a, b)| a == b);
    let at = (BLOCK * blocks.count()).min(one.len()).min(other.len());
    let (one, other) = (&one[..one.len() - at], &other[..other.len() - at]);
    at + one.iter().rev().zip(other.iter().rev()).take_while(|(a, b)| a == b).count()
}

/// Cuts most of the common first and last lines off two texts; also returns the number of lines cut
/// at the start. [`CONTEXT_LINES`] remain: a change that fits several places then lands where git
/// puts it.
fn trim_common<'t>(old: &'t [u8], new: &'t [u8]) -> (usize, &'t [u8], &'t [u8]) {
    let same = same_at_start(old, new);
    let line_ends = |text: &[u8], n: usize| {
        text.iter().enumerate().rev().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at).nth(n)
    };
    let start = line_ends(&old[..same], CONTEXT_LINES).map_or(0, |at| at + 1);
    let (old, new, head) = (&old[start..], &new[start..], &old[..start]);
    let same = same_at_end(old, new);
    let tail = &old[old.len() - same..];
    let mut ends = tail.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at);
    let end = ends.nth(CONTEXT_LINES).map_or(0, |at| tail.len() - at - 1);
    (count_lines(head), &old[..old.len() - end], &new[..new.len() - end])
}

fn count_lines(text: &[u8]) -> usize {
    text.split_inclusive(|byte| *byte == b'\n').count()
}

/// The requested lines, sorted and without overlaps.
fn requested_runs(options: &BlameOptions<'_>, lines: usize) -> Result<Vec<LineRun>, GitError> {
    if options.ranges.is_empty() {
        let all = LineRun { line: 0, suspect_line: 0, count: lines };
        return Ok(if lines == 0 { Vec::new() } else { vec![all] });
    }
    let mut ranges = options.ranges.clone();
    ranges.sort_unstable();
    let mut runs: Vec<LineRun> = Vec::new();
    for (first, last) in ranges {
        if first == 0 || first > last || first > lines {
            let what = format!("lines {first} to {last}: the file has {lines}");
            return Err(GitError::Invalid { what });
        }
        let from = runs.last().map_or(0, |run| run.line + run.count).max(first - 1);
        let to = last.min(lines);
        if from < to {
            runs.push(LineRun { line: from, suspect_line: from, count: to - from });
        }
    }
    Ok(runs)
}

/// Splits runs into lines that the parent has too, with their position there, and the rest. Both
/// sorted.
fn split_by_chunks(runs: &[LineRun], chunks: &[Chunk]) -> Split {
    let (mut inherited, mut kept) = (Vec::new(), Vec::new());
    for run in runs {
        let (mut at, end) = (run.suspect_line, run.suspect_line + run.count);
        let line = |suspect_line: usize| run.line + (suspect_line - run.suspect_line);
        let mut number = chunks.partition_point(|chunk| chunk.new.0 + chunk.new.1 <= at);
        while at < end {
            let chunk = chunks.get(number);
            let next = chunk.map_or(end, |chunk| chunk.new.0.clamp(at, end));
            if at < next {
                // Between chunks both versions are equal: count from the end of the previous one.
                let previous = number.checked_sub(1).and_then(|number| chunks.get(number));
                let suspect_line = match previous {
                    Some(previous) => {
                        previous.old.0 + previous.old.1 + (at - previous.new.0 - previous.new.1)
                    }
                    None => at,
                };
                inherited.push(LineRun { line: line(at), suspect_line, count: next - at });
                at = next;
            }
            let Some(chunk) = chunk else { continue };
            let next = (chunk.new.0 + chunk.new.1).clamp(at, end);
            if at < next {
                kept.push(LineRun { line: line(at), suspect_line: at, count: next - at });
                at = next;
            }
            number += 1;
        }
    }
    (inherited, kept)
}

/// Splits an ignored commit's runs into lines that resemble a line of the parent, and the rest.
fn split_by_similarity(runs: &[LineRun], chunks: &[Chunk], old: &[u8], new: &[u8]) -> Split {
    fn lines(text: &[u8]) -> Vec<&[u8]> {
        text.split_inclusive(|byte| *byte == b'\n').collect()
    }
    let (old, new) = (lines(old), lines(new));
    let (mut inherited, mut kept) = (Vec::new(), Vec::new());
    for run in runs {
        let at = chunks.partition_point(|chunk| chunk.new.0 + chunk.new.1 <= run.suspect_line);
        let counterparts = chunks.get(at).map(|chunk| {
            let old_lines = &old[chunk.old.0..(chunk.old.0 + chunk.old.1).min(old.len())];
            let new_lines = &new[chunk.new.0..(chunk.new.0 + chunk.new.1).min(new.len())];
            (chunk, match_lines(old_lines, new_lines))
        });
        for offset in 0..run.count {
            let (line, suspect_line) = (run.line + offset, run.suspect_line + offset);
            let found = counterparts.as_ref().and_then(|(chunk, matches)| {
                let position = suspect_line.checked_sub(chunk.new.0)?;
                Some(chunk.old.0 + matches.get(position).copied().flatten()?)
            });
            match found {
                Some(suspect_line) => inherited.push(LineRun { line, suspect_line, count: 1 }),
                None => kept.push(LineRun { line, suspect_line, count: 1 }),
            }
        }
    }
    (inherited, kept)
}

/// Merges adjacent runs of the same commit.
fn merge_adjacent(lines: Vec<BlameHunk>) -> Vec<BlameHunk> {
    let mut merged: Vec<BlameHunk> = Vec::new();
    for blamed in lines {
        match merged.last_mut() {
            Some(last)
                if last.line + last.count == blamed.line
                    && last.original_line + last.count == blamed.original_line
                    && (last.commit, &last.path) == (blamed.commit, &blamed.path) =>
            {
                last.count += blamed.count;
            }
            _ => merged.push(blamed),
        }
    }
    merged
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_first_and_last_lines_are_cut() {
        let text = |changed: usize| -> Vec<u8> {
            let line =
                |n: usize| if n == changed { "other\n".to_owned() } else { format!("{n}\n") };
            (0..3_000).map(line).collect::<String>().into_bytes()
        };
        let (one, other) = (text(3_001), text(1_500));
        let (skipped, old, new) = trim_common(&one, &other);
        assert_eq!(skipped, 1_300);
        assert!(old.starts_with(format!("{skipped}\n").as_bytes()));
        assert_eq!((count_lines(old), count_lines(new)), (401, 401));
        assert_eq!(trim_common(&one, &one).1, trim_common(&one, &one).2);
        for (a, b) in [(&b""[..], &b"a\n"[..]), (b"a", b"a"), (b"a\nb", b"a\nb\n")] {
            assert_eq!(trim_common(a, b), (0, a, b));
        }
    }

    #[test]
    fn runs_are_split_along_the_changes() {
        let chunk = |old, new| Chunk { old, new };
        // Two lines new at 2; one of three changed to one at 6.
        let chunks = [chunk((2, 0), (2, 2)), chunk((4, 3), (6, 1))];
        let run = |line, suspect_line, count| LineRun { line, suspect_line, count };
        assert_eq!(
            split_by_chunks(&[run(0, 0, 10)], &chunks),
            (vec![run(0, 0, 2), run(4, 2, 2), run(7, 7, 3)], vec![run(2, 2, 2), run(6, 6, 1)])
        );
        assert_eq!(
            split_by_chunks(&[run(13, 3, 2), run(17, 7, 1)], &chunks),
            (vec![run(14, 2, 1), run(17, 7, 1)], vec![run(13, 3, 1)])
        );
        assert_eq!(split_by_chunks(&[run(5, 5, 1)], &[]), (vec![run(5, 5, 1)], vec![]));
    }
}
