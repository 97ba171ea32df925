//! The walk itself.

use std::cmp::Ordering;
use std::ffi::OsStr;
use std::num::NonZero;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering as Memory};

use super::folder::{Folder, Listing};
use super::order::path_order;
use super::queue::{Guard, Queue};
use super::rules::Rules;
use crate::root::FileKind;
use crate::{FileError, FilePath};

/// Most threads of one walk.
const MOST_THREADS: usize = 8;
/// Most entries that one walk looks at.
const MOST_ENTRIES: usize = 2_000_000;
/// Deepest folder that is looked into, below the start.
const DEEPEST: usize = 200;
/// Files of one folder that are one piece of work, where each takes long.
const PIECE: usize = 32;

/// What a walk passes over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WalkOptions {
    /// Also what starts with a dot; `.git` folders stay out all the same.
    pub hidden: bool,
    /// Also what ignore files leave out.
    pub no_ignore: bool,
    /// How many levels below the start: 1 is what stands in it. `None` for all.
    pub max_depth: Option<usize>,
}

/// What one thread of a walk does with what it meets.
pub trait Visitor: Send {
    /// Whether a visit takes long (it opens the file), so that visits in one folder are shared
    /// among threads.
    const LONG: bool;

    /// Whether anything below the folder at `path` can matter, or the file at it. Paths are below
    /// the root, names joined by `/`.
    fn may_matter(&mut self, path: &[u8]) -> bool {
        let _ = path;
        true
    }

    /// Whether `name` in `folder` is to be visited if no ignore file says otherwise. The cheapest
    /// question, so it comes first.
    fn wants(&mut self, folder: &Folder, name: &[u8], kind: FileKind) -> bool;

    /// Whether a file of this name is visited although an ignore file names it.
    fn wants_ignored(&self, name: &[u8]) -> bool {
        let _ = name;
        false
    }

    /// Takes a look. `path` is the path of `name` below the root.
    fn visit(&mut self, folder: &Folder, name: &OsStr, path: &[u8], kind: FileKind);
}

/// What a walk gives back.
pub struct Walked<V> {
    /// The visitor of each thread.
    pub visitors: Vec<V>,
    /// Whether everything was looked at: no limit was met, and no folder could not be read.
    pub complete: bool,
}

/// Walks the folder at `start`, on several threads, each with a visitor of its own. Stops early
/// once `interrupt` is set. O(entries) getdents, one `openat2` a folder.
///
/// # Errors
/// When `start` is no folder, or may not be read. Folders below it that may not are passed over.
pub fn walk<V: Visitor>(
    start: &FilePath,
    options: WalkOptions,
    interrupt: &AtomicBool,
    visitor: impl Fn() -> V,
) -> Result<Walked<V>, FileError> {
    let mut folder = Folder::open(start)?;
    if options.no_ignore {
        folder.rules = None;
    }
    let threads = std::thread::available_parallelism().map_or(1, NonZero::get).min(MOST_THREADS);
    let work = Work { place: folder.relative().to_vec(), what: What::Start(folder) };
    let shared = Shared {
        options,
        interrupt,
        queue: Queue::new(work, threads),
        seen: AtomicUsize::new(0),
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
    Ok(Walked { visitors, complete: !shared.incomplete.into_inner() })
}

struct Shared<'a> {
    options: WalkOptions,
    interrupt: &'a AtomicBool,
    queue: Queue<Work>,
    seen: AtomicUsize,
    incomplete: AtomicBool,
}

/// A piece of work, and the place it begins at, which says when it is done.
struct Work {
    place: Vec<u8>,
    what: What,
}

enum What {
    Start(Folder),
    /// The folder at the place, in this one.
    Below(Arc<Folder>),
    /// Files of this folder, their names one after the other, each up to its end.
    Files(Arc<Folder>, Vec<u8>, Vec<usize>),
}

impl Ord for Work {
    /// The greatest is the first in path order: a heap gives the greatest.
    fn cmp(&self, other: &Self) -> Ordering {
        path_order(&other.place, &self.place)
    }
}

impl PartialOrd for Work {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Work {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Work {}

struct Walker<'a, V> {
    shared: &'a Shared<'a>,
    visitor: &'a mut V,
    listing: Listing,
    path: Vec<u8>,
    found: Vec<Work>,
}

impl<'a, V: Visitor> Walker<'a, V> {
    fn new(shared: &'a Shared<'a>, visitor: &'a mut V) -> Self {
        let (listing, path, found) = (Listing::new(), Vec::new(), Vec::new());
        Self { shared, visitor, listing, path, found }
    }

    fn run(mut self) {
        let _guard = Guard(&self.shared.queue);
        while let Some(work) = self.shared.queue.next(&mut self.found, self.shared.interrupt) {
            match work.what {
                What::Start(folder) => self.folder(folder),
                What::Below(parent) => {
                    if !self.visitor.may_matter(&work.place) {
                        continue;
                    }
                    match parent.child(&work.place) {
                        Ok(folder) => self.folder(folder),
                        Err(_) => self.shared.incomplete.store(true, Memory::Relaxed),
                    }
                }
                What::Files(folder, names, ends) => self.files(&folder, &names, &ends),
            }
        }
    }

    fn folder(&mut self, mut folder: Folder) {
        let options = self.shared.options;
        if folder.list(&mut self.listing).is_err() {
            self.shared.incomplete.store(true, Memory::Relaxed);
            return;
        }
        let seen = self.shared.seen.fetch_add(self.listing.entries().count(), Memory::Relaxed);
        if seen > MOST_ENTRIES || folder.depth() > DEEPEST {
            self.shared.incomplete.store(true, Memory::Relaxed);
            return;
        }
        if !options.no_ignore {
            folder.rules = Rules::of(&folder, &self.listing);
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
            let wanted = self.visitor.wants(&folder, name, kind);
            if !(wanted || (is_folder && deeper)) {
                continue;
            }
            folder.path_of(name, &mut self.path);
            let path = Path::new(OsStr::from_bytes(&self.path));
            let anyway = wanted && !is_folder && self.visitor.wants_ignored(name);
            if !anyway && rules.as_ref().is_some_and(|rules| rules.ignore(path, is_folder)) {
                continue;
            }
            if wanted && V::LONG && !is_folder {
                names.extend_from_slice(name);
                ends.push(names.len());
            } else if wanted {
                self.visitor.visit(&folder, OsStr::from_bytes(name), &self.path, kind);
            }
            if is_folder && deeper && self.visitor.may_matter(&self.path) {
                let what = What::Below(folder.clone());
                self.found.push(Work { place: self.path.clone(), what });
            }
        }
        if ends.len() <= PIECE {
            self.files(&folder, &names, &ends);
        } else {
            self.share(&folder, &names, &ends);
        }
    }

    /// Makes pieces of work of a folder's files.
    fn share(&mut self, folder: &Arc<Folder>, names: &[u8], ends: &[usize]) {
        let mut sorted: Vec<&[u8]> = each(names, ends).collect();
        sorted.sort_unstable();
        for piece in sorted.chunks(PIECE) {
            let mut place = Vec::new();
            folder.path_of(piece[0], &mut place);
            let (mut names, mut ends) = (Vec::new(), Vec::with_capacity(piece.len()));
            for name in piece {
                names.extend_from_slice(name);
                ends.push(names.len());
            }
            self.found.push(Work { place, what: What::Files(folder.clone(), names, ends) });
        }
    }

    fn files(&mut self, folder: &Folder, names: &[u8], ends: &[usize]) {
        for name in each(names, ends) {
            if self.shared.interrupt.load(Memory::Relaxed) {
                return;
            }
            folder.path_of(name, &mut self.path);
            if self.visitor.may_matter(&self.path) {
                self.visitor.visit(folder, OsStr::from_bytes(name), &self.path, FileKind::File);
            }
        }
    }
}

/// The names that stand one after the other in `names`, each up to its end.
fn each<'n>(names: &'n [u8], ends: &'n [usize]) -> impl Iterator<Item = &'n [u8]> {
    let starts = std::iter::once(0).chain(ends.iter().copied());
    starts.zip(ends).map(|(start, end)| &names[start..*end])
}
