//! Every place of the workspace where editors and tools look for what they run.

use std::collections::HashSet;
use std::sync::Arc;

use super::Entry;
use super::everything::{Visit, everything};
use super::tracked::Places;
use crate::platform::{Opening, give_back};
use crate::{EntryKind, FileKind, FilePath, OwnFiles, Root, Snapshot, is_guarded_name};

/// Most entries that are looked at.
pub(super) const MOST_ENTRIES: usize = 2_000_000;
/// Most guarded places that are told of.
pub(super) const MOST: usize = 10_000;

/// Guarded places; what lies below one is not listed by itself.
#[derive(Debug, Clone, Default)]
pub struct Guarded {
    /// What stands there.
    pub entries: Vec<Entry>,
    /// Whether everything was looked at; else the places nearest to the roots were.
    pub is_complete: bool,
}

/// What an entry is, wherever it is renamed to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Identity([u64; 7]);

impl Entry {
    /// What it is: the same of the same file or folder, wherever it is now, or of the same link,
    /// unchanged. Says nothing of what a file holds.
    #[must_use]
    pub fn identity(&self) -> Identity {
        let [a, b, c, d, e, f] = match self.kind {
            // Its inode may have been given to the next one.
            FileKind::Link => self.stat.stamp.words(),
            _ => self.stat.node.id(),
        };
        Identity([self.kind as u64, a, b, c, d, e, f])
    }
}

impl Snapshot {
    /// The guarded places of all roots, whether ignored or not, those nearest to the roots first.
    /// Folders that may not be looked into are passed over. No file is read. The first time O(entries),
    /// then O(changes) where the system notes them.
    #[must_use]
    pub fn guarded_entries(&self) -> Guarded {
        let own = OwnFiles::resolve(self.roots());
        let (mut left, mut seen, mut found) = (MOST_ENTRIES, HashSet::new(), Vec::new());
        let is_complete = self.roots().iter().all(|root| {
            let mut is_complete = true;
            let places = self.tracked(root, &own, true, |places| {
                let mut places: Vec<FilePath> =
                    places.keys().map(|place| FilePath::new(root, place.clone())).collect();
                places.sort_by_key(|place| place.relative.components().count());
                places
            });
            let places = places.unwrap_or_else(|| {
                let listed = listed(root, &own, &mut left);
                is_complete = listed.is_complete;
                listed.places
            });
            for place in places {
                if found.len() == MOST {
                    return false;
                }
                if seen.insert(place.absolute()) {
                    found.push(place);
                }
            }
            is_complete
        });
        let entries = found.iter().filter_map(|path| self.entry(path).ok()).collect();
        Guarded { entries, is_complete }
    }

    /// The links among the guarded places as they are now, where that costs no listing; `own` are
    /// Tandem's own files.
    #[must_use]
    pub fn tracked_guarded_links(&self, own: &OwnFiles) -> Option<Vec<FilePath>> {
        let mut links = Vec::new();
        for root in self.roots() {
            let is_link = |kind: Option<EntryKind>| kind.is_none_or(|kind| kind == EntryKind::Link);
            links.extend(self.tracked(root, own, false, |places| {
                let places = places.iter().filter(|(_, kind)| is_link(**kind));
                places.map(|(place, _)| FilePath::new(root, place.clone())).collect::<Vec<_>>()
            })?);
        }
        Some(links)
    }

    /// What `take` makes of the guarded places of `root`, if they are tracked. Where own files are
    /// near, they are not: those are guarded, too, whatever their names are.
    fn tracked<R>(
        &self,
        root: &Arc<Root>,
        own: &OwnFiles,
        is_to_start: bool,
        take: impl FnOnce(&Places) -> R,
    ) -> Option<R> {
        if own.are_within(&[root.path().to_owned()]) {
            return None;
        }
        self.guarded.places(root, self.roots(), is_to_start, take)
    }

    /// Lets the user change the folder that holds `path`, where a program has taken that right
    /// away. What cannot be given stays as it is.
    pub fn unlock_folder_of(&self, path: &FilePath) {
        let Some(parent) = path.relative.parent() else { return };
        let Ok(folder) = path.root.open_at(parent, Opening::Folder) else { return };
        // Whoever does not own it may not.
        let _ = give_back(&folder);
    }
}

/// What a listing of a root found.
pub(super) struct ListedPlaces {
    pub(super) places: Vec<FilePath>,
    is_complete: bool,
}

/// The guarded places of `root`, found by listing it; at most `left` entries are looked at.
pub(super) fn listed(root: &Arc<Root>, own: &OwnFiles, left: &mut usize) -> ListedPlaces {
    let mut places = Vec::new();
    // Joining a path for each entry would double the time where nothing own is near.
    let has_own = own.are_within(&[root.path().to_owned()]);
    let is_complete = everything(root, left, &mut |listed| {
        let place = || FilePath::new(root, listed.path());
        // Our own files are trusted, by whatever name they are reached.
        let is_own = || {
            has_own
                && (own.contains_path(&place().absolute())
                    || own.may_be_linked(listed.inode) && own.contains(&place()))
        };
        if !is_guarded_name(listed.name) && !is_own() {
            return Visit::Into;
        }
        if places.len() == MOST {
            return Visit::Stop;
        }
        places.push(place());
        Visit::Past
    });
    ListedPlaces { places, is_complete }
}
