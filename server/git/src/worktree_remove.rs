//! Removes linked work trees.

use std::fs;
use std::io;
use std::path::Path;

use workspace::FilesystemSandbox;

use crate::GitError;
use crate::layout::RepoLayout;
use crate::worktrees::LinkedWorktree;

impl RepoLayout {
    /// Removes a linked work tree in `own`, our folder of work trees. The caller has checked what
    /// would be lost.
    ///
    /// Its folder is first moved aside, so that from the start there is no work tree that is partly
    /// there.
    ///
    /// # Errors
    /// When it lies elsewhere, is held ([`RepoLayout::hold_worktree`]), or cannot be removed.
    pub fn remove_worktree(&self, worktree: &LinkedWorktree, own: &Path) -> Result<(), GitError> {
        self.check_writable()?;
        if worktree.path.parent() != Some(own) {
            let what = "the worktree's folder".to_owned();
            let path = worktree.path.display().to_string();
            return Err(GitError::OutsideWorkspace { path, what });
        }
        let _released = self.release_worktree(worktree)?;
        let entries = self.common_folder.join("worktrees");
        let entry = entries.join(&worktree.name);
        let aside = own.join(format!(".removed-{}-{}", worktree.name, std::process::id()));
        in_sandbox(&[own, &self.common_folder], || {
            match fs::rename(&worktree.path, &aside) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                moved => moved?,
            }
            fs::remove_dir_all(&entry)?;
            // As git: the folder goes with its last entry.
            let _ = fs::remove_dir(&entries);
            match fs::remove_dir_all(&aside) {
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
                removed => removed,
            }
        })
        .map_err(|error| GitError::Io { what: format!("{}: {error}", worktree.path.display()) })
    }
}

/// Runs `work` on a thread that can write to these folders only.
fn in_sandbox<R: Send>(
    folders: &[&Path],
    work: impl FnOnce() -> io::Result<R> + Send,
) -> io::Result<R> {
    let sandbox = FilesystemSandbox::with_folders(folders, &[]);
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            if let Err(error) = sandbox.and_then(|sandbox| sandbox.restrict_thread()) {
                tracing::debug!("git runs without a sandbox: {error}");
            }
            work()
        });
        thread.join().unwrap_or_else(|_| Err(io::Error::other("the thread panicked")))
    })
}
