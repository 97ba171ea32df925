//! What libgit2 would have to read, found out before it begins: it reads objects whole and looks at no
//! cancel.
//!
//! A tree names others by their content, so a few hundred bytes can unfold to more files than there are
//! atoms. Each tree is read once here, however often it is met.

use std::panic::{AssertUnwindSafe, catch_unwind};

use git2::{Blob, ObjectType, Oid, Tree};
use parking_lot::Mutex;
use rustc_hash::FxHashMap;
use workspace::Budget;

use crate::patch::LARGEST;
use crate::{GitError, Repo};

/// Most entries that a comparison of trees may visit.
const MOST_ENTRIES: u64 = 2_000_000;
/// Folders within each other. Git's own limit is 2,048.
const DEEPEST: usize = 2_048;
/// Trees whose number of entries is remembered.
const MOST_KNOWN: usize = 200_000;

/// The entries that a tree unfolds to. A tree's name is its content's: what is known stays true.
static KNOWN: Mutex<Option<FxHashMap<Oid, u64>>> = Mutex::new(None);

impl Repo {
    /// Refuses to compare trees that unfold to too many entries: libgit2 walks through both, and so
    /// through what they share.
    ///
    /// # Errors
    /// When they do, or the call is over.
    pub(crate) fn check_trees(
        &self,
        old: Option<&Tree<'_>>,
        new: Option<&Tree<'_>>,
        budget: &Budget<'_>,
    ) -> Result<(), GitError> {
        self.check_tree(old, budget)?;
        self.check_tree(new, budget)
    }

    /// As [`Repo::check_trees`], of one tree.
    pub(crate) fn check_tree(
        &self,
        tree: Option<&Tree<'_>>,
        budget: &Budget<'_>,
    ) -> Result<(), GitError> {
        tree.map_or(Ok(0), |tree| self.weigh(tree, 0, budget)).map(drop)
    }

    /// The entries that a tree unfolds to.
    fn weigh(&self, tree: &Tree<'_>, depth: usize, budget: &Budget<'_>) -> Result<u64, GitError> {
        if let Some(known) = KNOWN.lock().as_ref().and_then(|known| known.get(&tree.id())) {
            return Ok(*known);
        }
        if depth > DEEPEST {
            let what = format!("a tree of the repository is more than {DEEPEST} folders deep");
            return Err(GitError::TooLarge { what });
        }
        budget.visit(1)?;
        let mut weight = tree.len() as u64;
        for entry in tree.iter().filter(|entry| entry.kind() == Some(ObjectType::Tree)) {
            // One that is missing is what libgit2 complains of.
            let Ok(below) = self.git.find_tree(entry.id()) else { continue };
            weight = weight.saturating_add(self.weigh(&below, depth + 1, budget)?);
            if weight > MOST_ENTRIES {
                break;
            }
        }
        if weight > MOST_ENTRIES {
            let what =
                format!("a tree of the repository unfolds to more than {MOST_ENTRIES} files");
            return Err(GitError::TooLarge { what });
        }
        let mut known = KNOWN.lock();
        let known = known.get_or_insert_default();
        if known.len() >= MOST_KNOWN {
            known.clear();
        }
        known.insert(tree.id(), weight);
        Ok(weight)
    }

    /// The file's content, unless it is too large to be read whole.
    pub(crate) fn find_blob(&self, id: Oid) -> Result<Blob<'_>, GitError> {
        let odb = self.git.odb()?;
        // git2 panics over the kind of an object in a broken pack, after libgit2 has returned.
        let header = catch_unwind(AssertUnwindSafe(|| odb.read_header(id)));
        let broken = |_| GitError::Corrupt { what: format!("the object {id:.10} is of no kind") };
        let (size, kind) = header.map_err(broken)??;
        if kind == ObjectType::Blob && size as u64 > LARGEST.unsigned_abs() {
            let what = format!(
                "the file {id:.10} has {} MiB; more than {} are not read",
                size >> 20,
                LARGEST >> 20
            );
            return Err(GitError::TooLarge { what });
        }
        Ok(self.git.find_blob(id)?)
    }
}
