//! What a caller wrote as a path, and the file below a root that it means.

use std::ffi::OsStr;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::platform::Stat;
use crate::resolve::{LONGEST_NAME, resolve};
use crate::uri::path_of_uri;
use crate::{EntryKind, FileError, Root};

/// A place below a root, free of links and dots. Whether something stands there is another matter.
#[derive(Debug, Clone)]
pub struct FilePath {
    pub(crate) root: Arc<Root>,
    pub(crate) relative: PathBuf,
    /// The absolute paths that led here by a link, each as its last link was met.
    ways: Vec<PathBuf>,
}

impl FilePath {
    /// The place `relative`, which holds plain names only, below `root`.
    pub(crate) fn new(root: &Arc<Root>, relative: PathBuf) -> Self {
        Self { root: root.clone(), relative, ways: Vec::new() }
    }

    /// The same place, to which links have led by these `ways`.
    pub(crate) fn led_by(self, ways: Vec<PathBuf>) -> Self {
        Self { ways, ..self }
    }

    /// The absolute paths by which links led here, the caller's own first; none where no link was
    /// met. What rules say of them, they say of this place.
    #[must_use]
    pub fn ways(&self) -> &[PathBuf] {
        &self.ways
    }

    /// Its absolute path.
    #[must_use]
    pub fn absolute(&self) -> PathBuf {
        self.root.path().join(&self.relative)
    }

    /// Whether it lies in a folder of dependencies outside of the roots, which is only read.
    #[must_use]
    pub fn is_in_library(&self) -> bool {
        self.root.library().is_some()
    }

    /// Its path below its root, with `/` between names: what results show. That of a dependency
    /// outside of the roots is absolute.
    #[must_use]
    pub fn shown(&self) -> String {
        if self.is_in_library() {
            return self.absolute().to_string_lossy().into_owned();
        }
        if self.relative.as_os_str().is_empty() {
            return ".".to_owned();
        }
        self.relative.to_string_lossy().into_owned()
    }

    /// Its last name; empty for the root itself.
    #[must_use]
    pub fn file_name(&self) -> &OsStr {
        self.relative.file_name().unwrap_or_default()
    }

    /// The place `below` this one, which must hold plain names only.
    #[must_use]
    pub(crate) fn join(&self, below: impl AsRef<Path>) -> Self {
        let below = below.as_ref();
        Self {
            root: self.root.clone(),
            relative: self.relative.join(below),
            ways: self.ways.iter().map(|way| way.join(below)).collect(),
        }
    }

    /// The root that it is below.
    #[must_use]
    pub fn root(&self) -> &Root {
        &self.root
    }

    /// Its path below its root; empty for the root itself.
    #[must_use]
    pub fn below_root(&self) -> &Path {
        &self.relative
    }

    /// Whether it is a root itself.
    #[must_use]
    pub fn is_root(&self) -> bool {
        self.relative.as_os_str().is_empty()
    }

    /// Whether editors or tools run what is written there: `.git`, `.vscode`, `.idea`,
    /// `*.code-workspace` or `.tandem`, anywhere in the path and in any case.
    #[must_use]
    pub fn has_guarded_name(&self) -> bool {
        self.relative.iter().any(is_guarded_name)
    }
}

/// Whether editors or tools run what is written below a folder, or into a file, of this name.
#[must_use]
pub fn is_guarded_name(name: &OsStr) -> bool {
    // Up and down again: `ſ` is an `s` to a file system that folds case.
    let name = name.to_string_lossy().to_uppercase().to_lowercase();
    // Some file systems drop trailing dots and blanks.
    let name = name.trim_end_matches(['.', ' ']);
    matches!(name, ".git" | ".vscode" | ".idea" | ".tandem") || name.ends_with(".code-workspace")
}

impl PartialEq for FilePath {
    fn eq(&self, other: &Self) -> bool {
        // One folder may lie inside another, and a file be below both.
        self.absolute() == other.absolute()
    }
}

impl Eq for FilePath {}

/// Finds the file that `written` means: relative to the first root, absolute inside any root, or
/// a `file:` URI. Links are followed as long as they stay inside a root.
///
/// # Errors
/// `Invalid` for what is no path, `Forbidden` for what leads out of every root.
pub(crate) fn locate(roots: &[Arc<Root>], written: &str) -> Result<FilePath, FileError> {
    let (root, path) = place(roots, written)?;
    let found = resolve(roots, &root, &path, &show(written))?;
    let names_folder = written.ends_with('/') || written.ends_with("/.");
    let is_neither = |entry: Stat| !matches!(entry.kind(), EntryKind::Directory | EntryKind::Link);
    if names_folder && found.root.stat(&found.relative).is_ok_and(is_neither) {
        return Err(FileError::NotFound { path: show(written) });
    }
    Ok(found)
}

/// Finds the place that an absolute path means, whatever its bytes. As [`locate`].
pub(crate) fn locate_absolute(roots: &[Arc<Root>], path: &Path) -> Result<FilePath, FileError> {
    let shown = show(&path.to_string_lossy());
    let outside =
        || FileError::Forbidden { path: shown.clone(), reason: "is outside the workspace" };
    let normal = lexically_normal(path).ok_or_else(outside)?;
    let found = roots.iter().find_map(|root| Some((root, root.strip(&normal)?)));
    let (root, rest) = found.ok_or_else(outside)?;
    resolve(roots, root, root.strip(path).unwrap_or(rest), &shown)
}

/// Finds the entry that `written` means: as [`locate`], but a link as the last name is not followed.
///
/// # Errors
/// As [`locate`]: the folder that holds the entry must lie inside a root.
pub(crate) fn locate_entry(roots: &[Arc<Root>], written: &str) -> Result<FilePath, FileError> {
    let (root, path) = place(roots, written)?;
    let shown = show(written);
    // What ends in dots is a folder, never a link.
    let (Some(parent), Some(Component::Normal(name))) =
        (path.parent(), path.components().next_back())
    else {
        return resolve(roots, &root, &path, &shown);
    };
    if name.len() > LONGEST_NAME {
        return Err(FileError::Forbidden { path: shown, reason: "the name is too long" });
    }
    Ok(resolve(roots, &root, parent, &shown)?.join(name))
}

/// Whether `written` says by itself where it is: an absolute path or a URI.
pub(crate) fn is_absolute(written: &str) -> bool {
    written.starts_with('/') || written.get(..5).is_some_and(|s| s.eq_ignore_ascii_case("file:"))
}

/// The root that `written` lies in, and what is left of it; links and dots are still in it.
fn place(roots: &[Arc<Root>], written: &str) -> Result<(Arc<Root>, PathBuf), FileError> {
    let invalid = |reason| FileError::Invalid { path: show(written), reason };
    if written.is_empty() {
        return Err(invalid("it is empty"));
    }
    if written.contains('\0') {
        return Err(invalid("it holds a NUL"));
    }
    let path = if written.get(..5).is_some_and(|s| s.eq_ignore_ascii_case("file:")) {
        path_of_uri(written).map_err(invalid)?
    } else if has_scheme(written) {
        return Err(invalid("only file: URIs name files"));
    } else {
        PathBuf::from(written)
    };
    let Some(first) = roots.first() else {
        return Err(FileError::Forbidden {
            path: show(written),
            reason: "no workspace folder is open",
        });
    };
    if path.is_relative() {
        return Ok((first.clone(), path));
    }
    let outside = FileError::Forbidden { path: show(written), reason: "is outside the workspace" };
    let normal = lexically_normal(&path).ok_or_else(|| outside.clone())?;
    let (root, rest) =
        roots.iter().find_map(|root| Some((root, root.strip(&normal)?))).ok_or(outside)?;
    // The dots are resolved after the links that stand before them, as the kernel would.
    let rest = root.strip(&path).unwrap_or(rest);
    Ok((root.clone(), rest.to_owned()))
}

/// A path without `.` and `..`, as text alone has it. `None` where it climbs above `/`.
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

/// `written`, short enough for a message.
fn show(written: &str) -> String {
    if written.chars().count() <= 200 {
        return written.to_owned();
    }
    written.chars().take(199).chain(['…']).collect()
}
