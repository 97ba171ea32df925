//! Agents that work in the background: those that run, and the results of the last that ended.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use tools::{Code, FamilyState, Tool, ToolError};

use super::{Delegate, Output};
use crate::acp::Work;

/// Agents that run in the background at a time.
const MAX_RUNNING: usize = 8;
/// Delegations that are kept, those that run included.
const MAX_KEPT: usize = 32;
/// The length of a task that is listed, in characters.
const MAX_TASK_CHARS: usize = 200;

/// The delegations of a session, the oldest first.
#[derive(Default)]
pub(crate) struct Delegations {
    all: Mutex<Vec<Arc<Background>>>,
    last_id: AtomicU64,
}

impl FamilyState for Delegations {
    fn stop(&self) {
        self.all.lock().iter().for_each(|one| one.stop());
    }
}

/// A delegation in the background.
pub(super) struct Background {
    pub(super) id: String,
    pub(super) agent: String,
    /// The beginning of the task.
    pub(super) task: String,
    begun: Instant,
    is_stopped: AtomicBool,
    state: Mutex<State>,
    ended: Condvar,
}

#[derive(Default)]
struct State {
    /// What the agent does now.
    doing: String,
    end: Option<(Duration, Result<Arc<Output>, ToolError>)>,
}

impl Work for Background {
    fn is_cancelled(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }

    fn progress(&self, what: &str) {
        what.clone_into(&mut self.state.lock().doing);
    }
}

/// How far a delegation is.
pub(super) struct Progress {
    pub(super) duration: Duration,
    /// What the agent does, while it runs.
    pub(super) doing: Option<String>,
    /// How it ended.
    pub(super) outcome: Option<Result<Arc<Output>, ToolError>>,
}

impl Delegations {
    /// Adds one.
    ///
    /// # Errors
    /// If too many run.
    pub(super) fn begin(&self, agent: &str, task: &str) -> Result<Arc<Background>, ToolError> {
        let mut all = self.all.lock();
        if all.iter().filter(|one| one.is_running()).count() >= MAX_RUNNING {
            let message = format!("{}: {MAX_RUNNING} agents work already", Delegate::NAME);
            let hint = "wait for one, or end one with `delegate_status` and `stop`";
            return Err(ToolError::new(Code::Unavailable, message).hint(hint));
        }
        while all.len() >= MAX_KEPT {
            // More are kept than may run, so some have ended.
            let Some(oldest) = all.iter().position(|one| !one.is_running()) else { break };
            all.remove(oldest);
        }
        let id = self.last_id.fetch_add(1, Ordering::Relaxed) + 1;
        let background = Arc::new(Background {
            id: format!("d{id}"),
            agent: agent.to_owned(),
            task: task.trim().chars().take(MAX_TASK_CHARS).collect(),
            begun: Instant::now(),
            is_stopped: AtomicBool::new(false),
            state: Mutex::default(),
            ended: Condvar::new(),
        });
        all.push(background.clone());
        Ok(background)
    }

    /// All that are kept, the oldest first.
    pub(super) fn all(&self) -> Vec<Arc<Background>> {
        self.all.lock().clone()
    }
}

impl Background {
    pub(super) fn is_running(&self) -> bool {
        self.state.lock().end.is_none()
    }

    /// Has it end soon.
    pub(super) fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    /// Records how it ended.
    fn end(&self, outcome: Result<Output, ToolError>) {
        let mut state = self.state.lock();
        if state.end.is_none() {
            state.end = Some((self.begun.elapsed(), outcome.map(Arc::new)));
            self.ended.notify_all();
        }
    }

    /// Waits until it has ended, for up to `limit`, or until `is_cancelled`.
    pub(super) fn wait(&self, limit: Duration, is_cancelled: impl Fn() -> bool) {
        const POLL_INTERVAL: Duration = Duration::from_millis(50);
        let until = Instant::now() + limit;
        let mut state = self.state.lock();
        while state.end.is_none() && !is_cancelled() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            self.ended.wait_for(&mut state, left.min(POLL_INTERVAL));
        }
    }

    pub(super) fn progress(&self) -> Progress {
        let state = self.state.lock();
        match &state.end {
            Some((duration, outcome)) => {
                Progress { duration: *duration, doing: None, outcome: Some(outcome.clone()) }
            }
            None => {
                let doing = (!state.doing.is_empty()).then(|| state.doing.clone());
                Progress { duration: self.begun.elapsed(), doing, outcome: None }
            }
        }
    }

    /// Does the work, and records how it ended, even by a panic.
    pub(super) fn run(self: Arc<Self>, work: impl FnOnce(&Self) -> Result<Output, ToolError>) {
        struct EndOnDrop(Arc<Background>);
        impl Drop for EndOnDrop {
            fn drop(&mut self) {
                let message = format!("{}: internal error", Delegate::NAME);
                self.0.end(Err(ToolError::new(Code::Internal, message)));
            }
        }
        let ending = EndOnDrop(self);
        let outcome = work(&ending.0);
        ending.0.end(outcome);
    }
}
