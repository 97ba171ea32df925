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

/// Most that run at a time of processes that one program has started, with what those start.
const MOST_CHILDREN: usize = 32;
/// Most of these of all programs.
const MOST_CHILDREN_OF_ALL: usize = 64;

/// The sessions of one client. Dropped, it ends them all.
pub struct Debugger(Arc<Registry>);

/// The sessions, for those who bring more of them.
pub(crate) struct Registry {
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
    /// The roots of those that are being started.
    children: Vec<u64>,
    last: u64,
}

impl State {
    fn running(&self, is_child: bool) -> impl Iterator<Item = &Arc<Session>> {
        self.sessions.iter().filter(move |session| {
            session.parent().is_some() == is_child && !matches!(session.phase(), Phase::Ended(_))
        })
    }

    fn add(&mut self, session: Arc<Session>) {
        self.sessions.push(session);
        self.sessions.sort_by_key(|session| session.id());
        // A program that starts many others does not push out what else has ended.
        for is_child in [false, true] {
            let is_over = |s: &Arc<Session>| {
                s.parent().is_some() == is_child && matches!(s.phase(), Phase::Ended(_))
            };
            let mut over = self.sessions.iter().filter(|s| is_over(s)).count();
            self.sessions.retain(|session| {
                let goes = over > MOST_ENDED && is_over(session);
                over -= usize::from(goes);
                !goes
            });
        }
    }
}

/// A place for one more session of a family.
pub(crate) struct Place {
    registry: Arc<Registry>,
    id: u64,
    root: u64,
}

impl Place {
    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    /// The session is there.
    pub(crate) fn fill(self, session: Arc<Session>) {
        self.registry.state.lock().add(session.clone());
        session.tell(self.registry.events.clone());
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let mut state = self.registry.state.lock();
        if let Some(at) = state.children.iter().position(|root| *root == self.root) {
            state.children.swap_remove(at);
        }
    }
}

impl Registry {
    /// A place for one more session beneath `root`.
    pub(crate) fn place_for_child(self: &Arc<Self>, root: u64) -> Result<Place, String> {
        let mut state = self.state.lock();
        let all = state.running(true).map(|s| s.root()).chain(state.children.iter().copied());
        let all: Vec<u64> = all.collect();
        let own = all.iter().filter(|one| **one == root).count();
        if own >= MOST_CHILDREN || all.len() >= MOST_CHILDREN_OF_ALL {
            return Err(format!("{own} processes that it started are debugged already"));
        }
        state.last += 1;
        state.children.push(root);
        Ok(Place { registry: self.clone(), id: state.last, root })
    }
}

impl Default for Debugger {
    fn default() -> Self {
        let events = Events::default();
        let breakpoints = Arc::new(Breakpoints::telling(events.clone()));
        Self(Arc::new(Registry { events, breakpoints, state: Mutex::default() }))
    }
}

impl Debugger {
    /// What comes about in sessions from now on. Needs no runtime: `blocking_recv` waits on a
    /// thread, `recv` in any task. A watcher that is slow holds up nothing.
    #[must_use]
    pub fn watch(&self) -> Receiver<Event> {
        self.0.events.watch()
    }

    /// The workspace's breakpoints.
    #[must_use]
    pub fn breakpoints(&self) -> &Breakpoints {
        &self.0.breakpoints
    }

    /// Every session, the newest last; some may be over.
    #[must_use]
    pub fn sessions(&self) -> Vec<Arc<Session>> {
        self.0.state.lock().sessions.clone()
    }

    /// Whether any session is not over.
    #[must_use]
    pub fn is_debugging(&self) -> bool {
        let state = self.0.state.lock();
        state.starting > 0 || state.running(false).next().is_some()
    }

    /// Starts a session. Called from threads that may wait.
    ///
    /// # Errors
    /// When the adapter or the program does not start; nothing is left of either then.
    pub fn launch(&self, plan: Plan, patience: Patience<'_>) -> Result<Arc<Session>, DebugError> {
        let (id, runtime) = self.begin(&plan)?;
        let started = runtime.block_on(async {
            let breakpoints = self.0.breakpoints.clone();
            let registry = Arc::downgrade(&self.0);
            let start = Session::start(id, plan, registry, breakpoints, patience);
            let wait = Wait { longest: patience.longest, interrupt: patience.interrupt };
            bounded(start, wait).await
        });
        let mut state = self.0.state.lock();
        state.starting -= 1;
        let session = match started {
            Ok(started) => started?,
            Err(crate::client::Failure::Cancelled) => return Err(DebugError::Cancelled),
            Err(_) => {
                let reason = format!("it was not ready within {} ms", patience.longest.as_millis());
                return Err(DebugError::Unreachable { adapter: "the adapter".to_owned(), reason });
            }
        };
        state.add(session.clone());
        drop(state);
        session.tell(self.0.events.clone());
        Ok(session)
    }

    fn begin(&self, plan: &Plan) -> Result<(u64, Handle), DebugError> {
        let mut state = self.0.state.lock();
        if state.running(false).count() + state.starting >= MOST {
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
        self.0.state.lock().sessions.retain(|session| !is_over(session));
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
        let mut state = self.0.state.lock();
        // Each closes its launcher's socket, which ends all that the adapter has started, also
        // where nobody is left to wait for that.
        let sessions = std::mem::take(&mut state.sessions);
        let runtime = state.runtime.take();
        drop(state);
        drop(sessions);
        if let Some(runtime) = runtime {
            runtime.shutdown_background();
        }
    }
}
