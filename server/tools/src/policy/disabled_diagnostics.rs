//! The diagnostics that settings turn off.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use workspace::{SettingsFile, Snapshot};

use super::settings::MAX_SETTINGS_BYTES;
use super::sources::{FilesState, USER_FILE, disabled_codes, files_state};

/// The codes of turned-off diagnostics. Settings files are read again when they change.
#[derive(Default)]
pub struct Silenced {
    user: OnceLock<SettingsFile>,
    current: Mutex<Option<(FilesState, Arc<BTreeSet<String>>)>>,
}

impl Silenced {
    /// The codes, by the settings of the user and of the roots of `snapshot`.
    pub fn current(&self, snapshot: &Snapshot) -> Arc<BTreeSet<String>> {
        let user =
            self.user.get_or_init(|| SettingsFile::read(USER_FILE, MAX_SETTINGS_BYTES, snapshot));
        let now = files_state(snapshot);
        let is_new = user.refresh(snapshot);
        let mut current = self.current.lock();
        match &*current {
            Some((state, codes)) if !is_new && *state == now => codes.clone(),
            _ => {
                let codes = Arc::new(disabled_codes(user, snapshot));
                *current = Some((now, codes.clone()));
                codes
            }
        }
    }
}
