//! Watches single folders for immediate notification, such as those of a repository, which the
//! project walk skips.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;

use crate::platform::{EventKinds, FolderEvent, FolderEvents, Opening, Waker, open_outside};

/// Maximum number of watched folders.
const MAX_FOLDERS: usize = 512;

/// Watches folders non-recursively until it is dropped.
pub struct FolderWatcher(Arc<WatchState>);

struct WatchState {
    events: FolderEvents,
    stop: Waker,
    watched: Mutex<BTreeMap<PathBuf, WatchedFolder>>,
}

/// A watched folder.
struct WatchedFolder {
    watch: i32,
    /// The only relevant name in it; `None` if all are relevant.
    name: Option<OsString>,
}

impl Drop for FolderWatcher {
    fn drop(&mut self) {
        self.0.stop.wake();
    }
}

impl WatchState {
    /// Whether an event is relevant.
    fn is_relevant(&self, event: FolderEvent<'_>) -> bool {
        let mut watched = self.watched.lock();
        let found = watched.iter().find(|(_, folder)| folder.watch == event.folder);
        // Events of an unwatched folder may still arrive; a negative folder reports lost
        // events.
        let Some((folder, known)) = found else { return event.folder < 0 };
        let path = match event.name {
            Some(name) => folder.join(OsStr::from_bytes(name)),
            None => folder.clone(),
        };
        let is_relevant_event = match (&known.name, event.name) {
            (Some(name), Some(changed)) => {
                name.as_bytes() == changed || watched.contains_key(&path)
            }
            _ => true,
        };
        // A folder that replaces a watched one must be watched again.
        if event.is_name_change
            && let Some(gone) = watched.remove(&path)
        {
            self.events.remove(gone.watch);
        }
        is_relevant_event
    }
}

impl FolderWatcher {
    /// Calls `changed` on a background thread whenever something in a watched folder is added,
    /// removed or changed. The callback must return quickly.
    ///
    /// # Errors
    /// Why the system cannot watch.
    pub fn new(changed: impl Fn() + Send + 'static) -> Result<Self, String> {
        let failed = |errno: crate::platform::Errno| errno.to_string();
        let shared = Arc::new(WatchState {
            events: FolderEvents::new(EventKinds::All).map_err(failed)?,
            stop: Waker::new().map_err(failed)?,
            watched: Mutex::default(),
        });
        let own = shared.clone();
        let listen = move || {
            while let Some(has_events) = own.events.wait(&own.stop, None) {
                let mut is_relevant_event = false;
                if has_events {
                    let drained =
                        own.events.drain(&mut |event| is_relevant_event |= own.is_relevant(event));
                    is_relevant_event |= !drained.unwrap_or(false);
                }
                if is_relevant_event {
                    changed();
                }
            }
        };
        let thread = std::thread::Builder::new().name("places".to_owned());
        thread.spawn(listen).map_err(|error| error.to_string())?;
        Ok(Self(shared))
    }

    /// Watches these folders as well.
    pub fn watch(&mut self, folders: &[PathBuf]) {
        for folder in folders {
            self.watch_one(folder, None);
        }
    }

    /// Watches a folder for entries of this name being added or removed.
    pub fn watch_for(&mut self, folder: &Path, name: &str) {
        self.watch_one(folder, Some(name.into()));
    }

    /// Watches one folder, for one `name` or for all.
    fn watch_one(&self, folder: &Path, name: Option<OsString>) {
        let mut watched = self.0.watched.lock();
        if let Some(known) = watched.get_mut(folder) {
            // A watch for all names replaces one for a single name.
            if name.is_none() {
                known.name = None;
            }
            return;
        }
        if watched.len() >= MAX_FOLDERS {
            return;
        }
        let opened = open_outside(folder, Opening::Traverse);
        match opened.and_then(|opened| self.0.events.add(&opened)) {
            Ok(watch) => _ = watched.insert(folder.to_owned(), WatchedFolder { watch, name }),
            Err(error) => tracing::debug!("{} is not watched: {error}", folder.display()),
        }
    }
}
