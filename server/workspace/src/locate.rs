//! Finds the files that paths written by callers mean.

use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::path::FilePath;
use crate::platform::Stat;
use crate::resolve::{MAX_NAME_LENGTH, resolve};
use crate::uri::path_of_uri;
use crate::{EntryKind, FileError, Root};

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
