//! Follows links, inside the roots only.
//!
//! `openat2(RESOLVE_BENEATH)` refuses absolute links even where they lead back inside, so links
//! are followed here, one at a time, each read through the root's handle. What comes out holds no
//! links, and is opened with `RESOLVE_NO_SYMLINKS`: a link that appears in between is refused.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use crate::path::FilePath;
use crate::platform::{AsHandle, Errno, Opening, link_target, stat};
use crate::{EntryKind, FileError, Root};

/// Links followed for one path, as in the kernel.
const MOST_LINKS: usize = 40;
/// Longest path and name, as in the kernel.
const LONGEST_PATH: usize = 4096;
pub(crate) const LONGEST_NAME: usize = 255;

/// The place that `path`, relative to `root`, leads to. Names that do not exist are kept.
pub(crate) fn resolve(
    roots: &[Arc<Root>],
    root: &Arc<Root>,
    path: &Path,
    shown: &str,
) -> Result<FilePath, FileError> {
    let forbidden = |reason| FileError::Forbidden { path: shown.to_owned(), reason };
    if path.as_os_str().len() >= LONGEST_PATH {
        return Err(forbidden("the path is too long"));
    }
    let plain = path.components().all(|c| matches!(c, Component::Normal(_)));
    if plain && root.open_at(path, Opening::Look).is_ok_and(|fd| !is_link(&fd)) {
        return Ok(FilePath::new(root, path.components().collect()));
    }

    let mut root = root;
    let mut done = PathBuf::new();
    let mut todo: VecDeque<OsString> = names(path);
    let mut ways = Vec::new();
    while let Some(name) = todo.pop_front() {
        if name == "." || name.is_empty() {
            continue;
        }
        if name == ".." {
            if done.pop() {
                continue;
            }
            // A link may lead out and straight back in; what a caller writes may not.
            let back =
                if !ways.is_empty() { through_outside(roots, root, &mut todo) } else { None };
            root = back.ok_or_else(|| forbidden("leads out of the workspace"))?;
            continue;
        }
        if name.len() > LONGEST_NAME {
            return Err(forbidden("the name is too long"));
        }
        done.push(&name);
        let failed = |errno| FileError::from_errno(shown, "looking up", errno);
        let fd = match root.open_at(&done, Opening::Look) {
            Ok(fd) => fd,
            // What does not exist has no links; dots after it are resolved as text.
            Err(Errno::NOENT) => continue,
            Err(errno) => return Err(failed(errno)),
        };
        if !is_link(&fd) {
            continue;
        }
        ways.push(as_text(root.path().join(&done), &todo));
        if ways.len() > MOST_LINKS {
            return Err(forbidden("its links lead round in a loop"));
        }
        let target = link_target(&fd).map_err(failed)?;
        let target = PathBuf::from(OsString::from_vec(target));
        done.pop();
        let rest = if target.is_absolute() {
            let inside = roots.iter().find_map(|r| Some((r, r.strip(&target)?.to_owned())));
            let (other, rest) =
                inside.ok_or_else(|| forbidden("is a link out of the workspace"))?;
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
    Ok(FilePath::new(root, done).led_by(ways))
}

/// The path with what is still to be looked up, dots resolved as text.
fn as_text(mut path: PathBuf, rest: &VecDeque<OsString>) -> PathBuf {
    for name in rest {
        match name.to_str() {
            Some("." | "") => {}
            Some("..") => drop(path.pop()),
            _ => path.push(name),
        }
    }
    path
}

/// The root that `todo`, read from the parent of `root`, leads into; `todo` is then what is left
/// below it. Only dots and then names: a folder outside is never looked into.
fn through_outside<'r>(
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
