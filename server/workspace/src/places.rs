//! Watches single folders for whoever must know at once that something in them has changed, such as
//! a repository's own, which the project walk leaves out.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use notify::event::ModifyKind;
use notify::{Config, Event, EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use parking_lot::Mutex;

/// Most folders that are watched.
const MOST: usize = 512;

/// Watches folders, not what is below them, until it is dropped.
pub struct Places {
    watcher: RecommendedWatcher,
    watched: Arc<Mutex<Watched>>,
}

/// Folders, and the name that alone is of interest in each; without one, all that happens there is.
type Watched = BTreeMap<PathBuf, Option<OsString>>;

impl Places {
    /// Calls `changed` whenever something comes, goes or changes in a folder that is watched; on a
    /// thread of its own, which it must not keep.
    ///
    /// # Errors
    /// Why the system cannot watch.
    pub fn new(changed: impl Fn() + Send + 'static) -> Result<Self, String> {
        let watched: Arc<Mutex<Watched>> = Arc::default();
        let own = watched.clone();
        let heard = move |event: notify::Result<Event>| {
            let Ok(event) = event else { return changed() };
            if event.kind.is_access() {
                return;
            }
            let mut watched = own.lock();
            let is_of_interest = |path: &PathBuf| {
                let folder = path.parent().and_then(|folder| watched.get(folder));
                match folder {
                    Some(Some(name)) => {
                        path.file_name() == Some(name) || watched.contains_key(path)
                    }
                    _ => true,
                }
            };
            let is_of_interest = event.paths.iter().any(is_of_interest) || event.paths.is_empty();
            // What takes a folder's place is to be watched anew.
            if matches!(event.kind, EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_))) {
                watched.retain(|folder, _| !event.paths.contains(folder));
            }
            drop(watched);
            if is_of_interest {
                changed();
            }
        };
        let config = Config::default().with_follow_symlinks(false);
        let watcher = RecommendedWatcher::new(heard, config).map_err(|error| error.to_string())?;
        Ok(Self { watcher, watched })
    }

    /// Watches these folders too.
    pub fn watch(&mut self, folders: &[PathBuf]) {
        for folder in folders {
            self.watch_one(folder, None);
        }
    }

    /// Watches a folder for something of this name that comes or goes in it.
    pub fn watch_for(&mut self, folder: &Path, name: &str) {
        self.watch_one(folder, Some(name.into()));
    }

    fn watch_one(&mut self, folder: &Path, name: Option<OsString>) {
        let mut watched = self.watched.lock();
        if let Some(known) = watched.get_mut(folder) {
            // Who wants to know of everything is told more.
            if name.is_none() {
                *known = None;
            }
            return;
        }
        if watched.len() >= MOST {
            return;
        }
        watched.insert(folder.to_owned(), name);
        drop(watched);
        if let Err(error) = self.watcher.watch(folder, RecursiveMode::NonRecursive) {
            tracing::debug!("{} is not watched: {error}", folder.display());
            self.watched.lock().remove(folder);
        }
    }
}
