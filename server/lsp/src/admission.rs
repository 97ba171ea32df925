//! How many answers are computed at a time.
//!
//! An answer costs memory from its computation until it is posted, where the [`Outbox`] counts it. So few
//! are between the two, however many requests wait, and none begins while the client does not read.

use std::sync::Arc;

use tokio::sync::Semaphore;

use crate::ingress::GATE;
use crate::outbox::Outbox;

/// Answers that are computed at a time. More than there are threads: some wait for each other.
const MOST: usize = 32;

/// The places of requests whose answers are computed.
pub(crate) struct Admission(Arc<Semaphore>);

impl Default for Admission {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(MOST)))
    }
}

impl Admission {
    /// Waits for a place for the current request, which has it until its answer is posted, and for room
    /// in the outbox.
    pub(crate) async fn admit(&self, outbox: &Outbox) {
        let Ok(gate) = GATE.try_with(Clone::clone) else { return };
        // A second computation for the same request must not wait for the first one's place.
        if gate.is_admitted() {
            return;
        }
        // The semaphore is never closed.
        if let Ok(admitted) = self.0.clone().acquire_owned().await {
            gate.keep(admitted);
        }
        outbox.room().await;
    }
}
