//! Finds FIFOs, devices and sockets in a git folder before libgit2 opens anything: opening a FIFO
//! blocks until a writer comes, possibly for ever. Also rejects files too large to read whole.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use rustc_hash::FxHashSet;
use workspace::FileKind;

use crate::index_file::IndexFile;
use crate::scan::folders;
use crate::{GitError, Repo, RepoLayout, RepoPath};

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
/// Entry limit of one check.
const MAX_ENTRIES: usize = 100_000;
/// Size limits of a git folder's files, in bytes: of any file, of settings and one-line files, and
/// of `packed-refs`.
const MAX_FILE_SIZE: u64 = 64 << 20;
const MAX_SETTINGS_SIZE: u64 = 1 << 20;
const MAX_PACKED_REFS_SIZE: u64 = 256 << 20;
/// Entry limit in an untracked folder of the work tree.
const MAX_UNTRACKED_ENTRIES: usize = 2_000;
/// Files that git reads in every folder of a work tree.
const READ_ANYWHERE: [&str; 3] = [".gitignore", ".gitattributes", ".gitmodules"];

/// Checks the files of a git folder that libgit2 opens.
///
/// # Errors
/// When one is neither file, link nor folder, or too large.
pub(crate) fn check_git_folder(layout: &RepoLayout) -> Result<(), GitError> {
    let mut remaining = MAX_ENTRIES;
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
        b"index" => crate::status_cache::MAX_INDEX_SIZE,
        b"packed-refs" => MAX_PACKED_REFS_SIZE,
        _ => MAX_FILE_SIZE,
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

impl Repo {
    /// Checks the files that git reads in the folders above `path` and in the folders below it that
    /// hold tracked files.
    pub(crate) fn check_around(&self, path: &RepoPath, table: &IndexFile) -> Result<(), GitError> {
        self.check_above(path, &mut FxHashSet::default())?;
        let below = folders(table, path.as_bytes());
        below
            .into_keys()
            .try_for_each(|folder| self.check_files_read_in(RepoPath::new(folder).as_path()))
    }

    /// Checks the files that git reads in the folders above `path`, except folders in `checked`,
    /// and adds them to it.
    pub(crate) fn check_above(
        &self,
        path: &RepoPath,
        checked: &mut FxHashSet<PathBuf>,
    ) -> Result<(), GitError> {
        let above = path.as_path().ancestors().skip(1);
        let mut new = above.take_while(|folder| checked.insert(folder.to_path_buf()));
        new.try_for_each(|folder| self.check_files_read_in(folder))
    }

    fn check_files_read_in(&self, folder: &Path) -> Result<(), GitError> {
        for name in READ_ANYWHERE {
            let path = RepoPath::from_path(&folder.join(name));
            if self.kind_in_work_tree(&path)? == Some(FileKind::Special) {
                return Err(special_file_error(
                    &self.layout().work_tree.absolute().join(path.as_path()),
                ));
            }
        }
        Ok(())
    }
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
