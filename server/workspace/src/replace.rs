//! Replaces a file's content whole, or not at all.

use std::io::Write;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use rustix::fs::{
    AtFlags, Gid, Mode, OFlags, Stat, Uid, XattrFlags, fchmod, fchown, fgetxattr, flistxattr,
    fsetxattr, fsync, renameat, unlinkat,
};
use rustix::io::Errno;

use crate::path::FilePath;
use crate::{FileError, Stamp};

/// A new content, complete and durable beside the file it is to replace. Dropped without
/// [`Staged::commit`], it leaves no trace.
pub(crate) struct Staged {
    dir: OwnedFd,
    temporary: PathBuf,
    target: PathBuf,
    path: FilePath,
    before: Option<Stamp>,
    live: bool,
}

impl Staged {
    /// Writes `bytes` beside the file at `path`, which must still be as `before` says, with its
    /// mode, owner and extended attributes. Hard links are broken by the commit: the other names
    /// keep the old content.
    pub(crate) fn new(
        path: &FilePath,
        before: Option<Stamp>,
        bytes: &[u8],
    ) -> Result<Self, FileError> {
        let shown = path.shown();
        let failed = |errno| FileError::from_errno(&shown, "writing", errno);
        let parent = path.relative.parent().unwrap_or(Path::new(""));
        let dir = path
            .root
            .open_at(parent, OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty())
            .map_err(failed)?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL;
        let (temporary, fd) = loop {
            let name = parent.join(temporary_name());
            match path.root.open_at(&name, flags, Mode::RUSR | Mode::WUSR) {
                Err(Errno::EXIST) => {}
                Err(errno) => return Err(failed(errno)),
                Ok(fd) => break (temporary_leaf(&name), fd),
            }
        };
        let staged = Self {
            dir,
            temporary,
            target: path.file_name().into(),
            path: path.clone(),
            before,
            live: true,
        };
        let mut file = std::fs::File::from(fd);
        file.write_all(bytes).map_err(|e| failed(Errno::from_io_error(&e).unwrap_or(Errno::IO)))?;
        match path.root.open_file(&path.relative, &shown) {
            Ok((old, stat)) => keep_metadata(&old, &stat, &file).map_err(failed)?,
            Err(FileError::NotFound { .. }) => {
                fchmod(&file, Mode::from_raw_mode(0o644)).map_err(failed)?;
            }
            Err(error) => return Err(error),
        }
        fsync(&file).map_err(failed)?;
        staged.check()?;
        Ok(staged)
    }

    /// Fails when the target is no longer what was read.
    pub(crate) fn check(&self) -> Result<(), FileError> {
        let now = self.path.root.stat(&self.path.relative).ok().map(|(_, stat)| Stamp::of(&stat));
        if now == self.before {
            return Ok(());
        }
        Err(FileError::Changed { path: self.path.shown() })
    }

    /// Puts the new content in place, in one step, and makes that durable.
    pub(crate) fn commit(mut self) -> Result<(), FileError> {
        self.check()?;
        let failed = |errno| FileError::from_errno(&self.path.shown(), "replacing", errno);
        renameat(&self.dir, &self.temporary, &self.dir, &self.target).map_err(failed)?;
        self.live = false;
        // The rename has happened; a failing sync only makes it less durable.
        if let Err(errno) = fsync(&self.dir) {
            tracing::warn!("{}: the folder could not be synced: {errno}", self.path.shown());
        }
        Ok(())
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        if self.live {
            // Nothing to be done about a failure: the name says what the file is.
            let _ = unlinkat(&self.dir, &self.temporary, AtFlags::empty());
        }
    }
}

fn keep_metadata(old: &std::fs::File, stat: &Stat, new: &std::fs::File) -> Result<(), Errno> {
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

fn temporary_name() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    format!(".tandem-{}-{count}.tmp", std::process::id())
}

fn temporary_leaf(path: &Path) -> PathBuf {
    path.file_name().unwrap_or_default().into()
}
