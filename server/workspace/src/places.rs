//! Watches single folders for whoever must know at once that something in them has changed, such as
//! a repository's own, which the project walk leaves out.

use std::collections::BTreeSet;
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
    watched: Arc<Mutex<BTreeSet<PathBuf>>>,
}

impl Places {
    /// Calls `changed` whenever something comes, goes or changes in a folder that is watched; on a
    /// thread of its own, which it must not keep.
    ///
    /// # Errors
    /// Why the system cannot watch.
    pub fn new(changed: impl Fn() + Send + 'static) -> Result<Self, String> {
        let watched: Arc<Mutex<BTreeSet<PathBuf>>> = Arc::default();
        let own = watched.clone();
        let heard = move |event: notify::Result<Event>| {
            let Ok(event) = event else { return changed() };
            if event.kind.is_access() {
                return;
            }
            // What takes a folder's place is to be watched anew.
            if matches!(event.kind, EventKind::Remove(_) | EventKind::Modify(ModifyKind::Name(_))) {
                let mut watched = own.lock();
                watched.retain(|folder| !event.paths.contains(folder));
            }
            changed();
        };
        let config = Config::default().with_follow_symlinks(false);
        let watcher = RecommendedWatcher::new(heard, config).map_err(|error| error.to_string())?;
        Ok(Self { watcher, watched })
    }

    /// Watches these folders too.
    pub fn watch(&mut self, folders: &[PathBuf]) {
        for folder in folders {
            self.watch_one(folder);
        }
    }

    fn watch_one(&mut self, folder: &Path) {
        let mut watched = self.watched.lock();
        if watched.contains(folder) || watched.len() >= MOST {
            return;
        }
        watched.insert(folder.to_owned());
        drop(watched);
        if let Err(error) = self.watcher.watch(folder, RecursiveMode::NonRecursive) {
            tracing::debug!("{} is not watched: {error}", folder.display());
            self.watched.lock().remove(folder);
        }
    }
}
