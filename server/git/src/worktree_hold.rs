//! Holds on linked work trees: one that is held is not removed.

use std::fs::{File, TryLockError};
use std::io;

use crate::GitError;
use crate::layout::RepoLayout;
use crate::worktrees::LinkedWorktree;

/// Keeps a linked work tree from being removed by [`RepoLayout::remove_worktree`] until it is dropped.
///
/// It is a lock of the work tree's entry in the git folder, and not a `locked` file as git writes: the system releases
/// it when the process ends, however it ends. `git worktree remove` does not look at it.
#[derive(Debug)]
pub struct WorktreeHold {
    _entry: File,
}

impl RepoLayout {
    /// Holds a linked work tree. Several may hold the same one.
    ///
    /// # Errors
    /// When it is being removed, or its entry in the git folder cannot be opened.
    pub fn hold_worktree(&self, worktree: &LinkedWorktree) -> Result<WorktreeHold, GitError> {
        self.lock_entry(worktree, File::try_lock_shared, "is being removed")
    }

    /// Makes sure that nobody holds a linked work tree, and that nobody can until the result is dropped.
    ///
    /// # Errors
    /// When somebody does, or its entry in the git folder cannot be opened.
    pub(crate) fn release_worktree(
        &self,
        worktree: &LinkedWorktree,
    ) -> Result<WorktreeHold, GitError> {
        self.lock_entry(worktree, File::try_lock, "an agent works in it")
    }

    fn lock_entry(
        &self,
        worktree: &LinkedWorktree,
        lock: impl Fn(&File) -> Result<(), TryLockError>,
        busy: &str,
    ) -> Result<WorktreeHold, GitError> {
        let path = self.common_folder.join("worktrees").join(&worktree.name);
        let failed =
            |error: io::Error| GitError::Io { what: format!("{}: {error}", path.display()) };
        let entry = File::open(&path).map_err(failed)?;
        match lock(&entry) {
            Ok(()) => Ok(WorktreeHold { _entry: entry }),
            Err(TryLockError::WouldBlock) => {
                let what = format!("worktree {}: {busy}", worktree.name);
                Err(GitError::Conflict { what })
            }
            // Some network file systems have no locks: nothing can be held there.
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => {
                Ok(WorktreeHold { _entry: entry })
            }
            Err(TryLockError::Error(error)) => Err(failed(error)),
        }
    }
}
