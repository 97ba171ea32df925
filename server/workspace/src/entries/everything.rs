//! Every entry below a root, ignored or not, by name alone: nothing is read or followed.

use std::collections::VecDeque;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use crate::platform::{ListingBuffer, Opening};
use crate::{EntryKind, Root};

/// Longest path below a root that is looked at: programs cannot name longer ones.
pub(super) const LONGEST_PATH: usize = 4_096;

/// An entry, as the listing of its folder gives it.
pub(super) struct Listed<'e> {
    /// The folder, from the root.
    pub(super) folder: &'e Path,
    pub(super) name: &'e OsStr,
    pub(super) kind: Option<EntryKind>,
    pub(super) inode: u64,
}

impl Listed<'_> {
    /// Its path from the root.
    pub(super) fn path(&self) -> PathBuf {
        self.folder.join(self.name)
    }
}

/// How to go on after an entry.
#[derive(PartialEq, Eq)]
pub(super) enum Visit {
    /// Into it, if it is a folder.
    Into,
    Past,
    Stop,
}

/// Visits them, those nearest to the root first, `left` of them at most. Folders that may not be listed
/// are passed over. False where not everything was visited.
pub(super) fn everything(
    root: &Root,
    left: &mut usize,
    visit: &mut dyn FnMut(&Listed<'_>) -> Visit,
) -> bool {
    let mut todo = VecDeque::from([PathBuf::new()]);
    let mut buffer = ListingBuffer::new();
    let mut is_complete = true;
    while let (true, Some(at)) = (is_complete, todo.pop_front()) {
        let Ok(folder) = root.open_at(&at, Opening::Folder) else { continue };
        let _ = buffer.list(&folder, |name, kind, inode| {
            let name = OsStr::from_bytes(name);
            let listed = Listed { folder: &at, name, kind, inode };
            let next = if *left == 0 { Visit::Stop } else { visit(&listed) };
            if next == Visit::Stop {
                is_complete = false;
                return false;
            }
            *left -= 1;
            let is_folder = kind == Some(EntryKind::Directory);
            if next == Visit::Into && is_folder && at.as_os_str().len() + name.len() < LONGEST_PATH
            {
                todo.push_back(listed.path());
            }
            true
        });
    }
    is_complete
}
