//! Files, folders and links at a path, and operations on whole trees, all relative to directory
//! handles.

mod aliases;
mod copy;
mod entry;
mod guarded;
mod listing;
mod remove;
mod tracked;
mod visit_all;

pub(crate) use copy::{CopyOptions, copy};
pub use entry::Entry;
pub(crate) use entry::{InodeState, display_fingerprint, fingerprint_of};
pub use guarded::{EntryIdentity, GuardedEntries};
pub(crate) use listing::{TreeEntry, guarded_below, visit_tree};
pub(crate) use remove::remove;
pub(crate) use tracked::GuardedTracker;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::platform::{AsHandle, Confinement, Errno, Handle, Opening};

/// Maximum length of a path for one system call; below the kernel's limit of 4,096.
const MAX_PART_LENGTH: usize = 3_000;

/// Opens the path `below` the folder `top` without following links. The path may exceed the
/// kernel's length limit: it is opened in parts.
pub(crate) fn open_below(
    top: impl AsHandle,
    below: &Path,
    opening: Opening,
) -> Result<Handle, Errno> {
    let mut parts: Vec<PathBuf> = vec![PathBuf::new()];
    for name in below {
        if parts.last().is_some_and(|part| part.as_os_str().len() + name.len() > MAX_PART_LENGTH) {
            parts.push(PathBuf::new());
        }
        if let Some(part) = parts.last_mut() {
            part.push(name);
        }
    }
    let last = parts.pop().unwrap_or_default();
    let mut at: Option<Handle> = None;
    for part in parts {
        let dir = at.as_ref().map_or(top.as_fd(), AsHandle::as_fd);
        at = Some(open_one(dir, part.as_os_str(), Opening::Traverse)?);
    }
    let last = if last.as_os_str().is_empty() { OsStr::new(".") } else { last.as_os_str() };
    open_one(at.as_ref().map_or(top.as_fd(), AsHandle::as_fd), last, opening)
}

fn open_one(dir: impl AsHandle, path: &OsStr, opening: Opening) -> Result<Handle, Errno> {
    Confinement::of_process().open(dir, Path::new(path), opening)
}
