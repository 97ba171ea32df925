//! Every place of the workspace where editors and tools look for what they run.

use std::collections::{HashSet, VecDeque};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::Entry;
use crate::platform::{ListingBuffer, Opening, give_back};
use crate::user_file::config_folder;
use crate::{EntryKind, FileKind, FilePath, Root, Snapshot, is_guarded_name};

/// Most entries that are looked at.
const MOST_ENTRIES: usize = 2_000_000;
/// Most guarded places that are told of.
const MOST: usize = 10_000;
/// Longest path below a root that is looked at: programs cannot name longer ones.
const LONGEST_PATH: usize = 4_096;

/// Guarded places; what lies below one is not listed by itself.
#[derive(Debug, Clone, Default)]
pub struct Guarded {
    /// What stands there.
    pub entries: Vec<Entry>,
    /// Whether everything was looked at; else the places nearest to the roots were.
    pub is_complete: bool,
}

impl Entry {
    /// Whether this is what `other` was: the same file or folder, wherever it is now, or the same
    /// link, unchanged. Says nothing of what a file holds.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        self.kind == other.kind
            && match self.kind {
                // Its number may have been given to the next one.
                FileKind::Link => self.stat.stamp == other.stat.stamp,
                _ => self.stat.node.is_same_file(&other.stat.node),
            }
    }
}

impl Snapshot {
    /// The guarded places of all roots, whether ignored or not, those nearest to the roots first.
    /// Folders that may not be looked into are passed over. O(entries), without reading a file.
    #[must_use]
    pub fn guarded_entries(&self) -> Guarded {
        let mut looking = Looking { left: MOST_ENTRIES, seen: HashSet::new(), found: Vec::new() };
        let own = config_folder();
        let is_complete = self.roots().iter().all(|root| looking.look(root, own.as_deref()));
        let entries = looking.found.iter().filter_map(|path| self.entry(path).ok()).collect();
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

struct Looking {
    left: usize,
    seen: HashSet<PathBuf>,
    found: Vec<FilePath>,
}

impl Looking {
    /// Looks through a root. False where not everything was seen.
    fn look(&mut self, root: &Arc<Root>, own: Option<&Path>) -> bool {
        let mut todo = VecDeque::from([PathBuf::new()]);
        let mut buffer = ListingBuffer::new();
        let mut is_complete = true;
        while let (true, Some(at)) = (is_complete, todo.pop_front()) {
            let Ok(folder) = root.open_at(&at, Opening::Folder) else { continue };
            let _ = buffer.list(&folder, |name, kind| {
                let name = OsStr::from_bytes(name);
                if self.left == 0 || self.found.len() == MOST {
                    is_complete = false;
                    return false;
                }
                self.left -= 1;
                let place = || FilePath::new(root, at.join(name));
                // The user's own settings are trusted, wherever they are.
                let is_own = || {
                    own.is_some_and(|own| {
                        own.file_name() == Some(name) && own == place().absolute()
                    })
                };
                if is_guarded_name(name) || is_own() {
                    let place = place();
                    if self.seen.insert(place.absolute()) {
                        self.found.push(place);
                    }
                } else if at.as_os_str().len() + name.len() < LONGEST_PATH
                    && kind == Some(EntryKind::Directory)
                {
                    todo.push_back(at.join(name));
                }
                true
            });
        }
        is_complete
    }
}
