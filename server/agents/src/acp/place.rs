//! Where an agent works: the workspace, or a worktree with a workspace of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;
use tools::{Code, StepCall, StepCalls, ToolError};
use workspace::{Editor, Workspace};

/// A workspace in which tools are called on the agent's behalf.
pub(crate) struct Place<'a> {
    /// The tool that the agent works for.
    pub(crate) tool: &'static str,
    pub(crate) workspace: &'a Workspace,
    /// Makes calls as the agent's, like those of any client.
    pub(crate) calls: &'a dyn StepCalls,
    /// What its changes are recorded as part of.
    pub(crate) group: &'a str,
    /// Where the progress goes.
    pub(crate) work: &'a dyn Work,
}

/// The call that an agent works for.
pub(crate) trait Work {
    /// Whether the agent has to end.
    fn is_cancelled(&self) -> bool;

    /// Reports what the agent does now.
    fn progress(&self, what: &str);
}

/// Work that the caller waits for.
pub(crate) struct Awaited<'a> {
    pub(crate) editor: &'a dyn Editor,
    pub(crate) interrupt: &'a AtomicBool,
}

impl Work for Awaited<'_> {
    fn is_cancelled(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }

    fn progress(&self, what: &str) {
        self.editor.progress(what);
    }
}

impl Place<'_> {
    /// Calls a tool.
    pub(crate) fn call(&self, tool: &str, arguments: Value) -> Result<Value, ToolError> {
        let (name, part) = (tool.to_owned(), tool.to_owned());
        let call = StepCall { tool: name, arguments, part, timeout: None };
        let mut outcome = None;
        let done = &mut |_, result| outcome = Some(result);
        self.calls.call(vec![call], &Arc::default(), self.group, done);
        outcome.unwrap_or_else(|| {
            Err(ToolError::new(Code::Internal, format!("{tool}: internal error")))
        })
    }
}
