//! Creates linked work trees.
//!
//! libgit2 could do it, but it opens every other work tree of the repository to see which branches are
//! checked out: the sandbox denies that, and one that is being created at the same time is an error.
//!
//! The order makes every step harmless until the last one: the entry in the git folder (locked, as git
//! does it, so that nobody prunes it), the folder, the files, and the branch at the end. What fails is
//! removed again.

use std::fs::{self, DirBuilder};
use std::io::{self, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use git2::Oid;
use workspace::{CallBudget, FilePath, Root, Snapshot};

use crate::layout::RepoLayout;
use crate::worktree_files::{PlacementRules, Placements};
use crate::worktrees::INITIALIZING;
use crate::{GitError, Repo};

/// The work tree to create.
#[derive(Debug)]
pub struct NewWorktree<'a> {
    /// Its branch.
    pub branch: &'a str,
    /// The commit at which the branch starts; by default the current one.
    pub from: Option<&'a str>,
    /// Whether to check out an existing branch.
    pub existing: bool,
    /// The folder in which its folder is created.
    pub parent: &'a Path,
    /// The untracked files that it gets.
    pub rules: &'a PlacementRules,
}

/// A created work tree.
#[derive(Debug)]
pub struct CreatedWorktree {
    /// Its name.
    pub name: String,
    /// Its folder.
    pub path: PathBuf,
    /// Its commit.
    pub commit: Oid,
    /// The number of files.
    pub files: usize,
    /// The untracked files that it got.
    pub placements: Placements,
    /// Whether attributes name `filter` programs, which did not run.
    pub has_filters: bool,
}

/// Length of the readable part of a name.
const MAX_NAME_LENGTH: usize = 60;
/// Names that are tried for a branch: `x`, `x-2`, …
const MAX_NAMES: usize = 1_000;

/// Folders to remove unless the work tree is complete.
struct Unfinished(Vec<PathBuf>);

impl Drop for Unfinished {
    fn drop(&mut self) {
        for folder in &self.0 {
            if let Err(error) = fs::remove_dir_all(folder) {
                tracing::warn!("{}: {error}", folder.display());
            }
        }
    }
}

impl RepoLayout {
    /// Creates a linked work tree. `may_read` says which untracked files may be read.
    ///
    /// # Errors
    /// When the branch exists, or is checked out elsewhere, or a name is invalid. Nothing is left
    /// then.
    pub fn create_worktree(
        &self,
        snapshot: &Snapshot,
        order: &NewWorktree<'_>,
        may_read: &(dyn Fn(&FilePath) -> bool + Sync),
        budget: &CallBudget<'_>,
    ) -> Result<CreatedWorktree, GitError> {
        self.check_whole()?;
        let commit = self.run_sandboxed(false, |repo| repo.check_new_worktree(order, budget))?;
        let (name, path) = self.claim_folder(order)?;
        let mut unfinished = Unfinished(vec![path.clone()]);
        let git_folder = self.common_folder.join("worktrees").join(&name);
        // The entry's name is free unless another repository's git folder was moved here.
        DirBuilder::new()
            .recursive(true)
            .create(self.common_folder.join("worktrees"))
            .map_err(io_error)?;
        DirBuilder::new().create(&git_folder).map_err(io_error)?;
        unfinished.0.push(git_folder.clone());
        let link = path.join(".git");
        write_new(&git_folder.join("locked"), INITIALIZING)?;
        write_new(&git_folder.join("HEAD"), &format!("ref: refs/heads/{}\n", order.branch))?;
        write_new(&git_folder.join("commondir"), "../..\n")?;
        write_new(&git_folder.join("gitdir"), &format!("{}\n", link.display()))?;
        write_new(&link, &format!("gitdir: {}\n", git_folder.display()))?;
        let root = Root::open(&path).map_err(|error| GitError::Io { what: error.to_string() })?;
        let top = FilePath::from_root(&Arc::new(root));
        let layout = Self::with_top(snapshot, &top, None, self.trust)?
            .filter(|layout| layout.git_folder == git_folder)
            .ok_or_else(|| self.escapes_workspace("the new worktree"))?;
        let source = &self.work_tree;
        let readable = [source.root().path()];
        let (files, has_filters, placements) =
            layout.run_sandboxed_with(true, &readable, |repo| {
                if order.existing {
                    repo.check_not_elsewhere(order.branch)?;
                }
                let (files, has_filters) = repo.fill(commit, budget)?;
                let placements = repo.place_files(source, order.rules, may_read, budget)?;
                if !order.existing {
                    repo.create_branch(order.branch, commit)?;
                }
                Ok((files, has_filters, placements))
            })?;
        unfinished.0.clear();
        // Nothing is wrong if it stays: `git worktree` reports it as locked.
        let _ = fs::remove_file(git_folder.join("locked"));
        Ok(CreatedWorktree { name, path, commit, files, placements, has_filters })
    }

    /// Creates the folder of a new work tree, with a name that no other has.
    fn claim_folder(&self, order: &NewWorktree<'_>) -> Result<(String, PathBuf), GitError> {
        let plain = |c: char| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' };
        let name: String = order.branch.chars().take(MAX_NAME_LENGTH).map(plain).collect();
        let name = name.trim_matches(['.', '-']);
        let name = if name.is_empty() { "worktree" } else { name };
        for number in 1..=MAX_NAMES {
            let name = if number == 1 { name.to_owned() } else { format!("{name}-{number}") };
            let path = order.parent.join(&name);
            if fs::symlink_metadata(self.common_folder.join("worktrees").join(&name)).is_ok() {
                continue;
            }
            match DirBuilder::new().mode(0o700).create(&path) {
                Ok(()) => return Ok((name, path)),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(io_error(error)),
            }
        }
        let what = format!("{}: has {MAX_NAMES} worktrees of this name", order.parent.display());
        Err(GitError::Exists { what })
    }
}

impl Repo {
    /// Checks the branch of a new work tree and returns the commit to check out.
    fn check_new_worktree(
        &self,
        order: &NewWorktree<'_>,
        budget: &CallBudget<'_>,
    ) -> Result<Oid, GitError> {
        Self::check_name(order.branch)?;
        self.layout().check_writable()?;
        let full = format!("refs/heads/{}", order.branch);
        let commit = if order.existing {
            self.check_not_elsewhere(order.branch)?;
            self.resolve_commit(&full)?
        } else {
            if self.git.refname_to_id(&full).is_ok() {
                let what = format!(
                    "{}: the branch exists already; `existing: true` checks it out",
                    order.branch
                );
                return Err(GitError::Exists { what });
            }
            self.resolve_commit(order.from.unwrap_or("HEAD"))?
        };
        self.check_tree(Some(&self.tree(commit)?), budget)?;
        Ok(commit)
    }
}

fn write_new(path: &Path, text: &str) -> Result<(), GitError> {
    let mut file = fs::File::create_new(path).map_err(io_error)?;
    file.write_all(text.as_bytes()).map_err(io_error)
}

fn io_error(error: io::Error) -> GitError {
    GitError::Io { what: error.to_string() }
}
