//! Watches the workspace's folders, for clients that do not report file changes.
//!
//! There is one watch per folder of the project walk, so ignored folders cost nothing. Events
//! contain only paths. A path is used only after it was located below a root, so a link in place of
//! a folder does no harm.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustc_hash::{FxHashMap, FxHashSet};

use crate::indexer::MAX_REPORTED_CHANGES;
use crate::libraries::Libraries;
use crate::platform::{Errno, EventKinds, FolderEvent, FolderEvents, Opening, Waker};
use crate::root::FileKind;
use crate::walk::language_of;
use crate::workspace::lists_dependencies;
use crate::{
    EntryKind, FilePath, Folder, Root, Snapshot, Visitor, WalkOptions, is_excluded_from_walk,
    uri_of_path, walk,
};

/// Maximum number of watched folders.
const MAX_FOLDERS: usize = 65_536;
/// Maximum number of changes in one report; beyond it, any file may have changed.
const MAX_PENDING_CHANGES: usize = 8_192;
/// Changes are reported after this time without further ones,
const QUIET_PERIOD: Duration = Duration::from_millis(50);
/// and at the latest this long after the first.
const MAX_DELAY: Duration = Duration::from_millis(500);
/// Maximum number of rounds for folders that are created while others are being watched.
const MAX_ROUNDS: usize = 4;

/// Changes on disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileChanges {
    /// These files, by URI, were created, changed or deleted.
    Files(Vec<String>),
    /// Any file may have changed.
    Any,
}

/// Watches the folders of a workspace on the thread that calls [`FileWatcher::run`].
pub struct FileWatcher {
    roots: Arc<[Arc<Root>]>,
    libraries: Arc<Libraries>,
    stop: Arc<StopSignal>,
}

/// Stops the watcher when dropped.
pub struct WatchHandle(Arc<StopSignal>);

/// Tells the watcher to stop.
struct StopSignal {
    is_stopped: AtomicBool,
    /// `None` if the system cannot create one; then nothing is watched.
    waker: Option<Waker>,
}

impl Drop for WatchHandle {
    fn drop(&mut self) {
        self.0.is_stopped.store(true, Ordering::Relaxed);
        if let Some(waker) = &self.0.waker {
            waker.wake();
        }
    }
}

impl FileWatcher {
    /// A watcher of the folders of a snapshot's roots, and the handle that stops it.
    #[must_use]
    pub fn new(snapshot: &Snapshot) -> (Self, WatchHandle) {
        let stop =
            Arc::new(StopSignal { is_stopped: AtomicBool::new(false), waker: Waker::new().ok() });
        let (roots, libraries) = (snapshot.roots.clone(), snapshot.libraries());
        (Self { roots, libraries, stop: stop.clone() }, WatchHandle(stop))
    }

    /// Watches until the [`Watching`] is dropped, and passes changes to `report` after a short
    /// delay. The first report, [`FileChanges::Any`], comes once all folders are watched.
    pub fn run(self, report: &dyn Fn(FileChanges)) {
        let (waker, events) = match (&self.stop.waker, FolderEvents::new(EventKinds::All)) {
            (Some(waker), Ok(events)) => (waker, events),
            (_, events) => {
                let why = events.err().map_or_else(String::new, |errno| errno.to_string());
                return tracing::warn!("file changes are not watched: {why}");
            }
        };
        let mut folders = WatchedFolders {
            roots: &self.roots,
            libraries: &self.libraries,
            stop: &self.stop.is_stopped,
            events,
            watched: BTreeMap::new(),
            paths: FxHashMap::default(),
            has_warned: false,
        };
        folders.update();
        let mut changes = Some(FileChanges::Any);
        loop {
            if self.stop.is_stopped.load(Ordering::Relaxed) {
                return;
            }
            if let Some(changes) = changes {
                report(changes);
            }
            let Some(batch) = folders.next_batch(waker) else { return };
            changes = folders.process(batch);
        }
    }
}

/// The events between two pauses.
#[derive(Default)]
struct ChangeBatch {
    paths: FxHashSet<PathBuf>,
    /// Paths where a folder may have been added or removed.
    folders: BTreeSet<PathBuf>,
    /// Whether events were lost.
    is_lost: bool,
}

impl ChangeBatch {
    /// Adds an event in `folder`, if it can affect the index.
    fn add(&mut self, folder: &Path, event: FolderEvent<'_>) {
        match event.name.map(|name| folder.join(OsStr::from_bytes(name))) {
            Some(path) if event.is_folder && event.is_name_change => _ = self.folders.insert(path),
            Some(path) if !event.is_folder && is_relevant(&path) => _ = self.paths.insert(path),
            None if event.is_name_change => _ = self.folders.insert(folder.to_owned()),
            _ => {}
        }
        if self.paths.len() + self.folders.len() > MAX_PENDING_CHANGES {
            self.is_lost = true;
            self.paths.clear();
            self.folders.clear();
        }
    }
}

/// The watched folders.
struct WatchedFolders<'a> {
    roots: &'a [Arc<Root>],
    libraries: &'a Libraries,
    stop: &'a AtomicBool,
    events: FolderEvents,
    /// The watch of each path.
    watched: BTreeMap<PathBuf, i32>,
    paths: FxHashMap<i32, PathBuf>,
    /// Whether the limit was reached and reported.
    has_warned: bool,
}

impl WatchedFolders<'_> {
    /// Waits for changes and a pause after them. `None` once stopped.
    fn next_batch(&self, wake: &Waker) -> Option<ChangeBatch> {
        let mut batch = ChangeBatch::default();
        while !self.events.wait(wake, None)? {}
        let deadline = Instant::now() + MAX_DELAY;
        loop {
            let drained = self.events.drain(&mut |event| {
                if let Some(folder) = self.paths.get(&event.folder) {
                    batch.add(folder, event);
                }
            });
            batch.is_lost |= !drained.unwrap_or(false);
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() || !self.events.wait(wake, Some(left.min(QUIET_PERIOD)))? {
                return Some(batch);
            }
        }
    }

    /// Turns events into a report, and watches new folders.
    fn process(&mut self, batch: ChangeBatch) -> Option<FileChanges> {
        let mut is_any = batch.is_lost;
        if batch.is_lost {
            // Folders may have been moved, but are still watched under their old paths.
            let all: Vec<PathBuf> = self.watched.keys().cloned().collect();
            all.iter().for_each(|path| self.unwatch(path));
        }
        for path in &batch.folders {
            is_any |= self.unwatch_below(path) || self.should_watch(path);
        }
        let mut uris = Vec::new();
        for path in &batch.paths {
            is_any |= is_ignore_file(path);
            if self.locate(path).is_some() {
                uris.push(uri_of_path(path));
            }
        }
        if is_any || uris.len() > MAX_REPORTED_CHANGES {
            self.update();
            return Some(FileChanges::Any);
        }
        (!uris.is_empty()).then_some(FileChanges::Files(uris))
    }

    fn locate(&self, path: &Path) -> Option<FilePath> {
        let found = self.roots.iter().find_map(|root| Some((root, root.strip(path)?)));
        found.map(|(root, relative)| FilePath::new(root, relative.to_owned()))
    }

    /// Whether there is a folder at `path` that the walk would enter.
    fn should_watch(&self, path: &Path) -> bool {
        let is_folder = |path: &FilePath| {
            path.root.stat(&path.relative).is_ok_and(|stat| stat.kind() == EntryKind::Directory)
        };
        self.locate(path).filter(is_folder).is_some_and(|path| {
            // Checked for a file in it, because rules apply below a folder.
            let root = FilePath::new(&path.root, PathBuf::new());
            !is_excluded_from_walk(&path.join("a"), &root, WalkOptions::default())
        })
    }

    /// Stops watching folders at and below `path`; returns whether any was watched.
    fn unwatch_below(&mut self, path: &Path) -> bool {
        let below = self.watched.range(path.to_owned()..).map(|(path, _)| path);
        let below: Vec<PathBuf> = below.take_while(|p| p.starts_with(path)).cloned().collect();
        for path in &below {
            self.unwatch(path);
        }
        !below.is_empty()
    }

    fn unwatch(&mut self, path: &Path) {
        let Some(watch) = self.watched.remove(path) else { return };
        // A moved folder has the same watch at its new path.
        if self.paths.get(&watch).is_some_and(|known| known == path) {
            self.paths.remove(&watch);
            self.events.remove(watch);
        }
    }

    /// Watches exactly the folders of the project walk.
    fn update(&mut self) {
        for _ in 0..MAX_ROUNDS {
            let current = self.project_folders();
            let is_gone = |path: &&PathBuf| !current.contains(*path);
            let gone: Vec<_> = self.watched.keys().filter(is_gone).cloned().collect();
            gone.iter().for_each(|path| self.unwatch(path));
            let is_new = |path: &PathBuf| !self.watched.contains_key(path);
            let new: Vec<_> = current.into_iter().filter(is_new).collect();
            if new.is_empty() || !self.watch(new) {
                return;
            }
        }
    }

    /// Watches folders; returns whether all could be watched.
    fn watch(&mut self, folders: Vec<PathBuf>) -> bool {
        for path in folders {
            if self.stop.load(Ordering::Relaxed) {
                return false;
            }
            let Some(file_path) = self.locate(&path) else { continue };
            let opened = file_path.root.open_at(&file_path.relative, Opening::Traverse);
            match opened.and_then(|folder| self.events.add(&folder)) {
                Ok(watch) => {
                    self.paths.insert(watch, path.clone());
                    self.watched.insert(path, watch);
                }
                Err(Errno::NOSPC) => {
                    self.warn_full("the system's limit is reached (fs.inotify.max_user_watches)");
                    return false;
                }
                Err(error) => tracing::debug!("{} is not watched: {error}", path.display()),
            }
        }
        true
    }

    /// All folders of the project walk.
    fn project_folders(&mut self) -> BTreeSet<PathBuf> {
        let mut current = BTreeSet::new();
        for root in self.roots {
            let start = FilePath::new(root, PathBuf::new());
            let walked = walk(&start, WalkOptions::default(), self.stop, FolderCollector::default);
            current.insert(root.path().to_owned());
            let found = walked.into_iter().flat_map(|walked| walked.visitors);
            let found = found.flat_map(|found| found.0).map(|path| path.absolute());
            // Dependencies are indexed on demand.
            current.extend(found.filter(|path| self.libraries.locate(path).is_none()));
        }
        if let Some(first) = current.iter().nth(MAX_FOLDERS).cloned() {
            drop(current.split_off(&first));
            self.warn_full("there are too many folders");
        }
        current
    }

    fn warn_full(&mut self, why: &str) {
        if !std::mem::replace(&mut self.has_warned, true) {
            let watched = self.watched.len();
            tracing::warn!("not all folders are watched for changes: {why}; {watched} are watched");
        }
    }
}

/// Whether a change of the file at `path` can affect the index.
fn is_relevant(path: &Path) -> bool {
    let Some(name) = path.file_name().and_then(OsStr::to_str) else { return false };
    names::is_project_file(name)
        || language_of(path).is_some()
        || is_ignore_file(path)
        || path.to_str().is_some_and(lists_dependencies)
}

fn is_ignore_file(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name == ".gitignore" || name == ".ignore")
}

/// Collects the folders of a walk.
#[derive(Default)]
struct FolderCollector(Vec<FilePath>);

impl Visitor for FolderCollector {
    const ARE_VISITS_SLOW: bool = false;

    fn should_visit(&mut self, _: &Folder, _: &[u8], kind: FileKind) -> bool {
        kind == FileKind::Directory
    }

    fn visit(&mut self, folder: &Folder, name: &OsStr, _: &[u8], _: FileKind) {
        self.0.push(folder.entry(name));
    }
}
