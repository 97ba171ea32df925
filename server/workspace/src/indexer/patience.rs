//! How long a query waits for files that have not been read.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;

use super::IndexProgress;
use crate::Snapshot;

/// A limit on waiting for the index, shared by the queries of one call.
pub(crate) struct Patience {
    until: Instant,
    /// How far the index was when a query went on without waiting any longer.
    given_up: Mutex<Option<IndexProgress>>,
}

impl Patience {
    /// Whether the time is over; from then on answers may lack what has not been read.
    pub(crate) fn ends(&self, progress: IndexProgress) -> bool {
        let is_over = Instant::now() >= self.until;
        if is_over {
            self.given_up.lock().get_or_insert(progress);
        }
        is_over
    }
}

impl Snapshot {
    /// The same state, whose queries wait no longer than `time` for the index: in a large workspace
    /// that was never read that takes minutes.
    #[must_use]
    pub fn waiting_at_most(&self, time: Duration) -> Self {
        let patience = Patience { until: Instant::now() + time, given_up: Mutex::default() };
        Self { patience: Some(Arc::new(patience)), ..self.clone() }
    }

    /// How far the workspace had been read when a query stopped waiting for the rest: its answer may
    /// lack something.
    #[must_use]
    pub fn unfinished_reading(&self) -> Option<IndexProgress> {
        *self.patience.as_ref()?.given_up.lock()
    }
}
