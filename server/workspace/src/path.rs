//! Resolves paths written by callers to files below a root.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::platform::Stat;
use crate::resolve::{MAX_NAME_LENGTH, resolve};
use crate::uri::path_of_uri;
use crate::{EntryKind, FileError, Root};

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

/// Resolves `written`: a path relative to the first root, an absolute path inside any root, or a
/// `file:` URI. Links are followed as long as they stay inside a root.
///
/// # Errors
/// `Invalid` if it is not a path, `Forbidden` if it is outside every root.
pub(crate) fn locate(roots: &[Arc<Root>], written: &str) -> Result<FilePath, FileError> {
    let (root, path) = split_root(roots, written)?;
    let found = resolve(roots, &root, &path, &truncated(written))?;
    let names_folder = written.ends_with('/') || written.ends_with("/.");
    let is_neither = |entry: Stat| !matches!(entry.kind(), EntryKind::Directory | EntryKind::Link);
    if names_folder && found.root.stat(&found.relative).is_ok_and(is_neither) {
        return Err(FileError::NotFound { path: truncated(written) });
    }
    Ok(found)
}

/// Resolves an absolute path with arbitrary bytes. As [`locate`].
pub(crate) fn locate_absolute(roots: &[Arc<Root>], path: &Path) -> Result<FilePath, FileError> {
    let shown = truncated(&path.to_string_lossy());
    let outside =
        || FileError::Forbidden { path: shown.clone(), reason: "is outside the workspace" };
    let normal = lexically_normal(path).ok_or_else(outside)?;
    let found = roots.iter().find_map(|root| Some((root, root.strip(&normal)?)));
    let (root, rest) = found.ok_or_else(outside)?;
    resolve(roots, root, root.strip(path).unwrap_or(rest), &shown)
}

/// Resolves `written` as [`locate`], but does not follow a link as the last name.
///
/// # Errors
/// As [`locate`]: the parent folder must be inside a root.
pub(crate) fn locate_entry(roots: &[Arc<Root>], written: &str) -> Result<FilePath, FileError> {
    let (root, path) = split_root(roots, written)?;
    let shown = truncated(written);
    // A path that ends in `.` or `..` means a folder, never a link.
    let (Some(parent), Some(Component::Normal(name))) =
        (path.parent(), path.components().next_back())
    else {
        return resolve(roots, &root, &path, &shown);
    };
    if name.len() > MAX_NAME_LENGTH {
        return Err(FileError::Forbidden { path: shown, reason: "the name is too long" });
    }
    Ok(resolve(roots, &root, parent, &shown)?.join(name))
}

/// Whether `written` is an absolute path or a URI.
pub(crate) fn is_absolute(written: &str) -> bool {
    written.starts_with('/') || written.get(..5).is_some_and(|s| s.eq_ignore_ascii_case("file:"))
}

/// The root that contains `written`, and the path below it, with links and dots unresolved.
fn split_root(roots: &[Arc<Root>], written: &str) -> Result<(Arc<Root>, PathBuf), FileError> {
    let invalid = |reason| FileError::Invalid { path: truncated(written), reason };
    if written.is_empty() {
        return Err(invalid("it is empty"));
    }
    if written.contains('\0') {
        return Err(invalid("it contains a NUL byte"));
    }
    let path = if written.get(..5).is_some_and(|s| s.eq_ignore_ascii_case("file:")) {
        path_of_uri(written).map_err(invalid)?
    } else if has_scheme(written) {
        return Err(invalid("only file: URIs are supported"));
    } else {
        PathBuf::from(written)
    };
    let Some(first) = roots.first() else {
        return Err(FileError::Forbidden {
            path: truncated(written),
            reason: "no workspace folder is open",
        });
    };
    if path.is_relative() {
        return Ok((first.clone(), path));
    }
    let outside =
        FileError::Forbidden { path: truncated(written), reason: "is outside the workspace" };
    let normal = lexically_normal(&path).ok_or_else(|| outside.clone())?;
    let (root, rest) =
        roots.iter().find_map(|root| Some((root, root.strip(&normal)?))).ok_or(outside)?;
    // `..` is resolved after the links before it, as in the kernel.
    let rest = root.strip(&path).unwrap_or(rest);
    Ok((root.clone(), rest.to_owned()))
}

/// A path without `.` and `..`, resolved textually. `None` if it goes above `/`.
fn lexically_normal(path: &Path) -> Option<PathBuf> {
    let mut normal = PathBuf::new();
    for component in path.components() {
        match component {
            std::path::Component::CurDir => {}
            std::path::Component::ParentDir => {
                if !normal.pop() {
                    return None;
                }
            }
            other => normal.push(other),
        }
    }
    Some(normal)
}

fn has_scheme(written: &str) -> bool {
    written.split_once("://").is_some_and(|(scheme, _)| {
        !scheme.is_empty() && scheme.chars().all(|c| c.is_ascii_alphanumeric() || "+.-".contains(c))
    })
}

/// `written`, truncated for a message.
fn truncated(written: &str) -> String {
    if written.chars().count() <= 200 {
        return written.to_owned();
    }
    written.chars().take(199).chain(['…']).collect()
}
