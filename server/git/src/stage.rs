//! What the next commit will hold: files, hunks and lines on their way into the index and out.

use std::ops::RangeInclusive;

use git2::{Index, IndexEntry, IndexTime, Patch};
use workspace::{Budget, FileKind};

use crate::patch::options;
use crate::status::{Kind, StatusQuestion};
use crate::table::Entry;
use crate::unsaved::Unsaved;
use crate::{GitError, Repo, RepoPath};

/// Lines of a difference. A line that came is named by its number after, one that went by its
/// number before; both from 1.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// Lines that went.
    pub old: Vec<RangeInclusive<u32>>,
    /// Lines that came.
    pub new: Vec<RangeInclusive<u32>>,
}

impl Selection {
    /// Whether nothing is selected.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.old.is_empty() && self.new.is_empty()
    }
}

const FILE: u32 = 0o100_644;
const EXECUTABLE: u32 = 0o100_755;
const LINK: u32 = 0o120_000;

impl Repo {
    /// Takes files, and all files that differ in folders, into the index as they are now: unsaved
    /// text is what a file holds. Answers what was taken.
    ///
    /// # Errors
    /// When a path is none that git knows or could, is to be converted by a program, or the index
    /// cannot be written. Nothing has changed then.
    pub fn stage(
        &self,
        paths: &[RepoPath],
        unsaved: &Unsaved,
        budget: &Budget<'_>,
    ) -> Result<Vec<RepoPath>, GitError> {
        let mut index = self.fresh_index()?;
        let files = self.files_in(paths, unsaved)?;
        for file in &files {
            budget.check()?;
            self.take_into(&mut index, file, unsaved)?;
        }
        self.write_index(&mut index)?;
        Ok(files)
    }

    /// The files that differ, in these files and folders.
    pub(crate) fn files_in(
        &self,
        paths: &[RepoPath],
        unsaved: &Unsaved,
    ) -> Result<Vec<RepoPath>, GitError> {
        let question = StatusQuestion { within: paths.to_vec(), all_untracked: true };
        let status = self.status(&question, unsaved)?;
        let mut files: Vec<RepoPath> =
            status.unstaged.into_iter().map(|changed| changed.path).collect();
        files.extend(status.untracked);
        files.extend(status.conflicts.into_iter().map(|conflict| conflict.path));
        files.sort();
        files.dedup();
        let index = self.index()?;
        for path in paths.iter().filter(|path| !path.bytes().is_empty()) {
            let is_known = index.get_path(path.path(), 0).is_some()
                || files.iter().any(|file| file.is_in(path))
                || index.iter().any(|entry| RepoPath::new(&entry.path).is_in(path));
            // What is ignored is taken where it is named itself.
            if !is_known {
                if self.kind_in_work_tree(path)? == Some(FileKind::File) {
                    files.push(path.clone());
                } else {
                    let what = format!("{}: git knows no such file", path.shown());
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

    /// The index, read again from disk.
    pub(crate) fn fresh_index(&self) -> Result<Index, GitError> {
        let mut index = self.index()?;
        index.read(true)?;
        Ok(index)
    }

    pub(crate) fn write_index(&self, index: &mut Index) -> Result<(), GitError> {
        index.write().map_err(|error| match error.code() {
            git2::ErrorCode::Locked => {
                GitError::Locked { what: format!("{}/index.lock is there", self.layout().shown()) }
            }
            _ => error.into(),
        })
    }

    /// One file, as it stands, into an index.
    pub(crate) fn take_into(
        &self,
        index: &mut Index,
        path: &RepoPath,
        unsaved: &Unsaved,
    ) -> Result<(), GitError> {
        if is_own(path) {
            let what = format!("{}: git's own folder is nothing to commit", path.shown());
            return Err(GitError::Invalid { what });
        }
        let kind = self.kind_in_work_tree(path)?;
        if kind.is_none() && unsaved.get(path).is_none() {
            index.remove_path(path.path())?;
            return Ok(());
        }
        if kind == Some(FileKind::Special) {
            let what = format!("{}: is neither file, link nor folder", path.shown());
            return Err(GitError::Unsupported { what });
        }
        if kind == Some(FileKind::Directory) {
            // A repository within: its commit is what is kept.
            index.add_path(path.path())?;
            return Ok(());
        }
        self.check_filter(path)?;
        if let Some(bytes) = unsaved.get(path) {
            let before = index.get_path(path.path(), 0);
            let (kept, _) = self.kept_of(path, bytes, before.as_ref().map(|entry| entry.id))?;
            let mode = before.map_or(FILE, |entry| entry.mode);
            return add_bytes(index, path, &kept, mode);
        }
        index.add_path(path.path())?;
        Ok(())
    }

    /// Refuses a file that a program is to convert: without it, something else would be kept.
    pub(crate) fn check_filter(&self, path: &RepoPath) -> Result<(), GitError> {
        if self.conversion(path)?.has_filter {
            let what = format!(
                "{}: the repository names a program that converts it (`filter` in its \
                 attributes), which is not run here; use git itself",
                path.shown()
            );
            return Err(GitError::Unsupported { what });
        }
        Ok(())
    }

    /// Takes the selected lines of a file's difference from the index into it.
    ///
    /// # Errors
    /// As [`Repo::stage`], and where none of the lines differ.
    pub fn stage_lines(
        &self,
        path: &RepoPath,
        selection: &Selection,
        unsaved: &Unsaved,
    ) -> Result<(), GitError> {
        let mut index = self.fresh_index()?;
        self.check_filter(path)?;
        let before = index.get_path(path.path(), 0);
        let old = match &before {
            Some(entry) => self.blob(entry.id)?,
            None => Vec::new(),
        };
        let new = match unsaved.get(path) {
            Some(bytes) => self.kept_of(path, bytes, before.as_ref().map(|e| e.id))?.0,
            None => self.kept_in_work_tree(path)?,
        };
        let mode = before.map_or(FILE, |entry| entry.mode);
        let staged = composed(path, &old, &new, selection, true)?;
        add_bytes(&mut index, path, &staged, mode)?;
        self.write_index(&mut index)
    }

    /// Takes the selected lines of what is staged of a file out of the index again.
    ///
    /// # Errors
    /// As [`Repo::stage_lines`].
    pub fn unstage_lines(&self, path: &RepoPath, selection: &Selection) -> Result<(), GitError> {
        let mut index = self.fresh_index()?;
        let entry = index.get_path(path.path(), 0).ok_or_else(|| not_staged(path))?;
        let head = self.head_entry(path)?;
        let old = match head {
            Some((id, _)) => self.blob(id)?,
            None => Vec::new(),
        };
        let new = self.blob(entry.id)?;
        let left = composed(path, &old, &new, selection, false)?;
        add_bytes(&mut index, path, &left, entry.mode)?;
        self.write_index(&mut index)
    }

    /// What the last commit has at a path.
    pub(crate) fn head_entry(&self, path: &RepoPath) -> Result<Option<(git2::Oid, u32)>, GitError> {
        let Some(tree) = self.head_tree()? else { return Ok(None) };
        match tree.get_path(path.path()) {
            Ok(entry) => Ok(Some((entry.id(), entry.filemode().cast_unsigned()))),
            Err(error) if error.code() == git2::ErrorCode::NotFound => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Has the index hold what the last commit does, of files and all files in folders. Answers
    /// which files that changed.
    ///
    /// # Errors
    /// When nothing of a path is staged, or the index cannot be written.
    pub fn unstage(&self, paths: &[RepoPath]) -> Result<Vec<RepoPath>, GitError> {
        let mut index = self.fresh_index()?;
        let question = StatusQuestion { within: paths.to_vec(), all_untracked: false };
        let status = self.status(&question, &Unsaved::default())?;
        let mut files = Vec::new();
        for changed in status.staged {
            files.extend(changed.from.filter(|_| changed.kind == Kind::Renamed));
            files.push(changed.path);
        }
        let table = self.look_at_index(&[])?.table;
        let announced = table.iter().filter(Entry::is_announced);
        files.extend(
            announced
                .map(|entry| RepoPath::new(entry.path))
                .filter(|path| paths.iter().any(|folder| path.is_in(folder)) || paths.is_empty()),
        );
        for path in paths {
            if !path.bytes().is_empty() && !files.iter().any(|file| file.is_in(path)) {
                return Err(not_staged(path));
            }
        }
        files.sort();
        files.dedup();
        for file in &files {
            match self.head_entry(file)? {
                Some((id, mode)) => index.add(&entry(file, id, mode))?,
                None => index.remove_path(file.path())?,
            }
        }
        self.write_index(&mut index)?;
        Ok(files)
    }
}

fn not_staged(path: &RepoPath) -> GitError {
    GitError::NotFound { what: format!("{}: nothing of it is staged", path.shown()) }
}

/// Whether a path lies in a folder that git would take for its own.
fn is_own(path: &RepoPath) -> bool {
    path.path().iter().any(|name| name.eq_ignore_ascii_case(".git"))
}

pub(crate) fn entry(path: &RepoPath, id: git2::Oid, mode: u32) -> IndexEntry {
    IndexEntry {
        ctime: IndexTime::new(0, 0),
        mtime: IndexTime::new(0, 0),
        dev: 0,
        ino: 0,
        mode: match mode {
            EXECUTABLE | LINK | 0o160_000 => mode,
            _ => FILE,
        },
        uid: 0,
        gid: 0,
        file_size: 0,
        id,
        flags: 0,
        flags_extended: 0,
        path: path.bytes().to_vec(),
    }
}

fn add_bytes(index: &mut Index, path: &RepoPath, kept: &[u8], mode: u32) -> Result<(), GitError> {
    index.add_frombuffer(&entry(path, git2::Oid::ZERO_SHA1, mode), kept)?;
    Ok(())
}

/// The old text with the selected changes to the new one, or with all but those.
pub(crate) fn composed(
    path: &RepoPath,
    old: &[u8],
    new: &[u8],
    selection: &Selection,
    is_selected: bool,
) -> Result<Vec<u8>, GitError> {
    let mut options = options(0);
    options.force_text(true);
    let patch = Patch::from_buffers(old, None, new, None, Some(&mut options))?;
    let lines: Vec<&[u8]> = old.split_inclusive(|byte| *byte == b'\n').collect();
    let holds = |ranges: &[RangeInclusive<u32>], line: Option<u32>| {
        line.is_some_and(|line| ranges.iter().any(|range| range.contains(&line)))
    };
    let mut out = Vec::with_capacity(old.len().max(new.len()));
    let (mut at, mut met) = (0usize, false);
    for number in 0..patch.num_hunks() {
        let (hunk, count) = patch.hunk(number)?;
        let start = hunk.old_start() as usize;
        let start = if hunk.old_lines() == 0 { start } else { start.saturating_sub(1) };
        let start = start.min(lines.len());
        out.extend(lines[at..start].iter().flat_map(|line| line.iter()));
        at = (start + hunk.old_lines() as usize).min(lines.len());
        // Line by line: what comes of a part stands where the part does.
        let (mut went, mut came) = (Vec::new(), Vec::new());
        for line in 0..count {
            let line = patch.line_in_hunk(number, line)?;
            let (is_met, keeps_unmet) = match line.origin() {
                '-' => (holds(&selection.old, line.old_lineno()), true),
                '+' => (holds(&selection.new, line.new_lineno()), false),
                _ => continue,
            };
            met |= is_met;
            // A change that is made drops what went and has what came.
            let is_made = is_met == is_selected;
            let stays = (is_made != keeps_unmet).then(|| line.content().to_vec());
            if keeps_unmet { went.push(stays) } else { came.push(stays) }
        }
        let (mut went, mut came) = (went.into_iter(), came.into_iter());
        loop {
            let (old, new) = (went.next(), came.next());
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
    if !met {
        let what = format!("{}: none of these lines differ", path.shown());
        return Err(GitError::NotFound { what });
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_selected_one_by_one() {
        let path = RepoPath::new(b"a");
        let (old, new) = (b"a\nb\nc\nd\n", b"a\nB\nB2\nc\nd\ne\n");
        let take = |old_lines: &[u32], new_lines: &[u32], is_selected| {
            let ranges = |lines: &[u32]| lines.iter().map(|line| *line..=*line).collect();
            let selection = Selection { old: ranges(old_lines), new: ranges(new_lines) };
            let out = composed(&path, old, new, &selection, is_selected);
            out.map(|out| String::from_utf8(out).unwrap())
        };
        assert_eq!(take(&[2], &[2, 3], true).unwrap(), "a\nB\nB2\nc\nd\n");
        assert_eq!(take(&[], &[6], true).unwrap(), "a\nb\nc\nd\ne\n");
        assert_eq!(take(&[2], &[], true).unwrap(), "a\nc\nd\n");
        assert_eq!(take(&[2], &[2, 3], false).unwrap(), "a\nb\nc\nd\ne\n");
        assert_eq!(take(&[], &[6], false).unwrap(), "a\nB\nB2\nc\nd\n");
        assert!(take(&[1], &[1], true).is_err());
    }

    #[test]
    fn parts_of_a_change_stand_where_they_stood() {
        let path = RepoPath::new(b"a");
        let (old, new) = (b"a\nb\nc\nz\n", b"A\nB\nC\nD\nz\n");
        let take = |old_lines: [u32; 2], new_lines: [u32; 2], is_selected| {
            let range = |[first, last]: [u32; 2]| vec![first..=last];
            let selection = Selection { old: range(old_lines), new: range(new_lines) };
            let out = composed(&path, old, new, &selection, is_selected).unwrap();
            String::from_utf8(out).unwrap()
        };
        assert_eq!(take([2, 2], [2, 2], true), "a\nB\nc\nz\n");
        assert_eq!(take([2, 2], [2, 2], false), "A\nb\nC\nD\nz\n");
        assert_eq!(take([3, 3], [3, 4], true), "a\nb\nC\nD\nz\n");
        assert_eq!(take([1, 1], [1, 1], true), "A\nb\nc\nz\n");
    }
}
