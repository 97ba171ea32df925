//! The sessions of one client, and the breakpoints of its workspace.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::runtime::{Builder, Handle};
use tokio::sync::broadcast::Receiver;

use crate::client::{WaitLimits, wait_bounded};
use crate::events::Events;
use crate::session::Registry;
use crate::{Breakpoints, DebugError, DebugEvent, Session, SessionConfig, SessionPhase};

/// Limit of running sessions.
const MAX_SESSIONS: usize = 16;

/// The sessions of one client. Dropping it ends them all.
pub struct Debugger(Arc<Registry>);

impl Default for Debugger {
    fn default() -> Self {
        let events = Events::default();
        let breakpoints = Arc::new(Breakpoints::with_events(events.clone()));
        Self(Arc::new(Registry { events, breakpoints, state: Mutex::default() }))
    }
}

impl Debugger {
    /// Subscribes to events from now on. Needs no async runtime: use `blocking_recv` on a thread,
    /// `recv` in a task. A slow subscriber delays nothing.
    #[must_use]
    pub fn subscribe(&self) -> Receiver<DebugEvent> {
        self.0.events.subscribe()
    }

    /// The workspace's breakpoints.
    #[must_use]
    pub fn breakpoints(&self) -> &Breakpoints {
        &self.0.breakpoints
    }

    /// All sessions, newest last, including some that have ended.
    #[must_use]
    pub fn sessions(&self) -> Vec<Arc<Session>> {
        self.0.state.lock().sessions.clone()
    }

    /// Whether a session is starting or running.
    #[must_use]
    pub fn is_debugging(&self) -> bool {
        let state = self.0.state.lock();
        state.starting > 0 || state.running(false).next().is_some()
    }

    /// Starts a session. Blocks.
    ///
    /// # Errors
    /// When the adapter or the program does not start; neither is left running then.
    pub fn launch(
        &self,
        plan: SessionConfig,
        patience: WaitLimits<'_>,
    ) -> Result<Arc<Session>, DebugError> {
        let (id, runtime) = self.reserve(&plan)?;
        let started = runtime.block_on(async {
            let breakpoints = self.0.breakpoints.clone();
            let registry = Arc::downgrade(&self.0);
            let start = Session::start(id, plan, registry, breakpoints, patience);
            wait_bounded(start, patience).await
        });
        let mut state = self.0.state.lock();
        state.starting -= 1;
        let session = match started {
            Ok(started) => started?,
            Err(crate::client::RequestFailure::Cancelled) => return Err(DebugError::Cancelled),
            Err(_) => {
                let reason = format!("it was not ready within {} ms", patience.timeout.as_millis());
                return Err(DebugError::Unreachable { adapter: "the adapter".to_owned(), reason });
            }
        };
        state.add(session.clone());
        drop(state);
        session.publish_events(self.0.events.clone());
        Ok(session)
    }

    fn reserve(&self, plan: &SessionConfig) -> Result<(u64, Handle), DebugError> {
        let mut state = self.0.state.lock();
        if state.running(false).count() + state.starting >= MAX_SESSIONS {
            return Err(DebugError::TooMany { most: MAX_SESSIONS });
        }
        if state.runtime.is_none() {
            let runtime = Builder::new_multi_thread()
                .worker_threads(1)
                .thread_name("debug")
                .enable_all()
                .build();
            state.runtime = Some(runtime.map_err(|error| DebugError::Unreachable {
                adapter: plan.adapter.name.clone(),
                reason: format!("cannot start a thread: {error}"),
            })?);
        }
        state.last += 1;
        state.starting += 1;
        let runtime = state.runtime.as_ref().map(|runtime| runtime.handle().clone());
        let no_runtime = || DebugError::TooMany { most: MAX_SESSIONS };
        Ok((state.last, runtime.ok_or_else(no_runtime)?))
    }

    /// Removes a session from the list if it has ended.
    pub fn forget(&self, id: u64) {
        let is_ended =
            |s: &Arc<Session>| s.id() == id && matches!(s.phase(), SessionPhase::Ended(_));
        self.0.state.lock().sessions.retain(|session| !is_ended(session));
    }

    /// Starts to end every session, without waiting.
    pub fn stop(&self) {
        for session in self.sessions() {
            session.stop_later();
        }
    }
}

impl Drop for Debugger {
    fn drop(&mut self) {
        let mut state = self.0.state.lock();
        // Dropping a session closes its launcher's socket, which ends all processes of the adapter
        // even if nobody waits for them.
        let sessions = std::mem::take(&mut state.sessions);
        let runtime = state.runtime.take();
        drop(state);
        drop(sessions);
        if let Some(runtime) = runtime {
            runtime.shutdown_background();
        }
    }
}
