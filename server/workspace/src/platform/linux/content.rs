//! Operations on contents: unnamed files, copies and metadata.

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

/// Makes a file executable for everyone who may read it.
pub(crate) fn make_executable(file: &File) -> Result<(), Errno> {
    let mode = super::stat::stat(file)?.mode();
    fchmod(file, Mode::from_raw_mode(mode | ((mode & 0o444) >> 2)))
}

/// Creates a file without a name in the folder `dir`, so that a crash leaves no trace. Fails if the
/// file system does not support it.
pub(crate) fn create_unnamed(dir: impl AsHandle, mode: u32) -> Result<File, Errno> {
    let flags = OFlags::WRONLY | OFlags::TMPFILE | OFlags::CLOEXEC;
    openat(dir, ".", flags, Mode::from_raw_mode(mode)).map(File::from)
}

/// Links a file of [`create_unnamed`] to `name` in the folder `dir`, which must not exist.
pub(crate) fn link_unnamed(file: &File, dir: impl AsHandle, name: &OsStr) -> Result<(), Errno> {
    // Via /proc: `linkat` with `AT_EMPTY_PATH` needs a privilege.
    let content = format!("/proc/self/fd/{}", file.as_raw_fd());
    linkat(CWD, &content, dir, name, AtFlags::SYMLINK_FOLLOW)
}

/// Returns an error unless the effective user may write to `name` in the folder `dir`.
pub(crate) fn check_writable(dir: impl AsHandle, name: &OsStr) -> Result<(), Errno> {
    accessat(dir, name, Access::WRITE_OK, AtFlags::EACCESS)
}

/// The set-user-id and set-group-id bits.
const SET_ID: u32 = 0o6000;
/// The permission of everyone to write.
const WORLD_WRITABLE: u32 = 0o002;

/// Copies owner, mode and extended attributes of `old` to its replacement `new`, except the set-id
/// bits, which the kernel also clears on a write.
pub(crate) fn keep_metadata(old: &File, stat: &Stat, new: &File) -> Result<(), Errno> {
    // Owner before mode: changing the owner clears the set-id bits. Without the right to give the
    // file away, it stays ours.
    let _ = fchown(new, Some(Uid::from_raw(stat.0.st_uid)), Some(Gid::from_raw(stat.0.st_gid)));
    fchmod(new, Mode::from_raw_mode(stat.0.st_mode & !SET_ID))?;
    copy_attributes(old, new);
    Ok(())
}

/// As [`keep_metadata`] for a copy, without write permission for everyone.
pub(crate) fn copy_metadata(old: &File, stat: &Stat, new: &File) -> Result<(), Errno> {
    keep_metadata(old, stat, new)?;
    // A sticky folder is world-writable on purpose, and safe.
    let is_shared = stat.0.st_mode & 0o1000 != 0;
    let removed_bits = if is_shared { SET_ID } else { SET_ID | WORLD_WRITABLE };
    fchmod(new, Mode::from_raw_mode(stat.0.st_mode & !removed_bits))
}

fn copy_attributes(old: &File, new: &File) {
    let mut names = vec![0; 64 << 10];
    let Ok(len) = flistxattr(old, &mut names) else { return };
    for name in names[..len].split(|b| *b == 0).filter(|name| !name.is_empty()) {
        let mut value = vec![0; 64 << 10];
        if let Ok(len) = fgetxattr(old, name, &mut value) {
            // System attributes may not be settable; those of the user are.
            let _ = fsetxattr(new, name, &value[..len], XattrFlags::empty());
        }
    }
}

/// Sets the times of `new` to those of `stat`.
pub(crate) fn keep_times(stat: &Stat, new: &File) -> Result<(), Errno> {
    futimens(new, &times(stat))
}

/// Creates the link `name` to `target` in the folder `dir`, with the times of `like`.
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

/// Creates a FIFO, socket or device like `like`.
pub(crate) fn make_special(dir: impl AsHandle, name: &OsStr, like: &Stat) -> Result<(), Errno> {
    let mode = Mode::from_raw_mode(like.mode());
    mknodat(dir, name, FileType::from_raw_mode(like.0.st_mode), mode, like.0.st_rdev)
}

/// Number of bytes copied between two checks for cancellation.
const CHUNK_BYTES: usize = 8 << 20;

/// Copies `size` bytes and preserves holes.
///
/// # Errors
/// Any system error; `CANCELED` once interrupted.
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
            // The rest is a hole.
            Err(Errno::NXIO) => break,
            Err(_) => at,
        };
        let hole = seek(old, rustix::fs::SeekFrom::Hole(data)).unwrap_or(size).min(size);
        at = data.min(size);
        while at < hole {
            if interrupt.load(Ordering::Relaxed) {
                return Err(Errno::CANCELED);
            }
            let len = usize::try_from(hole - at).unwrap_or(CHUNK_BYTES).min(CHUNK_BYTES);
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
                false => copy_chunk(old, new, at, len)?,
            };
            if copied == 0 {
                // The file was truncated meanwhile.
                return ftruncate(new, at);
            }
            at += copied as u64;
        }
    }
    ftruncate(new, size)
}

fn copy_chunk(mut old: &File, mut new: &File, at: u64, len: usize) -> Result<usize, Errno> {
    let io = |e: std::io::Error| errno_of(&e);
    let mut chunk = vec![0; len.min(1 << 20)];
    old.seek(SeekFrom::Start(at)).map_err(io)?;
    let read = old.read(&mut chunk).map_err(io)?;
    new.seek(SeekFrom::Start(at)).map_err(io)?;
    new.write_all(&chunk[..read]).map_err(io)?;
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
