//! Where a delegated agent works: the workspace, or a worktree with a workspace of its own.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;
use tools::{Code, StepCall, StepCalls, ToolError};
use workspace::{Editor, Workspace};

use super::background::Background;

/// A workspace in which tools are called on the agent's behalf.
pub(super) struct Place<'a> {
    pub(super) workspace: &'a Workspace,
    /// Makes calls as the agent's, like those of any client.
    pub(super) calls: &'a dyn StepCalls,
    /// What its changes are recorded as part of.
    pub(super) group: &'a str,
    /// Where the progress goes.
    pub(super) work: Work<'a>,
}

/// How the work was asked for.
#[derive(Clone, Copy)]
pub(super) enum Work<'a> {
    /// The caller waits.
    Awaited { editor: &'a dyn Editor, interrupt: &'a AtomicBool },
    /// The caller does not.
    Background(&'a Background),
}

impl Place<'_> {
    /// Calls a tool.
    pub(super) fn call(&self, tool: &str, arguments: Value) -> Result<Value, ToolError> {
        let (name, part) = (tool.to_owned(), tool.to_owned());
        let call = StepCall { tool: name, arguments, part, timeout: None };
        let mut outcome = None;
        let done = &mut |_, result| outcome = Some(result);
        self.calls.call(vec![call], &Arc::default(), self.group, done);
        outcome.unwrap_or_else(|| {
            Err(ToolError::new(Code::Internal, format!("{tool}: internal error")))
        })
    }

    /// Whether the agent has to end.
    pub(super) fn is_cancelled(&self) -> bool {
        match self.work {
            Work::Awaited { interrupt, .. } => interrupt.load(Ordering::Relaxed),
            Work::Background(background) => background.is_stopped(),
        }
    }

    /// Reports what the agent does now.
    pub(super) fn progress(&self, what: &str) {
        match self.work {
            Work::Awaited { editor, .. } => editor.progress(what),
            Work::Background(background) => background.report(what),
        }
    }
}
