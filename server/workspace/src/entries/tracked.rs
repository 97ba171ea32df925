//! Guarded places, kept as they are by what the system notes of every folder of a root.
//!
//! Listing a workspace costs with its size, and each command needs the guarded places twice. So the
//! folders are listed once and watched; from then on only what has come, gone or moved since is looked
//! at. The kernel queues an event before the system call that causes it returns, so a query's answer
//! includes every change that was made before it.
//!
//! Where not everything would be noted (a network file system, too many folders, no watches left),
//! nothing is tracked, and each query lists the workspace.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::ffi::OsStr;
use std::ops::Bound;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rustc_hash::{FxHashMap, FxHashSet};

use super::everything::LONGEST_PATH;
use super::guarded::{MOST, MOST_ENTRIES};
use crate::platform::{
    Changes, Errno, Events, ListingBuffer, MountPoint, Opening, are_changes_noted,
    most_watched_folders, mount_points, stat,
};
use crate::{EntryKind, Root, is_guarded_name};

/// Most folders of one root that are watched: each costs the system about 1 KiB.
const MOST_FOLDERS: usize = 65_536;
/// Most folders that could not be listed, and are tried again at each query.
const MOST_UNLISTED: usize = 256;
/// Most roots: each costs one of the user's inotify instances, of which there may be 128 only.
const MOST_ROOTS: usize = 4;
/// Most names that are looked at after a query; where more have come, everything is listed anew.
const MOST_DIRTY: usize = 8_192;
/// Rounds of looking at what came while names were being looked at.
const ROUNDS: usize = 8;
/// How long after a failure nothing is tracked.
const PAUSE: Duration = Duration::from_secs(60);

/// The guarded places of all roots that are tracked.
pub(crate) struct GuardedTracker {
    state: Mutex<State>,
    /// Most folders of one root that are watched.
    most_folders: usize,
}

#[derive(Default)]
struct State {
    roots: Vec<TrackedRoot>,
    /// Where tracking failed, and when.
    failed: Vec<(Arc<Root>, Instant)>,
}

/// Guarded places below a root, and what their folders said that they are.
pub(super) type Places = BTreeMap<PathBuf, Option<EntryKind>>;

/// Why a root is not tracked.
#[derive(Debug, thiserror::Error)]
enum Untracked {
    #[error("changes are not all noted in this file system")]
    FileSystem,
    #[error("there are too many folders or entries")]
    TooMany,
    #[error("events were lost")]
    Lost,
    #[error("{0}")]
    System(#[from] Errno),
}

impl Default for GuardedTracker {
    /// A tracker of nothing yet. Not on a thread behind a Landlock ruleset, which could not read what it
    /// needs to know.
    fn default() -> Self {
        // It keeps the list of mounts open.
        mount_points();
        // Editors watch folders, too.
        Self { state: Mutex::default(), most_folders: MOST_FOLDERS.min(most_watched_folders() / 4) }
    }
}

impl GuardedTracker {
    /// Has `take` given the guarded places of `root` as they are now, and answers what it does; `None`
    /// where they are not tracked. Those of a root that was not asked for before are tracked from now on
    /// if `is_to_start`, which costs as much as listing it.
    pub(super) fn places<R>(
        &self,
        root: &Arc<Root>,
        all_roots: &[Arc<Root>],
        is_to_start: bool,
        take: impl FnOnce(&Places) -> R,
    ) -> Option<R> {
        if all_roots.len() > MOST_ROOTS {
            return None;
        }
        let mut state = self.state.lock();
        let is_there = |one: &Arc<Root>| all_roots.iter().any(|root| Arc::ptr_eq(root, one));
        state.roots.retain(|tracked| is_there(&tracked.root));
        state.failed.retain(|(root, at)| is_there(root) && at.elapsed() < PAUSE);
        let known = state.roots.iter().position(|tracked| Arc::ptr_eq(&tracked.root, root));
        if let Some(known) = known {
            if state.roots[known].update().is_ok() {
                return Some(take(&state.roots[known].found));
            }
            // What it knows is out of date, so it is made anew.
            state.roots.swap_remove(known);
        }
        let has_failed = state.failed.iter().any(|(failed, _)| Arc::ptr_eq(failed, root));
        if has_failed || known.is_none() && !is_to_start {
            return None;
        }
        match TrackedRoot::start(root, self.most_folders) {
            Ok(tracked) => {
                let answer = take(&tracked.found);
                state.roots.push(tracked);
                Some(answer)
            }
            Err(why) => {
                tracing::debug!("{} is listed for each command: {why}", root.path().display());
                state.failed.push((root.clone(), Instant::now()));
                None
            }
        }
    }
}

/// A root whose folders are all watched, but for those in guarded places.
struct TrackedRoot {
    root: Arc<Root>,
    events: Events,
    /// What was mounted below the root: mounting is not noted.
    mounts: Vec<MountPoint>,
    /// The devices of the folders, all of which note changes.
    devices: FxHashSet<u64>,
    folders: BTreeMap<Arc<Path>, i32>,
    /// The same by number; a folder that is mounted twice is known by several paths.
    numbers: FxHashMap<i32, Vec<Arc<Path>>>,
    found: Places,
    unlisted: BTreeSet<PathBuf>,
    most_folders: usize,
}

impl TrackedRoot {
    fn start(root: &Arc<Root>, most_folders: usize) -> Result<Self, Untracked> {
        let mut tracked = Self {
            root: root.clone(),
            events: Events::new(Changes::Names)?,
            mounts: mounts_below(root),
            devices: FxHashSet::default(),
            folders: BTreeMap::new(),
            numbers: FxHashMap::default(),
            found: Places::new(),
            unlisted: BTreeSet::new(),
            most_folders,
        };
        tracked.walk(PathBuf::new())?;
        tracked.update()?;
        Ok(tracked)
    }

    /// Looks at what has come, gone or moved since the last time.
    fn update(&mut self) -> Result<(), Untracked> {
        if mounts_below(&self.root) != self.mounts {
            return Err(Untracked::Lost);
        }
        for round in 0..ROUNDS {
            let mut dirty = self.changed()?;
            if round == 0 {
                dirty.extend(std::mem::take(&mut self.unlisted));
            }
            if dirty.is_empty() {
                break;
            }
            let mut tops: Vec<PathBuf> = Vec::new();
            for path in dirty {
                // Sorted, so what lies below one follows it.
                if tops.last().is_none_or(|top| !path.starts_with(top)) {
                    tops.push(path);
                }
            }
            tops.iter().for_each(|path| self.forget(path));
            for path in tops {
                self.look(path)?;
            }
        }
        Ok(())
    }

    /// The paths below which guarded places may have come or gone.
    fn changed(&self) -> Result<BTreeSet<PathBuf>, Untracked> {
        let (mut dirty, mut is_lost) = (BTreeSet::new(), false);
        let is_all = self.events.take(&mut |noted| {
            let is_one = noted.has_moved
                && noted
                    .name
                    .is_none_or(|name| noted.is_folder || is_guarded_name(OsStr::from_bytes(name)));
            if !is_one {
                return;
            }
            for folder in self.numbers.get(&noted.folder).into_iter().flatten() {
                match noted.name {
                    Some(name) => _ = dirty.insert(folder.join(OsStr::from_bytes(name))),
                    // The root itself.
                    None if folder.as_os_str().is_empty() => is_lost = true,
                    None => _ = dirty.insert(folder.to_path_buf()),
                }
            }
            is_lost |= dirty.len() > MOST_DIRTY;
        })?;
        if is_lost || !is_all { Err(Untracked::Lost) } else { Ok(dirty) }
    }

    /// Forgets what was at `path` and below.
    fn forget(&mut self, path: &Path) {
        let below = self
            .folders
            .range::<Path, _>(from_here(path))
            .take_while(|(at, _)| at.starts_with(path));
        let below: Vec<(Arc<Path>, i32)> = below.map(|(at, n)| (at.clone(), *n)).collect();
        for (at, number) in below {
            self.folders.remove(&at);
            let Some(paths) = self.numbers.get_mut(&number) else { continue };
            paths.retain(|known| *known != at);
            if paths.is_empty() {
                self.numbers.remove(&number);
                self.events.remove(number);
            }
        }
        let found = self.found.range::<Path, _>(from_here(path)).map(|(at, _)| at);
        let found: Vec<PathBuf> = found.take_while(|at| at.starts_with(path)).cloned().collect();
        for at in found {
            self.found.remove(&at);
        }
    }

    /// Looks at what is at `path` now, and below.
    fn look(&mut self, path: PathBuf) -> Result<(), Untracked> {
        let is_guarded = path.file_name().is_some_and(is_guarded_name);
        match self.root.stat(&path).map(|found| found.kind()) {
            Ok(kind) if is_guarded => self.find(path, Some(kind)),
            Ok(EntryKind::Directory) => self.walk(path),
            Ok(_) | Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => Ok(()),
            Err(_) => self.is_unlisted(path),
        }
    }

    fn find(&mut self, path: PathBuf, kind: Option<EntryKind>) -> Result<(), Untracked> {
        self.found.insert(path, kind);
        if self.found.len() < MOST { Ok(()) } else { Err(Untracked::TooMany) }
    }

    fn is_unlisted(&mut self, path: PathBuf) -> Result<(), Untracked> {
        self.unlisted.insert(path);
        if self.unlisted.len() <= MOST_UNLISTED { Ok(()) } else { Err(Untracked::TooMany) }
    }

    /// Watches the folder `from` and all below it, each before it is listed.
    fn walk(&mut self, from: PathBuf) -> Result<(), Untracked> {
        let mut todo = VecDeque::from([from]);
        let (mut left, mut buffer) = (MOST_ENTRIES, ListingBuffer::new());
        while let Some(at) = todo.pop_front() {
            let folder = match self.root.open_at(&at, Opening::Folder) {
                Ok(folder) => folder,
                Err(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => continue,
                Err(_) => {
                    self.is_unlisted(at)?;
                    continue;
                }
            };
            self.watch(&at, &folder)?;
            let mut listed = Vec::new();
            let taken = buffer.list(&folder, |name, kind, _| {
                let name = OsStr::from_bytes(name);
                if is_guarded_name(name) {
                    listed.push((at.join(name), kind));
                } else if kind == Some(EntryKind::Directory)
                    && at.as_os_str().len() + name.len() < LONGEST_PATH
                {
                    todo.push_back(at.join(name));
                }
                left = left.saturating_sub(1);
                left > 0 && listed.len() < MOST
            });
            if left == 0 {
                return Err(Untracked::TooMany);
            }
            for (path, kind) in listed {
                self.find(path, kind)?;
            }
            if taken.is_err() {
                self.is_unlisted(at)?;
            }
        }
        Ok(())
    }

    fn watch(&mut self, at: &Path, folder: &crate::platform::Handle) -> Result<(), Untracked> {
        if self.folders.len() >= self.most_folders {
            return Err(Untracked::TooMany);
        }
        if self.devices.insert(stat(folder)?.device()) && !are_changes_noted(folder) {
            return Err(Untracked::FileSystem);
        }
        let number = self.events.add(folder)?;
        let at: Arc<Path> = at.into();
        let paths = self.numbers.entry(number).or_default();
        if !paths.contains(&at) {
            paths.push(at.clone());
        }
        self.folders.insert(at, number);
        Ok(())
    }
}

/// `path`, what is below it, and what follows.
fn from_here(path: &Path) -> (Bound<&Path>, Bound<&Path>) {
    (Bound::Included(path), Bound::Unbounded)
}

fn mounts_below(root: &Root) -> Vec<MountPoint> {
    let mounts = mount_points();
    mounts.iter().filter(|mount| mount.path.starts_with(root.path())).cloned().collect()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::entries::guarded::listed;
    use crate::{FilePath, OwnFiles};

    /// The same numbers in every run.
    struct Random(u64);

    impl Random {
        fn below(&mut self, limit: usize) -> usize {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (self.0 >> 33) as usize % limit
        }
    }

    struct Place {
        folder: tempfile::TempDir,
        root: Arc<Root>,
        tracker: GuardedTracker,
    }

    impl Place {
        /// `None` where this file system does not note changes.
        fn new() -> Option<Self> {
            let folder = tempfile::tempdir().unwrap();
            fs::create_dir(folder.path().join("w")).unwrap();
            let root = Arc::new(Root::open(&folder.path().join("w")).unwrap());
            let place = Self { folder, root, tracker: GuardedTracker::default() };
            let why = TrackedRoot::start(&place.root, 1_000).err();
            if let Some(why) = &why {
                println!("NOT TESTED: {why}");
            }
            why.is_none().then_some(place)
        }

        fn tracked(&self) -> Vec<PathBuf> {
            let all = [self.root.clone()];
            let places = |places: &Places| places.keys().cloned().collect();
            self.tracker.places(&self.root, &all, true, places).unwrap()
        }

        fn listed(&self) -> Vec<PathBuf> {
            let found = listed(&self.root, &OwnFiles::default(), &mut 1_000_000);
            let mut found: Vec<_> =
                found.places.into_iter().map(|path: FilePath| path.relative).collect();
            found.sort();
            found
        }
    }

    #[test]
    fn what_is_tracked_is_what_a_listing_finds() {
        let Some(place) = Place::new() else { return };
        let mut random = Random(23);
        let names = ["a", "b", "c", ".git", ".VsCode", "x.code-workspace", "file"];
        // `out` stands beside the root, so that things leave and come back changed.
        let path = |random: &mut Random| {
            let mut path = place.folder.path().join(if random.below(8) == 0 { "out" } else { "w" });
            for _ in 0..1 + random.below(4) {
                path.push(names[random.below(names.len())]);
            }
            path
        };
        fs::create_dir(place.folder.path().join("out")).unwrap();
        let mut most = 0;
        for step in 0..4_000 {
            for _ in 0..1 + random.below(5) {
                let (one, other) = (path(&mut random), path(&mut random));
                // Most of it fails, as there is nothing, or something else.
                let _ = match random.below(8) {
                    0..3 => fs::create_dir_all(&one),
                    3 => fs::write(&one, ""),
                    4 => symlink("a", &one),
                    5 => fs::remove_dir_all(&one).or_else(|_| fs::remove_file(&one)),
                    6 => fs::rename(&one, &other),
                    _ => rustix::fs::renameat_with(
                        rustix::fs::CWD,
                        &one,
                        rustix::fs::CWD,
                        &other,
                        rustix::fs::RenameFlags::EXCHANGE,
                    )
                    .map_err(Into::into),
                };
            }
            let tracked = place.tracked();
            most = most.max(tracked.len());
            assert_eq!(tracked, place.listed(), "step {step}");
        }
        assert!(most > 5, "{most} places at most");
        assert!(place.tracker.state.lock().failed.is_empty());
    }

    #[test]
    fn what_happens_while_events_are_lost_is_found() {
        let Some(place) = Place::new() else { return };
        let at = |path: &str| place.root.path().join(path);
        fs::create_dir_all(at("a/b")).unwrap();
        assert!(place.tracked().is_empty());
        let limit = fs::read_to_string("/proc/sys/fs/inotify/max_queued_events").unwrap();
        for number in 0..limit.trim().parse::<usize>().unwrap() {
            fs::write(at("a/b/f"), "").unwrap();
            fs::rename(at("a/b/f"), at(&format!("a/b/{}", number % 7))).unwrap();
        }
        fs::create_dir(at("a/b/.idea")).unwrap();
        assert_eq!(place.tracked(), [PathBuf::from("a/b/.idea")]);
        fs::remove_dir(at("a/b/.idea")).unwrap();
        assert!(place.tracked().is_empty());
    }

    #[test]
    fn too_many_folders_are_not_tracked() {
        let Some(mut place) = Place::new() else { return };
        place.tracker.most_folders = 3;
        for folder in ["1", "2", "3"] {
            fs::create_dir(place.root.path().join(folder)).unwrap();
        }
        let all = [place.root.clone()];
        assert!(place.tracker.places(&place.root, &all, true, |_| ()).is_none());
        assert_eq!(place.tracker.state.lock().failed.len(), 1);
    }
}
