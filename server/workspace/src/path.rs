//! Paths of files below a root.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::Root;

/// A path below a root without links and dots. The file may not exist.
#[derive(Debug, Clone)]
pub struct FilePath {
    pub(crate) root: Arc<Root>,
    pub(crate) relative: PathBuf,
    /// The absolute paths with links that resolved to this one, one for each link followed.
    link_paths: Vec<PathBuf>,
}

impl FilePath {
    /// The path `relative`, which contains plain names only, below `root`.
    pub(crate) fn new(root: &Arc<Root>, relative: PathBuf) -> Self {
        Self { root: root.clone(), relative, link_paths: Vec::new() }
    }

    /// The same path, reached through links by these absolute paths.
    pub(crate) fn with_link_paths(self, link_paths: Vec<PathBuf>) -> Self {
        Self { link_paths, ..self }
    }

    /// The absolute paths with links that resolved to this one, the caller's own first; empty if
    /// there was no link. Permission rules for them apply to this path as well.
    #[must_use]
    pub fn ways(&self) -> &[PathBuf] {
        &self.link_paths
    }

    /// The absolute path.
    #[must_use]
    pub fn absolute(&self) -> PathBuf {
        self.root.path().join(&self.relative)
    }

    /// Whether it is in a read-only folder of dependencies outside the roots.
    #[must_use]
    pub fn is_in_library(&self) -> bool {
        self.root.library().is_some()
    }

    /// The path as results show it: relative to its root, or absolute for a dependency outside the
    /// roots.
    #[must_use]
    pub fn display_path(&self) -> String {
        if self.is_in_library() {
            return self.absolute().to_string_lossy().into_owned();
        }
        if self.relative.as_os_str().is_empty() {
            return ".".to_owned();
        }
        self.relative.to_string_lossy().into_owned()
    }

    /// The last name; empty for the root itself.
    #[must_use]
    pub fn file_name(&self) -> &OsStr {
        self.relative.file_name().unwrap_or_default()
    }

    /// Appends `below`, which must contain plain names only.
    #[must_use]
    pub(crate) fn join(&self, below: impl AsRef<Path>) -> Self {
        let below = below.as_ref();
        Self {
            root: self.root.clone(),
            relative: self.relative.join(below),
            link_paths: self.link_paths.iter().map(|path| path.join(below)).collect(),
        }
    }

    /// Its root.
    #[must_use]
    pub fn root(&self) -> &Root {
        &self.root
    }

    /// The path relative to its root; empty for the root itself.
    #[must_use]
    pub fn below_root(&self) -> &Path {
        &self.relative
    }

    /// Whether it is the root itself.
    #[must_use]
    pub fn is_root(&self) -> bool {
        self.relative.as_os_str().is_empty()
    }

    /// Whether editors or tools may run code from there: `.git`, `.vscode`, `.idea`,
    /// `*.code-workspace` or `.tandem` anywhere in the path, ignoring case.
    #[must_use]
    pub fn has_guarded_name(&self) -> bool {
        self.relative.iter().any(is_guarded_name)
    }
}

/// Whether editors or tools may run code from a file, or below a folder, of this name.
#[must_use]
pub fn is_guarded_name(name: &OsStr) -> bool {
    // Upper case first, then lower case: a case-folding file system treats `ſ` as `s`.
    let name = name.to_string_lossy().to_uppercase().to_lowercase();
    // Some file systems drop trailing dots and spaces.
    let name = name.trim_end_matches(['.', ' ']);
    matches!(name, ".git" | ".vscode" | ".idea" | ".tandem") || name.ends_with(".code-workspace")
}

impl PartialEq for FilePath {
    fn eq(&self, other: &Self) -> bool {
        // Roots may be nested, so that a file is below both.
        self.absolute() == other.absolute()
    }
}

impl Eq for FilePath {}
