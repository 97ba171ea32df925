//! Every place of the workspace where editors and tools look for what they run.

use std::collections::{HashSet, VecDeque};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustix::fs::{AtFlags, Dir, DirEntry, FileType, Mode, fchmod, fstat, statat};

use super::{Entry, FOLDER};
use crate::user_file::config_folder;
use crate::{FileKind, FilePath, Root, Snapshot, is_guarded_name};

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
        let is_complete =
            self.roots().iter().fold(true, |all, root| looking.look(root, own.as_deref()) && all);
        let entries = looking.found.iter().filter_map(|path| self.entry(path).ok()).collect();
        Guarded { entries, is_complete }
    }

    /// Lets the user change the folder that holds `path`, where a program has taken that right
    /// away. What cannot be given stays as it is.
    pub fn unlock_folder_of(&self, path: &FilePath) {
        let Some(parent) = path.relative.parent() else { return };
        let Ok(folder) = path.root.open_at(parent, FOLDER, Mode::empty()) else { return };
        let Ok(stat) = fstat(&folder) else { return };
        let mode = Mode::from_raw_mode(stat.st_mode & 0o7777);
        if !mode.contains(Mode::RWXU) {
            // Whoever does not own it may not.
            let _ = fchmod(&folder, mode | Mode::RWXU);
        }
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
        while let Some(at) = todo.pop_front() {
            let Ok(folder) = root.open_at(&at, FOLDER, Mode::empty()) else { continue };
            let Ok(entries) = Dir::read_from(&folder) else { continue };
            for entry in entries.map_while(Result::ok) {
                let name = OsStr::from_bytes(entry.file_name().to_bytes());
                if name == "." || name == ".." {
                    continue;
                }
                if self.left == 0 || self.found.len() == MOST {
                    return false;
                }
                self.left -= 1;
                let place = || FilePath { root: root.clone(), relative: at.join(name) };
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
                    && is_folder(&folder, name, &entry)
                {
                    todo.push_back(at.join(name));
                }
            }
        }
        true
    }
}

fn is_folder(folder: &impl std::os::fd::AsFd, name: &OsStr, entry: &DirEntry) -> bool {
    match entry.file_type() {
        FileType::Unknown => statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)
            .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Directory),
        kind => kind == FileType::Directory,
    }
}
