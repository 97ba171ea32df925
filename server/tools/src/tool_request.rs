//! A tool call before policy has decided on it: what policy and audit need to know.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use workspace::{CallBudget, Editor, Snapshot, Workspace};

use crate::approved_calls::ApprovedCalls;
use crate::{Caller, Code, ToolError};

/// A call of a tool, before policy has decided on it.
pub struct ToolRequest<'a> {
    /// The workspace.
    pub workspace: &'a Workspace,
    /// Its state when the call arrived.
    pub snapshot: Snapshot,
    /// The editor, or a substitute without one.
    pub editor: &'a dyn Editor,
    /// Set when the call is cancelled.
    pub interrupt: &'a AtomicBool,
    /// The caller.
    pub caller: Caller,
    /// The calls that were approved together, if this is one of a workflow's.
    pub(crate) approved_calls: Option<Arc<ApprovedCalls>>,
}

impl<'a> ToolRequest<'a> {
    /// A new budget, which ends with this call.
    pub fn budget(&self) -> CallBudget<'a> {
        CallBudget::new(self.interrupt)
    }

    /// An error if the call was cancelled.
    ///
    /// # Errors
    /// `E_CANCELLED`.
    pub fn check_interrupt(&self, tool: &str) -> Result<(), ToolError> {
        if self.interrupt.load(Ordering::Relaxed) {
            let message = format!("{tool}: cancelled; nothing changed");
            return Err(ToolError::new(Code::Cancelled, message));
        }
        Ok(())
    }
}
