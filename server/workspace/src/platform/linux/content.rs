//! Contents: files without a name, copies, and what goes along with a content.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::fd::AsRawFd;
use std::os::unix::ffi::OsStrExt;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{
    Access, AtFlags, CWD, FileType, Gid, Mode, OFlags, Timespec, Timestamps, Uid, XattrFlags,
    accessat, copy_file_range, fchmod, fchown, fgetxattr, flistxattr, fsetxattr, ftruncate,
    futimens, linkat, mknodat, openat, seek, symlinkat, utimensat,
};

use super::stat::Stat;
use crate::platform::{AsHandle, Errno, errno_of};

/// Lets those run a file who may read it.
pub(crate) fn allow_running(file: &File) -> Result<(), Errno> {
    let mode = super::stat::stat(file)?.mode();
    fchmod(file, Mode::from_raw_mode(mode | ((mode & 0o444) >> 2)))
}

/// Makes a file in the folder `dir` that has no name, so that a crash leaves no trace of it. Fails
/// where the file system cannot.
pub(crate) fn create_unnamed(dir: impl AsHandle, mode: u32) -> Result<File, Errno> {
    let flags = OFlags::WRONLY | OFlags::TMPFILE | OFlags::CLOEXEC;
    openat(dir, ".", flags, Mode::from_raw_mode(mode)).map(File::from)
}

/// Gives a file that [`create_unnamed`] made the name `name` in the folder `dir`, where nothing may
/// stand.
pub(crate) fn give_name(file: &File, dir: impl AsHandle, name: &OsStr) -> Result<(), Errno> {
    // By its handle's own place: the call that takes a handle wants a privilege.
    let content = format!("/proc/self/fd/{}", file.as_raw_fd());
    linkat(CWD, &content, dir, name, AtFlags::SYMLINK_FOLLOW)
}

/// Whether the user whose rights this process has may write to `name` in the folder `dir`: an
/// error where not.
pub(crate) fn may_write(dir: impl AsHandle, name: &OsStr) -> Result<(), Errno> {
    accessat(dir, name, Access::WRITE_OK, AtFlags::EACCESS)
}

/// The bits that run a file with its owner's or group's rights.
const SET_ID: u32 = 0o6000;
/// Lets everybody write.
const BY_ALL: u32 = 0o002;

/// Gives `new`, which takes the place of `old`, its owner, mode and extended attributes; but not the bits
/// that run it with its owner's rights, as a kernel takes them away from what is written to.
pub(crate) fn keep_metadata(old: &File, stat: &Stat, new: &File) -> Result<(), Errno> {
    // Owner before mode: a change of owner drops the set-id bits. Without the right to give the
    // file away, it stays ours.
    let _ = fchown(new, Some(Uid::from_raw(stat.0.st_uid)), Some(Gid::from_raw(stat.0.st_gid)));
    fchmod(new, Mode::from_raw_mode(stat.0.st_mode & !SET_ID))?;
    keep_attributes(old, new);
    Ok(())
}

/// Gives `new`, a copy of `old`, the same without what lets everybody write to it.
pub(crate) fn copy_metadata(old: &File, stat: &Stat, new: &File) -> Result<(), Errno> {
    keep_metadata(old, stat, new)?;
    // A sticky folder is everybody's on purpose, and safe.
    let is_shared = stat.0.st_mode & 0o1000 != 0;
    let taken = if is_shared { SET_ID } else { SET_ID | BY_ALL };
    fchmod(new, Mode::from_raw_mode(stat.0.st_mode & !taken))
}

fn keep_attributes(old: &File, new: &File) {
    let mut names = vec![0; 64 << 10];
    let Ok(len) = flistxattr(old, &mut names) else { return };
    for name in names[..len].split(|b| *b == 0).filter(|name| !name.is_empty()) {
        let mut value = vec![0; 64 << 10];
        if let Ok(len) = fgetxattr(old, name, &mut value) {
            // System attributes may not be settable; the user's are.
            let _ = fsetxattr(new, name, &value[..len], XattrFlags::empty());
        }
    }
}

/// Gives `new` the times of what `stat` is of.
pub(crate) fn keep_times(stat: &Stat, new: &File) -> Result<(), Errno> {
    futimens(new, &times(stat))
}

/// Makes the link `name` in the folder `dir`, which says `target`, with the times of `like`.
pub(crate) fn make_link(
    target: &[u8],
    dir: impl AsHandle,
    name: &OsStr,
    like: &Stat,
) -> Result<(), Errno> {
    symlinkat(OsStr::from_bytes(target), &dir, name)?;
    let _ = utimensat(&dir, name, &times(like), AtFlags::SYMLINK_NOFOLLOW);
    Ok(())
}

/// Makes a FIFO, socket or device like the one that `like` is of.
pub(crate) fn make_special(dir: impl AsHandle, name: &OsStr, like: &Stat) -> Result<(), Errno> {
    let mode = Mode::from_raw_mode(like.mode());
    mknodat(dir, name, FileType::from_raw_mode(like.0.st_mode), mode, like.0.st_rdev)
}

/// Bytes copied between two looks at the interrupt.
const PIECE: usize = 8 << 20;

/// Copies `size` bytes, holes as holes.
///
/// # Errors
/// What the kernel says; `CANCELED` once interrupted.
pub(crate) fn copy_content(
    old: &File,
    new: &File,
    size: u64,
    interrupt: &AtomicBool,
) -> Result<(), Errno> {
    let mut at = 0;
    let mut in_kernel = true;
    while at < size {
        let data = match seek(old, rustix::fs::SeekFrom::Data(at)) {
            Ok(data) => data,
            // Only a hole is left.
            Err(Errno::NXIO) => break,
            Err(_) => at,
        };
        let hole = seek(old, rustix::fs::SeekFrom::Hole(data)).unwrap_or(size).min(size);
        at = data.min(size);
        while at < hole {
            if interrupt.load(Ordering::Relaxed) {
                return Err(Errno::CANCELED);
            }
            let len = usize::try_from(hole - at).unwrap_or(PIECE).min(PIECE);
            let copied = match in_kernel {
                true => {
                    match copy_file_range(old, Some(&mut { at }), new, Some(&mut { at }), len) {
                        Ok(copied) => copied,
                        Err(Errno::XDEV | Errno::INVAL | Errno::OPNOTSUPP | Errno::NOSYS) => {
                            in_kernel = false;
                            continue;
                        }
                        Err(errno) => return Err(errno),
                    }
                }
                false => copy_piece(old, new, at, len)?,
            };
            if copied == 0 {
                // It has shrunk meanwhile.
                return ftruncate(new, at);
            }
            at += copied as u64;
        }
    }
    ftruncate(new, size)
}

fn copy_piece(mut old: &File, mut new: &File, at: u64, len: usize) -> Result<usize, Errno> {
    let io = |e: std::io::Error| errno_of(&e);
    let mut piece = vec![0; len.min(1 << 20)];
    old.seek(SeekFrom::Start(at)).map_err(io)?;
    let read = old.read(&mut piece).map_err(io)?;
    new.seek(SeekFrom::Start(at)).map_err(io)?;
    new.write_all(&piece[..read]).map_err(io)?;
    Ok(read)
}

// The fields' types differ between architectures.
#[allow(clippy::unnecessary_cast)]
fn times(stat: &Stat) -> Timestamps {
    let spec = |(seconds, nanoseconds): (i64, i64)| Timespec {
        tv_sec: seconds as _,
        tv_nsec: nanoseconds as _,
    };
    Timestamps { last_access: spec(stat.accessed()), last_modification: spec(stat.modified()) }
}
