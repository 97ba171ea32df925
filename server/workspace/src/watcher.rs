//! Watches the workspace's folders, for clients that report no changes of files.
//!
//! One watch a folder that the project walk looks into: what ignore files leave out costs nothing.
//! Events carry paths and no more. A path means something once it has been located below a root,
//! so what a link in a folder's place would report leads nowhere.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::indexer::MANY_CHANGES;
use crate::libraries::Libraries;
use crate::platform::{Changes, Errno, Events, Noted, Opening, Wake};
use crate::root::FileKind;
use crate::walk::language_of;
use crate::workspace::says_libraries;
use crate::{
    EntryKind, FilePath, Folder, Root, Snapshot, Visitor, WalkOptions, is_left_out, uri_of_path,
    walk,
};

/// Most folders that are watched.
const MOST_FOLDERS: usize = 65_536;
/// Most changes of one report; where there are more, they are not told apart.
const WAITING: usize = 8_192;
/// Changes are reported once none has come for so long,
const QUIET: Duration = Duration::from_millis(50);
/// and at the latest so long after the first.
const LONGEST: Duration = Duration::from_millis(500);
/// Rounds of watching folders that came while others were being watched.
const ROUNDS: usize = 4;

/// What has changed on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileChanges {
    /// These files, by URI, were created, changed or deleted.
    Files(Vec<String>),
    /// Any files may have been.
    Any,
}

/// Watches the folders of a workspace, on whatever thread runs it.
pub struct FileWatcher {
    roots: Arc<[Arc<Root>]>,
    libraries: Arc<Libraries>,
    end: Arc<End>,
}

/// Ends the watching when it is dropped.
pub struct Watching(Arc<End>);

/// Whether the watching is over.
struct End {
    is_over: AtomicBool,
    /// `None` where the system gives none: then nothing is watched.
    wake: Option<Wake>,
}

impl Drop for Watching {
    fn drop(&mut self) {
        self.0.is_over.store(true, Ordering::Relaxed);
        if let Some(wake) = &self.0.wake {
            wake.wake();
        }
    }
}

impl FileWatcher {
    /// Makes ready to watch the folders of a snapshot's roots.
    #[must_use]
    pub fn new(snapshot: &Snapshot) -> (Self, Watching) {
        let end = Arc::new(End { is_over: AtomicBool::new(false), wake: Wake::new().ok() });
        let (roots, libraries) = (snapshot.roots.clone(), snapshot.libraries());
        (Self { roots, libraries, end: end.clone() }, Watching(end))
    }

    /// Watches until the [`Watching`] is dropped, and gives `report` what has changed, some time
    /// after it has. The first report comes once everything is watched: whatever changed before.
    pub fn run(self, report: &dyn Fn(FileChanges)) {
        let (wake, events) = match (&self.end.wake, Events::new(Changes::All)) {
            (Some(wake), Ok(events)) => (wake, events),
            (_, events) => {
                let why = events.err().map_or_else(String::new, |errno| errno.to_string());
                return tracing::warn!("changes of files are not seen: {why}");
            }
        };
        let mut folders = Folders {
            roots: &self.roots,
            libraries: &self.libraries,
            stop: &self.end.is_over,
            events,
            watched: BTreeMap::new(),
            paths: FxHashMap::default(),
            is_full: false,
        };
        folders.update();
        let mut changes = Some(FileChanges::Any);
        loop {
            if self.end.is_over.load(Ordering::Relaxed) {
                return;
            }
            if let Some(changes) = changes {
                report(changes);
            }
            let Some(seen) = folders.gather(wake) else { return };
            changes = folders.sort(seen);
        }
    }
}

/// What was seen between two pauses.
#[derive(Default)]
struct Seen {
    paths: FxHashSet<PathBuf>,
    /// Places where a folder may have come or gone.
    folders: BTreeSet<PathBuf>,
    /// There was more.
    is_lost: bool,
}

impl Seen {
    fn add(&mut self, folder: &Path, noted: Noted<'_>) {
        match noted.name.map(|name| folder.join(OsStr::from_bytes(name))) {
            Some(path) if noted.is_folder && noted.has_moved => _ = self.folders.insert(path),
            Some(path) if !noted.is_folder && is_of_interest(&path) => _ = self.paths.insert(path),
            None if noted.has_moved => _ = self.folders.insert(folder.to_owned()),
            _ => {}
        }
        if self.paths.len() + self.folders.len() > WAITING {
            self.is_lost = true;
            self.paths.clear();
            self.folders.clear();
        }
    }
}

/// The folders that are watched.
struct Folders<'a> {
    roots: &'a [Arc<Root>],
    libraries: &'a Libraries,
    stop: &'a AtomicBool,
    events: Events,
    /// By path, under which number.
    watched: BTreeMap<PathBuf, i32>,
    paths: FxHashMap<i32, PathBuf>,
    /// No more can be watched, which has been said.
    is_full: bool,
}

impl Folders<'_> {
    /// Waits for changes, and for a pause after them. `None` once it is over.
    fn gather(&self, wake: &Wake) -> Option<Seen> {
        let mut seen = Seen::default();
        while !self.events.wait(wake, None)? {}
        let deadline = Instant::now() + LONGEST;
        loop {
            let taken = self.events.take(&mut |noted| {
                if let Some(folder) = self.paths.get(&noted.folder) {
                    seen.add(folder, noted);
                }
            });
            seen.is_lost |= !taken.unwrap_or(false);
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() || !self.events.wait(wake, Some(left.min(QUIET)))? {
                return Some(seen);
            }
        }
    }

    /// What to report of what was seen; watches what folders have come.
    fn sort(&mut self, seen: Seen) -> Option<FileChanges> {
        let mut is_any = seen.is_lost;
        if seen.is_lost {
            // Folders may have moved, and be watched under the names that they had.
            let all: Vec<PathBuf> = self.watched.keys().cloned().collect();
            all.iter().for_each(|path| self.unwatch(path));
        }
        for path in &seen.folders {
            is_any |= self.unwatch_below(path) || self.is_to_be_watched(path);
        }
        let mut uris = Vec::new();
        for path in &seen.paths {
            is_any |= is_ignore_file(path);
            if self.locate(path).is_some() {
                uris.push(uri_of_path(path));
            }
        }
        if is_any || uris.len() > MANY_CHANGES {
            self.update();
            return Some(FileChanges::Any);
        }
        (!uris.is_empty()).then_some(FileChanges::Files(uris))
    }

    fn locate(&self, path: &Path) -> Option<FilePath> {
        let found = self.roots.iter().find_map(|root| Some((root, root.strip(path)?)));
        found.map(|(root, relative)| FilePath::new(root, relative.to_owned()))
    }

    /// Whether a folder stands at `path` that the walk would look into.
    fn is_to_be_watched(&self, path: &Path) -> bool {
        let is_folder = |path: &FilePath| {
            path.root.stat(&path.relative).is_ok_and(|stat| stat.kind() == EntryKind::Directory)
        };
        self.locate(path).filter(is_folder).is_some_and(|path| {
            // Asked of a file in it: rules of folders hold for what is below them.
            let root = FilePath::new(&path.root, PathBuf::new());
            !is_left_out(&path.join("a"), &root, WalkOptions::default())
        })
    }

    /// Lets go of a folder that may not be what stands there any more; whether it was watched.
    fn unwatch_below(&mut self, path: &Path) -> bool {
        let below = self.watched.range(path.to_owned()..).map(|(path, _)| path);
        let below: Vec<PathBuf> = below.take_while(|p| p.starts_with(path)).cloned().collect();
        for path in &below {
            self.unwatch(path);
        }
        !below.is_empty()
    }

    fn unwatch(&mut self, path: &Path) {
        let Some(number) = self.watched.remove(path) else { return };
        // A folder that was moved has the same number at its new path.
        if self.paths.get(&number).is_some_and(|known| known == path) {
            self.paths.remove(&number);
            self.events.remove(number);
        }
    }

    /// Watches every folder that the walk looks into, and no other.
    fn update(&mut self) {
        for _ in 0..ROUNDS {
            let there = self.walked();
            let is_gone = |path: &&PathBuf| !there.contains(*path);
            let gone: Vec<_> = self.watched.keys().filter(is_gone).cloned().collect();
            gone.iter().for_each(|path| self.unwatch(path));
            let is_new = |path: &PathBuf| !self.watched.contains_key(path);
            let new: Vec<_> = there.into_iter().filter(is_new).collect();
            if new.is_empty() || !self.watch(new) {
                return;
            }
        }
    }

    /// Whether they could all be watched.
    fn watch(&mut self, folders: Vec<PathBuf>) -> bool {
        for path in folders {
            if self.stop.load(Ordering::Relaxed) {
                return false;
            }
            let Some(place) = self.locate(&path) else { continue };
            let opened = place.root.open_at(&place.relative, Opening::Through);
            match opened.and_then(|folder| self.events.add(&folder)) {
                Ok(number) => {
                    self.paths.insert(number, path.clone());
                    self.watched.insert(path, number);
                }
                Err(Errno::NOSPC) => {
                    self.say_full(
                        "the system watches no more of them (fs.inotify.max_user_watches)",
                    );
                    return false;
                }
                Err(error) => tracing::debug!("{} is not watched: {error}", path.display()),
            }
        }
        true
    }

    fn walked(&mut self) -> BTreeSet<PathBuf> {
        let mut there = BTreeSet::new();
        for root in self.roots {
            let start = FilePath::new(root, PathBuf::new());
            let walked = walk(&start, WalkOptions::default(), self.stop, Found::default);
            there.insert(root.path().to_owned());
            let found = walked.into_iter().flat_map(|walked| walked.visitors);
            let found = found.flat_map(|found| found.0).map(|path| path.absolute());
            // Dependencies are read as far as they are asked for.
            there.extend(found.filter(|path| self.libraries.place(path).is_none()));
        }
        if let Some(first) = there.iter().nth(MOST_FOLDERS).cloned() {
            drop(there.split_off(&first));
            self.say_full("there are too many");
        }
        there
    }

    fn say_full(&mut self, why: &str) {
        if !std::mem::replace(&mut self.is_full, true) {
            let watched = self.watched.len();
            tracing::warn!("changes are not seen in all folders, {why}; {watched} are watched");
        }
    }
}

/// Whether a change of the file at `path` makes a difference to names.
fn is_of_interest(path: &Path) -> bool {
    let Some(name) = path.file_name().and_then(OsStr::to_str) else { return false };
    names::is_project_file(name)
        || language_of(path).is_some()
        || is_ignore_file(path)
        || path.to_str().is_some_and(says_libraries)
}

fn is_ignore_file(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == ".gitignore" || name == ".ignore")
}

/// The folders that a walk meets.
#[derive(Default)]
struct Found(Vec<FilePath>);

impl Visitor for Found {
    const LONG: bool = false;

    fn wants(&mut self, _: &Folder, _: &[u8], kind: FileKind) -> bool {
        kind == FileKind::Directory
    }

    fn visit(&mut self, folder: &Folder, name: &OsStr, _: &[u8], _: FileKind) {
        self.0.push(folder.entry(name));
    }
}
