//! Work for several threads, the first in path order first.

use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::{Condvar, Mutex};

/// What is still to be done. Taking the first in path order keeps the walk near the front: few
/// folders are open at a time, and who wants only the first results is done early.
pub(super) struct Queue<T> {
    state: Mutex<State<T>>,
    more: Condvar,
}

struct State<T> {
    waiting: BinaryHeap<T>,
    /// Threads that work on something, which may lead to more.
    busy: usize,
    /// A thread has died of a panic: nobody waits for what it would have found.
    broken: bool,
}

/// Lets the other threads end where one of them panics.
pub(super) struct Guard<'a, T>(pub(super) &'a Queue<T>);

impl<T> Drop for Guard<'_, T> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.state.lock().broken = true;
            self.0.more.notify_all();
        }
    }
}

impl<T: Ord> Queue<T> {
    /// A queue for `threads` threads, all of which count as busy until they ask for work.
    pub(super) fn new(first: T, threads: usize) -> Self {
        let state = State { waiting: BinaryHeap::from([first]), busy: threads, broken: false };
        Self { state: Mutex::new(state), more: Condvar::new() }
    }

    /// Puts in what a thread has found to do, and gives it the next; waits for it where need be.
    /// `None` when all is done, or `interrupt` is set.
    pub(super) fn next(&self, found: &mut Vec<T>, interrupt: &AtomicBool) -> Option<T> {
        let mut state = self.state.lock();
        state.busy -= 1;
        let news = found.len();
        state.waiting.extend(found.drain(..));
        loop {
            if interrupt.load(Ordering::Relaxed) {
                state.waiting.clear();
            }
            if let Some(next) = state.waiting.pop() {
                state.busy += 1;
                if news > 1 {
                    self.more.notify_all();
                }
                return Some(next);
            }
            if state.busy == 0 || state.broken {
                self.more.notify_all();
                return None;
            }
            self.more.wait(&mut state);
        }
    }
}
