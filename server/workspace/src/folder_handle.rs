//! Folders by their handles, for programs that are to work in them.

use crate::platform::{Handle, Opening};
use crate::{FileError, FilePath, Root};

impl FilePath {
    /// Opens the folder at this path, to be looked up from and no more.
    ///
    /// # Errors
    /// When there is no folder.
    pub fn open_folder(&self) -> Result<Handle, FileError> {
        self.root
            .open_at(&self.relative, Opening::Through)
            .map_err(|errno| FileError::from_errno(&self.shown(), "opening the folder", errno))
    }
}

impl Root {
    /// Opens this folder, to be looked up from and no more.
    ///
    /// # Errors
    /// When the system refuses another handle.
    pub fn open_folder(&self) -> Result<Handle, FileError> {
        let shown = self.path().to_string_lossy();
        self.open_at("".as_ref(), Opening::Through)
            .map_err(|errno| FileError::from_errno(&shown, "opening the folder", errno))
    }
}
