//! Watches the workspace's folders, for clients that report no changes of files.
//!
//! One watch a folder that the project walk looks into: what ignore files leave out costs nothing.
//! Events carry paths and no more. A path means something once it has been located below a root,
//! so what a link in a folder's place would report leads nowhere.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::time::{Duration, Instant};

use notify::event::{CreateKind, ModifyKind, RemoveKind};
use notify::{Config, ErrorKind, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use rustc_hash::FxHashSet;

use crate::indexer::MANY_CHANGES;
use crate::libraries::Libraries;
use crate::root::FileKind;
use crate::walk::language_of;
use crate::workspace::says_libraries;
use crate::{
    EntryKind, FilePath, Folder, Root, Snapshot, Visitor, WalkOptions, is_left_out, uri_of_path,
    walk,
};

/// Most folders that are watched.
const MOST_FOLDERS: usize = 65_536;
/// Most events that wait; what comes after them is not told apart any more.
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
    events: Receiver<Message>,
    signal: Signal,
}

/// Ends the watching when it is dropped.
pub struct Watching(Signal);

#[derive(Clone)]
struct Signal {
    sender: SyncSender<Message>,
    /// Events were lost.
    overflow: Arc<AtomicBool>,
    stop: Arc<AtomicBool>,
}

enum Message {
    Event(Event),
    Stop,
}

impl Drop for Watching {
    fn drop(&mut self) {
        self.0.stop.store(true, Ordering::Relaxed);
        // Where there is no room, the watcher is awake and sees the flag.
        let _ = self.0.sender.try_send(Message::Stop);
    }
}

impl FileWatcher {
    /// Makes ready to watch the folders of a snapshot's roots.
    #[must_use]
    pub fn new(snapshot: &Snapshot) -> (Self, Watching) {
        let (sender, events) = sync_channel(WAITING);
        let signal = Signal { sender, overflow: Arc::default(), stop: Arc::default() };
        let (roots, libraries) = (snapshot.roots.clone(), snapshot.libraries());
        let watching = Watching(signal.clone());
        (Self { roots, libraries, events, signal }, watching)
    }

    /// Watches until the [`Watching`] is dropped, and gives `report` what has changed, some time
    /// after it has. The first report comes once everything is watched: whatever changed before.
    pub fn run(self, report: &dyn Fn(FileChanges)) {
        let signal = self.signal.clone();
        let heard = move |event: notify::Result<Event>| signal.take(event);
        let config = Config::default().with_follow_symlinks(false);
        let watcher = match RecommendedWatcher::new(heard, config) {
            Ok(watcher) => watcher,
            Err(error) => return tracing::warn!("changes of files are not seen: {error}"),
        };
        let mut folders = Folders {
            roots: &self.roots,
            libraries: &self.libraries,
            stop: &self.signal.stop,
            watcher,
            watched: BTreeSet::new(),
            is_full: false,
        };
        folders.update();
        let mut changes = Some(FileChanges::Any);
        loop {
            if self.signal.stop.load(Ordering::Relaxed) {
                return;
            }
            if let Some(changes) = changes {
                report(changes);
            }
            let Some(seen) = self.gather() else { return };
            changes = folders.sort(seen);
        }
    }

    /// Waits for changes, and for a pause after them. `None` once it is over.
    fn gather(&self) -> Option<Seen> {
        let mut seen = Seen::default();
        let mut next = self.events.recv().ok();
        let deadline = Instant::now() + LONGEST;
        loop {
            match next {
                Some(Message::Stop) => return None,
                Some(Message::Event(event)) => seen.add(event),
                None => break,
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            next = self.events.recv_timeout(left.min(QUIET)).ok();
        }
        seen.is_lost |= self.signal.overflow.swap(false, Ordering::Relaxed);
        Some(seen)
    }
}

impl Signal {
    /// Never waits: whoever hands over events is the one that empties the system's queue.
    fn take(&self, event: notify::Result<Event>) {
        let event = match event {
            // Reading changes nothing.
            Ok(event) if event.kind.is_access() => return,
            Ok(event) => event,
            Err(error) => return tracing::debug!("while watching files: {error}"),
        };
        if self.sender.try_send(Message::Event(event)).is_err() {
            self.overflow.store(true, Ordering::Relaxed);
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
    fn add(&mut self, event: Event) {
        self.is_lost |= event.need_rescan();
        match event.kind {
            EventKind::Create(CreateKind::Folder) | EventKind::Remove(RemoveKind::Folder) => {
                self.folders.extend(event.paths);
            }
            // What is renamed is not said to be a file or a folder.
            EventKind::Modify(ModifyKind::Name(_)) => {
                self.paths.extend(event.paths.iter().filter(|p| is_of_interest(p)).cloned());
                self.folders.extend(event.paths);
            }
            _ => self.paths.extend(event.paths.into_iter().filter(|p| is_of_interest(p))),
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
    watcher: RecommendedWatcher,
    watched: BTreeSet<PathBuf>,
    /// No more can be watched, which has been said.
    is_full: bool,
}

impl Folders<'_> {
    /// What to report of what was seen; watches what folders have come.
    fn sort(&mut self, seen: Seen) -> Option<FileChanges> {
        let mut is_any = seen.is_lost;
        if seen.is_lost {
            // Folders may have moved, and be watched under the names that they had.
            let all: Vec<PathBuf> = self.watched.iter().cloned().collect();
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
        let below = self.watched.range(path.to_owned()..).take_while(|p| p.starts_with(path));
        let below: Vec<PathBuf> = below.cloned().collect();
        for path in &below {
            self.unwatch(path);
        }
        !below.is_empty()
    }

    fn unwatch(&mut self, path: &Path) {
        self.watched.remove(path);
        // The system has let go of what is gone.
        let _ = self.watcher.unwatch(path);
    }

    /// Watches every folder that the walk looks into, and no other.
    fn update(&mut self) {
        for _ in 0..ROUNDS {
            let there = self.walked();
            let gone: Vec<_> = self.watched.difference(&there).cloned().collect();
            gone.iter().for_each(|path| self.unwatch(path));
            let new: Vec<_> = there.difference(&self.watched).cloned().collect();
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
            match self.watcher.watch(&path, RecursiveMode::NonRecursive) {
                Ok(()) => drop(self.watched.insert(path)),
                Err(error) if matches!(error.kind, ErrorKind::MaxFilesWatch) => {
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
