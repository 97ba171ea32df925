//! The index that the sessions of a workspace share.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock, Weak};
use std::time::Duration;

use parking_lot::{Mutex, MutexGuard};
use tools::{Context, FamilyState, ToolError};
use workspace::Snapshot;

use crate::index::PassageIndex;

/// How often a call that waits for another one looks whether it was cancelled.
const POLL: Duration = Duration::from_millis(50);

/// The index of a workspace: one for all clients of a server.
pub(crate) struct SharedIndex(Arc<Mutex<PassageIndex>>);

impl FamilyState for SharedIndex {}

type Indexes = HashMap<Vec<PathBuf>, Weak<Mutex<PassageIndex>>>;

impl SharedIndex {
    /// The index of the snapshot's roots.
    pub(crate) fn of(snapshot: &Snapshot) -> Self {
        static INDEXES: OnceLock<Mutex<Indexes>> = OnceLock::new();
        let roots = snapshot.roots().iter().map(|root| root.path().to_owned()).collect();
        let mut indexes = INDEXES.get_or_init(Mutex::default).lock();
        indexes.retain(|_, index| index.strong_count() > 0);
        if let Some(index) = indexes.get(&roots).and_then(Weak::upgrade) {
            return Self(index);
        }
        let index = Arc::<Mutex<PassageIndex>>::default();
        indexes.insert(roots, Arc::downgrade(&index));
        Self(index)
    }

    /// Waits for other calls.
    ///
    /// # Errors
    /// When cancelled.
    pub(crate) fn lock(
        &self,
        context: &Context<'_>,
        tool: &str,
    ) -> Result<MutexGuard<'_, PassageIndex>, ToolError> {
        loop {
            context.check_interrupt(tool)?;
            if let Some(index) = self.0.try_lock_for(POLL) {
                return Ok(index);
            }
        }
    }
}
