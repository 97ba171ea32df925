//! Watches single folders for whoever must know at once that something in them has changed, such as
//! a repository's own, which the project walk leaves out.

use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;

use crate::platform::{Changes, Events, Noted, Opening, Wake, open_outside};

/// Most folders that are watched.
const MOST: usize = 512;

/// Watches folders, not what is below them, until it is dropped.
pub struct Places(Arc<Shared>);

struct Shared {
    events: Events,
    end: Wake,
    watched: Mutex<BTreeMap<PathBuf, Watched>>,
}

/// A folder that is watched.
struct Watched {
    number: i32,
    /// The name that alone is of interest in it; without one, all that happens there is.
    name: Option<OsString>,
}

impl Drop for Places {
    fn drop(&mut self) {
        self.0.end.wake();
    }
}

impl Shared {
    /// Whether what was noted is of interest.
    fn concerns(&self, noted: Noted<'_>) -> bool {
        let mut watched = self.watched.lock();
        let found = watched.iter().find(|(_, folder)| folder.number == noted.folder);
        // Of a folder that is let go of there may be more to come; what is lost is of none.
        let Some((folder, known)) = found else { return noted.folder < 0 };
        let path = match noted.name {
            Some(name) => folder.join(OsStr::from_bytes(name)),
            None => folder.clone(),
        };
        let is_of_interest = match (&known.name, noted.name) {
            (Some(name), Some(noted)) => name.as_bytes() == noted || watched.contains_key(&path),
            _ => true,
        };
        // What takes a folder's place is to be watched anew.
        if noted.has_moved
            && let Some(gone) = watched.remove(&path)
        {
            self.events.remove(gone.number);
        }
        is_of_interest
    }
}

impl Places {
    /// Calls `changed` whenever something comes, goes or changes in a folder that is watched; on a
    /// thread of its own, which it must not keep.
    ///
    /// # Errors
    /// Why the system cannot watch.
    pub fn new(changed: impl Fn() + Send + 'static) -> Result<Self, String> {
        let failed = |errno: crate::platform::Errno| errno.to_string();
        let shared = Arc::new(Shared {
            events: Events::new(Changes::All).map_err(failed)?,
            end: Wake::new().map_err(failed)?,
            watched: Mutex::default(),
        });
        let own = shared.clone();
        let listen = move || {
            while let Some(is_noted) = own.events.wait(&own.end, None) {
                let mut is_of_interest = false;
                if is_noted {
                    let taken = own.events.take(&mut |noted| is_of_interest |= own.concerns(noted));
                    is_of_interest |= !taken.unwrap_or(false);
                }
                if is_of_interest {
                    changed();
                }
            }
        };
        let thread = std::thread::Builder::new().name("places".to_owned());
        thread.spawn(listen).map_err(|error| error.to_string())?;
        Ok(Self(shared))
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

    fn watch_one(&self, folder: &Path, name: Option<OsString>) {
        let mut watched = self.0.watched.lock();
        if let Some(known) = watched.get_mut(folder) {
            // Who wants to know of everything is told more.
            if name.is_none() {
                known.name = None;
            }
            return;
        }
        if watched.len() >= MOST {
            return;
        }
        let opened = open_outside(folder, Opening::Through);
        match opened.and_then(|opened| self.0.events.add(&opened)) {
            Ok(number) => _ = watched.insert(folder.to_owned(), Watched { number, name }),
            Err(error) => tracing::debug!("{} is not watched: {error}", folder.display()),
        }
    }
}
