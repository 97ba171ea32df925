//! Calls that a tool makes of other tools.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde_json::Value;
use tokio::runtime::Handle;
use workspace::{Editor, Snapshot};

use crate::approved_calls::ApprovedCalls;
use crate::{Caller, Effect, ToolError};

/// A call to make.
#[derive(Debug, Clone)]
pub struct StepCall {
    /// The tool's canonical name.
    pub tool: String,
    /// Its arguments.
    pub arguments: Value,
    /// What it is: progress is reported as this, and its changes are recorded so.
    pub part: String,
    /// How long it may take.
    pub timeout: Option<Duration>,
}

/// Makes calls of other tools for a call: the steps of a workflow, what a delegated agent needs.
pub trait StepCalls: Send + Sync {
    /// Makes these calls at the same time, and passes the number and outcome of each to `done` as it ends.
    /// What they change is recorded in the history as part of `group`. Must not run on an async runtime's
    /// thread.
    fn call(
        &self,
        calls: Vec<StepCall>,
        approved: &Arc<ApprovedCalls>,
        group: &str,
        done: &mut dyn FnMut(usize, Result<Value, ToolError>),
    );

    /// Has policy, and by it a person, decide on `effects` that no tool has; see
    /// [`approve_more`](crate::approve_more). Must not run on an async runtime's thread.
    ///
    /// # Errors
    /// `E_DENIED`.
    fn approve(&self, name: &str, params: &Value, effects: &[Effect]) -> Result<(), ToolError>;

    /// Makes a call of its own, which is no part of this one: it asks elsewhere than in the editor, may go on in
    /// the background, and is undone alone. Must not run on an async runtime's thread.
    ///
    /// # Errors
    /// The tool's.
    fn call_by_itself(&self, tool: &str, arguments: Value) -> Result<Value, ToolError>;

    /// The workspace as it is now.
    fn snapshot(&self) -> Snapshot;

    /// Makes the calls of another caller.
    fn of_caller(&self, caller: Caller) -> Box<dyn StepCalls>;

    /// What the calls of another workspace are made with.
    fn surroundings(&self) -> Surroundings;
}

/// What calls are made with beside their workspace.
#[derive(Clone)]
pub struct Surroundings {
    pub(crate) runtime: Handle,
    pub(crate) editor: Arc<dyn Editor>,
    pub(crate) interrupt: Arc<AtomicBool>,
    /// Set once the call has been answered: nobody awaits its progress any more.
    pub(crate) is_answered: Arc<AtomicBool>,
}
