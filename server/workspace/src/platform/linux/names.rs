//! Operations on names in a folder, by the folder's handle.

use std::ffi::{OsStr, OsString};
use std::mem::MaybeUninit;
use std::os::unix::ffi::{OsStrExt, OsStringExt};

use rustix::fs::{
    AtFlags, Dir, FileType, Mode, OFlags, RawDir, RenameFlags, SeekFrom, chmodat, fchmod, fsync,
    linkat, mkdirat, openat, renameat_with, seek, syncfs, unlinkat,
};

use super::stat::{kind_of, stat, stat_at};
use crate::EntryKind;
use crate::platform::{AsHandle, Errno, Handle};

/// Size of the listing buffer in bytes.
const BUFFER_BYTES: usize = 64 << 10;

/// A buffer to list folders, reused for the next one.
pub(crate) struct ListingBuffer(Box<[MaybeUninit<u8>]>);

impl ListingBuffer {
    pub(crate) fn new() -> Self {
        Self(vec![MaybeUninit::uninit(); BUFFER_BYTES].into_boxed_slice())
    }

    /// Calls `take` with name, kind and inode of each entry of the folder `dir`, in the order of
    /// the file system, until it returns false. A handle is listed once, unless [`rewind`] is
    /// called.
    pub(crate) fn list(
        &mut self,
        dir: &Handle,
        mut take: impl FnMut(&[u8], Option<EntryKind>, u64) -> bool,
    ) -> Result<(), Errno> {
        let mut raw = RawDir::new(dir, &mut self.0);
        while let Some(entry) = raw.next() {
            let entry = entry?;
            let name = entry.file_name().to_bytes();
            if matches!(name, b"." | b"..") {
                continue;
            }
            let kind = match entry.file_type() {
                // Some file systems do not report the kind.
                FileType::Unknown => {
                    stat_at(dir, OsStr::from_bytes(name)).ok().map(|stat| stat.kind())
                }
                known => Some(kind_of(known)),
            };
            if !take(name, kind, entry.ino()) {
                break;
            }
        }
        Ok(())
    }
}

/// Makes the next listing of `dir` start from the beginning.
pub(crate) fn rewind(dir: &Handle) -> Result<(), Errno> {
    seek(dir, SeekFrom::Start(0)).map(drop)
}

/// The names in the folder `dir`, read lazily.
pub(crate) fn names_in(
    dir: impl AsHandle,
) -> Result<impl Iterator<Item = Result<OsString, Errno>>, Errno> {
    let name = |entry: Result<rustix::fs::DirEntry, Errno>| match entry {
        Ok(entry) if matches!(entry.file_name().to_bytes(), b"." | b"..") => None,
        Ok(entry) => Some(Ok(OsString::from_vec(entry.file_name().to_bytes().to_vec()))),
        Err(errno) => Some(Err(errno)),
    };
    Ok(Dir::read_from(dir)?.filter_map(name))
}

/// Opens the folder `name` in `parent` to empty and remove it: its owner may do that whatever its
/// mode, which is changed if needed.
pub(crate) fn open_to_empty(parent: impl AsHandle, name: &OsStr) -> Result<Handle, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let open = || openat(parent.as_fd(), name, flags, Mode::empty());
    let dir = match open() {
        Err(Errno::ACCESS) => {
            chmodat(parent.as_fd(), name, Mode::RWXU, AtFlags::SYMLINK_NOFOLLOW)?;
            open()?
        }
        opened => opened?,
    };
    let _ = fchmod(&dir, Mode::RWXU);
    Ok(dir)
}

/// Restores the owner's full permissions on a folder if they were removed.
pub(crate) fn restore_owner_rights(folder: &Handle) -> Result<(), Errno> {
    let mode = Mode::from_raw_mode(stat(folder)?.mode());
    if mode.contains(Mode::RWXU) { Ok(()) } else { fchmod(folder, mode | Mode::RWXU) }
}

/// Creates the folder `name` in `dir`, with the permission bits `mode` minus the umask.
pub(crate) fn make_folder(dir: impl AsHandle, name: &OsStr, mode: u32) -> Result<(), Errno> {
    mkdirat(dir, name, Mode::from_raw_mode(mode))
}

/// Removes `name` in `dir`; fails with `ISDIR` for a folder.
pub(crate) fn remove_file(dir: impl AsHandle, name: &OsStr) -> Result<(), Errno> {
    unlinkat(dir, name, AtFlags::empty())
}

/// Removes the empty folder `name` in `dir`.
pub(crate) fn remove_folder(dir: impl AsHandle, name: &OsStr) -> Result<(), Errno> {
    unlinkat(dir, name, AtFlags::REMOVEDIR)
}

/// What a rename does with an existing entry of the new name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RenameMode {
    /// It is replaced.
    Replace,
    /// The rename fails with `EXIST`.
    NoReplace,
    /// It gets the old name.
    Exchange,
}

/// Renames atomically. `INVAL` or `NOSYS` if the file system supports `Over` only.
pub(crate) fn rename(
    (from_dir, from): (impl AsHandle, &OsStr),
    (to_dir, to): (impl AsHandle, &OsStr),
    mode: RenameMode,
) -> Result<(), Errno> {
    let flags = match mode {
        RenameMode::Replace => RenameFlags::empty(),
        RenameMode::NoReplace => RenameFlags::NOREPLACE,
        RenameMode::Exchange => RenameFlags::EXCHANGE,
    };
    renameat_with(from_dir, from, to_dir, to, flags)
}

/// Creates a hard link.
pub(crate) fn hard_link(
    (dir, name): (impl AsHandle, &OsStr),
    (new_dir, new): (impl AsHandle, &OsStr),
) -> Result<(), Errno> {
    linkat(dir, name, new_dir, new, AtFlags::empty())
}

/// Syncs a file's content, or a folder's names.
pub(crate) fn sync(handle: impl AsHandle) -> Result<(), Errno> {
    fsync(handle)
}

/// Syncs the whole file system of `handle`.
pub(crate) fn sync_file_system(handle: impl AsHandle) -> Result<(), Errno> {
    syncfs(handle)
}
