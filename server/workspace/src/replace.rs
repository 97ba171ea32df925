//! Writes the new content of a file completely and durably before it gets a name.

use std::fs::File;
use std::io::Write;
use std::path::Path;

use crate::entries::InodeState;
use crate::path::FilePath;
use crate::platform::{
    AsHandle, Confinement, Errno, Handle, Opening, check_writable, create_unnamed, errno_of,
    keep_metadata, link_unnamed, make_executable, remove_file, stat, sync,
};
use crate::temporary_name::temporary_name;
use crate::{FileError, Stamp};

/// A complete and durable new content that is to replace a file. If the file system supports it, it
/// has no name until then, so that a crash leaves no trace. If dropped unused, it is removed.
pub(crate) struct NewContent {
    dir: Handle,
    file: File,
    /// Its hidden name beside the file.
    name: String,
    /// Whether it already has that name, because the file system does not support unnamed files.
    is_named: bool,
    is_placed: bool,
}

impl NewContent {
    /// Writes `bytes` for the file at `path` in the folder `dir`, with mode, owner and extended
    /// attributes of `like`. `before` is the stamp of the file that it will replace.
    pub(crate) fn new(
        dir: Handle,
        path: &FilePath,
        before: Option<Stamp>,
        like: &FilePath,
        bytes: &[u8],
    ) -> Result<Self, FileError> {
        let shown = path.display_path();
        let failed = |errno| FileError::from_errno(&shown, "writing", errno);
        if before.is_some() {
            // A file that the user may not write must not be replaced either.
            let parent = path.relative.parent().unwrap_or(Path::new(""));
            let own = path.root.open_at(parent, Opening::Folder).map_err(failed)?;
            check_writable(&own, path.file_name()).map_err(failed)?;
        }
        // The umask applies to a new file; for a replacement, the mode is copied below.
        let mode = if before.is_some() { 0o600 } else { 0o664 };
        let name = temporary_name();
        let (file, is_named) = match create_unnamed(&dir, mode) {
            Ok(file) => (file, false),
            Err(_) => {
                let create = Opening::Create(mode);
                let file = Confinement::of_process().open(&dir, Path::new(&name), create);
                (file.map_err(failed)?.into(), true)
            }
        };
        let mut made = Self { dir, file, name, is_named, is_placed: false };
        made.file.write_all(bytes).map_err(|e| failed(errno_of(&e)))?;
        match like.root.open_file(&like.relative, &shown) {
            Ok((old, stat)) => keep_metadata(&old, &stat, &made.file).map_err(failed)?,
            Err(FileError::NotFound { .. }) => {}
            Err(error) => return Err(error),
        }
        sync(&made.file).map_err(failed)?;
        Ok(made)
    }

    /// Makes it executable for everyone who may read it.
    pub(crate) fn make_executable(&self) -> Result<(), Errno> {
        make_executable(&self.file)
    }

    /// Its inode.
    pub(crate) fn inode(&self) -> Result<InodeState, Errno> {
        stat(&self.file).map(|stat| InodeState::from_stat(&stat))
    }

    /// The folder in which it has its hidden name already; `None` if it has no name.
    pub(crate) fn named_in(&self) -> Option<Result<Handle, Errno>> {
        self.is_named.then(|| self.dir.try_clone().map_err(|error| errno_of(&error)))
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Links it to `name` in the folder `dir`, which must not exist. Returns true if it has that
    /// name now; false if it has its hidden name and must be renamed.
    pub(crate) fn link(
        &mut self,
        dir: impl AsHandle,
        name: &std::ffi::OsStr,
    ) -> Result<bool, Errno> {
        if self.is_named {
            self.is_placed = true;
            return Ok(self.name.as_str() == name);
        }
        link_unnamed(&self.file, dir, name)?;
        self.is_placed = true;
        Ok(true)
    }
}

impl Drop for NewContent {
    fn drop(&mut self) {
        if self.is_named && !self.is_placed {
            // A failure is harmless: the name shows that the file is temporary.
            let _ = remove_file(&self.dir, self.name.as_ref());
        }
    }
}
