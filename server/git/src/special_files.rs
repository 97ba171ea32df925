//! Finds FIFOs, devices and sockets in a git folder before libgit2 opens anything: opening a FIFO
//! blocks until a writer comes, possibly for ever. Also rejects files too large to read whole.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use crate::limits::{
    MAX_GIT_FILE_SIZE, MAX_GIT_FOLDER_ENTRIES, MAX_INDEX_SIZE, MAX_PACKED_REFS_SIZE,
    MAX_SETTINGS_SIZE, MAX_UNTRACKED_ENTRIES,
};
use crate::{GitError, RepoLayout};

/// The folders of a git folder to check, and how deep. libgit2 opens no files by name elsewhere.
const FOLDERS: &[(&str, usize)] = &[
    ("", 0),
    ("info", 0),
    ("refs", 12),
    ("logs", 12),
    ("objects", 0),
    ("objects/info", 1),
    ("objects/pack", 0),
    ("worktrees", 1),
];
/// Files that git reads in every folder of a work tree.
pub(crate) const READ_ANYWHERE: [&str; 3] = [".gitignore", ".gitattributes", ".gitmodules"];

/// Checks the files of a git folder that libgit2 opens.
///
/// # Errors
/// When one is neither file, link nor folder, or too large.
pub(crate) fn check_git_folder(layout: &RepoLayout) -> Result<(), GitError> {
    let mut remaining = MAX_GIT_FOLDER_ENTRIES;
    let mut check_one_folder = |git: &Path| {
        ALWAYS_READ.iter().try_for_each(|name| check_file(&git.join(name)))?;
        let mut folders = FOLDERS.iter();
        folders
            .try_for_each(|(folder, depth)| check_folder(&git.join(folder), *depth, &mut remaining))
    };
    check_one_folder(&layout.git_folder)?;
    if layout.common_folder != layout.git_folder {
        check_one_folder(&layout.common_folder)?;
    }
    Ok(())
}

fn check_folder(folder: &Path, depth: usize, remaining: &mut usize) -> Result<(), GitError> {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let Some(fewer) = remaining.checked_sub(1) else { return Ok(()) };
        *remaining = fewer;
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() && depth > 0 {
            check_folder(&entry.path(), depth - 1, remaining)?;
        } else if is_special(kind) {
            return Err(special_file_error(&entry.path()));
        } else if !kind.is_dir() {
            check_file(&entry.path())?;
        }
    }
    Ok(())
}

/// Files that libgit2 reads in every git folder.
const ALWAYS_READ: [&str; 4] = ["HEAD", "index", "config", "packed-refs"];

/// Rejects a link to a special file, and a file that is too large: libgit2 reads all but packs into
/// memory whole.
fn check_file(path: &Path) -> Result<(), GitError> {
    let name = path.file_name().unwrap_or_default().as_bytes();
    let limit = match name {
        b"HEAD" | b"config" | b"config.worktree" => MAX_SETTINGS_SIZE,
        b"index" => MAX_INDEX_SIZE,
        b"packed-refs" => MAX_PACKED_REFS_SIZE,
        _ => MAX_GIT_FILE_SIZE,
    };
    let Ok(metadata) = fs::metadata(path) else { return Ok(()) };
    if is_special(metadata.file_type()) {
        return Err(special_file_error(path));
    }
    let is_mapped = matches!(path.extension(), Some(end) if end == "pack" || end == "idx");
    if metadata.is_file() && metadata.len() > limit && !is_mapped {
        let (size, limit) = (metadata.len() >> 20, limit >> 20);
        let what = format!("{} has {size} MiB, more than {limit}", path.display());
        return Err(GitError::TooLarge { what });
    }
    Ok(())
}

/// Whether a file is a FIFO, socket or device.
pub(crate) fn is_special(kind: fs::FileType) -> bool {
    kind.is_fifo() || kind.is_socket() || kind.is_char_device() || kind.is_block_device()
}

/// Whether git reads a file of this name in every folder of a work tree.
pub(crate) fn is_read_anywhere(name: &[u8]) -> bool {
    READ_ANYWHERE.iter().any(|read| read.as_bytes() == name)
}

/// Finds a special file in an untracked folder that git would read. Gives up after
/// [`MAX_UNTRACKED_ENTRIES`].
pub(crate) fn find_special_in_untracked(folder: &Path) -> Option<PathBuf> {
    let mut remaining = MAX_UNTRACKED_ENTRIES;
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            remaining = remaining.checked_sub(1)?;
            let Ok(kind) = entry.file_type() else { continue };
            if kind.is_dir() {
                folders.push(entry.path());
            } else if is_special(kind) && is_read_anywhere(entry.file_name().as_bytes()) {
                return Some(entry.path());
            }
        }
    }
    None
}

pub(crate) fn special_file_error(path: &Path) -> GitError {
    let name = path.file_name().unwrap_or(OsStr::new("")).to_string_lossy();
    let shown = path.parent().unwrap_or(path).display();
    GitError::Unsupported {
        what: format!("`{name}` in {shown} is not a file, link or folder; move it away"),
    }
}
