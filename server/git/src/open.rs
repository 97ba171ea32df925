//! A repository, opened without heeding anything but itself.
//!
//! libgit2 runs no program by itself: no hooks, no file system monitor, no filters but those of
//! line endings and `$Id$`, which are its own; nothing is registered with it here, and it is built
//! without transports to anywhere. It opens files by their paths, so whoever works with a
//! [`Repo`] does it on a thread behind [`Layout::wall`].

use std::path::{Path, PathBuf};

use git2::{Repository, RepositoryOpenFlags};
use workspace::Wall;

use crate::{GitError, Layout, loose, person, special};

/// An open repository.
pub struct Repo {
    pub(crate) git: Repository,
    layout: Layout,
}

impl Layout {
    /// The wall that work on the repository is done behind: its folders and the person's list of
    /// what to ignore are read, and where `writes` they are written to.
    ///
    /// # Errors
    /// Why this system has none.
    pub fn wall(&self, writes: bool) -> Result<Wall, String> {
        let own = person::take_over().read;
        let (above, top) = (self.read_above(), self.work_tree.absolute());
        let root = self.folder().root().path();
        let folders = [root, self.git_folder.as_path(), self.common_folder.as_path()];
        let own = own.iter().chain(&above).map(PathBuf::as_path);
        let listed: &[&Path] = if self.part.is_some() { &[&top] } else { &[] };
        if !writes {
            let read: Vec<&Path> = folders.into_iter().chain(own).collect();
            return Wall::around_part(&[], &read, listed);
        }
        let read: Vec<&Path> = own.collect();
        Wall::around_part(&folders, &read, listed)
    }
}

impl Repo {
    /// Opens the repository.
    ///
    /// # Errors
    /// When it is not what was found there before, or cannot be read.
    pub fn open(layout: Layout) -> Result<Self, GitError> {
        person::take_over();
        special::check(&layout)?;
        loose::check(&layout.common_folder)?;
        let top = layout.work_tree.absolute();
        let none: [&Path; 0] = [];
        let git = Repository::open_ext(&top, RepositoryOpenFlags::NO_SEARCH, none)
            .map_err(|error| of_opening(error, &layout))?;
        let same = |found: Option<&Path>, expected: &Path| {
            found.is_some_and(|found| found.components().eq(expected.components()))
        };
        let is_same = same(git.workdir(), &top)
            && same(Some(git.path()), &layout.git_folder)
            && same(Some(git.commondir()), &layout.common_folder)
            && !git.is_bare();
        if !is_same {
            let what = format!("{}: is not where it was a moment ago", layout.shown());
            return Err(GitError::Conflict { what });
        }
        Ok(Self { git, layout })
    }

    /// Where its parts lie.
    #[must_use]
    pub fn layout(&self) -> &Layout {
        &self.layout
    }
}

fn of_opening(error: git2::Error, layout: &Layout) -> GitError {
    let path = layout.shown();
    match error.code() {
        git2::ErrorCode::Owner => GitError::Owner { path },
        git2::ErrorCode::NotFound => GitError::NoRepository { path },
        _ => match GitError::from(error) {
            GitError::Other { what } if what.contains("extension") => {
                GitError::Unsupported { what: format!("{path}: {what}") }
            }
            error => error,
        },
    }
}
