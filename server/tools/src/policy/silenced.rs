//! Which diagnostics settings turn off.

use std::collections::BTreeSet;
use std::sync::Arc;

use parking_lot::Mutex;
use workspace::{Snapshot, config_folder};

use super::sources::{State, silenced, state};

/// The codes of the diagnostics that settings turn off, read again when the files change.
#[derive(Default)]
pub struct Silenced {
    current: Mutex<Option<(State, Arc<BTreeSet<String>>)>>,
}

impl Silenced {
    /// The codes, by the settings of the user and of the roots of `snapshot`.
    pub fn current(&self, snapshot: &Snapshot) -> Arc<BTreeSet<String>> {
        let user = config_folder().map(|folder| folder.join("config.toml"));
        let now = state(&user, snapshot);
        let mut current = self.current.lock();
        match &*current {
            Some((state, codes)) if *state == now => codes.clone(),
            _ => {
                let codes = Arc::new(silenced(&user, snapshot));
                *current = Some((now, codes.clone()));
                codes
            }
        }
    }
}
