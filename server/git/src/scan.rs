//! Which files of a work tree may differ from the index: found by looking at each file's state, on
//! several threads, without reading any. libgit2 then looks at those alone.
//!
//! A file counts as unchanged exactly where git's own program would not read it either: its size,
//! times, number and mode are those in the index, and it was not changed in or after the instant in
//! which the index was written.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use rustc_hash::FxHashMap;

use workspace::Budget;

use crate::special::{in_unknown, is_read_anywhere, is_special, refused};
use crate::table::{Entry, Table};
use crate::{GitError, Repo, RepoPath};

/// Most files that libgit2 is given by name; where more may differ, it looks for itself.
const MOST: usize = 4_000;
/// Work is handed out in pieces of so many folders.
const PIECE: usize = 16;

/// What was found in a work tree.
#[derive(Debug, Default)]
pub(crate) struct Found {
    /// What may differ from the index: files, and folders that hold none of its.
    pub(crate) differing: Vec<RepoPath>,
    /// What does not, but has another name by which it may be changed.
    pub(crate) linked: Vec<RepoPath>,
    /// A place that git would read, and never come back from.
    special: Option<PathBuf>,
}

impl Repo {
    /// Looks for what may differ between index and work tree below `scope`, what git does not know
    /// among it; `None` where there is too much to be named. The index was written at `written`.
    ///
    /// # Errors
    /// When nobody wants to know any more.
    pub(crate) fn scan(
        &self,
        table: &Table,
        written: (i64, i64),
        scope: &RepoPath,
        budget: &Budget<'_>,
    ) -> Result<Option<Found>, GitError> {
        let scan = Scan::of(self, table, written, scope);
        let all: Mutex<Found> = Mutex::default();
        let next = AtomicUsize::new(0);
        let work = || {
            let mut own = Found::default();
            while let Some(piece) = piece(&scan.listed, &next) {
                for folder in piece {
                    scan.look_in(folder, &mut own);
                }
                if own.differing.len() > MOST || budget.check().is_err() {
                    break;
                }
            }
            if let Ok(mut all) = all.lock() {
                all.differing.append(&mut own.differing);
                all.linked.append(&mut own.linked);
                all.special = own.special.or(all.special.take());
            }
        };
        std::thread::scope(|scope| {
            let threads = std::thread::available_parallelism().map_or(2, usize::from).min(8);
            for _ in 1..threads {
                // What no thread can be had for, this one does.
                let _ = std::thread::Builder::new().spawn_scoped(scope, work);
            }
            work();
        });
        budget.check()?;
        let mut found = all.into_inner().unwrap_or_default();
        if let Some(place) = &found.special {
            return Err(refused(place));
        }
        found.differing.sort();
        found.differing.dedup();
        Ok((found.differing.len() <= MOST).then_some(found))
    }
}

fn piece<'a, T>(all: &'a [T], next: &AtomicUsize) -> Option<&'a [T]> {
    let from = next.fetch_add(PIECE, Ordering::Relaxed);
    (from < all.len()).then(|| &all[from..(from + PIECE).min(all.len())])
}

/// A look through the folders that hold files of the index.
struct Scan<'e> {
    top: PathBuf,
    /// When the index was written.
    written: (i64, i64),
    /// The entries that stand in a folder itself, in order of their names.
    folders: FxHashMap<&'e [u8], Vec<Entry<'e>>>,
    listed: Vec<&'e [u8]>,
}

impl<'e> Scan<'e> {
    fn of(repo: &Repo, table: &'e Table, written: (i64, i64), scope: &'e RepoPath) -> Self {
        let folders = folders(table, scope.bytes());
        let listed = folders.keys().copied().collect();
        Self { top: repo.layout().work_tree.absolute(), written, folders, listed }
    }

    /// What may differ of the files in a folder: those that the index has, and those that are none
    /// of them, nor lead to any.
    fn look_in(&self, folder: &[u8], found: &mut Found) {
        let held = self.folders.get(folder).map_or(&[][..], Vec::as_slice);
        let start = if folder.is_empty() { 0 } else { folder.len() + 1 };
        let mut is_met = vec![false; held.len()];
        let mut path = folder.to_vec();
        if start > 0 {
            path.push(b'/');
        }
        let there = fs::read_dir(self.top.join(OsStr::from_bytes(folder)));
        for one in there.into_iter().flatten().flatten() {
            let name = one.file_name();
            let name = name.as_bytes();
            if is_read_anywhere(name) && one.file_type().is_ok_and(is_special) {
                found.special = Some(one.path());
            }
            if let Ok(at) = held.binary_search_by(|entry| entry.path[start..].cmp(name)) {
                // The same name may stand there in several stages of a merge; each is looked at.
                let same = |entry: &&Entry<'_>| entry.path[start..] == *name;
                let first = at - held[..at].iter().rev().take_while(same).count();
                let many = held[first..].iter().take_while(same).count();
                is_met[first..first + many].fill(true);
                let (entry, there) = (&held[at], one.metadata().ok());
                if many > 1 || self.may_have_changed(entry, there.as_ref()) {
                    found.differing.push(RepoPath::new(entry.path));
                } else if there.is_some_and(|there| there.is_file() && there.nlink() > 1) {
                    found.linked.push(RepoPath::new(entry.path));
                }
                continue;
            }
            if name == b".git" {
                continue;
            }
            path.truncate(start);
            path.extend_from_slice(name);
            let is_folder = one.file_type().is_ok_and(|kind| kind.is_dir());
            if !(is_folder && self.folders.contains_key(path.as_slice())) {
                if is_folder {
                    found.special = in_unknown(&one.path()).or(found.special.take());
                }
                found.differing.push(RepoPath::new(&path));
            }
        }
        let unmet = held.iter().zip(&is_met).filter(|(_, is_met)| !**is_met);
        for (entry, _) in unmet {
            if self.may_have_changed(entry, None) {
                found.differing.push(RepoPath::new(entry.path));
            }
        }
    }

    /// Whether the file of an entry may have changed, by what stands there.
    fn may_have_changed(&self, entry: &Entry<'_>, found: Option<&fs::Metadata>) -> bool {
        if entry.is_assumed() || entry.is_left_out() {
            return false;
        }
        if entry.stage() != 0 || entry.is_module() {
            return true;
        }
        let Some(found) = found else { return true };
        let mode = match found.mode() & 0o170_000 {
            0o120_000 => 0o120_000,
            0o100_000 if found.mode() & 0o100 != 0 => 0o100_755,
            0o100_000 => 0o100_644,
            _ => return true,
        };
        let same = |seconds: i64, nanos: i64, time: (u32, u32)| {
            seconds == i64::from(time.0.cast_signed()) && nanos == i64::from(time.1)
        };
        #[allow(clippy::cast_possible_truncation, reason = "the index keeps so many bits of them")]
        let is_same = mode == entry.mode()
            && found.size() as u32 == entry.size()
            && found.ino() as u32 == entry.inode()
            && (found.uid(), found.gid()) == entry.owner()
            && same(found.mtime(), found.mtime_nsec(), entry.modified())
            && same(found.ctime(), found.ctime_nsec(), entry.changed());
        !is_same || (found.mtime(), found.mtime_nsec()) >= self.written
    }
}

/// The folders below `scope` that hold files of the index, and it itself, each with the entries that
/// stand in it, in order of their names.
pub(crate) fn folders<'t>(
    table: &'t Table,
    scope: &'t [u8],
) -> FxHashMap<&'t [u8], Vec<Entry<'t>>> {
    let mut folders: FxHashMap<&[u8], Vec<Entry<'_>>> = FxHashMap::default();
    folders.entry(scope).or_default();
    for entry in table.below(scope) {
        let mut path = folder_of(entry.path);
        let held = folders.entry(path).or_default();
        held.push(entry);
        // The folders above are known once this one is.
        if held.len() > 1 {
            continue;
        }
        while path.len() > scope.len() {
            path = folder_of(path);
            folders.entry(path).or_default();
        }
    }
    folders
}

/// The folder that a path lies in.
pub(crate) fn folder_of(path: &[u8]) -> &[u8] {
    path.iter().rposition(|byte| *byte == b'/').map_or(b"", |at| &path[..at])
}
