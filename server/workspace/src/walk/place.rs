//! Places as walks begin at them and results name them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::{Document, FilePath, Root, Snapshot};

impl FilePath {
    /// The place of a root itself.
    #[must_use]
    pub fn of_root(root: &Arc<Root>) -> Self {
        Self::new(root, PathBuf::new())
    }

    /// The place at `path` below it, which holds plain names only, as walks give them.
    #[must_use]
    pub fn at(&self, path: impl AsRef<Path>) -> Self {
        Self::new(&self.root, self.relative.join(path))
    }

    /// Its path below its root; empty for the root itself.
    #[must_use]
    pub fn relative(&self) -> &Path {
        &self.relative
    }

    /// The folder that it is in; `None` for a root.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        let relative = self.relative.parent()?.to_owned();
        Some(Self::new(&self.root, relative))
    }

    /// Its path below the folder `above`; `None` where it lies elsewhere. A file below one root
    /// may lie below another, too.
    #[must_use]
    pub fn below(&self, above: &Self) -> Option<PathBuf> {
        if Arc::ptr_eq(&self.root, &above.root) {
            return self.relative.strip_prefix(&above.relative).ok().map(Path::to_owned);
        }
        self.absolute().strip_prefix(above.absolute()).ok().map(Path::to_owned)
    }
}

impl Snapshot {
    /// The number of the root that `path` was found below.
    #[must_use]
    pub fn root_of(&self, path: &FilePath) -> Option<usize> {
        self.roots().iter().position(|root| Arc::ptr_eq(root, &path.root))
    }

    /// The file that an open document stands for; `None` outside the roots.
    #[must_use]
    pub fn path_of(&self, document: &Document) -> Option<FilePath> {
        document.path(self.roots())
    }
}
