//! FIFOs, devices and sockets in a git folder, looked for before libgit2 opens anything: it would
//! wait for whoever writes to them, for good.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use rustc_hash::FxHashSet;
use workspace::FileKind;

use crate::scan::folders;
use crate::table::Table;
use crate::{GitError, Layout, Repo, RepoPath};

/// Folders that are looked through, and how deep; the rest of a git folder is no business of ours.
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
/// Most entries that are looked at.
const MOST: usize = 100_000;
/// The largest files of a git folder that are read, in bytes: any, those of one line or settings, and
/// the list of references.
const LARGEST: u64 = 64 << 20;
const LARGEST_SETTINGS: u64 = 1 << 20;
const LARGEST_LIST: u64 = 256 << 20;
/// And of a folder that git does not know.
const MOST_UNKNOWN: usize = 2_000;
/// What git reads in any folder of a work tree.
const READ_ANYWHERE: [&str; 3] = [".gitignore", ".gitattributes", ".gitmodules"];

/// # Errors
/// When something that git would open is neither file, link nor folder.
pub(crate) fn check(layout: &Layout) -> Result<(), GitError> {
    let mut left = MOST;
    let mut top = |git: &Path| {
        ALWAYS_READ.iter().try_for_each(|name| check_file(&git.join(name)))?;
        let mut folders = FOLDERS.iter();
        folders.try_for_each(|(folder, depth)| look(&git.join(folder), *depth, &mut left))
    };
    top(&layout.git_folder)?;
    if layout.common_folder != layout.git_folder {
        top(&layout.common_folder)?;
    }
    Ok(())
}

fn look(folder: &Path, depth: usize, left: &mut usize) -> Result<(), GitError> {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let Some(now) = left.checked_sub(1) else { return Ok(()) };
        *left = now;
        let Ok(kind) = entry.file_type() else { continue };
        if kind.is_dir() && depth > 0 {
            look(&entry.path(), depth - 1, left)?;
        } else if is_special(kind) {
            return Err(refused(&entry.path()));
        } else if !kind.is_dir() {
            check_file(&entry.path())?;
        }
    }
    Ok(())
}

/// What libgit2 reads of a git folder whatever else is in it.
const ALWAYS_READ: [&str; 4] = ["HEAD", "index", "config", "packed-refs"];

/// Refuses a file that is too large to be read whole, as libgit2 reads all but packs, and a link to
/// what [`is_special`].
fn check_file(path: &Path) -> Result<(), GitError> {
    let name = path.file_name().unwrap_or_default().as_bytes();
    let most = match name {
        b"HEAD" | b"config" | b"config.worktree" => LARGEST_SETTINGS,
        b"index" => crate::look::LARGEST,
        b"packed-refs" => LARGEST_LIST,
        _ => LARGEST,
    };
    let Ok(found) = fs::metadata(path) else { return Ok(()) };
    if is_special(found.file_type()) {
        return Err(refused(path));
    }
    let is_mapped = matches!(path.extension(), Some(end) if end == "pack" || end == "idx");
    if found.is_file() && found.len() > most && !is_mapped {
        let (size, most) = (found.len() >> 20, most >> 20);
        let what = format!("{} has {size} MiB, more than {most}", path.display());
        return Err(GitError::TooLarge { what });
    }
    Ok(())
}

/// Whether something is neither file, link nor folder.
pub(crate) fn is_special(kind: fs::FileType) -> bool {
    kind.is_fifo() || kind.is_socket() || kind.is_char_device() || kind.is_block_device()
}

/// Whether git reads a file of this name in any folder of a work tree.
pub(crate) fn is_read_anywhere(name: &[u8]) -> bool {
    READ_ANYWHERE.iter().any(|read| read.as_bytes() == name)
}

impl Repo {
    /// As [`check`], of what git reads in the folders on the way to a path and in those below it
    /// that hold files that it knows.
    pub(crate) fn check_on_the_way(&self, path: &RepoPath, table: &Table) -> Result<(), GitError> {
        self.check_above(path, &mut FxHashSet::default())?;
        let below = folders(table, path.bytes());
        below.into_keys().try_for_each(|folder| self.check_read(RepoPath::new(folder).path()))
    }

    /// As [`check`], of what git reads in the folders above a path, but for those `checked`, which
    /// these are now.
    pub(crate) fn check_above(
        &self,
        path: &RepoPath,
        checked: &mut FxHashSet<PathBuf>,
    ) -> Result<(), GitError> {
        let above = path.path().ancestors().skip(1);
        let mut new = above.take_while(|folder| checked.insert(folder.to_path_buf()));
        new.try_for_each(|folder| self.check_read(folder))
    }

    fn check_read(&self, folder: &Path) -> Result<(), GitError> {
        for name in READ_ANYWHERE {
            let place = RepoPath::of(&folder.join(name));
            if self.kind_in_work_tree(&place)? == Some(FileKind::Special) {
                return Err(refused(&self.layout().work_tree.absolute().join(place.path())));
            }
        }
        Ok(())
    }
}

/// As [`check`], of a folder in which nothing is known to git: so far as it is not large.
pub(crate) fn in_unknown(folder: &Path) -> Option<PathBuf> {
    let mut left = MOST_UNKNOWN;
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
            left = left.checked_sub(1)?;
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

pub(crate) fn refused(path: &Path) -> GitError {
    let name = path.file_name().unwrap_or(OsStr::new("")).to_string_lossy();
    let shown = path.parent().unwrap_or(path).display();
    GitError::Unsupported {
        what: format!("`{name}` in {shown} is neither file, link nor folder; move it away"),
    }
}
