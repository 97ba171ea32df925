//! The linked work trees of a repository, and how this crate reaches into them.
//!
//! A linked work tree lies outside the workspace. Its entry in the git folder names it, and it names
//! that entry; both must agree. It is opened only if it lies in our own folder of work trees or in the
//! workspace, or if the user trusts the workspace: a git folder that came with an archive could name
//! any folder.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use git2::Oid;
use workspace::{FilePath, Root, Snapshot};

use crate::layout::{RepoLayout, Trust};
use crate::limits::MAX_LINK_FILE_SIZE;
use crate::{GitError, Repo};

/// What a work tree's `locked` file says while it is created, as in git.
pub const INITIALIZING: &str = "initializing";
/// Limit for counted commits.
pub const MAX_COUNTED_COMMITS: usize = 1_000;

/// A linked work tree (`git worktree`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinkedWorktree {
    /// Its name: the folder of its entry in the git folder.
    pub name: String,
    /// Its folder.
    pub path: PathBuf,
    /// Its branch; `None` if HEAD is detached.
    pub branch: Option<String>,
    /// Its current commit.
    pub commit: Option<Oid>,
    /// Why it is locked; empty if no reason was given.
    pub locked: Option<String>,
}

impl Repo {
    /// The linked work trees, sorted by name. Reads the git folder only.
    ///
    /// # Errors
    /// When the git folder cannot be read.
    pub fn linked_worktrees(&self) -> Result<Vec<LinkedWorktree>, GitError> {
        let common = Root::open(&self.layout().common_folder)
            .map_err(|error| GitError::Io { what: error.to_string() })?;
        let mut found = Vec::new();
        for name in self.git.worktrees()?.iter_bytes() {
            let Ok(name) = std::str::from_utf8(name) else { continue };
            let read = |file: &str| {
                let path: PathBuf = ["worktrees", name, file].iter().collect();
                let bytes = common.read_below(&path, MAX_LINK_FILE_SIZE).ok().flatten()?;
                Some(String::from_utf8_lossy(&bytes).trim_end().to_owned())
            };
            let (Some(link), Some(head)) = (read("gitdir"), read("HEAD")) else { continue };
            let branch = head.strip_prefix("ref: refs/heads/").map(str::to_owned);
            let commit = match &branch {
                Some(branch) => self.git.refname_to_id(&format!("refs/heads/{branch}")).ok(),
                None => Oid::from_str(&head).ok(),
            };
            let link = PathBuf::from(link);
            found.push(LinkedWorktree {
                name: name.to_owned(),
                path: link.parent().unwrap_or(&link).to_owned(),
                branch,
                commit,
                locked: read("locked"),
            });
        }
        found.sort_by(|a, b| a.name.cmp(&b.name));
        Ok(found)
    }

    /// The linked work tree with this name, or else with this branch.
    ///
    /// # Errors
    /// When there is none.
    pub fn linked_worktree(&self, written: &str) -> Result<LinkedWorktree, GitError> {
        let mut all = self.linked_worktrees()?;
        let by_name = all.iter().position(|worktree| worktree.name == written);
        let of_branch =
            || all.iter().position(|worktree| worktree.branch.as_deref() == Some(written));
        match by_name.or_else(of_branch) {
            Some(at) => Ok(all.swap_remove(at)),
            None => {
                let what = format!("{written:.100}: there is no worktree of this name or branch");
                Err(GitError::NotFound { what })
            }
        }
    }

    /// How many commits a branch has that no other branch, tag or remote has, counted up to
    /// [`MAX_COUNTED_COMMITS`].
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn commits_only_on(&self, branch: &str) -> Result<usize, GitError> {
        let own = format!("refs/heads/{branch}");
        let mut walk = self.git.revwalk()?;
        walk.push_ref(&own)?;
        for glob in ["refs/heads/*", "refs/tags/*", "refs/remotes/*"] {
            for reference in self.git.references_glob(glob)? {
                let reference = reference?;
                if reference.name_bytes() == own.as_bytes() {
                    continue;
                }
                if let Ok(commit) = reference.peel_to_commit() {
                    walk.hide(commit.id())?;
                }
            }
        }
        Ok(walk.take(MAX_COUNTED_COMMITS).count())
    }

    /// How many commits of `theirs` the current commit lacks, and the reverse.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn ahead_behind(&self, theirs: Oid) -> Result<(usize, usize), GitError> {
        match self.head()?.commit {
            Some(ours) => Ok(self.git.graph_ahead_behind(theirs, ours)?),
            None => Ok((0, 0)),
        }
    }
}

impl RepoLayout {
    /// The layout of one of the repository's linked work trees. `own` is our folder of work trees.
    ///
    /// # Errors
    /// When its folder is missing, has moved or is a link, names another git folder, or lies where
    /// it must not be opened.
    pub fn of_worktree(
        &self,
        snapshot: &Snapshot,
        worktree: &LinkedWorktree,
        own: &Path,
    ) -> Result<Self, GitError> {
        let path = &worktree.path;
        let shown = path.display();
        let is_allowed = path.starts_with(own)
            || self.trust == Trust::Trusted
            || snapshot.locate_absolute(path).is_ok();
        if !is_allowed {
            let what = "the worktree's folder".to_owned();
            return Err(GitError::OutsideWorkspace { path: shown.to_string(), what });
        }
        let Ok(root) = Root::open(path) else {
            let what = format!("{shown}: the folder of the worktree does not exist");
            return Err(GitError::NotFound { what });
        };
        if root.path() != path {
            let what = format!("{shown}: the worktree's folder has become a link");
            return Err(GitError::Conflict { what });
        }
        let top = FilePath::from_root(&Arc::new(root));
        let expected = self.common_folder.join("worktrees").join(&worktree.name);
        match Self::with_top(snapshot, &top, None, self.trust)? {
            Some(layout) if layout.git_folder == expected => Ok(layout),
            _ => {
                let what = format!("{shown}: no longer belongs to this repository");
                Err(GitError::Conflict { what })
            }
        }
    }
}
