//! Which commit each line of a file comes from.
//!
//! After the algorithm of `git blame`: from the newest commit on, each commit hands the lines that a
//! parent has as well to that parent, along the differences between the two, and keeps the rest.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::rc::Rc;

use git2::{Blob, Commit, Oid, Patch};
use rustc_hash::{FxHashMap, FxHashSet};

use workspace::Budget;

use crate::alike::guess;
use crate::commits::CommitInfo;
use crate::patch::options;
use crate::{GitError, Repo, RepoPath};

/// A blame that is asked for.
#[derive(Debug, Clone, Default)]
pub struct BlameQuestion<'a> {
    /// The file.
    pub path: RepoPath,
    /// The commit in which it is looked at.
    pub at: Option<Oid>,
    /// The text of the work tree, as git would keep it: what differs from the commit is nobody's.
    pub text: Option<&'a [u8]>,
    /// Only these lines, from 1, both ends included; all without any.
    pub ranges: Vec<(usize, usize)>,
    /// Commits that are passed over where their lines have a counterpart before them.
    pub ignored: FxHashSet<Oid>,
    /// Whether lines that moved within the file keep their commit.
    pub moved: bool,
    /// Whether changes of blanks count as none.
    pub ignore_blanks: bool,
}

/// A run of lines from one commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blamed {
    /// The first line, from 1.
    pub line: usize,
    /// How many.
    pub count: usize,
    /// The commit; `None` for what is not committed.
    pub commit: Option<Oid>,
    /// The first line in that commit.
    pub line_there: usize,
    /// The file's path there.
    pub path: RepoPath,
    /// Whether the commit was to be passed over, but the lines have no counterpart before it.
    pub is_ignored: bool,
    /// Whether history ends there.
    pub is_boundary: bool,
}

/// Whom the lines of a file come from.
#[derive(Debug, Clone, Default)]
pub struct Blame {
    /// Runs of lines, in order.
    pub lines: Vec<Blamed>,
    /// The commits that are named.
    pub commits: FxHashMap<Oid, CommitInfo>,
    /// The text that was looked at.
    pub text: Vec<u8>,
}

/// Lines of the file, and where they stand in a suspect's text. From 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Piece {
    line: usize,
    there: usize,
    count: usize,
}

/// A change from a parent's text to a suspect's: lines there, lines here. From 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Chunk {
    pub(crate) old: (usize, usize),
    pub(crate) new: (usize, usize),
}

/// Equal lines that are left around the changes of two texts.
const LEFT_LINES: usize = 200;
/// The letters and digits that a moved run of lines has at least, as with git.
const LEAST_MOVED: usize = 20;

struct Work<'r> {
    repo: &'r Repo,
    question: &'r BlameQuestion<'r>,
    budget: &'r Budget<'r>,
    /// By time, and among equals in the order in which they were met.
    queue: BinaryHeap<(i64, Reverse<usize>, Oid, RepoPath)>,
    pieces: FxHashMap<(Oid, RepoPath), Vec<Piece>>,
    met: usize,
    done: Vec<Blamed>,
    /// The texts that were read last: a parent's is the suspect's soon after.
    texts: VecDeque<(Oid, Rc<Blob<'r>>)>,
}

/// Most texts that are kept.
const KEPT_TEXTS: usize = 4;

impl Repo {
    /// The commits that the lines of a file come from.
    ///
    /// # Errors
    /// When there is no such file, or history cannot be read.
    pub fn blame(
        &self,
        question: &BlameQuestion<'_>,
        budget: &Budget<'_>,
    ) -> Result<Blame, GitError> {
        let head = match question.at {
            Some(id) => Some(id),
            None => self.head()?.commit,
        };
        let head = head.map(|id| self.git.find_commit(id)).transpose()?;
        let path = &question.path;
        let committed = match &head {
            Some(head) => self.blob_at(head, path)?,
            None => None,
        };
        let no_file = || GitError::NotFound { what: format!("{}: no such file", path.shown()) };
        let text = match question.text {
            Some(text) => text.to_vec(),
            None => {
                let id = committed.ok_or_else(no_file)?;
                self.find_blob(id)?.content().to_vec()
            }
        };
        let mut work = Work {
            repo: self,
            question,
            budget,
            queue: BinaryHeap::new(),
            pieces: FxHashMap::default(),
            met: 0,
            done: Vec::new(),
            texts: VecDeque::new(),
        };
        let pieces = asked(question, count_lines(&text))?;
        match (question.text, &head) {
            (None, Some(head)) => work.suspect(head, path, pieces),
            (None, None) => return Err(no_file()),
            (Some(_), head) => work.begin_in_work_tree(head.as_ref(), committed, &text, pieces)?,
        }
        work.run()?;
        let mut lines = work.done;
        lines.sort_by_key(|blamed| blamed.line);
        let mut blame = Blame { lines: joined(lines), commits: FxHashMap::default(), text };
        for id in blame.lines.iter().filter_map(|blamed| blamed.commit) {
            if let std::collections::hash_map::Entry::Vacant(vacant) = blame.commits.entry(id) {
                vacant.insert(self.commit_info(id)?);
            }
        }
        Ok(blame)
    }

    /// The file that a commit has at a path; `None` where it has none, or a folder.
    fn blob_at(&self, commit: &Commit<'_>, path: &RepoPath) -> Result<Option<Oid>, GitError> {
        let entry = self.entry(commit, path)?;
        let is_file = |mode: i32| matches!(mode, 0o100_644 | 0o100_755 | 0o100_664 | 0o120_000);
        Ok(entry.filter(|(_, mode)| is_file(*mode)).map(|(id, _)| id))
    }
}

impl<'r> Work<'r> {
    fn text(&mut self, id: Oid) -> Result<Rc<Blob<'r>>, GitError> {
        if let Some((_, text)) = self.texts.iter().find(|(known, _)| *known == id) {
            return Ok(text.clone());
        }
        let text = Rc::new(self.repo.find_blob(id)?);
        self.texts.truncate(KEPT_TEXTS - 1);
        self.texts.push_front((id, text.clone()));
        Ok(text)
    }

    fn suspect(&mut self, commit: &Commit<'_>, path: &RepoPath, pieces: Vec<Piece>) {
        if pieces.is_empty() {
            return;
        }
        let known = self.pieces.entry((commit.id(), path.clone())).or_default();
        if known.is_empty() {
            let met = Reverse(self.met);
            self.queue.push((commit.time().seconds(), met, commit.id(), path.clone()));
            self.met += 1;
        }
        known.extend(pieces);
    }

    fn begin_in_work_tree(
        &mut self,
        head: Option<&Commit<'_>>,
        committed: Option<Oid>,
        text: &[u8],
        pieces: Vec<Piece>,
    ) -> Result<(), GitError> {
        let path = &self.question.path;
        let mut rest = pieces;
        if let Some(head) = head {
            // Renamed since the last commit: the index may tell from what.
            let (path, committed) = match committed {
                Some(id) => (path.clone(), Some(id)),
                None => match self.repo.staged_from(path, self.budget)? {
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
                let (passed, kept) = divide(&rest, &chunks);
                self.suspect(head, &path, passed);
                rest = kept;
            }
        }
        for piece in rest {
            self.done.push(Blamed {
                line: piece.line + 1,
                count: piece.count,
                commit: None,
                line_there: piece.there + 1,
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
            let Some(mut pieces) = self.pieces.remove(&(id, path.clone())) else { continue };
            pieces.sort_by_key(|piece| piece.there);
            let commit = self.repo.git.find_commit(id)?;
            let Some(own) = self.repo.blob_at(&commit, &path)? else { continue };
            let rest = self.pass_on(&commit, &path, own, pieces)?;
            let is_ignored = self.question.ignored.contains(&id);
            for piece in rest {
                self.done.push(Blamed {
                    line: piece.line + 1,
                    count: piece.count,
                    commit: Some(id),
                    line_there: piece.there + 1,
                    path: path.clone(),
                    is_ignored,
                    is_boundary: commit.parent_count() == 0,
                });
            }
        }
        Ok(())
    }

    /// Hands lines to the parents; answers those that none of them has.
    fn pass_on(
        &mut self,
        commit: &Commit<'_>,
        path: &RepoPath,
        own: Oid,
        pieces: Vec<Piece>,
    ) -> Result<Vec<Piece>, GitError> {
        let mut before = Vec::new();
        for parent in commit.parents() {
            if let Some(id) = self.repo.blob_at(&parent, path)? {
                if id == own {
                    self.suspect(&parent, path, pieces);
                    return Ok(Vec::new());
                }
                before.push((parent, path.clone(), id));
            } else if let Some(from) = self.repo.name_before(&parent, commit, path, self.budget)?
                && let Some(id) = self.repo.blob_at(&parent, &from)?
            {
                if id == own {
                    self.suspect(&parent, &from, pieces);
                    return Ok(Vec::new());
                }
                before.push((parent, from, id));
            }
        }
        if before.is_empty() {
            return Ok(pieces);
        }
        let text = self.text(own)?;
        let mut rest = pieces;
        for (parent, path, id) in &before {
            let old = self.text(*id)?;
            let chunks = self.chunks(old.content(), text.content())?;
            let (passed, kept) = divide(&rest, &chunks);
            self.suspect(parent, path, passed);
            rest = kept;
            if self.question.ignored.contains(&commit.id()) {
                let (guessed, kept) = guessed(&rest, &chunks, old.content(), text.content());
                self.suspect(parent, path, guessed);
                rest = kept;
            }
        }
        if self.question.moved {
            for (parent, path, id) in &before {
                let old = self.text(*id)?;
                let (moved, kept) = self.moved(&rest, old.content(), text.content())?;
                self.suspect(parent, path, moved);
                rest = kept;
            }
        }
        Ok(rest)
    }

    /// The changes from one text to another.
    fn chunks(&self, old: &[u8], new: &[u8]) -> Result<Vec<Chunk>, GitError> {
        let mut options = options(0);
        options.ignore_whitespace(self.question.ignore_blanks).force_text(true).interhunk_lines(0);
        let (skipped, old, new) = trimmed(old, new);
        let patch = Patch::from_buffers(old, None, new, None, Some(&mut options))?;
        let mut chunks = Vec::with_capacity(patch.num_hunks());
        for number in 0..patch.num_hunks() {
            let (hunk, _) = patch.hunk(number)?;
            // Of no lines, the line before is named.
            let span = |start: u32, count: u32| {
                let start = if count == 0 { start } else { start.saturating_sub(1) };
                (start as usize, count as usize)
            };
            chunks.push(Chunk {
                old: shifted(span(hunk.old_start(), hunk.old_lines()), skipped),
                new: shifted(span(hunk.new_start(), hunk.new_lines()), skipped),
            });
        }
        Ok(chunks)
    }

    /// Lines that stand elsewhere in the parent's text, the longest runs first.
    fn moved(
        &self,
        pieces: &[Piece],
        old: &[u8],
        new: &[u8],
    ) -> Result<(Vec<Piece>, Vec<Piece>), GitError> {
        let lines: Vec<&[u8]> = new.split_inclusive(|byte| *byte == b'\n').collect();
        let letters = |lines: &[&[u8]]| {
            lines.iter().flat_map(|line| line.iter()).filter(|b| b.is_ascii_alphanumeric()).count()
        };
        let mut todo = pieces.to_vec();
        let (mut moved, mut kept) = (Vec::new(), Vec::new());
        while let Some(piece) = todo.pop() {
            let own = lines.get(piece.there..piece.there + piece.count).unwrap_or_default();
            if letters(own) < LEAST_MOVED {
                kept.push(piece);
                continue;
            }
            let chunks = self.chunks(old, &own.concat())?;
            let whole = [Piece { line: 0, there: 0, count: piece.count }];
            let (same, _) = divide(&whole, &chunks);
            // What is the same, with where it stands there (`there`) and here (`line`).
            let best =
                same.into_iter().max_by_key(|run| letters(&own[run.line..run.line + run.count]));
            match best {
                Some(run) if letters(&own[run.line..run.line + run.count]) >= LEAST_MOVED => {
                    moved.push(Piece {
                        line: piece.line + run.line,
                        there: run.there,
                        count: run.count,
                    });
                    let end = run.line + run.count;
                    let around = [(0, run.line), (end, piece.count - end)];
                    todo.extend(around.into_iter().filter(|(_, count)| *count > 0).map(
                        |(at, count)| Piece {
                            line: piece.line + at,
                            there: piece.there + at,
                            count,
                        },
                    ));
                }
                _ => kept.push(piece),
            }
        }
        kept.sort_by_key(|piece| piece.there);
        Ok((moved, kept))
    }
}

impl Repo {
    /// The path that a file had in the last commit, where the index says that it was renamed.
    fn staged_from(
        &self,
        path: &RepoPath,
        budget: &Budget<'_>,
    ) -> Result<Option<RepoPath>, GitError> {
        let head = self.head_tree()?;
        let mut options = options(0);
        self.check_tree(head.as_ref(), budget)?;
        let mut diff = self.git.diff_tree_to_index(head.as_ref(), None, Some(&mut options))?;
        diff.find_similar(Some(&mut crate::diff::find_options()))?;
        let found = diff.deltas().find(|delta| {
            delta.status() == git2::Delta::Renamed
                && delta.new_file().path_bytes() == Some(path.bytes())
        });
        Ok(found.and_then(|delta| delta.old_file().path_bytes().map(RepoPath::new)))
    }
}

fn shifted((start, count): (usize, usize), by: usize) -> (usize, usize) {
    (start + by, count)
}

/// Bytes that are compared at a time.
const PIECE: usize = 1 << 10;

fn same_at_start(one: &[u8], other: &[u8]) -> usize {
    let pieces = one.chunks(PIECE).zip(other.chunks(PIECE)).take_while(|(a, b)| a == b);
    let at = (PIECE * pieces.count()).min(one.len()).min(other.len());
    at + one[at..].iter().zip(&other[at..]).take_while(|(a, b)| a == b).count()
}

fn same_at_end(one: &[u8], other: &[u8]) -> usize {
    let pieces = one.rchunks(PIECE).zip(other.rchunks(PIECE)).take_while(|(a, b)| a == b);
    let at = (PIECE * pieces.count()).min(one.len()).min(other.len());
    let (one, other) = (&one[..one.len() - at], &other[..other.len() - at]);
    at + one.iter().rev().zip(other.iter().rev()).take_while(|(a, b)| a == b).count()
}

/// Two texts without most of the lines that they begin and end with alike, and how many lines that
/// is at the beginning. So many are left that a change which could stand in several places is put
/// where git puts it.
fn trimmed<'t>(old: &'t [u8], new: &'t [u8]) -> (usize, &'t [u8], &'t [u8]) {
    let same = same_at_start(old, new);
    let line_ends = |text: &[u8], n: usize| {
        text.iter().enumerate().rev().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at).nth(n)
    };
    let start = line_ends(&old[..same], LEFT_LINES).map_or(0, |at| at + 1);
    let (old, new, head) = (&old[start..], &new[start..], &old[..start]);
    let same = same_at_end(old, new);
    let tail = &old[old.len() - same..];
    let mut ends = tail.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at);
    let end = ends.nth(LEFT_LINES).map_or(0, |at| tail.len() - at - 1);
    (count_lines(head), &old[..old.len() - end], &new[..new.len() - end])
}

fn count_lines(text: &[u8]) -> usize {
    text.split_inclusive(|byte| *byte == b'\n').count()
}

/// The lines that are asked for, in order and once each.
fn asked(question: &BlameQuestion<'_>, lines: usize) -> Result<Vec<Piece>, GitError> {
    if question.ranges.is_empty() {
        let all = Piece { line: 0, there: 0, count: lines };
        return Ok(if lines == 0 { Vec::new() } else { vec![all] });
    }
    let mut ranges = question.ranges.clone();
    ranges.sort_unstable();
    let mut pieces: Vec<Piece> = Vec::new();
    for (first, last) in ranges {
        if first == 0 || first > last || first > lines {
            let what = format!("lines {first} to {last}: the file has {lines}");
            return Err(GitError::Invalid { what });
        }
        let from = pieces.last().map_or(0, |piece| piece.line + piece.count).max(first - 1);
        let to = last.min(lines);
        if from < to {
            pieces.push(Piece { line: from, there: from, count: to - from });
        }
    }
    Ok(pieces)
}

/// Divides pieces of a text into those that the parent has, as they stand there, and the others.
/// Both are in order.
fn divide(pieces: &[Piece], chunks: &[Chunk]) -> (Vec<Piece>, Vec<Piece>) {
    let (mut passed, mut kept) = (Vec::new(), Vec::new());
    for piece in pieces {
        let (mut at, end) = (piece.there, piece.there + piece.count);
        let line = |there: usize| piece.line + (there - piece.there);
        let mut number = chunks.partition_point(|chunk| chunk.new.0 + chunk.new.1 <= at);
        while at < end {
            let chunk = chunks.get(number);
            let next = chunk.map_or(end, |chunk| chunk.new.0.clamp(at, end));
            if at < next {
                let before = number.checked_sub(1).and_then(|number| chunks.get(number));
                let there = match before {
                    Some(before) => {
                        before.old.0 + before.old.1 + (at - before.new.0 - before.new.1)
                    }
                    None => at,
                };
                passed.push(Piece { line: line(at), there, count: next - at });
                at = next;
            }
            let Some(chunk) = chunk else { continue };
            let next = (chunk.new.0 + chunk.new.1).clamp(at, end);
            if at < next {
                kept.push(Piece { line: line(at), there: at, count: next - at });
                at = next;
            }
            number += 1;
        }
    }
    (passed, kept)
}

/// Of a commit that is passed over: its lines as the parent's that they are most like, and those
/// that are like none.
fn guessed(pieces: &[Piece], chunks: &[Chunk], old: &[u8], new: &[u8]) -> (Vec<Piece>, Vec<Piece>) {
    fn lines(text: &[u8]) -> Vec<&[u8]> {
        text.split_inclusive(|byte| *byte == b'\n').collect()
    }
    let (old, new) = (lines(old), lines(new));
    let (mut passed, mut kept) = (Vec::new(), Vec::new());
    for piece in pieces {
        let at = chunks.partition_point(|chunk| chunk.new.0 + chunk.new.1 <= piece.there);
        let counterparts = chunks.get(at).map(|chunk| {
            let old_lines = &old[chunk.old.0..(chunk.old.0 + chunk.old.1).min(old.len())];
            let new_lines = &new[chunk.new.0..(chunk.new.0 + chunk.new.1).min(new.len())];
            (chunk, guess(old_lines, new_lines))
        });
        for offset in 0..piece.count {
            let (line, there) = (piece.line + offset, piece.there + offset);
            let found = counterparts.as_ref().and_then(|(chunk, guesses)| {
                let of = there.checked_sub(chunk.new.0)?;
                Some(chunk.old.0 + guesses.get(of).copied().flatten()?)
            });
            match found {
                Some(there) => passed.push(Piece { line, there, count: 1 }),
                None => kept.push(Piece { line, there, count: 1 }),
            }
        }
    }
    (passed, kept)
}

/// Runs that go on in each other become one.
fn joined(lines: Vec<Blamed>) -> Vec<Blamed> {
    let mut joined: Vec<Blamed> = Vec::new();
    for blamed in lines {
        match joined.last_mut() {
            Some(last)
                if last.line + last.count == blamed.line
                    && last.line_there + last.count == blamed.line_there
                    && (last.commit, &last.path) == (blamed.commit, &blamed.path) =>
            {
                last.count += blamed.count;
            }
            _ => joined.push(blamed),
        }
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_texts_begin_and_end_with_is_left_out() {
        let text = |changed: usize| -> Vec<u8> {
            let line =
                |n: usize| if n == changed { "other\n".to_owned() } else { format!("{n}\n") };
            (0..3_000).map(line).collect::<String>().into_bytes()
        };
        let (one, other) = (text(3_001), text(1_500));
        let (skipped, old, new) = trimmed(&one, &other);
        assert_eq!(skipped, 1_300);
        assert!(old.starts_with(format!("{skipped}\n").as_bytes()));
        assert_eq!((count_lines(old), count_lines(new)), (401, 401));
        assert_eq!(trimmed(&one, &one).1, trimmed(&one, &one).2);
        for (a, b) in [(&b""[..], &b"a\n"[..]), (b"a", b"a"), (b"a\nb", b"a\nb\n")] {
            assert_eq!(trimmed(a, b), (0, a, b));
        }
    }

    #[test]
    fn pieces_are_divided_along_the_changes() {
        let chunk = |old, new| Chunk { old, new };
        // Two lines new at 2; one of three changed to one at 6.
        let chunks = [chunk((2, 0), (2, 2)), chunk((4, 3), (6, 1))];
        let piece = |line, there, count| Piece { line, there, count };
        assert_eq!(
            divide(&[piece(0, 0, 10)], &chunks),
            (
                vec![piece(0, 0, 2), piece(4, 2, 2), piece(7, 7, 3)],
                vec![piece(2, 2, 2), piece(6, 6, 1)]
            )
        );
        assert_eq!(
            divide(&[piece(13, 3, 2), piece(17, 7, 1)], &chunks),
            (vec![piece(14, 2, 1), piece(17, 7, 1)], vec![piece(13, 3, 1)])
        );
        assert_eq!(divide(&[piece(5, 5, 1)], &[]), (vec![piece(5, 5, 1)], vec![]));
    }
}
