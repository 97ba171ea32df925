//! The last snapshots, so that the next one can say what is different.

use std::collections::VecDeque;

use parking_lot::Mutex;

/// Snapshots that are kept.
const MAX_KEPT: usize = 8;

/// What a snapshot was of: the page, and the call's parameters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SnapshotKey {
    pub(crate) page: u32,
    pub(crate) url: String,
    pub(crate) top: Option<u64>,
    pub(crate) most: usize,
}

/// The last snapshots.
#[derive(Default)]
pub(crate) struct Snapshots(Mutex<VecDeque<(SnapshotKey, Vec<String>)>>);

impl Snapshots {
    /// Keeps a snapshot, and returns the one of the same key before it.
    pub(crate) fn replace(&self, key: SnapshotKey, lines: Vec<String>) -> Option<Vec<String>> {
        let mut kept = self.0.lock();
        let before =
            kept.iter().position(|(known, _)| *known == key).and_then(|at| kept.remove(at));
        kept.push_back((key, lines));
        if kept.len() > MAX_KEPT {
            kept.pop_front();
        }
        before.map(|(_, lines)| lines)
    }
}
