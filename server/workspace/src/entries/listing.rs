//! Everything below a folder, in a stable order.

use std::ffi::OsString;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::ffi::OsStringExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, Stat, readlinkat, statat};
use rustix::io::Errno;

use super::{FOLDER, open_below};
use crate::FilePath;

/// One entry below a folder.
pub(crate) struct Below {
    /// Where, from that folder.
    pub(crate) path: PathBuf,
    pub(crate) stat: Stat,
    /// What a link says.
    pub(crate) target: Option<Vec<u8>>,
}

impl Below {
    pub(crate) fn kind(&self) -> FileType {
        FileType::from_raw_mode(self.stat.st_mode)
    }
}

/// Visits everything below `top`, each folder before what it holds; `visit` says false to stop.
/// No link is followed. At most two handles are open at a time.
///
/// # Errors
/// What the kernel says, and `CANCELED` once `interrupt` is set.
pub(crate) fn listing(
    top: &OwnedFd,
    interrupt: &AtomicBool,
    mut visit: impl FnMut(&OwnedFd, Below) -> Result<bool, Errno>,
) -> Result<(), Errno> {
    let mut todo = vec![PathBuf::new()];
    while let Some(at) = todo.pop() {
        let dir = open_below(top.as_fd(), &at, FOLDER, Mode::empty())?;
        for entry in Dir::read_from(&dir)? {
            if interrupt.load(Ordering::Relaxed) {
                return Err(Errno::CANCELED);
            }
            let name = entry?.file_name().to_bytes().to_vec();
            if name == b"." || name == b".." {
                continue;
            }
            let name = OsString::from_vec(name);
            let stat = match statat(&dir, &name, AtFlags::SYMLINK_NOFOLLOW) {
                Err(Errno::NOENT) => continue,
                stat => stat?,
            };
            let path = at.join(&name);
            let kind = FileType::from_raw_mode(stat.st_mode);
            if kind == FileType::Directory {
                todo.push(path.clone());
            }
            let target = match kind {
                FileType::Symlink => Some(readlinkat(&dir, &name, Vec::new())?.into_bytes()),
                _ => None,
            };
            if !visit(&dir, Below { path, stat, target })? {
                return Ok(());
            }
        }
    }
    Ok(())
}

/// Most guarded places that are told of.
const MOST: usize = 20;

/// The places below the folder at `path`, from it, whose names make programs run what is written
/// there: what is moved or copied with it.
pub(crate) fn guarded_below(
    path: &FilePath,
    interrupt: &AtomicBool,
) -> Result<Vec<PathBuf>, Errno> {
    let top = match path.root.open_at(&path.relative, OFlags::PATH, Mode::empty()) {
        Ok(top) => top,
        Err(Errno::NOENT) => return Ok(Vec::new()),
        Err(errno) => return Err(errno),
    };
    if FileType::from_raw_mode(rustix::fs::fstat(&top)?.st_mode) != FileType::Directory {
        return Ok(Vec::new());
    }
    let mut found: Vec<PathBuf> = Vec::new();
    listing(&top, interrupt, |_, below| {
        let own = FilePath { root: path.root.clone(), relative: below.path.clone() };
        let is_first = !found.iter().any(|known| below.path.starts_with(known));
        if is_first && own.is_guarded() {
            found.push(below.path);
        }
        Ok(found.len() < MOST)
    })?;
    Ok(found)
}
