//! A file's new content, complete and durable before it has a name.

use std::fs::File;
use std::hash::{BuildHasher, RandomState};
use std::io::Write;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::entries::Node;
use crate::path::FilePath;
use crate::platform::{
    AsHandle, Confinement, Errno, Handle, Opening, allow_running, create_unnamed, errno_of,
    give_name, keep_metadata, may_write, remove_file, stat, sync,
};
use crate::{FileError, Stamp};

/// A new content, complete and durable, to be put in a file's place. Where the file system can, it
/// has no name until then, so that a crash leaves no trace of it; dropped, it leaves none in any
/// case.
pub(crate) struct Content {
    dir: Handle,
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
        dir: Handle,
        path: &FilePath,
        before: Option<Stamp>,
        like: &FilePath,
        bytes: &[u8],
    ) -> Result<Self, FileError> {
        let shown = path.shown();
        let failed = |errno| FileError::from_errno(&shown, "writing", errno);
        if before.is_some() {
            // Who may not write a file may not replace it either.
            let parent = path.relative.parent().unwrap_or(Path::new(""));
            let own = path.root.open_at(parent, Opening::Folder).map_err(failed)?;
            may_write(&own, path.file_name()).map_err(failed)?;
        }
        // A new file's mode is the process's choice; another's is copied onto it below.
        let mode = if before.is_some() { 0o600 } else { 0o664 };
        let name = temporary_name();
        let (file, is_named) = match create_unnamed(&dir, mode) {
            Ok(file) => (file, false),
            Err(_) => {
                let create = Opening::Create(mode);
                let file = Confinement::here().open(&dir, Path::new(&name), create);
                (file.map_err(failed)?.into(), true)
            }
        };
        let mut made = Self { dir, file, name, is_named, placed: false };
        made.file.write_all(bytes).map_err(|e| failed(errno_of(&e)))?;
        match like.root.open_file(&like.relative, &shown) {
            Ok((old, stat)) => keep_metadata(&old, &stat, &made.file).map_err(failed)?,
            Err(FileError::NotFound { .. }) => {}
            Err(error) => return Err(error),
        }
        sync(&made.file).map_err(failed)?;
        Ok(made)
    }

    /// Lets those run it who may read it.
    pub(crate) fn make_executable(&self) -> Result<(), Errno> {
        allow_running(&self.file)
    }

    /// Which file it is.
    pub(crate) fn node(&self) -> Result<Node, Errno> {
        stat(&self.file).map(|stat| Node::of(&stat))
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Gives it the name `name` in the folder `dir`, where nothing may stand. True where that was
    /// all; false where it has its hidden name, and is to be renamed.
    pub(crate) fn link(
        &mut self,
        dir: impl AsHandle,
        name: &std::ffi::OsStr,
    ) -> Result<bool, Errno> {
        if self.is_named {
            self.placed = true;
            return Ok(self.name.as_str() == name);
        }
        give_name(&self.file, dir, name)?;
        self.placed = true;
        Ok(true)
    }
}

impl Drop for Content {
    fn drop(&mut self) {
        if self.is_named && !self.placed {
            // Nothing to be done about a failure: the name says what the file is.
            let _ = remove_file(&self.dir, self.name.as_ref());
        }
    }
}

/// A name that nobody else takes: processes of one number may meet in one folder.
pub(crate) fn temporary_name() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let unique = RandomState::new().hash_one(COUNT.fetch_add(1, Ordering::Relaxed));
    format!(".tandem-{}-{unique:016x}.tmp", std::process::id())
}
