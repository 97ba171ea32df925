//! Merges a commit into the checked-out branch: a preview that changes nothing, and the merge.

use std::time::Duration;

use git2::build::CheckoutBuilder;
use git2::{ErrorCode, Index, MergeOptions, Oid};
use workspace::CallBudget;

use crate::file_change::{ChangeKind, FileChange};
use crate::limits::MAX_RENAME_FILES;
use crate::status::changed_file;
use crate::unsaved::UnsavedFiles;
use crate::{GitError, Repo, RepoPath};

/// How often, and after which pauses, a change of a merge's record is tried before its lock counts as stale.
const LOCK_ATTEMPTS: u32 = 10;
const LOCK_PAUSE: Duration = Duration::from_millis(30);

/// How a merge is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MergeKind {
    /// The branch has the commit already.
    UpToDate,
    /// The branch moves to the commit.
    FastForward,
    /// A commit with two parents.
    Merge,
}

/// What a merge would do.
#[derive(Debug, Clone)]
pub struct MergePreview {
    /// How it is made.
    pub kind: MergeKind,
    /// The current commit.
    pub ours: Oid,
    /// The commit to be merged.
    pub theirs: Oid,
    /// The files of the work tree that change.
    pub files: Vec<FileChange>,
    /// The files that cannot be merged.
    pub conflicts: Vec<MergeConflict>,
    /// The files that both sides changed and git can merge.
    pub merged: Vec<BothChanged>,
}

/// A file that cannot be merged.
#[derive(Debug, Clone)]
pub struct MergeConflict {
    /// Its path.
    pub path: RepoPath,
    /// The blobs of the common ancestor, ours and theirs; a side without one deleted the file.
    pub sides: [Option<Oid>; 3],
}

/// A file that both sides changed.
#[derive(Debug, Clone)]
pub struct BothChanged {
    /// Its path.
    pub path: RepoPath,
    /// The blobs of the common ancestor, ours and theirs.
    pub sides: [Oid; 3],
}

/// A finished merge.
#[derive(Debug, Clone)]
pub struct Merged {
    /// How it was made.
    pub kind: MergeKind,
    /// The current commit now.
    pub commit: Oid,
    /// The files that changed.
    pub files: Vec<FileChange>,
}

/// Limit for files that both sides changed and that are reported.
const MAX_BOTH_CHANGED: usize = 200;
/// Priority of the object store in memory: above those on disk.
const MEMORY_PRIORITY: i32 = 1_000;

impl Repo {
    /// What merging `theirs` would do. `look` can read the blobs of both sides. Writes nothing:
    /// libgit2 stores merged files, here in memory.
    ///
    /// # Errors
    /// When a commit cannot be read, or the histories are unrelated.
    pub fn preview_merge<R>(
        &self,
        theirs: Oid,
        budget: &CallBudget<'_>,
        look: impl FnOnce(&Self, &MergePreview) -> R,
    ) -> Result<(MergePreview, R), GitError> {
        let store = self.git.odb()?;
        let memory = store.add_new_mempack_backend(MEMORY_PRIORITY)?;
        let preview = self.merge_plan(theirs, budget).map(|(preview, _)| preview);
        let result = preview.map(|preview| {
            let seen = look(self, &preview);
            (preview, seen)
        });
        memory.reset()?;
        result
    }

    fn merge_plan(
        &self,
        theirs: Oid,
        budget: &CallBudget<'_>,
    ) -> Result<(MergePreview, Option<Index>), GitError> {
        let Some(ours) = self.head()?.commit else {
            let what = "the current branch has no commit yet".to_owned();
            return Err(GitError::Conflict { what });
        };
        let base = self.git.merge_base(ours, theirs).map_err(|error| match error.code() {
            git2::ErrorCode::NotFound => {
                let what = "the two branches have no common commit".to_owned();
                GitError::Conflict { what }
            }
            _ => error.into(),
        })?;
        let (ours_tree, theirs_tree) = (self.tree(ours)?, self.tree(theirs)?);
        self.check_trees(Some(&ours_tree), Some(&theirs_tree), budget)?;
        let mut preview = MergePreview {
            kind: MergeKind::UpToDate,
            ours,
            theirs,
            files: Vec::new(),
            conflicts: Vec::new(),
            merged: Vec::new(),
        };
        if base == theirs {
            return Ok((preview, None));
        }
        if base == ours {
            preview.kind = MergeKind::FastForward;
            let diff = self.git.diff_tree_to_tree(Some(&ours_tree), Some(&theirs_tree), None)?;
            preview.files = changes(&diff);
            return Ok((preview, None));
        }
        preview.kind = MergeKind::Merge;
        let base_tree = self.tree(base)?;
        self.check_tree(Some(&base_tree), budget)?;
        let (ours_commit, theirs_commit) =
            (self.git.find_commit(ours)?, self.git.find_commit(theirs)?);
        let mut options = MergeOptions::new();
        options.target_limit(u32::try_from(MAX_RENAME_FILES).unwrap_or(u32::MAX));
        let index = self.git.merge_commits(&ours_commit, &theirs_commit, Some(&options))?;
        budget.check()?;
        for conflict in index.conflicts()? {
            let conflict = conflict?;
            let sides = [&conflict.ancestor, &conflict.our, &conflict.their];
            let path = sides.iter().copied().flatten().next().map(|side| RepoPath::new(&side.path));
            let Some(path) = path else { continue };
            let sides = sides.map(|side| side.as_ref().map(|side| side.id));
            preview.conflicts.push(MergeConflict { path, sides });
        }
        let diff = self.git.diff_tree_to_index(Some(&ours_tree), Some(&index), None)?;
        preview.files = changes(&diff);
        preview.files.retain(|changed| changed.kind != ChangeKind::Conflicted);
        for changed in &preview.files {
            let at = |tree: &git2::Tree<'_>| {
                let entry = tree.get_path(changed.path.as_path()).ok()?;
                (entry.kind() == Some(git2::ObjectType::Blob)).then(|| entry.id())
            };
            let (Some(base), Some(ours), Some(theirs)) =
                (at(&base_tree), at(&ours_tree), at(&theirs_tree))
            else {
                continue;
            };
            if base != ours && base != theirs && preview.merged.len() < MAX_BOTH_CHANGED {
                let (path, sides) = (changed.path.clone(), [base, ours, theirs]);
                preview.merged.push(BothChanged { path, sides });
            }
        }
        Ok((preview, Some(index)))
    }

    /// Merges `theirs` into the checked-out branch: by moving the branch if possible (unless `no_ff`),
    /// else with a merge commit. Changed, staged, unsaved and untracked files stay as they are; if
    /// the merge would change one of them, it fails. Runs no hooks.
    ///
    /// The branch is locked from before the first file is written until it has moved. A file that
    /// cannot be written has all others restored; what a killed merge has written, the next one restores.
    ///
    /// # Errors
    /// When there are conflicts, a change would be lost, or an operation is in progress. Nothing
    /// has changed then.
    pub fn merge(
        &self,
        theirs: Oid,
        message: &str,
        no_ff: bool,
        unsaved: &UnsavedFiles,
        budget: &CallBudget<'_>,
    ) -> Result<Merged, GitError> {
        self.layout().check_whole()?;
        self.check_mergeable()?;
        let Some(branch) = self.head()?.branch else {
            let what = "no branch is checked out; switch to one first".to_owned();
            return Err(GitError::Conflict { what });
        };
        self.take_back_killed_merge(&branch, budget)?;
        let (mut preview, index) = self.merge_plan(theirs, budget)?;
        if let Some(conflict) = preview.conflicts.first() {
            let (count, first) = (preview.conflicts.len(), conflict.path.to_string_lossy());
            let what = format!("{count} files have conflicts: {first}, …; nothing was merged");
            return Err(GitError::Conflict { what });
        }
        if preview.kind == MergeKind::UpToDate {
            return Ok(Merged { kind: preview.kind, commit: preview.ours, files: Vec::new() });
        }
        if no_ff {
            preview.kind = MergeKind::Merge;
        }
        let paths: Vec<RepoPath> = preview.files.iter().map(|file| file.path.clone()).collect();
        self.check_not_overwritten("merging", &paths, unsaved, budget)?;
        for path in &paths {
            self.check_filter(path)?;
        }
        let commit = match preview.kind {
            MergeKind::Merge => {
                let (ours, other) =
                    (self.git.find_commit(preview.ours)?, self.git.find_commit(theirs)?);
                let tree = match index {
                    Some(mut index) => self.git.find_tree(index.write_tree_to(&self.git)?)?,
                    None => other.tree()?,
                };
                let signature = self.signature()?;
                let parents = [&ours, &other];
                self.git.commit(None, &signature, &signature, message, &tree, &parents)?
            }
            _ => theirs,
        };
        budget.check()?;
        let name = format!("refs/heads/{branch}");
        let mut refs = self.git.transaction()?;
        refs.lock_ref(&name)?;
        if self.git.refname_to_id(&name)? != preview.ours {
            let what = format!("{branch}: has moved meanwhile; call again");
            return Err(GitError::Conflict { what });
        }
        let log = format!("merge: {}", message.lines().next().unwrap_or_default());
        refs.set_target(&name, commit, self.signature().ok().as_ref(), &log)?;
        let record = merge_record(&branch);
        let mut record = self
            .without_stale_lock(&record, || self.git.reference(&record, commit, true, "merging"))?;
        self.write_merged(commit, preview.ours, &paths)?;
        refs.commit()?;
        // It stays after an error: the next merge restores what this one could not, or finds that it was made.
        let _ = record.delete();
        Ok(Merged { kind: preview.kind, commit, files: preview.files })
    }

    /// Rejects a work tree in the middle of something.
    fn check_mergeable(&self) -> Result<(), GitError> {
        if let Some(operation) = self.operation() {
            let what = format!("a {operation} is in progress; finish it first");
            return Err(GitError::Conflict { what });
        }
        match self.conflicted_files()?.first() {
            Some(conflict) => {
                let path = conflict.path.to_string_lossy();
                let what = format!("{path}: has a conflict; resolve and stage it first");
                Err(GitError::Conflict { what })
            }
            None => Ok(()),
        }
    }

    /// Writes the changed files, or restores them all.
    fn write_merged(&self, new: Oid, old: Oid, paths: &[RepoPath]) -> Result<(), GitError> {
        let new = self.git.find_commit(new)?;
        let mut checkout = CheckoutBuilder::new();
        checkout.safe().overwrite_ignored(false);
        let Err(error) = self.git.checkout_tree(new.as_object(), Some(&mut checkout)) else {
            return Ok(());
        };
        // The files were as in the old commit, or did not exist: that was checked.
        self.restore_files(old, paths).map_err(|again| {
            let what = format!("{error}; restoring the files failed too: {again}");
            GitError::Io { what }
        })?;
        Err(error.into())
    }

    /// Writes files, and their entries in the index, as they are in a commit.
    fn restore_files(&self, commit: Oid, paths: &[RepoPath]) -> Result<(), GitError> {
        let tree = self.tree(commit)?;
        let mut checkout = CheckoutBuilder::new();
        checkout.force().disable_pathspec_match(true).remove_untracked(true);
        for path in paths {
            checkout.path(path.as_path());
        }
        Ok(self.git.checkout_tree(tree.as_object(), Some(&mut checkout))?)
    }

    /// Restores the files that a killed merge into `branch` has written. Files that have been changed since stay as they
    /// are.
    fn take_back_killed_merge(
        &self,
        branch: &str,
        budget: &CallBudget<'_>,
    ) -> Result<(), GitError> {
        let Ok(mut record) = self.git.find_reference(&merge_record(branch)) else { return Ok(()) };
        let name = format!("refs/heads/{branch}");
        // The lock of a merge that is under way ends this one.
        let mut refs = self.git.transaction()?;
        refs.lock_ref(&name)?;
        let (old, Some(new)) = (self.git.refname_to_id(&name)?, record.target()) else {
            return Ok(());
        };
        let was_killed = old != new && self.git.merge_base(old, new).is_ok_and(|base| base == old);
        if was_killed {
            let (old_tree, new_tree) = (self.tree(old)?, self.tree(new)?);
            self.check_trees(Some(&old_tree), Some(&new_tree), budget)?;
            let diff = self.git.diff_tree_to_tree(Some(&old_tree), Some(&new_tree), None)?;
            let mut written = Vec::new();
            for changed in changes(&diff) {
                budget.check()?;
                self.check_filter(&changed.path)?;
                let now = self.work_tree_as_blob(&changed.path)?;
                let new = match new_tree.get_path(changed.path.as_path()) {
                    Ok(entry) => self.blob(entry.id())?,
                    Err(_) => Vec::new(),
                };
                // Files are not written at once: a part of it, or nothing, is the merge's, too.
                if new.starts_with(&now) {
                    written.push(changed.path);
                }
            }
            if !written.is_empty() {
                self.restore_files(old, &written)?;
            }
        }
        Ok(self.without_stale_lock(&merge_record(branch), || record.delete())?)
    }

    /// Runs `change`, which writes or deletes the record of a merge, while the caller holds the lock of its branch: so a
    /// lock of the record that stays is one of a killed merge, and is removed.
    fn without_stale_lock<T>(
        &self,
        record: &str,
        mut change: impl FnMut() -> Result<T, git2::Error>,
    ) -> Result<T, git2::Error> {
        for _ in 0..LOCK_ATTEMPTS {
            match change() {
                // A merge that has just ended deletes its record without the lock of the branch.
                Err(error) if error.code() == ErrorCode::Locked => std::thread::sleep(LOCK_PAUSE),
                done => return done,
            }
        }
        let lock = self.git.commondir().join(format!("{record}.lock"));
        // If it cannot be removed, the next error says so.
        let _ = std::fs::remove_file(lock);
        change()
    }
}

/// The reference that names the commit which a merge into `branch` is writing.
fn merge_record(branch: &str) -> String {
    format!("refs/tandem/merging/{branch}")
}

fn changes(diff: &git2::Diff<'_>) -> Vec<FileChange> {
    let changed = |delta: git2::DiffDelta<'_>| {
        Some(changed_file(&delta, ChangeKind::from_delta(delta.status())?))
    };
    diff.deltas().filter_map(changed).collect()
}
