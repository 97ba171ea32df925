//! A file's new content, complete and durable before it has a name.

use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io::Write;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{
    Access, AtFlags, CWD, Gid, Mode, OFlags, Stat, Uid, XattrFlags, accessat, fchmod, fchown,
    fgetxattr, flistxattr, fsetxattr, fstat, fsync, linkat, openat, unlinkat,
};
use rustix::io::Errno;

use crate::entries::Node;
use crate::path::FilePath;
use crate::{FileError, Stamp};

/// A new content, complete and durable, to be put in a file's place. Where the file system can, it
/// has no name until then, so that a crash leaves no trace of it; dropped, it leaves none in any
/// case.
pub(crate) struct Content {
    dir: OwnedFd,
    file: File,
    /// The hidden name that it gets beside the file.
    name: String,
    /// Whether it has that name already: the file system knows no files without one.
    is_named: bool,
    placed: bool,
}

impl Content {
    /// Writes `bytes` for the file at `path`, to be put in the folder `dir`, with the mode, owner
    /// and extended attributes of `like`. `before` is the state of the file that it will replace.
    pub(crate) fn new(
        dir: OwnedFd,
        path: &FilePath,
        before: Option<Stamp>,
        like: &FilePath,
        bytes: &[u8],
    ) -> Result<Self, FileError> {
        let shown = path.shown();
        let failed = |errno| FileError::from_errno(&shown, "writing", errno);
        if before.is_some() {
            // Who may not write a file may not replace it either.
            accessat(&dir, path.file_name(), Access::WRITE_OK, AtFlags::EACCESS).map_err(failed)?;
        }
        // A new file's mode is the process's choice; another's is copied onto it below.
        let mode = Mode::from_raw_mode(if before.is_some() { 0o600 } else { 0o666 });
        let name = temporary_name();
        let unnamed = OFlags::WRONLY | OFlags::TMPFILE | OFlags::CLOEXEC;
        let named = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        let (file, is_named) = match openat(&dir, ".", unnamed, mode) {
            Ok(file) => (file, false),
            Err(_) => {
                let file = openat(&dir, &name, named | OFlags::NOFOLLOW, mode);
                (file.map_err(failed)?, true)
            }
        };
        let mut made = Self { dir, file: file.into(), name, is_named, placed: false };
        made.file
            .write_all(bytes)
            .map_err(|e| failed(Errno::from_io_error(&e).unwrap_or(Errno::IO)))?;
        match like.root.open_file(&like.relative, &shown) {
            Ok((old, stat)) => keep_metadata(&old, &stat, &made.file).map_err(failed)?,
            Err(FileError::NotFound { .. }) => {}
            Err(error) => return Err(error),
        }
        fsync(&made.file).map_err(failed)?;
        Ok(made)
    }

    /// Which file it is.
    pub(crate) fn node(&self) -> Result<Node, Errno> {
        fstat(&self.file).map(|stat| Node::of(&stat))
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Gives it the name `name` in the folder `dir`, where nothing may stand. True where that was
    /// all; false where it has its hidden name, and is to be renamed.
    pub(crate) fn link(&mut self, dir: impl AsFd, name: &std::ffi::OsStr) -> Result<bool, Errno> {
        if self.is_named {
            self.placed = true;
            return Ok(self.name.as_str() == name);
        }
        let content = format!("/proc/self/fd/{}", self.file.as_raw_fd());
        linkat(CWD, &content, dir, name, AtFlags::SYMLINK_FOLLOW)?;
        self.placed = true;
        Ok(true)
    }
}

impl Drop for Content {
    fn drop(&mut self) {
        if self.is_named && !self.placed {
            // Nothing to be done about a failure: the name says what the file is.
            let _ = unlinkat(&self.dir, &self.name, AtFlags::empty());
        }
    }
}

/// Gives `new` the owner, mode and extended attributes of `old`.
pub(crate) fn keep_metadata(old: &File, stat: &Stat, new: &File) -> Result<(), Errno> {
    // Owner before mode: a change of owner drops the set-id bits. Without the right to give the
    // file away, it stays ours.
    let _ = fchown(new, Some(Uid::from_raw(stat.st_uid)), Some(Gid::from_raw(stat.st_gid)));
    fchmod(new, Mode::from_raw_mode(stat.st_mode))?;
    let mut names = vec![0; 64 << 10];
    let Ok(len) = flistxattr(old, &mut names) else { return Ok(()) };
    for name in names[..len].split(|b| *b == 0).filter(|name| !name.is_empty()) {
        let mut value = vec![0; 64 << 10];
        if let Ok(len) = fgetxattr(old, name, &mut value) {
            // System attributes may not be settable; the user's are.
            let _ = fsetxattr(new, name, &value[..len], XattrFlags::empty());
        }
    }
    Ok(())
}

/// A name that nobody else takes: processes of one number may meet in one folder.
pub(crate) fn temporary_name() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let unique = RandomState::new().hash_one(COUNT.fetch_add(1, Ordering::Relaxed));
    format!(".tandem-{}-{unique:016x}.tmp", std::process::id())
}
