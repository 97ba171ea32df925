//! Paths of the steps of a transaction.

use std::path::Path;

use super::CommitError;
use crate::platform::{Errno, Handle, Opening};
use crate::state_folders::state_dir;
use crate::{FileError, FilePath};

/// Refuses to move or remove the root, and folders that contain the history.
pub(super) fn check_movable(path: &FilePath, reason: &'static str) -> Result<(), CommitError> {
    let forbidden = |reason| FileError::Forbidden { path: path.display_path(), reason };
    if path.is_root() {
        return Err(forbidden(reason).into());
    }
    if state_dir().is_some_and(|state| state.starts_with(path.absolute())) {
        return Err(forbidden("contains the history that is needed to undo this").into());
    }
    Ok(())
}

/// The path `name` beside `path`.
pub(super) fn sibling(path: &FilePath, name: &str) -> FilePath {
    FilePath::new(&path.root, path.relative.with_file_name(name))
}

/// Opens the parent folder of `path`.
pub(super) fn folder_of(path: &FilePath) -> Result<Handle, CommitError> {
    let parent = path.relative.parent().unwrap_or(Path::new(""));
    path.root.open_at(parent, Opening::Folder).map_err(|errno| failed(path, errno))
}

/// Opens the nearest existing parent folder of `path`; returns its path below the root and its
/// handle.
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

/// Whether `from` can be renamed to `to`.
pub(super) fn same_mount(from: &FilePath, to: &FilePath) -> bool {
    let mounts = (folder_of(from).ok(), nearest_folder(to).ok());
    match mounts {
        (Some(from), Some((_, to))) => crate::trash::same_mount(from, to),
        _ => true,
    }
}

pub(super) fn failed(path: &FilePath, errno: Errno) -> CommitError {
    FileError::from_errno(&path.display_path(), "writing", errno).into()
}
