//! State that is shared between calls.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::Arc;

use serde_json::Value;
use workspace::Snapshot;

use crate::ToolError;
use crate::audit::{Audit, Feed};
use crate::metric_event::MetricEvent;
use crate::overview::{Overview, OverviewPeriod};
use crate::policy::Policy;
use crate::tool_names::ToolNames;

/// State of a family of tools that outlives a call: debug sessions, running commands, caches.
pub trait FamilyState: Any + Send + Sync {
    /// Ends what must not outlive the session.
    fn stop(&self) {}

    /// Whether it holds what only this process can reach, such as a program that is being debugged.
    fn is_bound_to_process(&self) -> bool {
        false
    }

    /// Learns of an event that `metrics_record` has recorded. Must not block.
    fn metric_recorded(&self, _policy: &Policy, _event: &MetricEvent) {}

    /// Adds what it knows to the figures of an overview.
    ///
    /// # Errors
    /// If its records cannot be read.
    fn add_figures(
        &self,
        _snapshot: &Snapshot,
        _period: OverviewPeriod,
        _overview: &mut Overview,
    ) -> Result<(), ToolError> {
        Ok(())
    }
}

/// The states of all families, one of each type.
pub type FamilyStates = HashMap<TypeId, Box<dyn FamilyState>>;

/// Policy, approvals, audit log and the families' states: one session for each client.
pub struct Session {
    /// The rules and given approvals.
    pub policy: Policy,
    /// The audit log.
    pub audit: Audit,
    /// What happens in sessions with agents: `{session, …}` with the `message`, `plan`, `status` or `ended` that is new.
    pub chat: Arc<Feed<Value>>,
    names: Arc<ToolNames>,
    families: FamilyStates,
}

impl Session {
    /// A session with the user's settings, tightened by those of the workspace of `snapshot`.
    pub(crate) fn with_families(
        snapshot: &Snapshot,
        names: ToolNames,
        families: FamilyStates,
    ) -> Self {
        let names = Arc::new(names);
        Self {
            policy: Policy::new(snapshot, names.clone()),
            audit: Audit::new(snapshot, names.clone()),
            chat: Arc::default(),
            names,
            families,
        }
    }

    /// The names of all tools.
    pub(crate) fn names(&self) -> &ToolNames {
        &self.names
    }

    /// The state of type `T`. Each family registers its states in its `states` function.
    #[allow(clippy::expect_used, reason = "a family that forgot to register fails its first test")]
    ///
    /// # Panics
    /// If it did not.
    pub fn family<T: FamilyState>(&self) -> &T {
        let state = self.families.get(&TypeId::of::<T>()).map(|state| &**state as &dyn Any);
        state.and_then(<dyn Any>::downcast_ref).expect("the family has registered its state")
    }

    /// Passes a recorded event to all families.
    pub fn metric_recorded(&self, event: &MetricEvent) {
        self.families.values().for_each(|state| state.metric_recorded(&self.policy, event));
    }

    /// Has all families add their figures.
    pub fn add_figures(
        &self,
        snapshot: &Snapshot,
        period: OverviewPeriod,
        overview: &mut Overview,
    ) -> Result<(), ToolError> {
        self.families.values().try_for_each(|state| state.add_figures(snapshot, period, overview))
    }

    /// Whether a family holds what only this process can reach, so that calls must not go to another server.
    pub fn is_bound_to_process(&self) -> bool {
        self.families.values().any(|state| state.is_bound_to_process())
    }

    /// Ends everything that outlives a call: debug sessions and their programs.
    pub fn stop(&self) {
        self.families.values().for_each(|state| state.stop());
        self.audit.flush();
    }
}
