//! Every place of the workspace where editors and tools look for what they run.

use std::collections::HashSet;

use super::Entry;
use super::everything::{Visit, everything};
use crate::platform::{Opening, give_back};
use crate::{FileKind, FilePath, OwnFiles, Snapshot, is_guarded_name};

/// Most entries that are looked at.
const MOST_ENTRIES: usize = 2_000_000;
/// Most guarded places that are told of.
const MOST: usize = 10_000;

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
    /// Folders that may not be looked into are passed over. O(entries), without reading a file.
    #[must_use]
    pub fn guarded_entries(&self) -> Guarded {
        let own = OwnFiles::resolve(self.roots());
        let (mut left, mut seen, mut found) = (MOST_ENTRIES, HashSet::new(), Vec::new());
        let is_complete = self.roots().iter().all(|root| {
            // Joining a path for each entry would double the time where nothing own is near.
            let has_own = own.are_within(&[root.path().to_owned()]);
            everything(root, &mut left, &mut |listed| {
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
                if found.len() == MOST {
                    return Visit::Stop;
                }
                let place = place();
                if seen.insert(place.absolute()) {
                    found.push(place);
                }
                Visit::Past
            })
        });
        let entries = found.iter().filter_map(|path| self.entry(path).ok()).collect();
        Guarded { entries, is_complete }
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
