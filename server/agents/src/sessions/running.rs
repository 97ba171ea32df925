//! What runs of the sessions of this server: turns, and agents that wait for the next message.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use tools::{Code, FamilyState, Overview, OverviewPeriod, ToolError};
use workspace::Snapshot;

use super::store::{SessionRow, Store};
use crate::acp::Agent;

/// Agents that work at a time.
const MAX_WORKING: usize = 8;
/// Agents that wait for the next message of their session. The one that has waited longest ends first.
const MAX_WAITING: usize = 4;
/// How often a wait looks whether it was cancelled.
const POLL_INTERVAL: Duration = Duration::from_millis(50);

/// The running sessions of a server.
#[derive(Default, Clone)]
pub(crate) struct Sessions(Arc<Mutex<Running>>);

#[derive(Default)]
struct Running {
    working: HashMap<i64, Arc<TurnControl>>,
    waiting: HashMap<i64, (Instant, Agent)>,
    is_stopped: bool,
}

impl FamilyState for Sessions {
    fn add_figures(
        &self,
        snapshot: &Snapshot,
        period: OverviewPeriod,
        overview: &mut Overview,
    ) -> Result<(), ToolError> {
        let store = Store::of(snapshot, period.tool)?;
        let (sessions, messages) = store.counts_since(period.since.as_millisecond())?;
        overview.sessions += sessions;
        overview.messages += messages;
        let rows = store.sessions()?;
        let works = |row: &&SessionRow| row.is_working && store.is_locked(row.id);
        overview.active_sessions += rows.iter().filter(works).count() as u64;
        Ok(())
    }

    fn stop(&self) {
        let waiting = {
            let mut running = self.0.lock();
            running.is_stopped = true;
            running.working.values().for_each(|turn| turn.stop());
            std::mem::take(&mut running.waiting)
        };
        // Outside of the lock: it waits for processes.
        waiting.into_values().for_each(|(_, agent)| drop(agent.end()));
    }
}

/// A turn, as others see it.
#[derive(Default)]
pub(super) struct TurnControl {
    is_stopped: AtomicBool,
    doing: Mutex<String>,
    has_ended: Mutex<bool>,
    ended: Condvar,
}

impl TurnControl {
    /// Has the turn end soon.
    pub(super) fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }

    /// What the agent does now.
    pub(super) fn doing(&self) -> String {
        self.doing.lock().clone()
    }

    pub(super) fn report(&self, doing: &str) {
        doing.clone_into(&mut self.doing.lock());
    }

    /// Waits until it has ended, for up to `limit`, or until `is_cancelled`.
    pub(super) fn wait(&self, limit: Duration, is_cancelled: impl Fn() -> bool) {
        let until = Instant::now() + limit;
        let mut has_ended = self.has_ended.lock();
        while !*has_ended && !is_cancelled() {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            self.ended.wait_for(&mut has_ended, left.min(POLL_INTERVAL));
        }
    }
}

/// The right to work on a session. Dropping it ends the turn.
pub(super) struct Working {
    sessions: Sessions,
    id: i64,
    pub(super) control: Arc<TurnControl>,
}

impl Sessions {
    /// The turn of a session, if there is one.
    pub(super) fn turn(&self, id: i64) -> Option<Arc<TurnControl>> {
        self.0.lock().working.get(&id).cloned()
    }

    /// Begins a turn. Returns also the agent, if it waits.
    ///
    /// # Errors
    /// If the session is at work, or too many are.
    pub(super) fn begin(&self, tool: &str, id: i64) -> Result<(Working, Option<Agent>), ToolError> {
        let mut running = self.0.lock();
        if running.working.contains_key(&id) {
            return Err(at_work(tool, id));
        }
        if running.is_stopped || running.working.len() >= MAX_WORKING {
            let message = format!("{tool}: {MAX_WORKING} agents work already");
            let hint = "wait for one with `wait_ms`, or end its turn with `stop`";
            return Err(ToolError::new(Code::Unavailable, message).hint(hint));
        }
        let control = Arc::<TurnControl>::default();
        running.working.insert(id, control.clone());
        let agent = running.waiting.remove(&id).map(|(_, agent)| agent);
        Ok((Working { sessions: self.clone(), id, control }, agent))
    }
}

/// The error for a message to a session whose agent works.
pub(super) fn at_work(tool: &str, id: i64) -> ToolError {
    let message = format!("{tool}: {}: its agent is still at work", super::name_of(id));
    ToolError::new(Code::Conflict, message)
        .hint("wait for the end of the turn with `wait_ms`, or end it with `stop`")
}

impl Working {
    /// Keeps the agent for the next message.
    pub(super) fn keep(&self, agent: Agent) {
        let ended = {
            let mut running = self.sessions.0.lock();
            if running.is_stopped {
                Some(agent)
            } else {
                running.waiting.insert(self.id, (Instant::now(), agent));
                let too_many = running.waiting.len() > MAX_WAITING;
                let oldest = running.waiting.iter().min_by_key(|(_, (since, _))| *since);
                let oldest = oldest.map(|(id, _)| *id).filter(|_| too_many);
                oldest.and_then(|id| running.waiting.remove(&id)).map(|(_, agent)| agent)
            }
        };
        // Outside of the lock: it waits for the process.
        if let Some(agent) = ended {
            agent.end();
        }
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        self.sessions.0.lock().working.remove(&self.id);
        *self.control.has_ended.lock() = true;
        self.control.ended.notify_all();
    }
}
