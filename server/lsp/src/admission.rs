//! Limits how many answers are computed at a time.
//!
//! An answer costs memory until it is posted, where the [`Outbox`] counts it. This bounds the number of
//! uncounted answers, and starts none while the client does not read.

use std::sync::Arc;

use tokio::sync::Semaphore;

use crate::ingress::GATE;
use crate::outbox::Outbox;

/// Answers computed at a time. More than the threads, since some answers block.
const MAX_CONCURRENT: usize = 32;

/// The permits for computing answers.
pub(crate) struct Admission(Arc<Semaphore>);

impl Default for Admission {
    fn default() -> Self {
        Self(Arc::new(Semaphore::new(MAX_CONCURRENT)))
    }
}

impl Admission {
    /// Waits for a permit for the current request, kept until its response is posted, and for capacity in
    /// the outbox.
    pub(crate) async fn admit(&self, outbox: &Outbox) {
        let Ok(gate) = GATE.try_with(Clone::clone) else { return };
        // A second computation of one request would deadlock on the first one's permit.
        if gate.is_admitted() {
            return;
        }
        // The semaphore is never closed.
        if let Ok(permit) = self.0.clone().acquire_owned().await {
            gate.hold_permit(permit);
        }
        outbox.wait_for_capacity().await;
    }
}
