//! A settings file of the user that tools must not be able to change.

use std::path::{Path, PathBuf};

use parking_lot::Mutex;

use crate::user_file::{UserFileError, config_folder, read_user_file, user_file_stamp};
use crate::{OwnFiles, Snapshot, Stamp};

/// A file in the settings folder. It is read at the start, and again when it changes. But if it is
/// reachable through the workspace under any name, the first content stays in force: a tool must
/// not change its own permissions.
#[derive(Debug)]
pub struct SettingsFile {
    path: Option<PathBuf>,
    limit: u64,
    state: Mutex<SettingsState>,
}

#[derive(Debug)]
struct SettingsState {
    stamp: Option<Stamp>,
    content: Result<Option<Vec<u8>>, UserFileError>,
    /// Set permanently once the file was found to be reachable through the workspace.
    is_frozen: bool,
    /// Whether the file has changed since it was frozen.
    is_behind: bool,
}

impl SettingsFile {
    /// Reads the file `name`, of at most `limit` bytes, for a server of the roots of `snapshot`.
    #[must_use]
    pub fn read(name: &str, limit: u64, snapshot: &Snapshot) -> Self {
        let path = config_folder().map(|folder| folder.join(name));
        let stamp = path.as_deref().and_then(user_file_stamp);
        let content = path.as_deref().map_or(Ok(None), |path| read_user_file(path, limit));
        let is_frozen = is_reachable(snapshot);
        let state = Mutex::new(SettingsState { stamp, content, is_frozen, is_behind: false });
        Self { path, limit, state }
    }

    /// The path; `None` without a home folder.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    /// The content, read again if it has changed and is not frozen.
    ///
    /// # Errors
    /// As [`read_user_file`].
    pub fn content(&self, snapshot: &Snapshot) -> Result<Option<Vec<u8>>, UserFileError> {
        self.refresh(snapshot);
        self.state.lock().content.clone()
    }

    /// Reads it again if it has changed and is not frozen. Returns true if there is new content.
    pub fn refresh(&self, snapshot: &Snapshot) -> bool {
        let Some(path) = &self.path else { return false };
        let now = user_file_stamp(path);
        let mut state = self.state.lock();
        if state.stamp == now {
            return false;
        }
        state.is_frozen = state.is_frozen || is_reachable(snapshot);
        if state.is_frozen {
            state.is_behind = true;
            return false;
        }
        state.stamp = now;
        state.content = read_user_file(path, self.limit);
        true
    }

    /// Whether it has changed, but the change takes effect at the next start only.
    #[must_use]
    pub fn needs_restart(&self) -> bool {
        self.state.lock().is_behind
    }
}

fn is_reachable(snapshot: &Snapshot) -> bool {
    let roots: Vec<_> = snapshot.roots().iter().map(|root| root.path().to_owned()).collect();
    OwnFiles::resolve(snapshot.roots()).are_within(&roots)
}
