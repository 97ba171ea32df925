//! State that is shared between calls.

use workspace::Snapshot;

use crate::audit::Audit;
use crate::command::overlap::Overlap;
use crate::debug::Debugging;
use crate::editing::{Applied, Trees};
use crate::policy::Policy;

/// Policy, approvals and audit log: one session for each client.
pub struct Session {
    /// The rules and given approvals.
    pub policy: Policy,
    /// The audit log.
    pub audit: Audit,
    /// Debug sessions.
    pub(crate) debugging: Debugging,
    /// Running commands.
    pub(crate) overlap: Overlap,
    /// Which patches produced which texts.
    pub(crate) applied: Applied,
    /// Syntax trees that edits have used.
    pub(crate) trees: Trees,
}

impl Session {
    /// A session with the user's settings, tightened by those of the workspace of `snapshot`.
    #[must_use]
    pub fn new(snapshot: &Snapshot) -> Self {
        crate::system::time_zone();
        Self {
            policy: Policy::of(snapshot),
            audit: Audit::of(snapshot),
            debugging: Debugging::of(snapshot),
            overlap: Overlap::default(),
            applied: Applied::default(),
            trees: Trees::default(),
        }
    }

    /// The debugger: sessions, breakpoints and events.
    #[must_use]
    pub fn debugger(&self) -> &::debug::Debugger {
        &self.debugging.debugger
    }

    /// Ends everything that outlives a call: debug sessions and their programs.
    pub fn stop(&self) {
        self.debugging.debugger.stop();
        self.audit.flush();
    }
}
