//! The saved files that are still to be checked, see `check.onSave`.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Instant;

use parking_lot::Mutex;
use tokio::task::AbortHandle;

/// Most saved files that wait to be checked.
const MAX_SAVED: usize = 100;

/// The saved files, and the run that checks them.
#[derive(Default)]
pub(crate) struct SavedFiles(Mutex<State>);

#[derive(Default)]
struct State {
    /// When each file was saved last.
    saved: BTreeMap<PathBuf, Instant>,
    run: Option<AbortHandle>,
    /// Tools that the user has not allowed; they are not asked for again.
    denied: BTreeSet<&'static str>,
}

impl SavedFiles {
    /// Adds a file and cancels the run; what that had not finished is still to be checked. `start`
    /// starts the next run.
    pub(crate) fn add(&self, path: PathBuf, start: impl FnOnce() -> AbortHandle) {
        let mut state = self.0.lock();
        if state.saved.len() < MAX_SAVED || state.saved.contains_key(&path) {
            state.saved.insert(path, Instant::now());
        }
        if let Some(run) = state.run.take() {
            run.abort();
        }
        state.run = Some(start());
    }

    /// The files, each with the time when it was saved last.
    pub(crate) fn all(&self) -> BTreeMap<PathBuf, Instant> {
        self.0.lock().saved.clone()
    }

    /// Removes a file that was checked since it was saved at `since`, unless it was saved again.
    pub(crate) fn remove(&self, path: &Path, since: Instant) {
        let saved = &mut self.0.lock().saved;
        if saved.get(path) == Some(&since) {
            saved.remove(path);
        }
    }

    /// Notes that the user has not allowed a tool.
    pub(crate) fn deny(&self, tool: &'static str) {
        self.0.lock().denied.insert(tool);
    }

    /// Whether the user has not allowed a tool.
    pub(crate) fn is_denied(&self, tool: &str) -> bool {
        self.0.lock().denied.contains(tool)
    }
}
