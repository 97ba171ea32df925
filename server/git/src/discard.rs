//! Computes the content that discarding changes would restore.

use workspace::FileKind;

use crate::checkpoint::FileTarget;
use crate::file_change::ChangeKind;
use crate::stage::{LineSelection, compose};
use crate::status::StatusOptions;
use crate::unsaved::UnsavedFiles;
use crate::{GitError, Repo, RepoPath};

impl Repo {
    /// The files to write in order to discard the unstaged changes of `paths`. With `untracked`,
    /// untracked files are deleted.
    ///
    /// # Errors
    /// When a path has no changes, or has a merge conflict.
    pub fn discard_targets(
        &self,
        paths: &[RepoPath],
        untracked: bool,
        unsaved: &UnsavedFiles,
    ) -> Result<Vec<FileTarget>, GitError> {
        let options = StatusOptions { paths: paths.to_vec(), all_untracked: true };
        let status = self.status(&options, unsaved)?;
        if let Some(conflict) = status.conflicts.first() {
            let what =
                format!("{}: has a merge conflict; resolve it", conflict.path.to_string_lossy());
            return Err(GitError::Conflict { what });
        }
        let index = self.index()?;
        let mut targets = Vec::new();
        for changed in &status.unstaged {
            let path = &changed.path;
            let entry = index.get_path(path.as_path(), 0);
            let Some(entry) = entry.filter(|_| changed.kind != ChangeKind::Added) else { continue };
            self.check_filter(path)?;
            let is_link = entry.mode == 0o120_000
                || entry.mode == 0o160_000
                || self.kind_in_work_tree(path)? == Some(FileKind::Link);
            let content = if is_link {
                (Vec::new(), false)
            } else {
                (self.to_work_tree_bytes(path, entry.id)?, entry.mode == 0o100_755)
            };
            targets.push(FileTarget { path: path.clone(), content: Some(content), is_link });
        }
        if untracked {
            let removed = status.untracked.iter().filter(|path| !path.as_bytes().ends_with(b"/"));
            targets.extend(removed.map(|path| FileTarget {
                path: path.clone(),
                content: None,
                is_link: false,
            }));
        }
        for path in paths.iter().filter(|path| !path.as_bytes().is_empty()) {
            if !targets.iter().any(|target| target.path.is_in(path)) {
                let what = format!("{}: has no changes to discard", path.to_string_lossy());
                return Err(GitError::NotFound { what });
            }
        }
        targets.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(targets)
    }

    /// The content of a file without the selected lines of its unstaged changes.
    ///
    /// # Errors
    /// When none of the lines differ.
    pub fn discard_lines_target(
        &self,
        path: &RepoPath,
        selection: &LineSelection,
        unsaved: &UnsavedFiles,
    ) -> Result<FileTarget, GitError> {
        self.check_filter(path)?;
        let index = self.index()?;
        let entry = index.get_path(path.as_path(), 0).ok_or_else(|| GitError::NotFound {
            what: format!("{}: not a tracked file", path.to_string_lossy()),
        })?;
        let old = self.blob(entry.id)?;
        let new = match unsaved.get(path) {
            Some(bytes) => self.to_git_blob(path, bytes, Some(entry.id))?.0,
            None => self.work_tree_as_blob(path)?,
        };
        let remaining = compose(path, &old, &new, selection, false)?;
        let bytes = self.conversion(path)?.to_work_tree(&remaining, entry.id);
        let content = Some((bytes, entry.mode == 0o100_755));
        Ok(FileTarget { path: path.clone(), content, is_link: false })
    }

    /// The content of one side of a file with merge conflicts; none if that side deleted it.
    ///
    /// # Errors
    /// When the file has no conflict.
    pub fn side_target(&self, path: &RepoPath, side: usize) -> Result<FileTarget, GitError> {
        let stages = self.stages()?.into_iter().find(|stages| stages.path == *path);
        let stages = stages.ok_or_else(|| GitError::NotFound {
            what: format!("{}: has no merge conflict", path.to_string_lossy()),
        })?;
        let content = match stages.sides.get(side).copied().flatten() {
            Some((id, mode)) => Some((self.to_work_tree_bytes(path, id)?, mode == 0o100_755)),
            None => None,
        };
        Ok(FileTarget { path: path.clone(), content, is_link: false })
    }
}
