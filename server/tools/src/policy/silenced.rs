//! Which diagnostics settings turn off.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use workspace::{SettingsFile, Snapshot};

use super::settings::LARGEST;
use super::sources::{State, USER_FILE, silenced, state};

/// The codes of the diagnostics that settings turn off, read again when the files change.
#[derive(Default)]
pub struct Silenced {
    user: OnceLock<SettingsFile>,
    current: Mutex<Option<(State, Arc<BTreeSet<String>>)>>,
}

impl Silenced {
    /// The codes, by the settings of the user and of the roots of `snapshot`.
    pub fn current(&self, snapshot: &Snapshot) -> Arc<BTreeSet<String>> {
        let user = self.user.get_or_init(|| SettingsFile::read(USER_FILE, LARGEST, snapshot));
        let now = state(snapshot);
        let is_new = user.refresh(snapshot);
        let mut current = self.current.lock();
        match &*current {
            Some((state, codes)) if !is_new && *state == now => codes.clone(),
            _ => {
                let codes = Arc::new(silenced(user, snapshot));
                *current = Some((now, codes.clone()));
                codes
            }
        }
    }
}
