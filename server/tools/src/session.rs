//! What lasts from call to call.

use workspace::Snapshot;

use crate::audit::Audit;
use crate::command::overlap::Overlap;
use crate::debug::Debugging;
use crate::editing::{Applied, Trees};
use crate::policy::Policy;

/// The rules, what a person has given leave for, and the record of calls: one for each client.
pub struct Session {
    /// What may be done.
    pub policy: Policy,
    /// What has been done.
    pub audit: Audit,
    /// What is being debugged.
    pub(crate) debugging: Debugging,
    /// What runs.
    pub(crate) overlap: Overlap,
    /// Which patches have made which texts.
    pub(crate) applied: Applied,
    /// Trees of the texts that edits have looked at.
    pub(crate) trees: Trees,
}

impl Session {
    /// With the settings of the user, tightened by those of the workspace that `snapshot` is of.
    #[must_use]
    pub fn new(snapshot: &Snapshot) -> Self {
        Self {
            policy: Policy::of(snapshot),
            audit: Audit::of(snapshot),
            debugging: Debugging::of(snapshot),
            overlap: Overlap::default(),
            applied: Applied::default(),
            trees: Trees::default(),
        }
    }

    /// What is being debugged: its sessions, its breakpoints, and what comes about in them.
    #[must_use]
    pub fn debugger(&self) -> &::debug::Debugger {
        &self.debugging.debugger
    }

    /// Ends what lasts beyond a call: every debug session with its program.
    pub fn stop(&self) {
        self.debugging.debugger.stop();
        self.audit.flush();
    }
}
