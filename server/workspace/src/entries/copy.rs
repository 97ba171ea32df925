//! Copies an entry, a whole tree of it, by handle: mode, times and extended attributes with it.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{
    AtFlags, FileType, Mode, OFlags, Stat, Timespec, Timestamps, copy_file_range, fstat, fsync,
    ftruncate, futimens, mkdirat, mknodat, readlinkat, seek, symlinkat, syncfs, utimensat,
};
use rustix::io::Errno;

use super::{Below, FOLDER, listing, open_below};
use crate::replace::keep_metadata;

/// What may be copied, and who may stop it.
pub(crate) struct Copying<'a> {
    /// Whether FIFOs, sockets and devices are made again; else they are refused.
    pub(crate) specials: bool,
    pub(crate) interrupt: &'a AtomicBool,
}

/// Bytes copied between two looks at the interrupt.
const PIECE: usize = 8 << 20;

/// Copies `name` in `from` to `new` in `to`, where nothing may stand; durable once it returns.
/// What was made is left behind when it fails: it stands under a name of our own.
///
/// # Errors
/// What the kernel says; `OPNOTSUPP` for a special file, `CANCELED` once interrupted.
pub(crate) fn copy(
    (from, name): (impl AsFd, &OsStr),
    (to, new): (impl AsFd, &OsStr),
    copying: &Copying<'_>,
) -> Result<(), Errno> {
    let (from, to) = (from.as_fd(), to.as_fd());
    let entry = open_below(from, Path::new(name), OFlags::PATH, Mode::empty())?;
    let stat = fstat(&entry)?;
    let target = match FileType::from_raw_mode(stat.st_mode) {
        FileType::Directory => return copy_tree(from, name, to, new, &stat, copying),
        FileType::Symlink => Some(readlinkat(&entry, "", Vec::new())?.into_bytes()),
        _ => None,
    };
    let from_dir = open_below(from, Path::new(""), FOLDER, Mode::empty())?;
    let to_dir = open_below(to, Path::new(""), FOLDER, Mode::empty())?;
    let below = Below { path: PathBuf::from(name), stat, target };
    copy_one(&from_dir, &below, &to_dir, new, copying, true)?;
    fsync(&to_dir)
}

fn copy_tree(
    from: impl AsFd,
    name: &OsStr,
    to: impl AsFd,
    new: &OsStr,
    stat: &Stat,
    copying: &Copying<'_>,
) -> Result<(), Errno> {
    let from = open_below(from, Path::new(name), FOLDER, Mode::empty())?;
    mkdirat(&to, new, Mode::from_raw_mode(0o700))?;
    let top = open_below(&to, Path::new(new), FOLDER, Mode::empty())?;
    // The mode of a folder may forbid writing to it, and its time changes with what is put in.
    let mut folders = vec![(PathBuf::new(), *stat)];
    let mut last: Option<(PathBuf, OwnedFd)> = None;
    listing(&from, copying.interrupt, |dir, below| {
        let parent = below.path.parent().unwrap_or(Path::new(""));
        if last.as_ref().is_none_or(|(path, _)| path != parent) {
            last = Some((parent.to_owned(), open_below(&top, parent, FOLDER, Mode::empty())?));
        }
        let Some((_, into)) = &last else { return Err(Errno::IO) };
        let name = below.path.file_name().unwrap_or_default().to_owned();
        if below.kind() == FileType::Directory {
            mkdirat(into, &name, Mode::from_raw_mode(0o700))?;
            folders.push((below.path, below.stat));
        } else {
            copy_one(dir, &below, into, &name, copying, false)?;
        }
        Ok(true)
    })?;
    for (path, stat) in folders.iter().rev() {
        let (old, new) = (
            open_below(&from, path, FOLDER, Mode::empty())?,
            open_below(&top, path, FOLDER, Mode::empty())?,
        );
        let new = File::from(new);
        keep_metadata(&File::from(old), stat, &new)?;
        futimens(&new, &times(stat))?;
    }
    syncfs(&top)
}

/// Copies what is no folder.
fn copy_one(
    dir: &OwnedFd,
    below: &Below,
    to: &OwnedFd,
    new: &OsStr,
    copying: &Copying<'_>,
    durable: bool,
) -> Result<(), Errno> {
    let name = below.path.file_name().unwrap_or_default();
    let mode = Mode::from_raw_mode(below.stat.st_mode & 0o7777);
    match below.kind() {
        FileType::RegularFile => {
            let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY;
            let old = File::from(open_below(dir, Path::new(name), flags, Mode::empty())?);
            let stat = fstat(&old)?;
            if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile {
                return Err(Errno::LOOP);
            }
            let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
            let made = open_below(to, Path::new(new), flags, Mode::from_raw_mode(0o600))?;
            let made = File::from(made);
            copy_content(&old, &made, stat.st_size.cast_unsigned(), copying.interrupt)?;
            keep_metadata(&old, &stat, &made)?;
            futimens(&made, &times(&stat))?;
            if durable { fsync(&made) } else { Ok(()) }
        }
        FileType::Symlink => {
            let target = OsStr::from_bytes(below.target.as_deref().unwrap_or_default());
            symlinkat(target, to, new)?;
            let _ = utimensat(to, new, &times(&below.stat), AtFlags::SYMLINK_NOFOLLOW);
            Ok(())
        }
        kind if copying.specials => mknodat(to, new, kind, mode, below.stat.st_rdev),
        _ => Err(Errno::OPNOTSUPP),
    }
}

/// Copies `size` bytes, holes as holes.
fn copy_content(old: &File, new: &File, size: u64, interrupt: &AtomicBool) -> Result<(), Errno> {
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
    let io = |e: std::io::Error| Errno::from_io_error(&e).unwrap_or(Errno::IO);
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
    Timestamps {
        last_access: Timespec { tv_sec: stat.st_atime as i64, tv_nsec: stat.st_atime_nsec as _ },
        last_modification: Timespec {
            tv_sec: stat.st_mtime as i64,
            tv_nsec: stat.st_mtime_nsec as _,
        },
    }
}
