//! Runs work on a repository on a sandboxed thread.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use crate::limits::STACK_SIZE;
use crate::{GitError, Repo, RepoLayout};

impl RepoLayout {
    /// Opens the repository and runs `work` on a new thread in the sandbox of [`Layout::wall`];
    /// waits for it. The calling thread must not be in another sandbox: the new thread would
    /// inherit it.
    ///
    /// # Errors
    /// Those of opening and of `work`, and if no thread can be started or `work` panics.
    pub fn run_sandboxed<R: Send>(
        &self,
        writes: bool,
        work: impl FnOnce(&mut Repo) -> Result<R, GitError> + Send,
    ) -> Result<R, GitError> {
        self.run_sandboxed_with(writes, &[], work)
    }

    /// As [`RepoLayout::run_sandboxed`], with more folders that can be read.
    pub(crate) fn run_sandboxed_with<R: Send>(
        &self,
        writes: bool,
        readable: &[&Path],
        work: impl FnOnce(&mut Repo) -> Result<R, GitError> + Send,
    ) -> Result<R, GitError> {
        let wall = self.sandbox(writes, readable);
        let sandboxed = || {
            // Without a sandbox (`tandem doctor` reports that), the checks of `Layout::find` still
            // hold.
            if let Err(error) = wall.and_then(|wall| wall.restrict_thread()) {
                tracing::debug!("git runs without a sandbox: {error}");
            }
            catch_unwind(AssertUnwindSafe(|| work(&mut Repo::open(self.clone())?)))
        };
        let done = std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().name("git".to_owned()).stack_size(STACK_SIZE);
            thread.spawn_scoped(scope, sandboxed).map(std::thread::ScopedJoinHandle::join)
        });
        match done {
            Ok(Ok(Ok(done))) => done,
            Ok(_) => Err(GitError::Panicked),
            Err(error) => Err(GitError::Io { what: format!("cannot start a thread: {error}") }),
        }
    }
}
