//! Whether a call was cancelled or has taken effect.

use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

/// Arbitrates between cancelling a call and committing its effects: the first of the two wins.
#[derive(Debug, Default)]
pub struct CancelGate {
    state: AtomicU8,
    may_have_effects: AtomicBool,
}

const OPEN: u8 = 0;
const CANCELLED: u8 = 1;
const COMMITTED: u8 = 2;

impl CancelGate {
    fn transition(&self, to: u8) -> bool {
        match self.state.compare_exchange(OPEN, to, Ordering::SeqCst, Ordering::SeqCst) {
            Ok(_) => true,
            Err(now) => now == to,
        }
    }

    /// Cancels the call. False if it has committed.
    pub fn cancel(&self) -> bool {
        self.transition(CANCELLED)
    }

    /// Commits the call. False if it was cancelled.
    pub fn commit(&self) -> bool {
        self.transition(COMMITTED)
    }

    /// Notes that a tool runs that does more than read.
    pub fn begin_effects(&self) {
        self.may_have_effects.store(true, Ordering::SeqCst);
    }

    /// Whether such a tool has begun. If not, the call can be made again elsewhere.
    #[must_use]
    pub fn may_have_effects(&self) -> bool {
        self.may_have_effects.load(Ordering::SeqCst)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cancel_and_a_commit_exclude_each_other() {
        let first = CancelGate::default();
        assert!(first.cancel() && first.cancel() && !first.commit());
        let second = CancelGate::default();
        assert!(second.commit() && second.commit() && !second.cancel());
    }
}
