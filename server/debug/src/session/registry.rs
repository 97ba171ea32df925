//! The list of a client's sessions, to which sessions of child processes are added.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::runtime::Runtime;

use super::Session;
use crate::breakpoints::Breakpoints;
use crate::events::Events;
use crate::phase::SessionPhase;

/// Ended sessions that are kept for their output.
const MAX_ENDED_SESSIONS: usize = 8;

/// Limit of running child sessions of one launch.
const MAX_CHILDREN_PER_LAUNCH: usize = 32;

/// Limit of running child sessions of all launches.
const MAX_CHILDREN: usize = 64;

/// The list of sessions, to which child sessions are added.
pub(crate) struct Registry {
    pub(crate) events: Events,
    pub(crate) breakpoints: Arc<Breakpoints>,
    pub(crate) state: Mutex<RegistryState>,
}

#[derive(Default)]
pub(crate) struct RegistryState {
    /// Created for the first session.
    pub(crate) runtime: Option<Runtime>,
    pub(crate) sessions: Vec<Arc<Session>>,
    pub(crate) starting: usize,
    /// The roots of child sessions that are being started.
    pub(crate) children: Vec<u64>,
    pub(crate) last: u64,
}

impl RegistryState {
    pub(crate) fn running(&self, is_child: bool) -> impl Iterator<Item = &Arc<Session>> {
        self.sessions.iter().filter(move |session| {
            session.parent().is_some() == is_child
                && !matches!(session.phase(), SessionPhase::Ended(_))
        })
    }

    pub(crate) fn add(&mut self, session: Arc<Session>) {
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
