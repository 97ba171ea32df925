//! Visits every entry below a root, ignored or not, by name alone: nothing is read or followed.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::platform::{ListingBuffer, Opening};
use crate::{EntryKind, Root};

/// Maximum length of a visited path below a root: programs cannot open longer ones.
pub(super) const MAX_PATH_LENGTH: usize = 4_096;

/// An entry as the listing of its folder returns it.
pub(super) struct ListedEntry<'e> {
    /// The folder, relative to the root.
    pub(super) folder: &'e Path,
    pub(super) name: &'e OsStr,
    pub(super) kind: Option<EntryKind>,
    pub(super) inode: u64,
}

impl ListedEntry<'_> {
    /// The path relative to the root.
    pub(super) fn path(&self) -> PathBuf {
        self.folder.join(self.name)
    }
}

/// How to continue after an entry.
#[derive(PartialEq, Eq)]
pub(super) enum Visit {
    /// Descend into it if it is a folder.
    Descend,
    Skip,
    Stop,
}

/// Visits at most `left` entries breadth first. Folders that cannot be listed are skipped. Returns
/// false if the visit is incomplete.
pub(super) fn visit_all(
    root: &Root,
    left: &mut usize,
    visit: &mut dyn FnMut(&ListedEntry<'_>) -> Visit,
) -> bool {
    let mut todo = VecDeque::from([PathBuf::new()]);
    let mut buffer = ListingBuffer::new();
    let mut is_complete = true;
    while let (true, Some(at)) = (is_complete, todo.pop_front()) {
        let Ok(folder) = root.open_at(&at, Opening::Folder) else { continue };
        let _ = buffer.list(&folder, |name, kind, inode| {
            let name = OsStr::from_bytes(name);
            let listed = ListedEntry { folder: &at, name, kind, inode };
            let next = if *left == 0 { Visit::Stop } else { visit(&listed) };
            if next == Visit::Stop {
                is_complete = false;
                return false;
            }
            *left -= 1;
            let is_folder = kind == Some(EntryKind::Directory);
            if next == Visit::Descend
                && is_folder
                && at.as_os_str().len() + name.len() < MAX_PATH_LENGTH
            {
                todo.push_back(listed.path());
            }
            true
        });
    }
    is_complete
}
