//! Counts the entries of trees before libgit2 walks them: it cannot be cancelled.
//!
//! A tree names its subtrees by content, so a few hundred bytes can unfold to more files than there
//! are atoms ("git bomb"). Each distinct tree is read once here.

use std::panic::{AssertUnwindSafe, catch_unwind};

use git2::{Blob, ObjectType, Oid, Tree};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use workspace::CallBudget;

use crate::limits::{MAX_DIFF_TEXT_SIZE, MAX_MEASURED_TREES, MAX_TREE_DEPTH, MAX_TREE_ENTRIES};
use crate::{GitError, Repo};

/// Entry counts by tree id. Ids are content hashes, so that counts never go stale.
static CACHE: Mutex<Option<FxHashMap<Oid, u64>>> = Mutex::new(None);

impl Repo {
    /// Rejects trees with too many entries: libgit2's comparison walks both, shared subtrees
    /// included.
    ///
    /// # Errors
    /// When one has too many, or the budget is exhausted.
    pub(crate) fn check_trees(
        &self,
        old: Option<&Tree<'_>>,
        new: Option<&Tree<'_>>,
        budget: &CallBudget<'_>,
    ) -> Result<(), GitError> {
        self.check_tree(old, budget)?;
        self.check_tree(new, budget)
    }

    /// Like [`Repo::check_trees`], for one tree.
    pub(crate) fn check_tree(
        &self,
        tree: Option<&Tree<'_>>,
        budget: &CallBudget<'_>,
    ) -> Result<(), GitError> {
        // A tree whose size is cached costs nothing here, but its comparison does.
        budget.check()?;
        tree.map_or(Ok(0), |tree| self.count_entries(tree, 0, budget)).map(drop)
    }

    /// Counts the entries of a tree and its subtrees.
    fn count_entries(
        &self,
        tree: &Tree<'_>,
        depth: usize,
        budget: &CallBudget<'_>,
    ) -> Result<u64, GitError> {
        if let Some(cached) = CACHE.lock().as_ref().and_then(|cached| cached.get(&tree.id())) {
            return Ok(*cached);
        }
        if depth > MAX_TREE_DEPTH {
            let what =
                format!("a tree of the repository is more than {MAX_TREE_DEPTH} folders deep");
            return Err(GitError::TooLarge { what });
        }
        budget.visit(1)?;
        let mut count = tree.len() as u64;
        for entry in tree.iter().filter(|entry| entry.kind() == Some(ObjectType::Tree)) {
            // libgit2 reports a missing tree itself.
            let Ok(below) = self.git.find_tree(entry.id()) else { continue };
            count = count.saturating_add(self.count_entries(&below, depth + 1, budget)?);
            if count > MAX_TREE_ENTRIES {
                break;
            }
        }
        if count > MAX_TREE_ENTRIES {
            let what =
                format!("a tree of the repository unfolds to more than {MAX_TREE_ENTRIES} files");
            return Err(GitError::TooLarge { what });
        }
        let mut cached = CACHE.lock();
        let cached = cached.get_or_insert_default();
        if cached.len() >= MAX_MEASURED_TREES {
            cached.clear();
        }
        cached.insert(tree.id(), count);
        Ok(count)
    }

    /// Reads a blob, unless it is too large to read whole.
    pub(crate) fn find_blob(&self, id: Oid) -> Result<Blob<'_>, GitError> {
        let odb = self.git.odb()?;
        // git2 panics on the unknown kind of an object in a damaged pack, after libgit2 has
        // returned.
        let header = catch_unwind(AssertUnwindSafe(|| odb.read_header(id)));
        let broken =
            |_| GitError::Corrupt { what: format!("the object {id:.10} has an invalid type") };
        let (size, kind) = header.map_err(broken)??;
        if kind == ObjectType::Blob && size as u64 > MAX_DIFF_TEXT_SIZE.unsigned_abs() {
            let what = format!(
                "the file {id:.10} has {} MiB; more than {} are not read",
                size >> 20,
                MAX_DIFF_TEXT_SIZE >> 20
            );
            return Err(GitError::TooLarge { what });
        }
        Ok(self.git.find_blob(id)?)
    }
}
