//! What is known of an entry without its content.

use std::ffi::OsStr;
use std::path::Path;

use rustix::fs::{AtFlags, FileType, StatxFlags, fstat, readlinkat, statat, statx};
use rustix::process::geteuid;

use crate::EntryKind;
use crate::platform::{AsHandle, Errno};

/// What is known of an entry without its content.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Stat(pub(super) rustix::fs::Stat);

// The fields' types differ between architectures.
#[allow(clippy::unnecessary_cast)]
impl Stat {
    pub(crate) fn kind(&self) -> EntryKind {
        kind_of(FileType::from_raw_mode(self.0.st_mode))
    }

    /// In bytes; what that means for others than files is the file system's choice.
    pub(crate) fn size(&self) -> u64 {
        u64::try_from(self.0.st_size).unwrap_or(0)
    }

    /// When its content was last changed: seconds and nanoseconds since 1970.
    pub(crate) fn modified(&self) -> (i64, i64) {
        (self.0.st_mtime as i64, self.0.st_mtime_nsec as i64)
    }

    /// When it was last changed in any way, its names and mode included.
    pub(crate) fn changed(&self) -> (i64, i64) {
        (self.0.st_ctime as i64, self.0.st_ctime_nsec as i64)
    }

    /// When it was last read.
    pub(super) fn accessed(&self) -> (i64, i64) {
        (self.0.st_atime as i64, self.0.st_atime_nsec as i64)
    }

    pub(crate) fn inode(&self) -> u64 {
        self.0.st_ino as u64
    }

    /// The device that it lies on.
    pub(crate) fn device(&self) -> u64 {
        self.0.st_dev as u64
    }

    /// Its permission bits, with the set-id and sticky bits.
    pub(crate) fn mode(&self) -> u32 {
        self.0.st_mode & 0o7777
    }

    /// The number of names that it has.
    pub(crate) fn hard_links(&self) -> u64 {
        self.0.st_nlink as u64
    }

    /// Whether it belongs to the user whose rights this process has.
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

/// What `handle` is open for.
pub(crate) fn stat(handle: impl AsHandle) -> Result<Stat, Errno> {
    fstat(handle).map(Stat)
}

/// What stands at `name` in the folder `dir`, a link being a link.
pub(crate) fn stat_at(dir: impl AsHandle, name: &OsStr) -> Result<Stat, Errno> {
    statat(dir, name, AtFlags::SYMLINK_NOFOLLOW).map(Stat)
}

/// What stands at `path`, which lies in no root. Follows links.
pub(crate) fn stat_outside(path: &Path) -> Result<Stat, Errno> {
    rustix::fs::stat(path).map(Stat)
}

/// What the link that `handle` is open for says.
pub(crate) fn link_target(handle: impl AsHandle) -> Result<Vec<u8>, Errno> {
    link_target_at(handle, OsStr::new(""))
}

/// What the link `name` in the folder `dir` says.
pub(crate) fn link_target_at(dir: impl AsHandle, name: &OsStr) -> Result<Vec<u8>, Errno> {
    readlinkat(dir, name, Vec::new()).map(std::ffi::CString::into_bytes)
}

/// Where a folder is mounted: what lies in one can be renamed into another of the same mount.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Mount {
    device: (u32, u32),
    /// 0 where the kernel (before 5.8) does not tell.
    id: u64,
}

impl Mount {
    /// The one that `folder` is in.
    pub(crate) fn of(folder: impl AsHandle) -> Result<Self, Errno> {
        let flags = StatxFlags::BASIC_STATS | StatxFlags::MNT_ID;
        let found = statx(folder, "", AtFlags::EMPTY_PATH, flags)?;
        let told = found.stx_mask & StatxFlags::MNT_ID.bits() != 0;
        let device = (found.stx_dev_major, found.stx_dev_minor);
        Ok(Self { device, id: if told { found.stx_mnt_id } else { 0 } })
    }
}
