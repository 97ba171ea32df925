//! The sessions of one client, and the breakpoints of its workspace.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::runtime::{Builder, Handle, Runtime};
use tokio::sync::broadcast::Receiver;

use crate::client::{ResponseWait, wait_bounded};
use crate::events::Events;
use crate::{Breakpoints, DebugError, DebugEvent, Session, SessionConfig, SessionPhase};

/// Limit of running sessions.
const MAX_SESSIONS: usize = 16;
/// Ended sessions that are kept for their output.
const MAX_ENDED_SESSIONS: usize = 8;

/// How long to wait for something, and the flag that cancels waiting.
#[derive(Debug, Clone, Copy)]
pub struct WaitLimits<'a> {
    /// Timeout.
    pub timeout: Duration,
    /// Set to cancel.
    pub interrupt: &'a AtomicBool,
}

/// Limit of running child sessions of one launch.
const MAX_CHILDREN_PER_LAUNCH: usize = 32;
/// Limit of running child sessions of all launches.
const MAX_CHILDREN: usize = 64;

/// The sessions of one client. Dropping it ends them all.
pub struct Debugger(Arc<Registry>);

/// The list of sessions, to which child sessions are added.
pub(crate) struct Registry {
    events: Events,
    breakpoints: Arc<Breakpoints>,
    state: Mutex<RegistryState>,
}

#[derive(Default)]
struct RegistryState {
    /// Created for the first session.
    runtime: Option<Runtime>,
    sessions: Vec<Arc<Session>>,
    starting: usize,
    /// The roots of child sessions that are being started.
    children: Vec<u64>,
    last: u64,
}

impl RegistryState {
    fn running(&self, is_child: bool) -> impl Iterator<Item = &Arc<Session>> {
        self.sessions.iter().filter(move |session| {
            session.parent().is_some() == is_child
                && !matches!(session.phase(), SessionPhase::Ended(_))
        })
    }

    fn add(&mut self, session: Arc<Session>) {
        self.sessions.push(session);
        self.sessions.sort_by_key(|session| session.id());
        // Counted separately, so that many child sessions do not displace other ended sessions.
        for is_child in [false, true] {
            let is_ended = |s: &Arc<Session>| {
                s.parent().is_some() == is_child && matches!(s.phase(), SessionPhase::Ended(_))
            };
            let mut ended = self.sessions.iter().filter(|s| is_ended(s)).count();
            self.sessions.retain(|session| {
                let is_dropped = ended > MAX_ENDED_SESSIONS && is_ended(session);
                ended -= usize::from(is_dropped);
                !is_dropped
            });
        }
    }
}

/// A reserved place for a child session that is being started.
pub(crate) struct ChildSlot {
    registry: Arc<Registry>,
    id: u64,
    root: u64,
}

impl ChildSlot {
    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    /// Adds the started session.
    pub(crate) fn fill(self, session: Arc<Session>) {
        self.registry.state.lock().add(session.clone());
        session.publish_events(self.registry.events.clone());
    }
}

impl Drop for ChildSlot {
    fn drop(&mut self) {
        let mut state = self.registry.state.lock();
        if let Some(at) = state.children.iter().position(|root| *root == self.root) {
            state.children.swap_remove(at);
        }
    }
}

impl Registry {
    /// Reserves a place for a child session below `root`.
    pub(crate) fn reserve_child(self: &Arc<Self>, root: u64) -> Result<ChildSlot, String> {
        let mut state = self.state.lock();
        let all = state.running(true).map(|s| s.root()).chain(state.children.iter().copied());
        let all: Vec<u64> = all.collect();
        let siblings = all.iter().filter(|one| **one == root).count();
        if siblings >= MAX_CHILDREN_PER_LAUNCH || all.len() >= MAX_CHILDREN {
            return Err(format!("{siblings} of its child processes are being debugged already"));
        }
        state.last += 1;
        state.children.push(root);
        Ok(ChildSlot { registry: self.clone(), id: state.last, root })
    }
}

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
            let wait = ResponseWait { timeout: patience.timeout, interrupt: patience.interrupt };
            wait_bounded(start, wait).await
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
