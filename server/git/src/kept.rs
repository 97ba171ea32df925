//! What git keeps of one file, held in memory, and where a text differs from it: for editors, which
//! ask after every keystroke.

use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::path::PathBuf;

use git2::{Oid, Patch};
use rustc_hash::FxHasher;
use workspace::{FileError, Stamp, user_file_stamp};

use crate::patch::options;
use crate::{Conversion, GitError, Layout, Repo, RepoPath, Unsaved};

/// A place where two texts differ: lines before and after, from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineChange {
    /// The lines that went.
    pub old: Range<usize>,
    /// The lines that came.
    pub new: Range<usize>,
}

/// A file as git keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptText {
    /// The object.
    pub id: Oid,
    /// Its bytes.
    pub bytes: Vec<u8>,
}

/// What git keeps of one file.
#[derive(Debug)]
pub struct Kept {
    /// In the index.
    pub index: Option<KeptText>,
    /// In the last commit.
    pub head: Option<KeptText>,
    /// The last commit.
    pub commit: Option<Oid>,
    /// Whether a merge has left it open.
    pub is_conflicted: bool,
    conversion: Conversion,
    /// The files that say all this, as they were before it was read.
    seen: Vec<(PathBuf, Option<Stamp>)>,
    /// The folders in which those come and go.
    folders: Vec<PathBuf>,
}

/// The largest file that is held, in bytes.
const LARGEST: usize = 8 << 20;
/// Bytes in which a NUL tells that a file is no text, as with git.
const HEAD: usize = 8_000;

impl Repo {
    /// What git keeps of the file at `path`.
    ///
    /// # Errors
    /// When the repository cannot be read, or a file in it is too large to be held.
    pub fn kept(&self, path: &RepoPath) -> Result<Kept, GitError> {
        let layout = self.layout();
        let mut places = layout.told_by(path);
        let head = self.git.find_reference("HEAD")?;
        let branch = head.symbolic_target_bytes().map(RepoPath::new);
        let branch = branch.map(|name| layout.common_folder.join(name.path()));
        let mut folders = vec![
            layout.git_folder.clone(),
            layout.common_folder.clone(),
            layout.common_folder.join("refs/heads"),
        ];
        folders.extend(branch.as_ref().and_then(|file| Some(file.parent()?.to_owned())));
        folders.sort();
        folders.dedup();
        places.extend(branch);
        let seen = places.into_iter().map(|place| {
            let stamp = user_file_stamp(&place);
            (place, stamp)
        });
        let seen = seen.collect();
        let index = self.fresh_index()?;
        let in_index = index.get_path(path.path(), 0).filter(|entry| is_file(entry.mode));
        let is_open = |stage| index.get_path(path.path(), stage).is_some();
        let in_head = self.head_entry(path)?.filter(|(_, mode)| is_file(*mode));
        let mut kept = Kept {
            index: None,
            head: None,
            commit: self.head()?.commit,
            is_conflicted: in_index.is_none() && (1..=3).any(is_open),
            conversion: self.conversion(path)?,
            seen,
            folders,
        };
        kept.index = in_index.map(|entry| self.kept_text(path, entry.id)).transpose()?;
        kept.head = in_head.map(|(id, _)| self.kept_text(path, id)).transpose()?;
        Ok(kept)
    }

    /// Refuses where a file is not in the state that [`Kept::state`] told of it.
    ///
    /// # Errors
    /// That, and as [`Repo::kept`].
    pub fn check_state(
        &self,
        path: &RepoPath,
        unsaved: &Unsaved,
        expected: &str,
    ) -> Result<(), GitError> {
        let kept = self.kept(path)?;
        let io = |error: FileError| GitError::Io { what: error.to_string() };
        let bytes = match (unsaved.get(path), self.layout().file(path)) {
            (Some(bytes), _) => Some(bytes.to_vec()),
            (None, Some(file)) => file
                .root()
                .read_below(file.relative(), u64::try_from(LARGEST).unwrap_or(u64::MAX))
                .map_err(io)?,
            (None, None) => None,
        };
        if kept.state(&kept.as_kept(&bytes.unwrap_or_default())) == expected {
            return Ok(());
        }
        let what = format!("{}: has changed since its hunks were looked at", path.shown());
        Err(GitError::Conflict { what })
    }

    fn kept_text(&self, path: &RepoPath, id: Oid) -> Result<KeptText, GitError> {
        let (size, _) = self.git.odb()?.read_header(id)?;
        if size > LARGEST {
            let what = format!("{}: is {size} bytes long, more than {LARGEST}", path.shown());
            return Err(GitError::TooLarge { what });
        }
        Ok(KeptText { id, bytes: self.blob(id)? })
    }
}

fn is_file(mode: u32) -> bool {
    matches!(mode, 0o100_644 | 0o100_755 | 0o100_664)
}

impl Layout {
    /// The files that say what git keeps of a file, but for the branch.
    fn told_by(&self, path: &RepoPath) -> Vec<PathBuf> {
        let mut places: Vec<PathBuf> =
            ["HEAD", "index", "config.worktree"].map(|name| self.git_folder.join(name)).into();
        places.extend(
            ["packed-refs", "config", "info/attributes"].map(|name| self.common_folder.join(name)),
        );
        let top = self.work_tree.absolute();
        places.push(top.join(".git"));
        let folders = path.path().ancestors().skip(1);
        places.extend(folders.map(|folder| top.join(folder).join(".gitattributes")));
        places
    }
}

impl Kept {
    /// Whether nothing has changed of what it was read from. Costs a look at each of some ten files.
    #[must_use]
    pub fn is_current(&self) -> bool {
        self.seen.iter().all(|(place, stamp)| user_file_stamp(place) == *stamp)
    }

    /// The folders in which what it was read from comes and goes.
    #[must_use]
    pub fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// What git would keep of the file, had it these bytes.
    #[must_use]
    pub fn as_kept(&self, bytes: &[u8]) -> Vec<u8> {
        self.conversion.to_git(bytes, self.index.as_ref().map(|kept| &*kept.bytes))
    }

    /// Tells one state of commit, index and text (as git would keep it) from another: lines of
    /// differences mean something in the state that they were told of.
    #[must_use]
    pub fn state(&self, text: &[u8]) -> String {
        let id = |kept: &Option<KeptText>| kept.as_ref().map_or(Oid::ZERO_SHA1, |kept| kept.id);
        // Quick rather than hard to forge: it is taken after every keystroke.
        let mut hasher = FxHasher::default();
        text.hash(&mut hasher);
        format!("{:.10}-{:.10}-{:016x}", id(&self.head), id(&self.index), hasher.finish())
    }

    /// Where a text, as git would keep it, differs from the index: what is not staged. `None` of
    /// what is no text, and of what the index does not have.
    #[must_use]
    pub fn unstaged(&self, text: &[u8]) -> Option<Vec<LineChange>> {
        let index = self.index.as_ref()?;
        changes(&index.bytes, text)
    }

    /// Where the index differs from the last commit: what is staged. `None` as with
    /// [`Kept::unstaged`].
    #[must_use]
    pub fn staged(&self) -> Option<Vec<LineChange>> {
        let index = self.index.as_ref()?;
        match &self.head {
            Some(head) if head.id == index.id => Some(Vec::new()),
            Some(head) => changes(&head.bytes, &index.bytes),
            None => changes(&[], &index.bytes),
        }
    }
}

/// Where two texts differ, line by line, as staging by lines sees it. `None` where one is no text.
/// O((n + m) · d) for d lines that differ.
#[must_use]
pub fn changes(old: &[u8], new: &[u8]) -> Option<Vec<LineChange>> {
    let is_text = |bytes: &[u8]| !bytes[..bytes.len().min(HEAD)].contains(&0);
    if !is_text(old) || !is_text(new) || old.len().max(new.len()) > LARGEST {
        return None;
    }
    if old == new {
        return Some(Vec::new());
    }
    let mut options = options(0);
    options.force_text(true);
    let patch = Patch::from_buffers(old, None, new, None, Some(&mut options)).ok()?;
    let mut found = Vec::with_capacity(patch.num_hunks());
    for number in 0..patch.num_hunks() {
        let (hunk, _) = patch.hunk(number).ok()?;
        // Of no lines, the line before is named.
        let span = |start: u32, count: u32| {
            let start = if count == 0 { start } else { start.saturating_sub(1) } as usize;
            start..start + count as usize
        };
        found.push(LineChange {
            old: span(hunk.old_start(), hunk.old_lines()),
            new: span(hunk.new_start(), hunk.new_lines()),
        });
    }
    Some(found)
}

/// The line after the changes that was `line` before them; the next one that is left, where it
/// went.
#[must_use]
pub fn line_after(changes: &[LineChange], line: usize) -> usize {
    let before = changes.partition_point(|change| change.old.end <= line);
    match changes.get(before) {
        Some(change) if change.old.start <= line => change.new.end,
        _ => match before.checked_sub(1).and_then(|last| changes.get(last)) {
            Some(last) => last.new.end + (line - last.old.end),
            None => line,
        },
    }
}

/// The line before the changes that `line` after them was; `None` where it came with one.
#[must_use]
pub fn line_before(changes: &[LineChange], line: usize) -> Option<usize> {
    let before = changes.partition_point(|change| change.new.end <= line);
    if changes.get(before).is_some_and(|change| change.new.start <= line) {
        return None;
    }
    match before.checked_sub(1).and_then(|last| changes.get(last)) {
        Some(last) => Some(last.old.end + (line - last.new.end)),
        None => Some(line),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(old: &str, new: &str) -> Vec<LineChange> {
        changes(old.as_bytes(), new.as_bytes()).unwrap()
    }

    #[test]
    fn changes_are_told_by_lines() {
        let found = found("a\nb\nc\nd\n", "a\nB\nB2\nc\ne\n");
        let change = |old, new| LineChange { old, new };
        assert_eq!(found, [change(1..2, 1..3), change(3..4, 4..5)]);
        assert_eq!(changes(b"a\n", b"a\0"), None);
    }

    #[test]
    fn what_goes_is_told_by_the_line_that_follows() {
        let gone = found("a\nb\nc\n", "a\nc\n");
        assert_eq!(gone, [LineChange { old: 1..2, new: 1..1 }]);
        let all = found("a\n", "");
        assert_eq!(all, [LineChange { old: 0..1, new: 0..0 }]);
    }

    #[test]
    fn lines_are_carried_through_changes() {
        let changes = found("a\nb\nc\nd\ne\n", "x\na\nc\nD\ne\n");
        let after: Vec<_> = (0..5).map(|line| line_after(&changes, line)).collect();
        assert_eq!(after, [1, 2, 2, 4, 4]);
        let before: Vec<_> = (0..5).map(|line| line_before(&changes, line)).collect();
        assert_eq!(before, [None, Some(0), Some(2), None, Some(4)]);
    }
}
