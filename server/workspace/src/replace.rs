//! Replaces a file's content whole, or not at all.

use std::ffi::OsStr;
use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io::Write;
use std::os::fd::{AsRawFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{
    Access, AtFlags, CWD, Dir, Gid, Mode, OFlags, RenameFlags, Stat, Uid, XattrFlags, accessat,
    fchmod, fchown, fgetxattr, flistxattr, fsetxattr, fsync, linkat, mkdirat, openat,
    renameat_with, unlinkat,
};
use rustix::io::Errno;

use crate::path::FilePath;
use crate::{FileError, Stamp};

/// A new content, complete and durable, to be put in a file's place. Where the file system can,
/// it has no name until then, so that a crash leaves no trace of it; dropped without
/// [`Staged::commit`], it leaves none in any case.
pub(crate) struct Staged {
    dir: OwnedFd,
    content: File,
    /// Its name, where the file system cannot do without.
    temporary: Option<String>,
    path: FilePath,
    before: Option<Stamp>,
    /// Folders created on the way, outermost first.
    folders: Vec<PathBuf>,
}

impl Staged {
    /// Writes `bytes` beside the file at `path`, which must still be as `before` says (`None`: must
    /// not exist), with the mode, owner and extended attributes of `like`. Hard links are broken by
    /// the commit: the other names keep the old content.
    pub(crate) fn new(
        path: &FilePath,
        before: Option<Stamp>,
        like: &FilePath,
        bytes: &[u8],
    ) -> Result<Self, FileError> {
        let shown = path.shown();
        let failed = |errno| FileError::from_errno(&shown, "writing", errno);
        let parent = path.relative.parent().unwrap_or(Path::new(""));
        let mut folders = Folders { path, made: Vec::new() };
        if before.is_none() {
            folders.create(parent).map_err(failed)?;
        }
        let dir = path
            .root
            .open_at(parent, OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty())
            .map_err(failed)?;
        if before.is_some() {
            // Who may not write a file may not replace it either.
            accessat(&dir, path.file_name(), Access::WRITE_OK, AtFlags::EACCESS).map_err(failed)?;
        }
        // A new file's mode is the process's choice; another's is copied onto it below.
        let mode = if before.is_some() { 0o600 } else { 0o666 };
        let mode = Mode::from_raw_mode(mode);
        let (content, temporary) =
            unnamed(&dir, mode).or_else(|_| named(&dir, mode)).map_err(failed)?;
        let folders = std::mem::take(&mut folders.made);
        let path = path.clone();
        let mut staged = Self { dir, content, temporary, path, before, folders };
        staged
            .content
            .write_all(bytes)
            .map_err(|e| failed(Errno::from_io_error(&e).unwrap_or(Errno::IO)))?;
        match like.root.open_file(&like.relative, &shown) {
            Ok((old, stat)) => keep_metadata(&old, &stat, &staged.content).map_err(failed)?,
            Err(FileError::NotFound { .. }) => {}
            Err(error) => return Err(error),
        }
        fsync(&staged.content).map_err(failed)?;
        check(&staged.path, before)?;
        Ok(staged)
    }

    /// Puts the new content in place, in one step, and makes that durable.
    pub(crate) fn commit(mut self) -> Result<(), FileError> {
        check(&self.path, self.before)?;
        self.put_in_place()
            .map_err(|errno| FileError::from_errno(&self.path.shown(), "replacing", errno))?;
        // It has happened; a failing sync only makes it less durable.
        if let Err(errno) = fsync(&self.dir) {
            tracing::warn!("{}: the folder could not be synced: {errno}", self.path.shown());
        }
        Ok(())
    }

    fn put_in_place(&mut self) -> Result<(), Errno> {
        let target = self.path.file_name();
        let name = match &self.temporary {
            Some(name) => name.clone(),
            None => {
                let content = format!("/proc/self/fd/{}", self.content.as_raw_fd());
                let link =
                    |name: &OsStr| linkat(CWD, &content, &self.dir, name, AtFlags::SYMLINK_FOLLOW);
                if self.before.is_none() {
                    return link(target).inspect(|()| self.folders.clear());
                }
                let name = loop {
                    let name = temporary_name();
                    match link(name.as_ref()) {
                        Err(Errno::EXIST) => {}
                        linked => break linked.map(|()| name)?,
                    }
                };
                self.temporary = Some(name.clone());
                name
            }
        };
        let flags = match self.before {
            Some(_) => RenameFlags::empty(),
            None => RenameFlags::NOREPLACE,
        };
        renameat_with(&self.dir, &name, &self.dir, target, flags)?;
        self.temporary = None;
        self.folders.clear();
        Ok(())
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        if let Some(name) = &self.temporary {
            // Nothing to be done about a failure: the name says what the file is.
            let _ = unlinkat(&self.dir, name, AtFlags::empty());
        }
        remove_folders(&self.path, &self.folders);
    }
}

/// Folders created below a root; those that nobody takes over go again.
struct Folders<'a> {
    path: &'a FilePath,
    made: Vec<PathBuf>,
}

impl Folders<'_> {
    /// Creates the folders down to `parent` that do not exist, each through its own parent.
    fn create(&mut self, parent: &Path) -> Result<(), Errno> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY;
        let mut at = PathBuf::new();
        for name in parent {
            let dir = self.path.root.open_at(&at, flags, Mode::empty())?;
            at.push(name);
            match mkdirat(&dir, name, Mode::from_raw_mode(0o777)) {
                Ok(()) => self.made.push(at.clone()),
                Err(Errno::EXIST) => {}
                Err(errno) => return Err(errno),
            }
        }
        Ok(())
    }
}

impl Drop for Folders<'_> {
    fn drop(&mut self) {
        remove_folders(self.path, &self.made);
    }
}

/// Removes folders, innermost first, as far as they are empty.
fn remove_folders(path: &FilePath, folders: &[PathBuf]) {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY;
    for folder in folders.iter().rev() {
        let (Some(parent), Some(name)) = (folder.parent(), folder.file_name()) else { continue };
        if let Ok(dir) = path.root.open_at(parent, flags, Mode::empty()) {
            let _ = unlinkat(&dir, name, AtFlags::REMOVEDIR);
        }
    }
}

/// A file in `dir` without a name, where the file system has such.
fn unnamed(dir: &OwnedFd, mode: Mode) -> Result<(File, Option<String>), Errno> {
    let flags = OFlags::WRONLY | OFlags::TMPFILE | OFlags::CLOEXEC;
    let file = openat(dir, ".", flags, mode)?;
    Ok((file.into(), None))
}

fn named(dir: &OwnedFd, mode: Mode) -> Result<(File, Option<String>), Errno> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
    loop {
        let name = temporary_name();
        match openat(dir, &name, flags | OFlags::NOFOLLOW, mode) {
            Err(Errno::EXIST) => {}
            Err(errno) => return Err(errno),
            Ok(file) => return Ok((file.into(), Some(name))),
        }
    }
}

/// Removes what a process that died left beside the file at `path`.
pub(crate) fn sweep(path: &FilePath, process: &str) {
    let parent = path.relative.parent().unwrap_or(Path::new(""));
    let flags = OFlags::RDONLY | OFlags::DIRECTORY;
    let Ok(dir) = path.root.open_at(parent, flags, Mode::empty()) else { return };
    let Ok(entries) = Dir::read_from(&dir) else { return };
    let prefix = format!(".tandem-{process}-");
    for entry in entries.flatten() {
        let name = entry.file_name().to_bytes();
        if name.starts_with(prefix.as_bytes()) && name.ends_with(b".tmp") {
            let _ = unlinkat(&dir, entry.file_name(), AtFlags::empty());
        }
    }
}

/// Removes the file at `path`, which must still be as `before` says.
pub(crate) fn remove(path: &FilePath, before: Option<Stamp>) -> Result<(), FileError> {
    check(path, before)?;
    let failed = |errno| FileError::from_errno(&path.shown(), "deleting", errno);
    let parent = path.relative.parent().unwrap_or(Path::new(""));
    let flags = OFlags::RDONLY | OFlags::DIRECTORY;
    let dir = path.root.open_at(parent, flags, Mode::empty()).map_err(failed)?;
    unlinkat(&dir, path.file_name(), AtFlags::empty()).map_err(failed)?;
    let _ = fsync(&dir);
    Ok(())
}

fn check(path: &FilePath, before: Option<Stamp>) -> Result<(), FileError> {
    let now = path.root.stat(&path.relative).ok().map(|(_, stat)| Stamp::of(&stat));
    if now == before {
        return Ok(());
    }
    Err(FileError::Changed { path: path.shown() })
}

fn keep_metadata(old: &File, stat: &Stat, new: &File) -> Result<(), Errno> {
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
fn temporary_name() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let unique = RandomState::new().hash_one(COUNT.fetch_add(1, Ordering::Relaxed));
    format!(".tandem-{}-{unique:016x}.tmp", std::process::id())
}
