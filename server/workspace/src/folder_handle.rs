//! Opens folders as handles, for programs that run in them.

use crate::platform::{Handle, Opening};
use crate::{FileError, FilePath, Root};

impl FilePath {
    /// Opens the folder at this path as a handle for lookups only (`O_PATH`).
    ///
    /// # Errors
    /// When it is not a folder.
    pub fn open_folder(&self) -> Result<Handle, FileError> {
        self.root.open_at(&self.relative, Opening::Traverse).map_err(|errno| {
            FileError::from_errno(&self.display_path(), "opening the folder", errno)
        })
    }
}

impl Root {
    /// Opens this folder as a handle for lookups only (`O_PATH`).
    ///
    /// # Errors
    /// When the system refuses another handle.
    pub fn open_folder(&self) -> Result<Handle, FileError> {
        let shown = self.path().to_string_lossy();
        self.open_at("".as_ref(), Opening::Traverse)
            .map_err(|errno| FileError::from_errno(&shown, "opening the folder", errno))
    }
}
