//! The sessions of one client, and the breakpoints of its workspace.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::broadcast::Receiver;

use crate::client::{Wait, bounded};
use crate::events::Events;
use crate::{Breakpoints, DebugError, Event, Phase, Plan, Session};

/// Most sessions that run at a time.
const MOST: usize = 16;
/// Most that are kept after their end, for what they wrote.
const MOST_ENDED: usize = 8;

/// How long something is waited for, and who may not want it any more.
#[derive(Debug, Clone, Copy)]
pub struct Patience<'a> {
    /// How long at most.
    pub longest: Duration,
    /// Set once nobody wants it any more.
    pub interrupt: &'a AtomicBool,
}

/// The sessions of one client. Dropped, it ends them all.
pub struct Debugger {
    events: Events,
    breakpoints: Arc<Breakpoints>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Made for the first session.
    runtime: Option<Runtime>,
    sessions: Vec<Arc<Session>>,
    starting: usize,
    last: u64,
}

impl Default for Debugger {
    fn default() -> Self {
        let events = Events::default();
        let breakpoints = Arc::new(Breakpoints::telling(events.clone()));
        Self { events, breakpoints, state: Mutex::default() }
    }
}

impl Debugger {
    /// What comes about in sessions from now on. Needs no runtime: `blocking_recv` waits on a
    /// thread, `recv` in any task. A watcher that is slow holds up nothing.
    #[must_use]
    pub fn watch(&self) -> Receiver<Event> {
        self.events.watch()
    }

    /// The workspace's breakpoints.
    #[must_use]
    pub fn breakpoints(&self) -> &Breakpoints {
        &self.breakpoints
    }

    /// Every session, the newest last; some may be over.
    #[must_use]
    pub fn sessions(&self) -> Vec<Arc<Session>> {
        self.state.lock().sessions.clone()
    }

    /// Starts a session. Called from threads that may wait.
    ///
    /// # Errors
    /// When the adapter or the program does not start; nothing is left of either then.
    pub fn launch(&self, plan: Plan, patience: Patience<'_>) -> Result<Arc<Session>, DebugError> {
        let (id, runtime) = self.begin(&plan)?;
        let started = runtime.block_on(async {
            let start = Session::start(id, plan, self.breakpoints.clone(), patience);
            let wait = Wait { longest: patience.longest, interrupt: patience.interrupt };
            bounded(start, wait).await
        });
        let mut state = self.state.lock();
        state.starting -= 1;
        let session = match started {
            Ok(started) => started?,
            Err(crate::client::Failure::Cancelled) => return Err(DebugError::Cancelled),
            Err(_) => {
                let reason = format!("it was not ready within {} ms", patience.longest.as_millis());
                return Err(DebugError::Unreachable { adapter: "the adapter".to_owned(), reason });
            }
        };
        state.sessions.push(session.clone());
        session.tell(self.events.clone());
        let ended = |session: &Arc<Session>| matches!(session.phase(), Phase::Ended(_));
        let over = state.sessions.iter().filter(|s| ended(s)).count().saturating_sub(MOST_ENDED);
        let oldest: Vec<u64> =
            state.sessions.iter().filter(|s| ended(s)).take(over).map(|s| s.id()).collect();
        state.sessions.retain(|session| !oldest.contains(&session.id()));
        Ok(session)
    }

    fn begin(&self, plan: &Plan) -> Result<(u64, Handle), DebugError> {
        let mut state = self.state.lock();
        let running = state.sessions.iter().filter(|s| !matches!(s.phase(), Phase::Ended(_)));
        if running.count() + state.starting >= MOST {
            return Err(DebugError::TooMany { most: MOST });
        }
        if state.runtime.is_none() {
            let runtime = Builder::new_multi_thread()
                .worker_threads(1)
                .thread_name("debug")
                .enable_all()
                .build();
            state.runtime = Some(runtime.map_err(|error| DebugError::Unreachable {
                adapter: plan.adapter.name.clone(),
                reason: format!("no thread for it: {error}"),
            })?);
        }
        state.last += 1;
        state.starting += 1;
        let runtime = state.runtime.as_ref().map(|runtime| runtime.handle().clone());
        let unmade = || DebugError::TooMany { most: MOST };
        Ok((state.last, runtime.ok_or_else(unmade)?))
    }

    /// Takes a session out of the list once it is over.
    pub fn forget(&self, id: u64) {
        let is_over = |s: &Arc<Session>| s.id() == id && matches!(s.phase(), Phase::Ended(_));
        self.state.lock().sessions.retain(|session| !is_over(session));
    }

    /// Begins to end every session, and waits for none.
    pub fn stop(&self) {
        for session in self.sessions() {
            session.stop_later();
        }
    }
}

impl Drop for Debugger {
    fn drop(&mut self) {
        let state = self.state.get_mut();
        // Each closes its launcher's socket, which ends all that the adapter has started, also
        // where nobody is left to wait for that.
        state.sessions.clear();
        if let Some(runtime) = state.runtime.take() {
            runtime.shutdown_background();
        }
    }
}
