//! Finds the files of a work tree that may differ from the index by their stat data, on several
//! threads and without reading content. libgit2 then compares only those.
//!
//! A file counts as unchanged exactly where git would not read it either: size, times, inode, owner
//! and mode match the index entry, and it was not changed in or after the instant in which the
//! index was written.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustc_hash::FxHashMap;

use workspace::CallBudget;

use crate::index_file::{Entry, IndexFile, folders};
use crate::limits::MAX_SCAN_CANDIDATES;
use crate::special_files::{
    find_special_in_untracked, is_read_anywhere, is_special, special_file_error,
};
use crate::{GitError, Repo, RepoPath};

/// Folders per unit of work.
const FOLDERS_PER_PIECE: usize = 16;

/// The result of a scan.
#[derive(Debug, Default)]
pub(crate) struct ScanResult {
    /// Paths that may differ from the index: files, and folders without any tracked file.
    pub(crate) candidates: Vec<RepoPath>,
    /// Unchanged files with several hard links: they can be changed through another name.
    pub(crate) hard_linked: Vec<RepoPath>,
    /// A special file that git would open and block on.
    special: Option<PathBuf>,
}

impl Repo {
    /// Finds the paths below `scope` that may differ between index and work tree, untracked ones
    /// included; `None` if there are too many. The index was written at `written`.
    ///
    /// # Errors
    /// When the budget is exhausted.
    pub(crate) fn find_candidates(
        &self,
        index: &IndexFile,
        written: (i64, i64),
        scope: &RepoPath,
        budget: &CallBudget<'_>,
    ) -> Result<Option<ScanResult>, GitError> {
        let scan = Scan::new(self, index, written, scope);
        let all: Mutex<ScanResult> = Mutex::default();
        let next = AtomicUsize::new(0);
        let work = || {
            let mut local = ScanResult::default();
            while let Some(piece) = next_piece(&scan.folder_names, &next) {
                for folder in piece {
                    scan.scan_folder(folder, &mut local);
                }
                if local.candidates.len() > MAX_SCAN_CANDIDATES || budget.check().is_err() {
                    break;
                }
            }
            if let Ok(mut all) = all.lock() {
                all.candidates.append(&mut local.candidates);
                all.hard_linked.append(&mut local.hard_linked);
                all.special = local.special.or(all.special.take());
            }
        };
        std::thread::scope(|scope| {
            let threads = std::thread::available_parallelism().map_or(2, usize::from).min(8);
            for _ in 1..threads {
                // Threads are optional: this one does the rest.
                let _ = std::thread::Builder::new().spawn_scoped(scope, work);
            }
            work();
        });
        budget.check()?;
        let mut result = all.into_inner().unwrap_or_default();
        if let Some(path) = &result.special {
            return Err(special_file_error(path));
        }
        result.candidates.sort();
        result.candidates.dedup();
        Ok((result.candidates.len() <= MAX_SCAN_CANDIDATES).then_some(result))
    }
}

fn next_piece<'a, T>(all: &'a [T], next: &AtomicUsize) -> Option<&'a [T]> {
    let from = next.fetch_add(FOLDERS_PER_PIECE, Ordering::Relaxed);
    (from < all.len()).then(|| &all[from..(from + FOLDERS_PER_PIECE).min(all.len())])
}

/// A scan of the folders that hold tracked files.
struct Scan<'e> {
    top: PathBuf,
    /// When the index was written.
    written: (i64, i64),
    /// The entries directly in each folder, sorted by name.
    folders: FxHashMap<&'e [u8], Vec<Entry<'e>>>,
    folder_names: Vec<&'e [u8]>,
}

impl<'e> Scan<'e> {
    fn new(repo: &Repo, index: &'e IndexFile, written: (i64, i64), scope: &'e RepoPath) -> Self {
        let folders = folders(index, scope.as_bytes());
        let folder_names = folders.keys().copied().collect();
        Self { top: repo.layout().work_tree.absolute(), written, folders, folder_names }
    }

    /// Adds a folder's candidates: tracked files whose stat data differ, and names that the index
    /// does not know.
    fn scan_folder(&self, folder: &[u8], result: &mut ScanResult) {
        let entries = self.folders.get(folder).map_or(&[][..], Vec::as_slice);
        let start = if folder.is_empty() { 0 } else { folder.len() + 1 };
        let mut is_present = vec![false; entries.len()];
        let mut path = folder.to_vec();
        if start > 0 {
            path.push(b'/');
        }
        let children = fs::read_dir(self.top.join(OsStr::from_bytes(folder)));
        for child in children.into_iter().flatten().flatten() {
            let name = child.file_name();
            let name = name.as_bytes();
            if is_read_anywhere(name) && child.file_type().is_ok_and(is_special) {
                result.special = Some(child.path());
            }
            if let Ok(at) = entries.binary_search_by(|entry| entry.path[start..].cmp(name)) {
                // A conflict has several entries of the same name.
                let same = |entry: &&Entry<'_>| entry.path[start..] == *name;
                let first = at - entries[..at].iter().rev().take_while(same).count();
                let many = entries[first..].iter().take_while(same).count();
                is_present[first..first + many].fill(true);
                let (entry, metadata) = (&entries[at], child.metadata().ok());
                if many > 1 || self.may_have_changed(entry, metadata.as_ref()) {
                    result.candidates.push(RepoPath::new(entry.path));
                } else if metadata
                    .is_some_and(|metadata| metadata.is_file() && metadata.nlink() > 1)
                {
                    result.hard_linked.push(RepoPath::new(entry.path));
                }
                continue;
            }
            if name == b".git" {
                continue;
            }
            path.truncate(start);
            path.extend_from_slice(name);
            let is_folder = child.file_type().is_ok_and(|kind| kind.is_dir());
            if !(is_folder && self.folders.contains_key(path.as_slice())) {
                if is_folder {
                    result.special =
                        find_special_in_untracked(&child.path()).or(result.special.take());
                }
                result.candidates.push(RepoPath::new(&path));
            }
        }
        let missing = entries.iter().zip(&is_present).filter(|(_, is_present)| !**is_present);
        for (entry, _) in missing {
            if self.may_have_changed(entry, None) {
                result.candidates.push(RepoPath::new(entry.path));
            }
        }
    }

    /// Whether an entry's file may have changed, by its stat data.
    fn may_have_changed(&self, entry: &Entry<'_>, metadata: Option<&fs::Metadata>) -> bool {
        if entry.is_assume_unchanged() || entry.is_skip_worktree() {
            return false;
        }
        if entry.stage() != 0 || entry.is_submodule() {
            return true;
        }
        let Some(metadata) = metadata else { return true };
        let mode = match metadata.mode() & 0o170_000 {
            0o120_000 => 0o120_000,
            0o100_000 if metadata.mode() & 0o100 != 0 => 0o100_755,
            0o100_000 => 0o100_644,
            _ => return true,
        };
        let same = |seconds: i64, nanos: i64, time: (u32, u32)| {
            seconds == i64::from(time.0.cast_signed()) && nanos == i64::from(time.1)
        };
        #[allow(clippy::cast_possible_truncation, reason = "the index keeps so many bits of them")]
        let is_same = mode == entry.mode()
            && metadata.size() as u32 == entry.size()
            && metadata.ino() as u32 == entry.inode()
            && (metadata.uid(), metadata.gid()) == entry.owner()
            && same(metadata.mtime(), metadata.mtime_nsec(), entry.mtime())
            && same(metadata.ctime(), metadata.ctime_nsec(), entry.ctime());
        !is_same || (metadata.mtime(), metadata.mtime_nsec()) >= self.written
    }
}
