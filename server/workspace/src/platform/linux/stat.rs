//! Metadata of entries.

use std::ffi::OsStr;
use std::path::Path;

use rustix::fs::{AtFlags, FileType, StatxFlags, fstat, readlinkat, statat, statx};
use rustix::process::geteuid;

use crate::EntryKind;
use crate::platform::{AsHandle, Errno};

/// The metadata of an entry.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stat(pub(super) rustix::fs::Stat);

// The fields' types differ between architectures.
#[allow(clippy::unnecessary_cast)]
impl Stat {
    pub(crate) fn kind(&self) -> EntryKind {
        kind_of(FileType::from_raw_mode(self.0.st_mode))
    }

    /// The size in bytes; for entries other than files it depends on the file system.
    pub(crate) fn size(&self) -> u64 {
        u64::try_from(self.0.st_size).unwrap_or(0)
    }

    /// The modification time: seconds and nanoseconds since 1970.
    pub(crate) fn modified(&self) -> (i64, i64) {
        (self.0.st_mtime as i64, self.0.st_mtime_nsec as i64)
    }

    /// The status change time, which includes changes of names and mode.
    pub(crate) fn changed(&self) -> (i64, i64) {
        (self.0.st_ctime as i64, self.0.st_ctime_nsec as i64)
    }

    /// The access time.
    pub(super) fn accessed(&self) -> (i64, i64) {
        (self.0.st_atime as i64, self.0.st_atime_nsec as i64)
    }

    pub(crate) fn inode(&self) -> u64 {
        self.0.st_ino as u64
    }

    /// The device id.
    pub(crate) fn device(&self) -> u64 {
        self.0.st_dev as u64
    }

    /// The permission bits with the set-id and sticky bits.
    pub(crate) fn mode(&self) -> u32 {
        self.0.st_mode & 0o7777
    }

    /// The number of hard links.
    pub(crate) fn hard_links(&self) -> u64 {
        self.0.st_nlink as u64
    }

    /// Whether it belongs to the effective user.
    pub(crate) fn is_ours(&self) -> bool {
        self.0.st_uid == geteuid().as_raw()
    }
}

pub(super) fn kind_of(file_type: FileType) -> EntryKind {
    match file_type {
        FileType::RegularFile => EntryKind::File,
        FileType::Directory => EntryKind::Directory,
        FileType::Symlink => EntryKind::Link,
        FileType::Fifo => EntryKind::Fifo,
        FileType::Socket => EntryKind::Socket,
        _ => EntryKind::Device,
    }
}

/// The metadata of an open entry.
pub(crate) fn stat(handle: impl AsHandle) -> Result<Stat, Errno> {
    fstat(handle).map(Stat)
}

/// The metadata of `name` in the folder `dir`; of a link itself.
pub(crate) fn stat_at(dir: impl AsHandle, name: &OsStr) -> Result<Stat, Errno> {
    statat(dir, name, AtFlags::SYMLINK_NOFOLLOW).map(Stat)
}

/// The metadata of `path`, which is in no root. Follows links.
pub(crate) fn stat_outside(path: &Path) -> Result<Stat, Errno> {
    rustix::fs::stat(path).map(Stat)
}

/// The target of an open link.
pub(crate) fn link_target(handle: impl AsHandle) -> Result<Vec<u8>, Errno> {
    link_target_at(handle, OsStr::new(""))
}

/// The target of the link `name` in the folder `dir`.
pub(crate) fn link_target_at(dir: impl AsHandle, name: &OsStr) -> Result<Vec<u8>, Errno> {
    readlinkat(dir, name, Vec::new()).map(std::ffi::CString::into_bytes)
}

/// Identifies a mount: entries can be renamed within the same one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MountId {
    device: (u32, u32),
    /// 0 if the kernel does not report it (before Linux 5.8).
    id: u64,
}

impl MountId {
    /// The mount of `folder`.
    pub(crate) fn of_folder(folder: impl AsHandle) -> Result<Self, Errno> {
        let flags = StatxFlags::BASIC_STATS | StatxFlags::MNT_ID;
        let found = statx(folder, "", AtFlags::EMPTY_PATH, flags)?;
        let has_id = found.stx_mask & StatxFlags::MNT_ID.bits() != 0;
        let device = (found.stx_dev_major, found.stx_dev_minor);
        Ok(Self { device, id: if has_id { found.stx_mnt_id } else { 0 } })
    }
}
