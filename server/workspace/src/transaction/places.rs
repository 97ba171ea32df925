//! Where the steps of a transaction are, and may be.

use std::path::Path;

use super::CommitError;
use crate::platform::{Errno, Handle, Opening};
use crate::state::state_dir;
use crate::{FileError, FilePath};

/// The root stays, and so do the folders that hold what is kept of it.
pub(super) fn check_movable(path: &FilePath, reason: &'static str) -> Result<(), CommitError> {
    let forbidden = |reason| FileError::Forbidden { path: path.shown(), reason };
    if path.is_root() {
        return Err(forbidden(reason).into());
    }
    if state_dir().is_some_and(|state| state.starts_with(path.absolute())) {
        return Err(forbidden("holds the history that would undo this").into());
    }
    Ok(())
}

/// A hidden place beside `path`.
pub(super) fn sibling(path: &FilePath, name: &str) -> FilePath {
    FilePath::new(&path.root, path.relative.with_file_name(name))
}

/// The folder that `path` is in.
pub(super) fn folder_of(path: &FilePath) -> Result<Handle, CommitError> {
    let parent = path.relative.parent().unwrap_or(Path::new(""));
    path.root.open_at(parent, Opening::Folder).map_err(|errno| failed(path, errno))
}

/// The folder that `path` is in, or will be in: the nearest one that is there, and where it is
/// below the root.
pub(super) fn nearest_folder(path: &FilePath) -> Result<(&Path, Handle), Errno> {
    let mut near = path.relative.parent().unwrap_or(Path::new(""));
    loop {
        match path.root.open_at(near, Opening::Folder) {
            Err(Errno::NOENT) if near.parent().is_some() => {
                near = near.parent().unwrap_or(Path::new(""));
            }
            dir => return Ok((near, dir?)),
        }
    }
}

/// Whether one can be renamed to the other.
pub(super) fn same_mount(from: &FilePath, to: &FilePath) -> bool {
    let mounts = (folder_of(from).ok(), nearest_folder(to).ok());
    match mounts {
        (Some(from), Some((_, to))) => crate::trash::same_mount(from, to),
        _ => true,
    }
}

pub(super) fn failed(path: &FilePath, errno: Errno) -> CommitError {
    FileError::from_errno(&path.shown(), "writing", errno).into()
}
