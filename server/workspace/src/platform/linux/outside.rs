//! Access to the user's own files outside the roots.

use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::{Mode, OFlags, open};
use rustix::process::geteuid;

use super::confinement::flags_of;
use crate::platform::{Errno, Handle, Opening};

/// Opens the entry at `path`, which must not be a link; its parent folders may be.
pub(crate) fn open_outside(path: &Path, opening: Opening) -> Result<Handle, Errno> {
    let (flags, mode) = flags_of(opening);
    open(path, flags, mode)
}

/// Options to open or create a private file: mode 0600, and not through a link.
pub(crate) fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false).mode(Mode::RUSR.union(Mode::WUSR).bits());
    // Do not block on a FIFO or device in its place.
    options.custom_flags(OFlags::NOFOLLOW.union(OFlags::NONBLOCK).bits().cast_signed());
    options
}

/// The effective user id of this process.
pub(crate) fn user() -> u32 {
    geteuid().as_raw()
}

/// Whether the folder at `path` belongs to the user and nobody else has access, so that nobody else
/// could have filled it.
pub(crate) fn is_private_folder(path: &Path) -> io::Result<bool> {
    let found = fs::symlink_metadata(path)?;
    Ok(found.is_dir() && found.uid() == geteuid().as_raw() && found.mode() & 0o077 == 0)
}
