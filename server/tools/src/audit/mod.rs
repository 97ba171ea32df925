//! The record of every call.

use workspace::Snapshot;

/// The record of one workspace.
pub struct Audit;

impl Audit {
    /// The record of the workspace that `snapshot` is of.
    #[must_use]
    pub fn of(_: &Snapshot) -> Self {
        Self
    }
}
