//! What stands at a place, and whole trees of it, by handle.

mod all_names;
mod copy;
mod entry;
mod everything;
mod guarded;
mod listing;
mod remove;
mod tracked;

pub(crate) use copy::{Copying, copy};
pub use entry::Entry;
pub(crate) use entry::{Node, print, shown_print};
pub use guarded::{Guarded, Identity};
pub(crate) use listing::{Below, guarded_below, listing};
pub(crate) use remove::remove;
pub(crate) use tracked::GuardedTracker;

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::platform::{AsHandle, Confinement, Errno, Handle, Opening};

/// Most bytes of a path that one call to the kernel is given.
const LONGEST: usize = 3_000;

/// Opens what is `below` the folder `top`, however deep, without following any link.
pub(crate) fn open_below(
    top: impl AsHandle,
    below: &Path,
    opening: Opening,
) -> Result<Handle, Errno> {
    let mut parts: Vec<PathBuf> = vec![PathBuf::new()];
    for name in below {
        if parts.last().is_some_and(|part| part.as_os_str().len() + name.len() > LONGEST) {
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
        at = Some(open_one(dir, part.as_os_str(), Opening::Through)?);
    }
    let last = if last.as_os_str().is_empty() { OsStr::new(".") } else { last.as_os_str() };
    open_one(at.as_ref().map_or(top.as_fd(), AsHandle::as_fd), last, opening)
}

fn open_one(dir: impl AsHandle, path: &OsStr, opening: Opening) -> Result<Handle, Errno> {
    Confinement::here().open(dir, Path::new(path), opening)
}
