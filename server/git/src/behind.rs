//! Work on a repository, on a thread that can do nothing else.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::{GitError, Layout, Repo};

/// Deep trees are walked by recursion in places.
const STACK: usize = 16 << 20;

impl Layout {
    /// Opens the repository and does `work` on it, on a thread of its own behind [`Layout::wall`];
    /// waits for it. Whoever calls this must not be behind a wall around other places.
    ///
    /// # Errors
    /// What opening or `work` answers, and where no thread can be had or `work` panics.
    pub fn behind<R: Send>(
        &self,
        writes: bool,
        work: impl FnOnce(&mut Repo) -> Result<R, GitError> + Send,
    ) -> Result<R, GitError> {
        let wall = self.wall(writes);
        let inside = || {
            // Where there is none (`tandem doctor` says so), what was checked before confines.
            if let Err(error) = wall.and_then(|wall| wall.enter()) {
                tracing::debug!("git works without its wall: {error}");
            }
            catch_unwind(AssertUnwindSafe(|| work(&mut Repo::open(self.clone())?)))
        };
        let done = std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().name("git".to_owned()).stack_size(STACK);
            thread.spawn_scoped(scope, inside).map(std::thread::ScopedJoinHandle::join)
        });
        match done {
            Ok(Ok(Ok(done))) => done,
            Ok(_) => Err(GitError::Panicked),
            Err(error) => Err(GitError::Io { what: format!("no thread could be had: {error}") }),
        }
    }
}
