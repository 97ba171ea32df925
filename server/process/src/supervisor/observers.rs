//! Notifies others of a process's new output and of its end, without waiting for them.

use std::sync::Arc;

use parking_lot::Mutex;

use super::SupervisedProcess;

/// Must not block.
type Notify = Box<dyn Fn() + Send + Sync>;

/// Who is notified.
#[derive(Default)]
pub(super) struct Observers(Mutex<State>);

#[derive(Default)]
struct State {
    last: u64,
    all: Vec<(u64, Notify)>,
}

impl std::fmt::Debug for Observers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Observers").field(&self.0.lock().all.len()).finish()
    }
}

impl Observers {
    pub(super) fn notify(&self) {
        self.0.lock().all.iter().for_each(|(_, notify)| notify());
    }
}

/// Keeps an observer of a process; dropping it ends the notifications.
#[derive(Debug)]
pub struct Observation {
    process: Arc<SupervisedProcess>,
    number: u64,
}

impl Observation {
    pub(super) fn new(process: Arc<SupervisedProcess>, notify: Notify) -> Self {
        let mut state = process.observers().0.lock();
        state.last += 1;
        let number = state.last;
        state.all.push((number, notify));
        drop(state);
        Self { process, number }
    }

    /// The observed process.
    #[must_use]
    pub fn process(&self) -> &Arc<SupervisedProcess> {
        &self.process
    }
}

impl Drop for Observation {
    fn drop(&mut self) {
        self.process.observers().0.lock().all.retain(|(number, _)| *number != self.number);
    }
}
