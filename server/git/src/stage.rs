//! Stages and unstages files, hunks and lines.

use std::ops::RangeInclusive;

use git2::{Index, IndexEntry, IndexTime, Patch};
use workspace::{CallBudget, FileKind};

use crate::file_change::ChangeKind;
use crate::index_file::Entry;
use crate::patch::diff_options;
use crate::status::StatusOptions;
use crate::unsaved::UnsavedFiles;
use crate::{GitError, Repo, RepoPath};

/// Selected lines of a diff, numbered from 1.
#[derive(Debug, Clone, Default)]
pub struct LineSelection {
    /// Removed lines, by their number before.
    pub old: Vec<RangeInclusive<u32>>,
    /// Added lines, by their number after.
    pub new: Vec<RangeInclusive<u32>>,
}

impl LineSelection {
    /// Whether nothing is selected.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.old.is_empty() && self.new.is_empty()
    }
}

const FILE_MODE: u32 = 0o100_644;
const EXECUTABLE_MODE: u32 = 0o100_755;
const LINK_MODE: u32 = 0o120_000;

impl Repo {
    /// Stages files, and all changed files in folders, with their unsaved text. Returns the staged
    /// files.
    ///
    /// # Errors
    /// When a path does not exist, needs a filter program, or the index cannot be written. Nothing
    /// has changed then.
    pub fn stage(
        &self,
        paths: &[RepoPath],
        unsaved: &UnsavedFiles,
        budget: &CallBudget<'_>,
    ) -> Result<Vec<RepoPath>, GitError> {
        let mut index = self.fresh_index()?;
        let files = self.changed_files_in(paths, unsaved)?;
        for file in &files {
            budget.check()?;
            self.add_file(&mut index, file, unsaved)?;
        }
        self.write_index(&mut index)?;
        Ok(files)
    }

    /// The changed files among these files and in these folders.
    pub(crate) fn changed_files_in(
        &self,
        paths: &[RepoPath],
        unsaved: &UnsavedFiles,
    ) -> Result<Vec<RepoPath>, GitError> {
        let options = StatusOptions { paths: paths.to_vec(), all_untracked: true };
        let status = self.status(&options, unsaved)?;
        let mut files: Vec<RepoPath> =
            status.unstaged.into_iter().map(|changed| changed.path).collect();
        files.extend(status.untracked);
        files.extend(status.conflicts.into_iter().map(|conflict| conflict.path));
        files.sort();
        files.dedup();
        let index = self.index()?;
        for path in paths.iter().filter(|path| !path.as_bytes().is_empty()) {
            let is_known = index.get_path(path.as_path(), 0).is_some()
                || files.iter().any(|file| file.is_in(path))
                || index.iter().any(|entry| RepoPath::new(&entry.path).is_in(path));
            // An ignored file is staged only if it is named itself.
            if !is_known {
                if self.kind_in_work_tree(path)? == Some(FileKind::File) {
                    files.push(path.clone());
                } else {
                    let what = format!("{}: no such file", path.to_string_lossy());
                    return Err(GitError::NotFound { what });
                }
            }
        }
        Ok(files)
    }

    pub(crate) fn kind_in_work_tree(&self, path: &RepoPath) -> Result<Option<FileKind>, GitError> {
        let Some(file) = self.layout().file(path) else { return Ok(None) };
        let kind = file.root().kind_below(file.relative());
        kind.map_err(|error| GitError::Io { what: error.to_string() })
    }

    /// The index, read from disk again.
    pub(crate) fn fresh_index(&self) -> Result<Index, GitError> {
        let mut index = self.index()?;
        index.read(true)?;
        Ok(index)
    }

    pub(crate) fn write_index(&self, index: &mut Index) -> Result<(), GitError> {
        index.write().map_err(|error| match error.code() {
            git2::ErrorCode::Locked => GitError::Locked {
                what: format!("{}/index.lock exists", self.layout().display_path()),
            },
            _ => error.into(),
        })
    }

    /// Adds a file's current content to an index, or removes it if it is deleted.
    pub(crate) fn add_file(
        &self,
        index: &mut Index,
        path: &RepoPath,
        unsaved: &UnsavedFiles,
    ) -> Result<(), GitError> {
        if is_in_git_folder(path) {
            let what = format!("{}: git's own folder cannot be committed", path.to_string_lossy());
            return Err(GitError::Invalid { what });
        }
        let kind = self.kind_in_work_tree(path)?;
        if kind.is_none() && unsaved.get(path).is_none() {
            index.remove_path(path.as_path())?;
            return Ok(());
        }
        if kind == Some(FileKind::Special) {
            let what = format!("{}: is not a file, link or folder", path.to_string_lossy());
            return Err(GitError::Unsupported { what });
        }
        if kind == Some(FileKind::Directory) {
            // A submodule: its current commit is staged.
            index.add_path(path.as_path())?;
            return Ok(());
        }
        self.check_filter(path)?;
        if let Some(bytes) = unsaved.get(path) {
            let before = index.get_path(path.as_path(), 0);
            let (content, _) =
                self.to_git_blob(path, bytes, before.as_ref().map(|entry| entry.id))?;
            let mode = before.map_or(FILE_MODE, |entry| entry.mode);
            return add_bytes(index, path, &content, mode);
        }
        index.add_path(path.as_path())?;
        Ok(())
    }

    /// Rejects a file with a `filter` program: without running it, the wrong content would be
    /// staged.
    pub(crate) fn check_filter(&self, path: &RepoPath) -> Result<(), GitError> {
        if self.conversion(path)?.has_filter {
            let what = format!(
                "{}: the repository names a program that converts it (`filter` in its \
                 attributes), which is not run here; use git itself",
                path.to_string_lossy()
            );
            return Err(GitError::Unsupported { what });
        }
        Ok(())
    }

    /// Stages the selected lines of a file's unstaged changes.
    ///
    /// # Errors
    /// As [`Repo::stage`], and if none of the lines is changed.
    pub fn stage_lines(
        &self,
        path: &RepoPath,
        selection: &LineSelection,
        unsaved: &UnsavedFiles,
    ) -> Result<(), GitError> {
        let mut index = self.fresh_index()?;
        self.check_filter(path)?;
        let before = index.get_path(path.as_path(), 0);
        let old = match &before {
            Some(entry) => self.blob(entry.id)?,
            None => Vec::new(),
        };
        let new = match unsaved.get(path) {
            Some(bytes) => self.to_git_blob(path, bytes, before.as_ref().map(|e| e.id))?.0,
            None => self.work_tree_as_blob(path)?,
        };
        let mode = before.map_or(FILE_MODE, |entry| entry.mode);
        let staged = compose(path, &old, &new, selection, true)?;
        add_bytes(&mut index, path, &staged, mode)?;
        self.write_index(&mut index)
    }

    /// Unstages the selected lines of a file's staged changes.
    ///
    /// # Errors
    /// As [`Repo::stage_lines`].
    pub fn unstage_lines(
        &self,
        path: &RepoPath,
        selection: &LineSelection,
    ) -> Result<(), GitError> {
        let mut index = self.fresh_index()?;
        let entry = index.get_path(path.as_path(), 0).ok_or_else(|| not_staged(path))?;
        let head = self.head_entry(path)?;
        let old = match head {
            Some((id, _)) => self.blob(id)?,
            None => Vec::new(),
        };
        let new = self.blob(entry.id)?;
        let remaining = compose(path, &old, &new, selection, false)?;
        add_bytes(&mut index, path, &remaining, entry.mode)?;
        self.write_index(&mut index)
    }

    /// The object id and mode of a path in the last commit.
    pub(crate) fn head_entry(&self, path: &RepoPath) -> Result<Option<(git2::Oid, u32)>, GitError> {
        let Some(tree) = self.head_tree()? else { return Ok(None) };
        match tree.get_path(path.as_path()) {
            Ok(entry) => Ok(Some((entry.id(), entry.filemode().cast_unsigned()))),
            Err(error) if error.code() == git2::ErrorCode::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Resets the index entries of files, and of all files in folders, to the last commit. Returns
    /// the files that changed.
    ///
    /// # Errors
    /// When a path has no staged changes, or the index cannot be written.
    pub fn unstage(&self, paths: &[RepoPath]) -> Result<Vec<RepoPath>, GitError> {
        let mut index = self.fresh_index()?;
        let options = StatusOptions { paths: paths.to_vec(), all_untracked: false };
        let status = self.status(&options, &UnsavedFiles::default())?;
        let mut files = Vec::new();
        for changed in status.staged {
            files.extend(changed.old_path.filter(|_| changed.kind == ChangeKind::Renamed));
            files.push(changed.path);
        }
        let entries = self.index_scan(&[])?.index;
        let intent_to_add = entries.iter().filter(Entry::is_intent_to_add);
        files.extend(
            intent_to_add
                .map(|entry| RepoPath::new(entry.path))
                .filter(|path| paths.iter().any(|folder| path.is_in(folder)) || paths.is_empty()),
        );
        for path in paths {
            if !path.as_bytes().is_empty() && !files.iter().any(|file| file.is_in(path)) {
                return Err(not_staged(path));
            }
        }
        files.sort();
        files.dedup();
        for file in &files {
            match self.head_entry(file)? {
                Some((id, mode)) => index.add(&entry(file, id, mode))?,
                None => index.remove_path(file.as_path())?,
            }
        }
        self.write_index(&mut index)?;
        Ok(files)
    }
}

fn not_staged(path: &RepoPath) -> GitError {
    GitError::NotFound { what: format!("{}: has no staged changes", path.to_string_lossy()) }
}

/// Whether a path is in a folder that git would take for a git folder.
fn is_in_git_folder(path: &RepoPath) -> bool {
    path.as_path().iter().any(|name| name.eq_ignore_ascii_case(".git"))
}

pub(crate) fn entry(path: &RepoPath, id: git2::Oid, mode: u32) -> IndexEntry {
    IndexEntry {
        ctime: IndexTime::new(0, 0),
        mtime: IndexTime::new(0, 0),
        dev: 0,
        ino: 0,
        mode: match mode {
            EXECUTABLE_MODE | LINK_MODE | 0o160_000 => mode,
            _ => FILE_MODE,
        },
        uid: 0,
        gid: 0,
        file_size: 0,
        id,
        flags: 0,
        flags_extended: 0,
        path: path.as_bytes().to_vec(),
    }
}

fn add_bytes(
    index: &mut Index,
    path: &RepoPath,
    content: &[u8],
    mode: u32,
) -> Result<(), GitError> {
    index.add_frombuffer(&entry(path, git2::Oid::ZERO_SHA1, mode), content)?;
    Ok(())
}

/// The old text with the selected changes applied (`is_selected`), or with all others applied.
pub(crate) fn compose(
    path: &RepoPath,
    old: &[u8],
    new: &[u8],
    selection: &LineSelection,
    is_selected: bool,
) -> Result<Vec<u8>, GitError> {
    let mut git_options = diff_options(0);
    git_options.force_text(true);
    let patch = Patch::from_buffers(old, None, new, None, Some(&mut git_options))?;
    let lines: Vec<&[u8]> = old.split_inclusive(|byte| *byte == b'\n').collect();
    let holds = |ranges: &[RangeInclusive<u32>], line: Option<u32>| {
        line.is_some_and(|line| ranges.iter().any(|range| range.contains(&line)))
    };
    let mut out = Vec::with_capacity(old.len().max(new.len()));
    let (mut at, mut any_selected) = (0usize, false);
    for number in 0..patch.num_hunks() {
        let (hunk, count) = patch.hunk(number)?;
        let start = hunk.old_start() as usize;
        let start = if hunk.old_lines() == 0 { start } else { start.saturating_sub(1) };
        let start = start.min(lines.len());
        out.extend(lines[at..start].iter().flat_map(|line| line.iter()));
        at = (start + hunk.old_lines() as usize).min(lines.len());
        // Pair removed and added lines by position, so that a partial selection keeps each line in
        // its place.
        let (mut removed, mut added) = (Vec::new(), Vec::new());
        for line in 0..count {
            let line = patch.line_in_hunk(number, line)?;
            let (is_line_selected, is_removed) = match line.origin() {
                '-' => (holds(&selection.old, line.old_lineno()), true),
                '+' => (holds(&selection.new, line.new_lineno()), false),
                _ => continue,
            };
            any_selected |= is_line_selected;
            // An applied change drops its removed lines and keeps its added ones; any other does
            // the reverse.
            let is_applied = is_line_selected == is_selected;
            let kept = (is_applied != is_removed).then(|| line.content().to_vec());
            if is_removed { removed.push(kept) } else { added.push(kept) }
        }
        let (mut removed, mut added) = (removed.into_iter(), added.into_iter());
        loop {
            let (old, new) = (removed.next(), added.next());
            if old.is_none() && new.is_none() {
                break;
            }
            for content in [old, new].into_iter().flatten().flatten() {
                if !out.is_empty() && !out.ends_with(b"\n") {
                    out.push(b'\n');
                }
                out.extend_from_slice(&content);
            }
        }
    }
    out.extend(lines[at..].iter().flat_map(|line| line.iter()));
    if !any_selected {
        let what = format!("{}: none of these lines is changed", path.to_string_lossy());
        return Err(GitError::NotFound { what });
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn single_lines_can_be_selected() {
        let path = RepoPath::new(b"a");
        let (old, new) = (b"a\nb\nc\nd\n", b"a\nB\nB2\nc\nd\ne\n");
        let compose_selected = |old_lines: &[u32], new_lines: &[u32], is_selected| {
            let ranges = |lines: &[u32]| lines.iter().map(|line| *line..=*line).collect();
            let selection = LineSelection { old: ranges(old_lines), new: ranges(new_lines) };
            let out = compose(&path, old, new, &selection, is_selected);
            out.map(|out| String::from_utf8(out).unwrap())
        };
        assert_eq!(compose_selected(&[2], &[2, 3], true).unwrap(), "a\nB\nB2\nc\nd\n");
        assert_eq!(compose_selected(&[], &[6], true).unwrap(), "a\nb\nc\nd\ne\n");
        assert_eq!(compose_selected(&[2], &[], true).unwrap(), "a\nc\nd\n");
        assert_eq!(compose_selected(&[2], &[2, 3], false).unwrap(), "a\nb\nc\nd\ne\n");
        assert_eq!(compose_selected(&[], &[6], false).unwrap(), "a\nB\nB2\nc\nd\n");
        assert!(compose_selected(&[1], &[1], true).is_err());
    }

    #[test]
    fn a_partial_selection_keeps_lines_in_place() {
        let path = RepoPath::new(b"a");
        let (old, new) = (b"a\nb\nc\nz\n", b"A\nB\nC\nD\nz\n");
        let compose_selected = |old_lines: [u32; 2], new_lines: [u32; 2], is_selected| {
            let range = |[first, last]: [u32; 2]| vec![first..=last];
            let selection = LineSelection { old: range(old_lines), new: range(new_lines) };
            let out = compose(&path, old, new, &selection, is_selected).unwrap();
            String::from_utf8(out).unwrap()
        };
        assert_eq!(compose_selected([2, 2], [2, 2], true), "a\nB\nc\nz\n");
        assert_eq!(compose_selected([2, 2], [2, 2], false), "A\nb\nC\nD\nz\n");
        assert_eq!(compose_selected([3, 3], [3, 4], true), "a\nb\nC\nD\nz\n");
        assert_eq!(compose_selected([1, 1], [1, 1], true), "A\nb\nc\nz\n");
    }
}
