//! Opens a repository without reading anything but the repository itself.
//!
//! libgit2 runs no program: no hooks, no file system monitor, no filters but its own for line
//! endings and `$Id$`. We register none, and build it without network transports. It opens files by
//! path, so work with a [`Repo`] on a thread in the sandbox of [`Layout::wall`].

use std::path::{Path, PathBuf};

use git2::{Repository, RepositoryOpenFlags};
use workspace::FilesystemSandbox;

use crate::{GitError, RepoLayout, loose_objects, special_files, user_config};

/// An open repository.
pub struct Repo {
    pub(crate) git: Repository,
    layout: RepoLayout,
}

impl RepoLayout {
    /// The filesystem sandbox for work on the repository: its folders and the user's global ignore
    /// file can be read, with `writes` its folders can be written, and `readable` can be read too.
    ///
    /// # Errors
    /// Why this system cannot sandbox.
    pub(crate) fn sandbox(
        &self,
        writes: bool,
        readable: &[&Path],
    ) -> Result<FilesystemSandbox, String> {
        let user_files = user_config::user_config().readable;
        let (above, top) = (self.read_above(), self.work_tree.absolute());
        let root = self.folder().root().path();
        let folders = [root, self.git_folder.as_path(), self.common_folder.as_path()];
        let user_files = user_files.iter().chain(&above).map(PathBuf::as_path);
        let user_files = user_files.chain(readable.iter().copied());
        let listed: &[&Path] = if self.subfolder.is_some() { &[&top] } else { &[] };
        if !writes {
            let read: Vec<&Path> = folders.into_iter().chain(user_files).collect();
            return FilesystemSandbox::with_listed_folders(&[], &read, listed);
        }
        let read: Vec<&Path> = user_files.collect();
        FilesystemSandbox::with_listed_folders(&folders, &read, listed)
    }
}

impl Repo {
    /// Opens the repository.
    ///
    /// # Errors
    /// When it is no longer the repository that [`Layout::find`] checked, or cannot be read.
    pub fn open(layout: RepoLayout) -> Result<Self, GitError> {
        user_config::user_config();
        special_files::check_git_folder(&layout)?;
        loose_objects::check_loose_objects(&layout.common_folder)?;
        let top = layout.work_tree.absolute();
        let none: [&Path; 0] = [];
        let git = Repository::open_ext(&top, RepositoryOpenFlags::NO_SEARCH, none)
            .map_err(|error| opening_error(error, &layout))?;
        let is_same_path = |found: Option<&Path>, expected: &Path| {
            found.is_some_and(|found| found.components().eq(expected.components()))
        };
        let is_same = is_same_path(git.workdir(), &top)
            && is_same_path(Some(git.path()), &layout.git_folder)
            && is_same_path(Some(git.commondir()), &layout.common_folder)
            && !git.is_bare();
        if !is_same {
            let what = format!("{}: its folders have moved meanwhile", layout.display_path());
            return Err(GitError::Conflict { what });
        }
        Ok(Self { git, layout })
    }

    /// Where its folders are.
    #[must_use]
    pub fn layout(&self) -> &RepoLayout {
        &self.layout
    }
}

fn opening_error(error: git2::Error, layout: &RepoLayout) -> GitError {
    let path = layout.display_path();
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
