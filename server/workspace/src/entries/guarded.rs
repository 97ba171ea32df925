//! Guarded paths: configuration in the workspace that makes editors and tools run code.

use std::collections::HashSet;
use std::sync::Arc;

use super::Entry;
use super::tracked::GuardedPaths;
use super::visit_all::{Visit, visit_all};
use crate::platform::{Opening, restore_owner_rights};
use crate::{EntryKind, FileKind, FilePath, OwnFiles, Root, Snapshot, is_guarded_name};

/// Maximum number of entries that are visited.
pub(super) const MAX_ENTRIES: usize = 2_000_000;
/// Maximum number of guarded paths that are returned.
pub(super) const MAX_GUARDED: usize = 10_000;

/// The guarded paths; the contents of a guarded folder are not listed separately.
#[derive(Debug, Clone, Default)]
pub struct GuardedEntries {
    /// The entries.
    pub entries: Vec<Entry>,
    /// Whether all entries were visited; if not, only those nearest to the roots were.
    pub is_complete: bool,
}

/// The identity of an entry, stable across renames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct EntryIdentity([u64; 7]);

impl Entry {
    /// The identity: equal for the same file or folder at any path, and for the same unchanged
    /// link. It does not depend on a file's content.
    #[must_use]
    pub fn identity(&self) -> EntryIdentity {
        let [a, b, c, d, e, f] = match self.kind {
            // A link cannot be held open, so its inode may be reused by the next one.
            FileKind::Link => self.stat.stamp.to_words(),
            _ => self.stat.node.id(),
        };
        EntryIdentity([self.kind as u64, a, b, c, d, e, f])
    }
}

impl Snapshot {
    /// The guarded paths of all roots, ignored or not, those nearest to the roots first. Folders
    /// that cannot be listed are skipped. No file is read. O(entries) the first time, then
    /// O(changes) where the system reports them.
    #[must_use]
    pub fn guarded_entries(&self) -> GuardedEntries {
        let own = OwnFiles::resolve(self.roots());
        let (mut left, mut seen, mut found) = (MAX_ENTRIES, HashSet::new(), Vec::new());
        let is_complete = self.roots().iter().all(|root| {
            let mut is_complete = true;
            let places = self.tracked(root, &own, true, |places| {
                let mut places: Vec<FilePath> =
                    places.keys().map(|path| FilePath::new(root, path.clone())).collect();
                places.sort_by_key(|path| path.relative.components().count());
                places
            });
            let places = places.unwrap_or_else(|| {
                let listed = list_guarded(root, &own, &mut left);
                is_complete = listed.is_complete;
                listed.places
            });
            for path in places {
                if found.len() == MAX_GUARDED {
                    return false;
                }
                if seen.insert(path.absolute()) {
                    found.push(path);
                }
            }
            is_complete
        });
        let entries = found.iter().filter_map(|path| self.entry(path).ok()).collect();
        GuardedEntries { entries, is_complete }
    }

    /// The links among the guarded paths, if they are tracked and need no listing; `own` are
    /// Tandem's own files.
    #[must_use]
    pub fn tracked_guarded_links(&self, own: &OwnFiles) -> Option<Vec<FilePath>> {
        let mut links = Vec::new();
        for root in self.roots() {
            let is_link = |kind: Option<EntryKind>| kind.is_none_or(|kind| kind == EntryKind::Link);
            links.extend(self.tracked(root, own, false, |places| {
                let places = places.iter().filter(|(_, kind)| is_link(**kind));
                places.map(|(path, _)| FilePath::new(root, path.clone())).collect::<Vec<_>>()
            })?);
        }
        Some(links)
    }

    /// Passes the guarded paths of `root` to `take` if they are tracked. They are not tracked if
    /// the root contains Tandem's own files: those are guarded as well, under any name.
    fn tracked<R>(
        &self,
        root: &Arc<Root>,
        own: &OwnFiles,
        start_if_new: bool,
        take: impl FnOnce(&GuardedPaths) -> R,
    ) -> Option<R> {
        if own.are_within(&[root.path().to_owned()]) {
            return None;
        }
        self.guarded.places(root, self.roots(), start_if_new, take)
    }

    /// Restores the user's write permission on the folder of `path`, which a program may have
    /// removed. Failure is ignored.
    pub fn restore_folder_permissions(&self, path: &FilePath) {
        let Some(parent) = path.relative.parent() else { return };
        let Ok(folder) = path.root.open_at(parent, Opening::Folder) else { return };
        // Only the owner may do this.
        let _ = restore_owner_rights(&folder);
    }
}

/// The guarded paths that a listing of a root found.
pub(super) struct ListedGuardedPaths {
    pub(super) places: Vec<FilePath>,
    is_complete: bool,
}

/// Lists `root` for guarded paths; visits at most `left` entries.
pub(super) fn list_guarded(
    root: &Arc<Root>,
    own: &OwnFiles,
    left: &mut usize,
) -> ListedGuardedPaths {
    let mut places = Vec::new();
    // Joining a path for each entry would double the time, so it is done only if needed.
    let has_own = own.are_within(&[root.path().to_owned()]);
    let is_complete = visit_all(root, left, &mut |listed| {
        let path = || FilePath::new(root, listed.path());
        // Our own files are trusted by us, so all their names are guarded.
        let is_own = || {
            has_own
                && (own.contains_path(&path().absolute())
                    || own.may_be_linked(listed.inode) && own.contains(&path()))
        };
        if !is_guarded_name(listed.name) && !is_own() {
            return Visit::Descend;
        }
        if places.len() == MAX_GUARDED {
            return Visit::Stop;
        }
        places.push(path());
        Visit::Skip
    });
    ListedGuardedPaths { places, is_complete }
}
