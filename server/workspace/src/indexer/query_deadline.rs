//! Limits how long queries wait for the initial indexing.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::IndexProgress;
use crate::Snapshot;

/// A limit on waiting for the index, shared by the queries of one call.
pub(crate) struct QueryDeadline {
    deadline: Instant,
    /// The progress of the index when a query stopped waiting.
    passed_at: Mutex<Option<IndexProgress>>,
}

impl QueryDeadline {
    /// Whether the deadline has passed; results may then be incomplete.
    pub(crate) fn has_passed(&self, progress: IndexProgress) -> bool {
        let has_passed = Instant::now() >= self.deadline;
        if has_passed {
            self.passed_at.lock().get_or_insert(progress);
        }
        has_passed
    }
}

impl Snapshot {
    /// The same snapshot, whose queries wait at most `time` for the index. Without a limit this may
    /// take minutes in a large workspace without a stored index.
    #[must_use]
    pub fn with_index_timeout(&self, time: Duration) -> Self {
        let query_deadline =
            QueryDeadline { deadline: Instant::now() + time, passed_at: Mutex::default() };
        Self { query_deadline: Some(Arc::new(query_deadline)), ..self.clone() }
    }

    /// The progress of the index when a query stopped waiting for it: its result may be incomplete.
    #[must_use]
    pub fn partial_index_progress(&self) -> Option<IndexProgress> {
        *self.query_deadline.as_ref()?.passed_at.lock()
    }
}
