//! Paths for walks and results.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::{Document, FilePath, Root, Snapshot};

impl FilePath {
    /// The path of a root itself.
    #[must_use]
    pub fn from_root(root: &Arc<Root>) -> Self {
        Self::new(root, PathBuf::new())
    }

    /// The path `path` below this one; it must contain plain names only, as walks return them.
    #[must_use]
    pub fn descendant(&self, path: impl AsRef<Path>) -> Self {
        Self::new(&self.root, self.relative.join(path))
    }

    /// The path relative to its root; empty for the root itself.
    #[must_use]
    pub fn relative(&self) -> &Path {
        &self.relative
    }

    /// The parent folder; `None` for a root.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        let relative = self.relative.parent()?.to_owned();
        Some(Self::new(&self.root, relative))
    }

    /// The path relative to the folder `above`; `None` if it is not below it. Roots may be nested,
    /// so it may be below a folder of another root.
    #[must_use]
    pub fn relative_to(&self, above: &Self) -> Option<PathBuf> {
        if Arc::ptr_eq(&self.root, &above.root) {
            return self.relative.strip_prefix(&above.relative).ok().map(Path::to_owned);
        }
        self.absolute().strip_prefix(above.absolute()).ok().map(Path::to_owned)
    }
}

impl Snapshot {
    /// The index of the root of `path`.
    #[must_use]
    pub fn root_of(&self, path: &FilePath) -> Option<usize> {
        self.roots().iter().position(|root| Arc::ptr_eq(root, &path.root))
    }

    /// The file of an open document; `None` outside the roots.
    #[must_use]
    pub fn path_of(&self, document: &Document) -> Option<FilePath> {
        document.path(self.roots())
    }
}
