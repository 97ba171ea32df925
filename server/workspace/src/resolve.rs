//! Resolves links that stay inside the roots.
//!
//! `openat2(RESOLVE_BENEATH)` refuses absolute links even if their target is inside, so links are
//! resolved here, one at a time, each read through the root's handle. The result contains no links
//! and is opened with `RESOLVE_NO_SYMLINKS`: a link that appears in between is refused.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::path::FilePath;
use crate::platform::{AsHandle, Errno, Opening, link_target, stat};
use crate::{EntryKind, FileError, Root};

/// Maximum number of links followed for one path, as in the kernel.
const MAX_LINKS: usize = 40;
/// Maximum length of a path and of a name, as in the kernel.
const MAX_PATH_LENGTH: usize = 4096;
pub(crate) const MAX_NAME_LENGTH: usize = 255;

/// Resolves `path`, relative to `root`. Missing names are kept.
pub(crate) fn resolve(
    roots: &[Arc<Root>],
    root: &Arc<Root>,
    path: &Path,
    shown: &str,
) -> Result<FilePath, FileError> {
    let forbidden = |reason| FileError::Forbidden { path: shown.to_owned(), reason };
    if path.as_os_str().len() >= MAX_PATH_LENGTH {
        return Err(forbidden("the path is too long"));
    }
    let plain = path.components().all(|c| matches!(c, Component::Normal(_)));
    if plain && root.open_at(path, Opening::Inspect).is_ok_and(|fd| !is_link(&fd)) {
        return Ok(FilePath::new(root, path.components().collect()));
    }

    let mut root = root;
    let mut done = PathBuf::new();
    let mut todo: VecDeque<OsString> = names(path);
    let mut link_paths = Vec::new();
    while let Some(name) = todo.pop_front() {
        if name == "." || name.is_empty() {
            continue;
        }
        if name == ".." {
            if done.pop() {
                continue;
            }
            // A link's target may leave a root and enter one again; a caller's path may not.
            let reentered =
                if !link_paths.is_empty() { reentered_root(roots, root, &mut todo) } else { None };
            root = reentered.ok_or_else(|| forbidden("escapes the workspace"))?;
            continue;
        }
        if name.len() > MAX_NAME_LENGTH {
            return Err(forbidden("the name is too long"));
        }
        done.push(&name);
        let failed = |errno| FileError::from_errno(shown, "looking up", errno);
        let fd = match root.open_at(&done, Opening::Inspect) {
            Ok(fd) => fd,
            // A missing name has no links; dots after it are resolved textually.
            Err(Errno::NOENT) => continue,
            Err(errno) => return Err(failed(errno)),
        };
        if !is_link(&fd) {
            continue;
        }
        link_paths.push(lexical_path(root.path().join(&done), &todo));
        if link_paths.len() > MAX_LINKS {
            return Err(forbidden("its links form a loop"));
        }
        let target = link_target(&fd).map_err(failed)?;
        let target = PathBuf::from(OsString::from_vec(target));
        done.pop();
        let rest = if target.is_absolute() {
            let inside = roots.iter().find_map(|r| Some((r, r.strip(&target)?.to_owned())));
            let (other, rest) =
                inside.ok_or_else(|| forbidden("is a link to a path outside the workspace"))?;
            root = other;
            done.clear();
            rest
        } else {
            target
        };
        for name in names(&rest).into_iter().rev() {
            todo.push_front(name);
        }
    }
    Ok(FilePath::new(root, done).with_link_paths(link_paths))
}

/// The path with the unresolved rest appended, dots resolved textually.
fn lexical_path(mut path: PathBuf, rest: &VecDeque<OsString>) -> PathBuf {
    for name in rest {
        match name.to_str() {
            Some("." | "") => {}
            Some("..") => drop(path.pop()),
            _ => path.push(name),
        }
    }
    path
}

/// The root that `todo`, relative to the parent of `root`, leads into; `todo` becomes the rest
/// below it. Only leading `..` and then names are allowed: a folder outside is never read.
fn reentered_root<'r>(
    roots: &'r [Arc<Root>],
    root: &Root,
    todo: &mut VecDeque<OsString>,
) -> Option<&'r Arc<Root>> {
    let mut outside = root.path().parent()?.to_owned();
    let mut names = todo.iter().peekable();
    while names.next_if(|name| *name == "..").is_some() {
        outside.pop();
    }
    for name in names {
        if name == ".." {
            return None;
        }
        outside.push(name);
    }
    let (inner, rest) = roots.iter().find_map(|r| Some((r, r.strip(&outside)?.to_owned())))?;
    *todo = self::names(&rest);
    Some(inner)
}

fn is_link(handle: &impl AsHandle) -> bool {
    stat(handle).is_ok_and(|stat| stat.kind() == EntryKind::Link)
}

fn names(path: &Path) -> VecDeque<OsString> {
    path.components()
        .filter_map(|c| match c {
            Component::Normal(name) => Some(name.to_owned()),
            Component::ParentDir => Some("..".into()),
            _ => None,
        })
        .collect()
}
