//! Calls that a tool makes of other tools.

use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use crate::ToolError;
use crate::approved_calls::ApprovedCalls;

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

/// Makes the calls of a workflow's steps.
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
}
