//! What lies outside every root: the user's own.

use std::fs::{self, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::Path;

use rustix::fs::{Mode, OFlags, open};
use rustix::process::geteuid;

use super::confinement::flags_of;
use crate::platform::{Errno, Handle, Opening};

/// Opens what stands at `path`, which is no link itself; the folders on the way may be.
pub(crate) fn open_outside(path: &Path, opening: Opening) -> Result<Handle, Errno> {
    let (flags, mode) = flags_of(opening);
    open(path, flags, mode)
}

/// How a file is opened, or made, that is for nobody else: mode 0600, and no link.
pub(crate) fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false).mode(Mode::RUSR.union(Mode::WUSR).bits());
    // A FIFO or device in its place is not waited for.
    options.custom_flags(OFlags::NOFOLLOW.union(OFlags::NONBLOCK).bits().cast_signed());
    options
}

/// The number of the user that this process acts for.
pub(crate) fn user() -> u32 {
    geteuid().as_raw()
}

/// Whether nobody else could have filled the folder at `path`: it is the user's, with no rights
/// for others.
pub(crate) fn is_private_folder(path: &Path) -> io::Result<bool> {
    let found = fs::symlink_metadata(path)?;
    Ok(found.is_dir() && found.uid() == geteuid().as_raw() && found.mode() & 0o077 == 0)
}
