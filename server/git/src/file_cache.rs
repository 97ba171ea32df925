//! Caches the index and HEAD versions of one file, and compares a text with them: editors ask after
//! every keystroke.

use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::path::PathBuf;

use git2::{Oid, Patch};
use rustc_hash::FxHasher;
use workspace::{FileError, Stamp, user_file_stamp};

use crate::limits::MAX_VERSION_SIZE;
use crate::patch::diff_options;
use crate::{Conversion, GitError, Repo, RepoLayout, RepoPath, UnsavedFiles};

/// A run of lines that differs between two texts, counted from 0.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LineChange {
    /// The removed lines.
    pub old: Range<usize>,
    /// The added lines.
    pub new: Range<usize>,
}

/// One stored version of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredVersion {
    /// Its blob's object id.
    pub id: Oid,
    /// Its blob's content.
    pub bytes: Vec<u8>,
}

/// The stored versions of one file.
#[derive(Debug)]
pub struct StoredVersions {
    /// The version in the index.
    pub index: Option<StoredVersion>,
    /// The version in the last commit.
    pub head: Option<StoredVersion>,
    /// The last commit.
    pub commit: Option<Oid>,
    /// Whether it has a merge conflict.
    pub is_conflicted: bool,
    conversion: Conversion,
    /// The files that these facts were read from, with their stamps before reading.
    stamps: Vec<(PathBuf, Option<Stamp>)>,
    /// The folders that hold those files.
    folders: Vec<PathBuf>,
}

/// A NUL in this many bytes makes a file binary, as in git.
const BINARY_CHECK_BYTES: usize = 8_000;

impl Repo {
    /// Reads the stored versions of the file at `path`.
    ///
    /// # Errors
    /// When the repository cannot be read, or a version is too large to cache.
    pub fn stored_versions(&self, path: &RepoPath) -> Result<StoredVersions, GitError> {
        let layout = self.layout();
        let mut sources = layout.source_files(path);
        let head = self.git.find_reference("HEAD")?;
        let branch = head.symbolic_target_bytes().map(RepoPath::new);
        let branch = branch.map(|name| layout.common_folder.join(name.as_path()));
        let mut folders = vec![
            layout.git_folder.clone(),
            layout.common_folder.clone(),
            layout.common_folder.join("refs/heads"),
        ];
        folders.extend(branch.as_ref().and_then(|file| Some(file.parent()?.to_owned())));
        folders.sort();
        folders.dedup();
        sources.extend(branch);
        let stamps = sources.into_iter().map(|source| {
            let stamp = user_file_stamp(&source);
            (source, stamp)
        });
        let stamps = stamps.collect();
        let index = self.fresh_index()?;
        let in_index = index.get_path(path.as_path(), 0).filter(|entry| is_file(entry.mode));
        let is_open = |stage| index.get_path(path.as_path(), stage).is_some();
        let in_head = self.head_entry(path)?.filter(|(_, mode)| is_file(*mode));
        let mut kept = StoredVersions {
            index: None,
            head: None,
            commit: self.head()?.commit,
            is_conflicted: in_index.is_none() && (1..=3).any(is_open),
            conversion: self.conversion(path)?,
            stamps,
            folders,
        };
        kept.index = in_index.map(|entry| self.stored_version(path, entry.id)).transpose()?;
        kept.head = in_head.map(|(id, _)| self.stored_version(path, id)).transpose()?;
        Ok(kept)
    }

    /// Rejects a stale state id: `expected` must be the current [`Kept::state`] of the file.
    ///
    /// # Errors
    /// When it is not, and as [`Repo::kept`].
    pub fn check_state_id(
        &self,
        path: &RepoPath,
        unsaved: &UnsavedFiles,
        expected: &str,
    ) -> Result<(), GitError> {
        let kept = self.stored_versions(path)?;
        let io = |error: FileError| GitError::Io { what: error.to_string() };
        let bytes = match (unsaved.get(path), self.layout().file(path)) {
            (Some(bytes), _) => Some(bytes.to_vec()),
            (None, Some(file)) => file
                .root()
                .read_below(file.relative(), u64::try_from(MAX_VERSION_SIZE).unwrap_or(u64::MAX))
                .map_err(io)?,
            (None, None) => None,
        };
        if kept.state_id(&kept.to_git_bytes(&bytes.unwrap_or_default())) == expected {
            return Ok(());
        }
        let what = format!("{}: has changed since its hunks were computed", path.to_string_lossy());
        Err(GitError::Conflict { what })
    }

    fn stored_version(&self, path: &RepoPath, id: Oid) -> Result<StoredVersion, GitError> {
        let (size, _) = self.git.odb()?.read_header(id)?;
        if size > MAX_VERSION_SIZE {
            let what = format!(
                "{}: is {size} bytes long, more than {MAX_VERSION_SIZE}",
                path.to_string_lossy()
            );
            return Err(GitError::TooLarge { what });
        }
        Ok(StoredVersion { id, bytes: self.blob(id)? })
    }
}

fn is_file(mode: u32) -> bool {
    matches!(mode, 0o100_644 | 0o100_755 | 0o100_664)
}

impl RepoLayout {
    /// The files that decide about the stored versions of `path`, except the branch's reference.
    fn source_files(&self, path: &RepoPath) -> Vec<PathBuf> {
        let mut sources: Vec<PathBuf> =
            ["HEAD", "index", "config.worktree"].map(|name| self.git_folder.join(name)).into();
        sources.extend(
            ["packed-refs", "config", "info/attributes"].map(|name| self.common_folder.join(name)),
        );
        let top = self.work_tree.absolute();
        sources.push(top.join(".git"));
        let folders = path.as_path().ancestors().skip(1);
        sources.extend(folders.map(|folder| top.join(folder).join(".gitattributes")));
        sources
    }
}

impl StoredVersions {
    /// Whether the files it was read from are unchanged. Costs a `stat` for each of some ten files.
    #[must_use]
    pub fn is_current(&self) -> bool {
        self.stamps.iter().all(|(path, stamp)| user_file_stamp(path) == *stamp)
    }

    /// The folders to watch for changes of the files it was read from.
    #[must_use]
    pub fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// The blob content that git would store for these bytes of the file.
    #[must_use]
    pub fn to_git_bytes(&self, bytes: &[u8]) -> Vec<u8> {
        self.conversion.to_git(bytes, self.index.as_ref().map(|kept| &*kept.bytes))
    }

    /// An id of the commit, the index and this text (as git would store it). Line numbers of a diff
    /// are valid only for the state they were computed in.
    #[must_use]
    pub fn state_id(&self, text: &[u8]) -> String {
        let id =
            |kept: &Option<StoredVersion>| kept.as_ref().map_or(Oid::ZERO_SHA1, |kept| kept.id);
        // A fast hash, not a secure one: computed after every keystroke.
        let mut hasher = FxHasher::default();
        text.hash(&mut hasher);
        format!("{:.10}-{:.10}-{:016x}", id(&self.head), id(&self.index), hasher.finish())
    }

    /// The unstaged changes: where a text, as git would store it, differs from the index. `None`
    /// for binary content, or if the index lacks the file.
    #[must_use]
    pub fn unstaged(&self, text: &[u8]) -> Option<Vec<LineChange>> {
        let index = self.index.as_ref()?;
        changes(&index.bytes, text)
    }

    /// The staged changes: where the index differs from the last commit. `None` as for
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

/// The changed lines between two texts, in the same hunks that staging by lines uses. `None` for
/// binary content. O((n + m) · d) for d lines that differ.
#[must_use]
pub fn changes(old: &[u8], new: &[u8]) -> Option<Vec<LineChange>> {
    let is_text = |bytes: &[u8]| !bytes[..bytes.len().min(BINARY_CHECK_BYTES)].contains(&0);
    if !is_text(old) || !is_text(new) || old.len().max(new.len()) > MAX_VERSION_SIZE {
        return None;
    }
    if old == new {
        return Some(Vec::new());
    }
    let mut git_options = diff_options(0);
    git_options.force_text(true);
    let patch = Patch::from_buffers(old, None, new, None, Some(&mut git_options)).ok()?;
    let mut found = Vec::with_capacity(patch.num_hunks());
    for number in 0..patch.num_hunks() {
        let (hunk, _) = patch.hunk(number).ok()?;
        // A hunk without lines on one side names the line before it.
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

/// Maps `line` of the old text to the new text. A removed line maps to the next remaining one.
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

/// Maps `line` of the new text to the old text; `None` if it was added.
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
    fn changes_are_line_ranges() {
        let found = found("a\nb\nc\nd\n", "a\nB\nB2\nc\ne\n");
        let change = |old, new| LineChange { old, new };
        assert_eq!(found, [change(1..2, 1..3), change(3..4, 4..5)]);
        assert_eq!(changes(b"a\n", b"a\0"), None);
    }

    #[test]
    fn a_removed_line_is_an_empty_range_of_new_lines() {
        let gone = found("a\nb\nc\n", "a\nc\n");
        assert_eq!(gone, [LineChange { old: 1..2, new: 1..1 }]);
        let all = found("a\n", "");
        assert_eq!(all, [LineChange { old: 0..1, new: 0..0 }]);
    }

    #[test]
    fn lines_are_mapped_through_changes() {
        let changes = found("a\nb\nc\nd\ne\n", "x\na\nc\nD\ne\n");
        let after: Vec<_> = (0..5).map(|line| line_after(&changes, line)).collect();
        assert_eq!(after, [1, 2, 2, 4, 4]);
        let before: Vec<_> = (0..5).map(|line| line_before(&changes, line)).collect();
        assert_eq!(before, [None, Some(0), Some(2), None, Some(4)]);
    }
}
