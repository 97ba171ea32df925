//! What is done to names in a folder, by the folder's handle.

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

/// Size of the buffer that a folder is listed into, in bytes.
const LISTING: usize = 64 << 10;

/// What a folder is listed through. Used again for the next folder.
pub(crate) struct ListingBuffer(Box<[MaybeUninit<u8>]>);

impl ListingBuffer {
    pub(crate) fn new() -> Self {
        Self(vec![MaybeUninit::uninit(); LISTING].into_boxed_slice())
    }

    /// Gives `take` the names in the folder `dir`, what they are and their inodes, in the order of the
    /// file system, until it returns false. A handle is listed once, but for [`rewind`].
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
                // Some file systems do not tell.
                FileType::Unknown => {
                    stat_at(dir, OsStr::from_bytes(name)).ok().map(|stat| stat.kind())
                }
                told => Some(kind_of(told)),
            };
            if !take(name, kind, entry.ino()) {
                break;
            }
        }
        Ok(())
    }
}

/// Has the next listing of `dir` begin anew.
pub(crate) fn rewind(dir: &Handle) -> Result<(), Errno> {
    seek(dir, SeekFrom::Start(0)).map(drop)
}

/// The names in the folder `dir`, read as they are asked for.
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

/// Opens the folder `name` in `parent`, which is to be emptied and removed: who owns it may always
/// do that, whatever its mode.
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

/// Gives the owner of a folder all rights to it, where those have been taken away.
pub(crate) fn give_back(folder: &Handle) -> Result<(), Errno> {
    let mode = Mode::from_raw_mode(stat(folder)?.mode());
    if mode.contains(Mode::RWXU) { Ok(()) } else { fchmod(folder, mode | Mode::RWXU) }
}

/// Makes the folder `name` in `dir`, with the permission bits `mode` less the process's mask.
pub(crate) fn make_folder(dir: impl AsHandle, name: &OsStr, mode: u32) -> Result<(), Errno> {
    mkdirat(dir, name, Mode::from_raw_mode(mode))
}

/// Removes `name` in `dir`; `ISDIR` for a folder.
pub(crate) fn remove_file(dir: impl AsHandle, name: &OsStr) -> Result<(), Errno> {
    unlinkat(dir, name, AtFlags::empty())
}

/// Removes the empty folder `name` in `dir`.
pub(crate) fn remove_folder(dir: impl AsHandle, name: &OsStr) -> Result<(), Errno> {
    unlinkat(dir, name, AtFlags::REMOVEDIR)
}

/// What a renaming does with what has the new name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rename {
    /// It goes.
    Over,
    /// Nothing may have it: `EXIST` else.
    New,
    /// It gets the old one.
    Exchange,
}

/// Renames in one step. `INVAL` or `NOSYS` where the file system knows `Over` only.
pub(crate) fn rename(
    (from_dir, from): (impl AsHandle, &OsStr),
    (to_dir, to): (impl AsHandle, &OsStr),
    how: Rename,
) -> Result<(), Errno> {
    let flags = match how {
        Rename::Over => RenameFlags::empty(),
        Rename::New => RenameFlags::NOREPLACE,
        Rename::Exchange => RenameFlags::EXCHANGE,
    };
    renameat_with(from_dir, from, to_dir, to, flags)
}

/// Gives a file a second name.
pub(crate) fn hard_link(
    (dir, name): (impl AsHandle, &OsStr),
    (new_dir, new): (impl AsHandle, &OsStr),
) -> Result<(), Errno> {
    linkat(dir, name, new_dir, new, AtFlags::empty())
}

/// Makes a file's content, or a folder's names, durable.
pub(crate) fn sync(handle: impl AsHandle) -> Result<(), Errno> {
    fsync(handle)
}

/// Makes everything durable that lies on the file system of `handle`.
pub(crate) fn sync_file_system(handle: impl AsHandle) -> Result<(), Errno> {
    syncfs(handle)
}
