//! What files would be without their changes.

use workspace::FileKind;

use crate::checkpoint::Target;
use crate::stage::{Selection, composed};
use crate::status::{Kind, StatusQuestion};
use crate::unsaved::Unsaved;
use crate::{GitError, Repo, RepoPath};

impl Repo {
    /// What the files that differ from the index are to be, to be as it has them; of `staged` ones,
    /// as the last commit does. Files that git does not know go, with `untracked`.
    ///
    /// # Errors
    /// When a path has no changes, or holds a conflict.
    pub fn to_discard(
        &self,
        paths: &[RepoPath],
        untracked: bool,
        unsaved: &Unsaved,
    ) -> Result<Vec<Target>, GitError> {
        let question = StatusQuestion { within: paths.to_vec(), all_untracked: true };
        let status = self.status(&question, unsaved)?;
        if let Some(conflict) = status.conflicts.first() {
            let what = format!("{}: holds a conflict; resolve it", conflict.path.shown());
            return Err(GitError::Conflict { what });
        }
        let index = self.index()?;
        let mut targets = Vec::new();
        for changed in &status.unstaged {
            let path = &changed.path;
            let entry = index.get_path(path.path(), 0);
            let Some(entry) = entry.filter(|_| changed.kind != Kind::Added) else { continue };
            self.check_filter(path)?;
            let is_link = entry.mode == 0o120_000
                || entry.mode == 0o160_000
                || self.kind_in_work_tree(path)? == Some(FileKind::Link);
            let content = if is_link {
                (Vec::new(), false)
            } else {
                (self.in_work_tree(path, entry.id)?, entry.mode == 0o100_755)
            };
            targets.push(Target { path: path.clone(), content: Some(content), is_link });
        }
        if untracked {
            let gone = status.untracked.iter().filter(|path| !path.bytes().ends_with(b"/"));
            targets.extend(gone.map(|path| Target {
                path: path.clone(),
                content: None,
                is_link: false,
            }));
        }
        for path in paths.iter().filter(|path| !path.bytes().is_empty()) {
            if !targets.iter().any(|target| target.path.is_in(path)) {
                let what = format!("{}: has no changes that could be discarded", path.shown());
                return Err(GitError::NotFound { what });
            }
        }
        targets.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(targets)
    }

    /// What a file is to be without the selected lines of its difference from the index.
    ///
    /// # Errors
    /// When none of the lines differ.
    pub fn to_discard_lines(
        &self,
        path: &RepoPath,
        selection: &Selection,
        unsaved: &Unsaved,
    ) -> Result<Target, GitError> {
        self.check_filter(path)?;
        let index = self.index()?;
        let entry = index.get_path(path.path(), 0).ok_or_else(|| GitError::NotFound {
            what: format!("{}: git knows no such file", path.shown()),
        })?;
        let old = self.blob(entry.id)?;
        let new = match unsaved.get(path) {
            Some(bytes) => self.kept_of(path, bytes, Some(entry.id))?.0,
            None => self.kept_in_work_tree(path)?,
        };
        let left = composed(path, &old, &new, selection, false)?;
        let bytes = self.conversion(path)?.to_work_tree(&left, entry.id);
        let content = Some((bytes, entry.mode == 0o100_755));
        Ok(Target { path: path.clone(), content, is_link: false })
    }

    /// What a file that a merge has left open is to be, to be as one side has it; nothing where
    /// that side has deleted it.
    ///
    /// # Errors
    /// When nothing of it is open.
    pub fn to_side(&self, path: &RepoPath, side: usize) -> Result<Target, GitError> {
        let stages = self.stages()?.into_iter().find(|stages| stages.path == *path);
        let stages = stages.ok_or_else(|| GitError::NotFound {
            what: format!("{}: no merge has left it open", path.shown()),
        })?;
        let content = match stages.sides.get(side).copied().flatten() {
            Some((id, mode)) => Some((self.in_work_tree(path, id)?, mode == 0o100_755)),
            None => None,
        };
        Ok(Target { path: path.clone(), content, is_link: false })
    }
}
