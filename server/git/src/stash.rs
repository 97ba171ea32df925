//! The stash.

use git2::{Oid, StashApplyOptions, StashFlags};

use workspace::CallBudget;

use crate::status::StatusOptions;
use crate::unsaved::UnsavedFiles;
use crate::{GitError, Repo, RepoPath};

/// A stash entry.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StashEntry {
    /// Its number; the newest is 0.
    pub number: usize,
    /// Its message.
    pub message: String,
    /// The commit that stores it.
    pub commit: Oid,
}

impl Repo {
    /// The stash entries, newest first.
    ///
    /// # Errors
    /// When the stash cannot be read.
    pub fn stashes(&mut self) -> Result<Vec<StashEntry>, GitError> {
        let mut found = Vec::new();
        self.git.stash_foreach(|number, message, id| {
            let message = message.to_owned();
            found.push(StashEntry { number, message, commit: *id });
            true
        })?;
        Ok(found)
    }

    /// The files that pushing a new stash entry, or applying entry `stash`, would change.
    ///
    /// # Errors
    /// When the work tree cannot be read, there is no such stash, or the budget is used up.
    pub fn files_changed_by_stash(
        &mut self,
        stash: Option<usize>,
        untracked: bool,
        budget: &CallBudget<'_>,
    ) -> Result<Vec<RepoPath>, GitError> {
        self.layout().check_whole()?;
        let mut paths = Vec::new();
        if let Some(number) = stash {
            let stashed = self.stash(number)?.commit;
            let commit = self.git.find_commit(stashed)?;
            let base = commit.parent(0)?.tree()?;
            let tree = commit.tree()?;
            self.check_trees(Some(&base), Some(&tree), budget)?;
            let diff = self.git.diff_tree_to_tree(Some(&base), Some(&tree), None)?;
            let changed = diff.deltas().filter_map(|delta| delta.new_file().path_bytes());
            paths.extend(changed.map(RepoPath::new));
            // A stash commit's third parent holds the untracked files.
            if let Ok(unknown) = commit.parent(2) {
                let unknown = unknown.tree()?;
                self.check_tree(Some(&unknown), budget)?;
                let diff = self.git.diff_tree_to_tree(None, Some(&unknown), None)?;
                let changed = diff.deltas().filter_map(|delta| delta.new_file().path_bytes());
                paths.extend(changed.map(RepoPath::new));
            }
        } else {
            let options = StatusOptions { paths: Vec::new(), all_untracked: true };
            let status = self.status_with_budget(&options, &UnsavedFiles::default(), budget)?;
            let other_changes = status.staged.into_iter().chain(status.unstaged);
            paths.extend(other_changes.map(|changed| changed.path));
            if untracked {
                paths.extend(status.untracked);
            }
        }
        paths.sort();
        paths.dedup();
        Ok(paths)
    }

    fn stash(&mut self, number: usize) -> Result<StashEntry, GitError> {
        self.stashes()?
            .into_iter()
            .nth(number)
            .ok_or_else(|| GitError::NotFound { what: format!("there is no stash {number}") })
    }

    fn check_saved(&self, paths: &[RepoPath], unsaved: &UnsavedFiles) -> Result<(), GitError> {
        let open = paths.iter().find(|path| unsaved.get(path).is_some());
        match open {
            Some(path) => Err(GitError::Conflict {
                what: format!("{}: has unsaved changes; save them first", path.to_string_lossy()),
            }),
            None => Ok(()),
        }
    }

    /// Stashes all changes (`git stash push`).
    ///
    /// # Errors
    /// When there are none, a file is unsaved, or an operation is in progress.
    pub fn push_stash(
        &mut self,
        message: Option<&str>,
        untracked: bool,
        keep_index: bool,
        unsaved: &UnsavedFiles,
        budget: &CallBudget<'_>,
    ) -> Result<StashEntry, GitError> {
        if let Some(operation) = self.operation() {
            let what = format!("a {operation} is in progress; finish it first");
            return Err(GitError::Conflict { what });
        }
        let touched = self.files_changed_by_stash(None, untracked, budget)?;
        self.check_saved(&touched, unsaved)?;
        for path in &touched {
            self.check_filter(path)?;
        }
        if touched.is_empty() {
            return Err(GitError::NotFound { what: "there are no changes to stash".to_owned() });
        }
        let signature = self.signature()?;
        let mut flags = StashFlags::DEFAULT;
        flags.set(StashFlags::INCLUDE_UNTRACKED, untracked);
        flags.set(StashFlags::KEEP_INDEX, keep_index);
        self.git.stash_save2(&signature, message, Some(flags))?;
        self.stash(0)
    }

    /// Applies a stash entry, and drops it with `pop`. Files that have other changes prevent it.
    ///
    /// # Errors
    /// When there is no such entry, or a change would be lost. Nothing has changed then.
    pub fn apply_stash(
        &mut self,
        number: usize,
        pop: bool,
        unsaved: &UnsavedFiles,
        budget: &CallBudget<'_>,
    ) -> Result<StashEntry, GitError> {
        let stashed = self.stash(number)?;
        let touched = self.files_changed_by_stash(Some(number), true, budget)?;
        self.check_saved(&touched, unsaved)?;
        let options = StatusOptions { paths: Vec::new(), all_untracked: true };
        let status = self.status_with_budget(&options, unsaved, budget)?;
        let other_changes =
            status.staged.iter().chain(&status.unstaged).map(|changed| &changed.path);
        let mut other_changes = other_changes.chain(&status.untracked);
        if let Some(path) = other_changes.find(|path| touched.contains(path)) {
            let what = format!(
                "{}: has changes that the stash entry would overwrite",
                path.to_string_lossy()
            );
            return Err(GitError::Conflict { what });
        }
        let mut checkout = git2::build::CheckoutBuilder::new();
        checkout.safe().overwrite_ignored(false);
        let mut apply_options = StashApplyOptions::new();
        apply_options.checkout_options(checkout);
        self.git.stash_apply(number, Some(&mut apply_options))?;
        if pop {
            self.git.stash_drop(number)?;
        }
        Ok(stashed)
    }

    /// Drops a stash entry and returns it: its commit can be found by its id for a while.
    ///
    /// # Errors
    /// When there is no such entry.
    pub fn drop_stash(&mut self, number: usize) -> Result<StashEntry, GitError> {
        let stashed = self.stash(number)?;
        self.git.stash_drop(number)?;
        Ok(stashed)
    }
}
