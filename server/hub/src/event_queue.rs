//! Events that wait for a client.

use std::collections::VecDeque;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio_tungstenite::tungstenite::Utf8Bytes;

use crate::limits::{MAX_QUEUED_BYTES, MAX_QUEUED_EVENTS};

/// A queue with limits. Putting an event in never waits; a client that does not keep up loses them all,
/// and has to be disconnected.
pub(crate) struct EventQueue {
    state: Mutex<State>,
    /// Wakes the client's task.
    wake: Arc<Notify>,
}

#[derive(Default)]
struct State {
    events: VecDeque<Utf8Bytes>,
    bytes: usize,
    has_overflowed: bool,
}

/// More events came than the client took.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Overflow;

impl EventQueue {
    pub(crate) fn new(wake: Arc<Notify>) -> Self {
        Self { state: Mutex::default(), wake }
    }

    pub(crate) fn push(&self, event: Utf8Bytes) {
        let mut state = self.state.lock();
        if state.has_overflowed {
            return;
        }
        state.bytes += event.len();
        state.events.push_back(event);
        if state.events.len() > MAX_QUEUED_EVENTS || state.bytes > MAX_QUEUED_BYTES {
            *state = State { has_overflowed: true, ..State::default() };
        }
        drop(state);
        self.wake.notify_one();
    }

    pub(crate) fn pop(&self) -> Result<Option<Utf8Bytes>, Overflow> {
        let mut state = self.state.lock();
        if state.has_overflowed {
            return Err(Overflow);
        }
        let event = state.events.pop_front();
        state.bytes -= event.as_ref().map_or(0, |event| event.len());
        Ok(event)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_queue_is_bounded() {
        for (event, fits) in [("x".to_owned(), MAX_QUEUED_EVENTS), ("x".repeat(1 << 20), 4)] {
            let queue = EventQueue::new(Arc::default());
            for _ in 0..fits {
                queue.push(event.as_str().into());
            }
            assert_eq!(queue.pop().unwrap().unwrap().len(), event.len());
            queue.push(event.as_str().into());
            assert!(queue.pop().is_ok());
            queue.push(event.as_str().into());
            queue.push(event.as_str().into());
            assert_eq!(queue.pop(), Err(Overflow));
            // Nothing is kept for a client that is lost.
            assert_eq!(queue.state.lock().events.capacity(), 0);
            queue.push(event.as_str().into());
            assert_eq!(queue.pop(), Err(Overflow));
        }
    }
}
