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

use git2::{IndexEntry, Oid};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::diff::{ANNOUNCED, LEFT_OUT};
use crate::{GitError, Interrupt, Repo, RepoPath};

/// Most files that libgit2 is given by name; where more may differ, it looks for itself.
const MOST: usize = 4_000;
/// Work is handed out in pieces of so many folders.
const PIECE: usize = 16;

/// What the index says of its entries, at one look.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    /// Files that it has by name only (`git add --intent-to-add`).
    pub(crate) announced: FxHashSet<RepoPath>,
    /// Files that a sparse work tree leaves out.
    pub(crate) left_out: FxHashSet<RepoPath>,
    /// Repositories within.
    pub(crate) modules: Vec<RepoPath>,
}

impl Repo {
    /// What the index says of its entries.
    pub(crate) fn marks(&self) -> Result<Marks, GitError> {
        Ok(Marks::of(&self.entries()?))
    }

    /// The entries of the index. A file that a sparse work tree leaves out, and that is there all
    /// the same, counts as any other, as with git; so it does for libgit2 from then on.
    pub(crate) fn entries(&self) -> Result<Vec<IndexEntry>, GitError> {
        let mut index = self.index()?;
        let mut entries: Vec<IndexEntry> = index.iter().collect();
        let mut absent: Vec<u8> = Vec::new();
        for entry in entries.iter_mut().filter(|entry| entry.flags_extended & LEFT_OUT != 0) {
            let folder = folder_of(&entry.path);
            if !absent.is_empty() && absent == folder {
                continue;
            }
            let path = RepoPath::new(&entry.path);
            if self.kind_in_work_tree(&path)?.is_some() {
                entry.flags_extended &= !LEFT_OUT;
                index.add(entry)?;
            } else if !folder.is_empty()
                && self.kind_in_work_tree(&RepoPath::new(folder))?.is_none()
            {
                absent = folder.to_vec();
            }
        }
        Ok(entries)
    }

    /// The paths below `scope` that may differ between index and work tree, untracked ones among
    /// them; `None` where there are too many to be named.
    ///
    /// # Errors
    /// When nobody wants to know any more.
    pub(crate) fn may_differ(
        &self,
        entries: &[IndexEntry],
        scope: &RepoPath,
        interrupt: Interrupt<'_>,
    ) -> Result<Option<Vec<RepoPath>>, GitError> {
        let scan = Scan::of(self, below(entries, scope.bytes()), scope);
        let found: Mutex<Vec<RepoPath>> = Mutex::default();
        let next = AtomicUsize::new(0);
        let work = || {
            let mut own = Vec::new();
            while let Some(piece) = piece(&scan.listed, &next) {
                for folder in piece {
                    scan.look_in(folder, &mut own);
                }
                if own.len() > MOST || interrupt.check().is_err() {
                    break;
                }
            }
            if let Ok(mut found) = found.lock() {
                found.append(&mut own);
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
        interrupt.check()?;
        let mut found = found.into_inner().unwrap_or_default();
        found.sort();
        found.dedup();
        Ok((found.len() <= MOST).then_some(found))
    }

    /// Whether the index holds exactly what the last commit does, by what it says of itself: git
    /// keeps the tree that its entries make as long as none changes.
    pub(crate) fn is_index_the_head(&self) -> bool {
        let tree = || Some(self.head_tree().ok()??.id());
        let own = || {
            let index = fs::read(self.git.path().join("index")).ok()?;
            tree_of_index(&index)
        };
        tree().is_some_and(|tree| own() == Some(tree))
    }
}

impl Marks {
    pub(crate) fn of(entries: &[IndexEntry]) -> Self {
        let mut marks = Self::default();
        for entry in entries {
            let path = || RepoPath::new(&entry.path);
            if entry.flags_extended & ANNOUNCED != 0 {
                marks.announced.insert(path());
            }
            if entry.flags_extended & LEFT_OUT != 0 {
                marks.left_out.insert(path());
            }
            if entry.mode == MODULE {
                marks.modules.push(path());
            }
        }
        marks
    }
}

const MODULE: u32 = 0o160_000;

/// The entries below a folder; entries are in order of their paths.
fn below<'e>(entries: &'e [IndexEntry], folder: &[u8]) -> &'e [IndexEntry] {
    if folder.is_empty() {
        return entries;
    }
    let first = [folder, b"/"].concat();
    let from = entries.partition_point(|entry| entry.path.as_slice() < first.as_slice());
    let rest = &entries[from..];
    &rest[..rest.partition_point(|entry| entry.path.starts_with(&first))]
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
    folders: FxHashMap<&'e [u8], Vec<&'e IndexEntry>>,
    listed: Vec<&'e [u8]>,
}

impl<'e> Scan<'e> {
    fn of(repo: &Repo, entries: &'e [IndexEntry], scope: &'e RepoPath) -> Self {
        let written = fs::symlink_metadata(repo.git.path().join("index"));
        let written = written.map_or((i64::MIN, 0), |found| (found.mtime(), found.mtime_nsec()));
        let mut folders: FxHashMap<&[u8], Vec<&IndexEntry>> = FxHashMap::default();
        folders.entry(scope.bytes()).or_default();
        for entry in entries {
            let mut path = folder_of(&entry.path);
            let held = folders.entry(path).or_default();
            held.push(entry);
            // The folders above are known once this one is.
            if held.len() > 1 {
                continue;
            }
            while path.len() > scope.bytes().len() {
                path = folder_of(path);
                folders.entry(path).or_default();
            }
        }
        let listed = folders.keys().copied().collect();
        Self { top: repo.layout().work_tree.absolute(), written, folders, listed }
    }

    /// What may differ of the files in a folder: those that the index has, and those that are none
    /// of them, nor lead to any.
    fn look_in(&self, folder: &[u8], found: &mut Vec<RepoPath>) {
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
            if let Ok(at) = held.binary_search_by(|entry| entry.path[start..].cmp(name)) {
                // The same name may stand there in several stages of a merge; each is looked at.
                let same = |entry: &&&IndexEntry| entry.path[start..] == *name;
                let first = at - held[..at].iter().rev().take_while(same).count();
                let many = held[first..].iter().take_while(same).count();
                is_met[first..first + many].fill(true);
                let entry = held[at];
                if many > 1 || self.may_have_changed(entry, one.metadata().ok()) {
                    found.push(RepoPath::new(&entry.path));
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
                found.push(RepoPath::new(&path));
            }
        }
        let unmet = held.iter().zip(&is_met).filter(|(_, is_met)| !**is_met);
        for (entry, _) in unmet {
            if self.may_have_changed(entry, None) {
                found.push(RepoPath::new(&entry.path));
            }
        }
    }

    /// Whether the file of an entry may have changed, by what stands there.
    fn may_have_changed(&self, entry: &IndexEntry, found: Option<fs::Metadata>) -> bool {
        let is_passed_over = entry.flags & ASSUMED != 0 || entry.flags_extended & LEFT_OUT != 0;
        if is_passed_over {
            return false;
        }
        if (entry.flags >> 12) & 3 != 0 || entry.mode == MODULE {
            return true;
        }
        let Some(found) = found else { return true };
        let mode = match found.mode() & 0o170_000 {
            0o120_000 => 0o120_000,
            0o100_000 if found.mode() & 0o100 != 0 => 0o100_755,
            0o100_000 => 0o100_644,
            _ => return true,
        };
        let same = |seconds: i64, nanos: i64, time: git2::IndexTime| {
            seconds == i64::from(time.seconds()) && nanos == i64::from(time.nanoseconds())
        };
        #[allow(clippy::cast_possible_truncation, reason = "the index keeps so many bits of them")]
        let is_same = mode == entry.mode
            && found.size() as u32 == entry.file_size
            && found.ino() as u32 == entry.ino
            && found.uid() == entry.uid
            && found.gid() == entry.gid
            && same(found.mtime(), found.mtime_nsec(), entry.mtime)
            && same(found.ctime(), found.ctime_nsec(), entry.ctime);
        !is_same || (found.mtime(), found.mtime_nsec()) >= self.written
    }
}

/// The folder that a path lies in.
fn folder_of(path: &[u8]) -> &[u8] {
    path.iter().rposition(|byte| *byte == b'/').map_or(b"", |at| &path[..at])
}

/// The index's mark of files that are not to be looked at (`--assume-unchanged`).
const ASSUMED: u16 = 1 << 15;

/// The tree that the entries of an index make, where it says so (its extension `TREE`).
fn tree_of_index(index: &[u8]) -> Option<Oid> {
    let number = |at: usize| Some(u32::from_be_bytes(index.get(at..at + 4)?.try_into().ok()?));
    let (version, count) = (number(4)?, number(8)?);
    if index.get(..4)? != b"DIRC" || !(2..=4).contains(&version) {
        return None;
    }
    let mut at = 12;
    for _ in 0..count {
        let flags = u16::from_be_bytes(index.get(at + 60..at + 62)?.try_into().ok()?);
        let extended = usize::from(flags & 0x4000 != 0) * 2;
        let name = at + 62 + extended;
        let end = name
            + index.get(name..)?.iter().skip(usize::from(version == 4)).position(|b| *b == 0)?;
        at = match version {
            // After one number at least, the rest of the name and its end.
            4 => {
                let mut skip = name;
                while index.get(skip)? & 0x80 != 0 {
                    skip += 1;
                }
                skip + 1 + index.get(skip + 1..)?.iter().position(|byte| *byte == 0)? + 1
            }
            _ => at + ((end - at) / 8 + 1) * 8,
        };
    }
    while at + 8 + 20 <= index.len() {
        let size = usize::try_from(number(at + 4)?).ok()?;
        if index.get(at..at + 4)? == b"TREE" {
            let data = index.get(at + 8..at + 8 + size)?;
            let data = data.strip_prefix(b"\0")?;
            let end = data.iter().position(|byte| *byte == b'\n')?;
            if data.starts_with(b"-") {
                return None;
            }
            return Oid::from_bytes(data.get(end + 1..end + 21)?).ok();
        }
        at += 8 + size;
    }
    None
}
