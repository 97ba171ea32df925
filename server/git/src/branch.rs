//! Creates, deletes and switches branches.

use git2::build::CheckoutBuilder;
use git2::{BranchType, Oid, Reference};

use workspace::CallBudget;

use crate::limits::MAX_LISTED_PATHS;
use crate::status::StatusOptions;
use crate::unsaved::UnsavedFiles;
use crate::{GitError, Repo, RepoPath};

impl Repo {
    /// Creates a branch at a commit.
    ///
    /// # Errors
    /// When it exists, or the name is invalid.
    pub fn create_branch(&self, name: &str, at: Oid) -> Result<(), GitError> {
        check_name(name)?;
        let commit = self.git.find_commit(at)?;
        match self.git.branch(name, &commit, false) {
            Ok(_) => Ok(()),
            Err(error) if error.code() == git2::ErrorCode::Exists => {
                Err(GitError::Exists { what: format!("{name}: the branch exists already") })
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Deletes a branch and returns the commit it pointed to. Without `force`, its commits must be
    /// in its upstream or in HEAD.
    ///
    /// # Errors
    /// When there is none, it is checked out, or its commits would be lost.
    pub fn delete_branch(&self, name: &str, force: bool) -> Result<Oid, GitError> {
        let mut branch = self.local_branch(name)?;
        if branch.is_head() {
            let what = format!("{name}: is checked out; switch to another one first");
            return Err(GitError::Conflict { what });
        }
        self.check_not_elsewhere(name)?;
        let at = branch.get().peel_to_commit()?.id();
        if !force {
            let upstream = branch.upstream().ok().and_then(|upstream| upstream.get().target());
            let keeps = |other: Option<Oid>| {
                other.is_some_and(|other| {
                    other == at || self.git.graph_descendant_of(other, at).unwrap_or(false)
                })
            };
            if !keeps(upstream) && !keeps(self.head()?.commit) {
                let what = format!(
                    "{name}: its commits are neither in its upstream nor in the checked-out branch; \
                     `force: true` deletes it anyway (it points to {at})"
                );
                return Err(GitError::Conflict { what });
            }
        }
        branch.delete()?;
        Ok(at)
    }

    fn local_branch(&self, name: &str) -> Result<git2::Branch<'_>, GitError> {
        match self.git.find_branch(name, BranchType::Local) {
            Ok(branch) => Ok(branch),
            Err(error) if error.code() == git2::ErrorCode::NotFound => {
                Err(GitError::NotFound { what: format!("{name:.200}: no such branch") })
            }
            Err(error) => Err(error.into()),
        }
    }

    /// Rejects a branch that another work tree has checked out.
    pub(crate) fn check_not_elsewhere(&self, name: &str) -> Result<(), GitError> {
        let wanted = format!("ref: refs/heads/{name}");
        let common = workspace::Root::open(&self.layout().common_folder)
            .map_err(|error| GitError::Io { what: error.to_string() })?;
        let mut heads = vec![(std::path::PathBuf::from("HEAD"), "the main work tree".to_owned())];
        for tree in self.git.worktrees()?.iter_bytes() {
            let Ok(tree) = std::str::from_utf8(tree) else { continue };
            heads.push((["worktrees", tree, "HEAD"].iter().collect(), tree.to_owned()));
        }
        let own_head = self.layout().git_folder.join("HEAD");
        for (head, tree) in heads {
            if common.path().join(&head) == own_head {
                continue;
            }
            let text = common.read_below(&head, 8 << 10).ok().flatten().unwrap_or_default();
            if String::from_utf8_lossy(&text).trim_end() == wanted {
                let what = format!("{name}: is checked out in another work tree: {tree}");
                return Err(GitError::Conflict { what });
            }
        }
        Ok(())
    }

    /// The files that differ between HEAD and another commit.
    ///
    /// # Errors
    /// When a commit cannot be read, or the budget is used up.
    pub fn files_changed_by_switch(
        &self,
        to: Oid,
        budget: &CallBudget<'_>,
    ) -> Result<Vec<RepoPath>, GitError> {
        self.layout().check_whole()?;
        self.files_changed_between(self.head_tree()?.map(|tree| tree.id()), to, budget)
    }

    /// The files that differ between two commits or trees; `None` is the empty tree.
    ///
    /// # Errors
    /// When one cannot be read, or the budget is used up.
    pub fn files_changed_between(
        &self,
        old: Option<Oid>,
        new: Oid,
        budget: &CallBudget<'_>,
    ) -> Result<Vec<RepoPath>, GitError> {
        let (old, new) = (old.map(|old| self.tree(old)).transpose()?, self.tree(new)?);
        self.check_trees(old.as_ref(), Some(&new), budget)?;
        let diff = self.git.diff_tree_to_tree(old.as_ref(), Some(&new), None)?;
        let paths = diff.deltas().filter_map(|delta| delta.new_file().path_bytes());
        Ok(paths.map(RepoPath::new).collect())
    }

    /// Rejects an operation that would write to files with changes: modified, staged, unsaved,
    /// untracked or in conflict.
    pub(crate) fn check_not_overwritten(
        &self,
        doing: &str,
        paths: &[RepoPath],
        unsaved: &UnsavedFiles,
        budget: &CallBudget<'_>,
    ) -> Result<(), GitError> {
        let options = StatusOptions { paths: Vec::new(), all_untracked: true };
        let status = self.status_with_budget(&options, unsaved, budget)?;
        let changed_files = status.staged.iter().chain(&status.unstaged);
        let mut dirty: Vec<RepoPath> = Vec::new();
        for one in changed_files {
            dirty.push(one.path.clone());
            dirty.extend(one.old_path.clone());
        }
        dirty.extend(status.untracked);
        dirty.extend(status.conflicts.into_iter().map(|conflict| conflict.path));
        dirty.extend(unsaved.iter().map(|(path, _)| path.clone()));
        let is_affected =
            |path: &&RepoPath| dirty.iter().any(|dirty| dirty.is_in(path) || path.is_in(dirty));
        let lost: Vec<_> =
            paths.iter().filter(is_affected).map(RepoPath::to_string_lossy).collect();
        if !lost.is_empty() {
            let more = if lost.len() > MAX_LISTED_PATHS { ", …" } else { "" };
            let what = format!(
                "{doing} would overwrite changes in {} files: {}{more}; \
                 commit or stash them first",
                lost.len(),
                lost[..lost.len().min(MAX_LISTED_PATHS)].join(", ")
            );
            return Err(GitError::Conflict { what });
        }
        Ok(())
    }

    /// Switches to a branch and returns the files it changed. Changed, staged, unsaved and
    /// untracked files stay as they are; if the switch would change one of them, it fails.
    ///
    /// # Errors
    /// When a change would be lost, or an operation is in progress. Nothing has changed then.
    pub fn switch(
        &self,
        name: &str,
        unsaved: &UnsavedFiles,
        budget: &CallBudget<'_>,
    ) -> Result<Vec<RepoPath>, GitError> {
        let branch = self.local_branch(name)?;
        if branch.is_head() {
            return Ok(Vec::new());
        }
        if let Some(operation) = self.operation() {
            let what = format!("a {operation} is in progress; finish it first");
            return Err(GitError::Conflict { what });
        }
        self.check_not_elsewhere(name)?;
        let commit = branch.get().peel_to_commit()?;
        let changed = self.files_changed_by_switch(commit.id(), budget)?;
        self.check_not_overwritten(&format!("switching to {name}"), &changed, unsaved, budget)?;
        for path in &changed {
            self.check_filter(path)?;
        }
        budget.check()?;
        let mut checkout = CheckoutBuilder::new();
        checkout.safe().overwrite_ignored(false).disable_filters(false);
        self.git.checkout_tree(commit.as_object(), Some(&mut checkout))?;
        self.git.set_head(&format!("refs/heads/{name}"))?;
        Ok(changed)
    }
}

/// Rejects invalid branch names, and names that a command line would take for an option.
fn check_name(name: &str) -> Result<(), GitError> {
    let is_valid = !name.starts_with('-')
        && name != "HEAD"
        && Reference::is_valid_name(&format!("refs/heads/{name}"));
    if is_valid {
        return Ok(());
    }
    Err(GitError::Invalid { what: format!("`{name:.200}` is not a valid branch name") })
}
