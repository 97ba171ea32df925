//! The parallel walk.

use std::cmp::Ordering;
use std::ffi::OsStr;
use std::num::NonZero;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering as Memory};

use super::folder::{Folder, Listing};
use super::ignore_rules::IgnoreRules;
use super::order::path_order;
use super::queue::{PanicGuard, Queue};
use crate::root::FileKind;
use crate::{FileError, FilePath};

/// Maximum number of threads of one walk.
const MAX_THREADS: usize = 8;
/// Maximum number of entries of one walk.
const MAX_ENTRIES: usize = 2_000_000;
/// Maximum depth below the start.
const MAX_DEPTH: usize = 200;
/// Number of files per work item, if visits are slow.
const FILES_PER_ITEM: usize = 32;

/// Options of a walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WalkOptions {
    /// Include names that start with a dot, except `.git` folders.
    pub hidden: bool,
    /// Include entries that ignore files exclude.
    pub no_ignore: bool,
    /// Maximum depth: 1 for the entries of the start folder only. `None` for no limit.
    pub max_depth: Option<usize>,
}

/// Handles the entries that one thread of a walk finds.
pub trait Visitor: Send {
    /// Whether visits are slow (they open the file), so that the files of one folder are
    /// distributed among threads.
    const ARE_VISITS_SLOW: bool;

    /// Whether the folder at `path` can contain relevant files, or the file at it is relevant.
    /// Paths are below the root, names joined by `/`.
    fn may_contain_matches(&mut self, path: &[u8]) -> bool {
        let _ = path;
        true
    }

    /// Whether to visit `name` in `folder` unless an ignore file excludes it. This check is the
    /// cheapest, so it comes first.
    fn should_visit(&mut self, folder: &Folder, name: &[u8], kind: FileKind) -> bool;

    /// Whether to visit files of this name even if an ignore file excludes them.
    fn should_visit_ignored(&self, name: &[u8]) -> bool {
        let _ = name;
        false
    }

    /// Visits an entry. `path` is the path of `name` below the root.
    fn visit(&mut self, folder: &Folder, name: &OsStr, path: &[u8], kind: FileKind);
}

/// The result of a walk.
pub struct WalkResult<V> {
    /// The visitor of each thread.
    pub visitors: Vec<V>,
    /// Whether everything was visited: no limit was reached, and all folders were readable.
    pub complete: bool,
}

/// Walks the folder at `start` on several threads, each with its own visitor. Stops early once
/// `interrupt` is set. O(entries) getdents, one `openat2` per folder.
///
/// # Errors
/// When `start` is not a readable folder. Unreadable folders below it are skipped.
pub fn walk<V: Visitor>(
    start: &FilePath,
    options: WalkOptions,
    interrupt: &AtomicBool,
    visitor: impl Fn() -> V,
) -> Result<WalkResult<V>, FileError> {
    let mut folder = Folder::open(start)?;
    if options.no_ignore {
        folder.rules = None;
    }
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get).min(MAX_THREADS);
    let work = WorkItem { start_path: folder.relative().to_vec(), kind: WorkKind::Start(folder) };
    let shared = SharedState {
        options,
        interrupt,
        queue: Queue::new(work, threads),
        entry_count: AtomicUsize::new(0),
        incomplete: AtomicBool::new(false),
    };
    let mut visitors: Vec<V> = (0..threads).map(|_| visitor()).collect();
    std::thread::scope(|scope| {
        let (own, others) = visitors.split_first_mut().expect("there is at least one thread");
        for visitor in others {
            scope.spawn(|| Walker::new(&shared, visitor).run());
        }
        Walker::new(&shared, own).run();
    });
    Ok(WalkResult { visitors, complete: !shared.incomplete.into_inner() })
}

struct SharedState<'a> {
    options: WalkOptions,
    interrupt: &'a AtomicBool,
    queue: Queue<WorkItem>,
    entry_count: AtomicUsize,
    incomplete: AtomicBool,
}

/// A work item with the path it begins at, which determines its priority.
struct WorkItem {
    start_path: Vec<u8>,
    kind: WorkKind,
}

enum WorkKind {
    Start(Folder),
    /// The subfolder at the path, in this folder.
    Subfolder(Arc<Folder>),
    /// Files of this folder: their concatenated names, and the end of each.
    Files(Arc<Folder>, Vec<u8>, Vec<usize>),
}

impl Ord for WorkItem {
    /// Reversed, because a heap returns the greatest item, and the first in path order is wanted.
    fn cmp(&self, other: &Self) -> Ordering {
        path_order(&other.start_path, &self.start_path)
    }
}

impl PartialOrd for WorkItem {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for WorkItem {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for WorkItem {}

struct Walker<'a, V> {
    shared: &'a SharedState<'a>,
    visitor: &'a mut V,
    listing: Listing,
    path: Vec<u8>,
    new_items: Vec<WorkItem>,
}

impl<'a, V: Visitor> Walker<'a, V> {
    fn new(shared: &'a SharedState<'a>, visitor: &'a mut V) -> Self {
        let (listing, path, new_items) = (Listing::new(), Vec::new(), Vec::new());
        Self { shared, visitor, listing, path, new_items }
    }

    /// Processes work items until none are left.
    fn run(mut self) {
        let _guard = PanicGuard(&self.shared.queue);
        while let Some(work) = self.shared.queue.next(&mut self.new_items, self.shared.interrupt) {
            match work.kind {
                WorkKind::Start(folder) => self.folder(folder),
                WorkKind::Subfolder(parent) => {
                    if !self.visitor.may_contain_matches(&work.start_path) {
                        continue;
                    }
                    match parent.child(&work.start_path) {
                        Ok(folder) => self.folder(folder),
                        Err(_) => self.shared.incomplete.store(true, Memory::Relaxed),
                    }
                }
                WorkKind::Files(folder, names, ends) => self.files(&folder, &names, &ends),
            }
        }
    }

    /// Lists a folder, visits its entries and queues its subfolders.
    fn folder(&mut self, mut folder: Folder) {
        let options = self.shared.options;
        if folder.list(&mut self.listing).is_err() {
            self.shared.incomplete.store(true, Memory::Relaxed);
            return;
        }
        let entry_count =
            self.shared.entry_count.fetch_add(self.listing.entries().count(), Memory::Relaxed);
        if entry_count > MAX_ENTRIES || folder.depth() > MAX_DEPTH {
            self.shared.incomplete.store(true, Memory::Relaxed);
            return;
        }
        if !options.no_ignore {
            folder.rules = IgnoreRules::for_folder(&folder, &self.listing);
        }
        let folder = Arc::new(folder);
        let deeper = options.max_depth.is_none_or(|most| folder.depth() + 1 < most);
        let (mut names, mut ends) = (Vec::new(), Vec::new());
        let rules = folder.rules.clone();
        for (name, kind) in self.listing.entries() {
            if name[0] == b'.' && (!options.hidden || name == b".git") {
                continue;
            }
            let is_folder = kind == FileKind::Directory;
            let wanted = self.visitor.should_visit(&folder, name, kind);
            if !(wanted || (is_folder && deeper)) {
                continue;
            }
            folder.path_of(name, &mut self.path);
            let path = Path::new(OsStr::from_bytes(&self.path));
            let is_kept_if_ignored =
                wanted && !is_folder && self.visitor.should_visit_ignored(name);
            if !is_kept_if_ignored
                && rules.as_ref().is_some_and(|rules| rules.ignore(path, is_folder))
            {
                continue;
            }
            if wanted && V::ARE_VISITS_SLOW && !is_folder {
                names.extend_from_slice(name);
                ends.push(names.len());
            } else if wanted {
                self.visitor.visit(&folder, OsStr::from_bytes(name), &self.path, kind);
            }
            if is_folder && deeper && self.visitor.may_contain_matches(&self.path) {
                let kind = WorkKind::Subfolder(folder.clone());
                self.new_items.push(WorkItem { start_path: self.path.clone(), kind });
            }
        }
        if ends.len() <= FILES_PER_ITEM {
            self.files(&folder, &names, &ends);
        } else {
            self.split_files(&folder, &names, &ends);
        }
    }

    /// Splits a folder's files into work items.
    fn split_files(&mut self, folder: &Arc<Folder>, names: &[u8], ends: &[usize]) {
        let mut sorted: Vec<&[u8]> = names_of(names, ends).collect();
        sorted.sort_unstable();
        for piece in sorted.chunks(FILES_PER_ITEM) {
            let mut start_path = Vec::new();
            folder.path_of(piece[0], &mut start_path);
            let (mut names, mut ends) = (Vec::new(), Vec::with_capacity(piece.len()));
            for name in piece {
                names.extend_from_slice(name);
                ends.push(names.len());
            }
            self.new_items
                .push(WorkItem { start_path, kind: WorkKind::Files(folder.clone(), names, ends) });
        }
    }

    /// Visits files of a folder.
    fn files(&mut self, folder: &Folder, names: &[u8], ends: &[usize]) {
        for name in names_of(names, ends) {
            if self.shared.interrupt.load(Memory::Relaxed) {
                return;
            }
            folder.path_of(name, &mut self.path);
            if self.visitor.may_contain_matches(&self.path) {
                self.visitor.visit(folder, OsStr::from_bytes(name), &self.path, FileKind::File);
            }
        }
    }
}

/// Iterates over concatenated names.
fn names_of<'n>(names: &'n [u8], ends: &'n [usize]) -> impl Iterator<Item = &'n [u8]> {
    let starts = std::iter::once(0).chain(ends.iter().copied());
    starts.zip(ends).map(|(start, end)| &names[start..*end])
}
