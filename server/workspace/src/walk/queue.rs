//! A priority queue of work for several threads: the first in path order comes first.

use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::{Condvar, Mutex};

/// The pending work. Taking the first in path order keeps the walk near the front: few folders are
/// open at a time, and a caller that needs only the first results finishes early.
pub(super) struct Queue<T> {
    state: Mutex<QueueState<T>>,
    changed: Condvar,
}

struct QueueState<T> {
    waiting: BinaryHeap<T>,
    /// Number of threads that are working and may add more work.
    busy: usize,
    /// Whether a thread has panicked: the others must not wait for its work.
    broken: bool,
}

/// Makes the other threads end if this one panics.
pub(super) struct PanicGuard<'a, T>(pub(super) &'a Queue<T>);

impl<T> Drop for PanicGuard<'_, T> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.state.lock().broken = true;
            self.0.changed.notify_all();
        }
    }
}

impl<T: Ord> Queue<T> {
    /// A queue for `threads` threads, which all count as busy until they call [`Queue::next`].
    pub(super) fn new(first: T, threads: usize) -> Self {
        let state = QueueState { waiting: BinaryHeap::from([first]), busy: threads, broken: false };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Adds the work that a thread has found, and returns the next item; waits for one if needed.
    /// `None` when all work is done, or `interrupt` is set.
    pub(super) fn next(&self, found: &mut Vec<T>, interrupt: &AtomicBool) -> Option<T> {
        let mut state = self.state.lock();
        state.busy -= 1;
        let added = found.len();
        state.waiting.extend(found.drain(..));
        loop {
            if interrupt.load(Ordering::Relaxed) {
                state.waiting.clear();
            }
            if let Some(next) = state.waiting.pop() {
                state.busy += 1;
                if added > 1 {
                    self.changed.notify_all();
                }
                return Some(next);
            }
            // Without busy threads no more work can be added, so all waiting threads may end.
            if state.busy == 0 || state.broken {
                self.changed.notify_all();
                return None;
            }
            self.changed.wait(&mut state);
        }
    }
}
