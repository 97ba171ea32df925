//! Where a delegated agent works: the workspace, or a worktree with a workspace of its own.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use serde_json::Value;
use tools::{Caller, Code, ConfineThread, Context, Session, ToolError};
use workspace::{
    ApprovalDecision, ApprovalRequest, DocumentEdit, Editor, EditorError, NoAnswer, ShowError,
    ShowRequest, Workspace,
};

/// A workspace in which tools are called on the agent's behalf.
pub(super) struct Place<'a> {
    pub(super) workspace: &'a Workspace,
    pub(super) session: &'a Session,
    pub(super) editor: &'a dyn Editor,
    pub(super) interrupt: &'a AtomicBool,
    pub(super) caller: Caller,
    pub(super) confine: ConfineThread,
}

impl Place<'_> {
    /// The context of a call that begins now.
    pub(super) fn context(&self) -> Context<'_> {
        let snapshot = self.workspace.snapshot();
        let context =
            Context::new(self.workspace, snapshot, self.editor, self.interrupt, self.session);
        context.by(self.caller.clone())
    }

    /// Calls a tool as the front ends do: policy, approval and the record are the same.
    pub(super) fn call(&self, tool: &str, params: Value) -> Result<Value, ToolError> {
        if tools::find(tool).is_some_and(tools::Entry::runs_unsandboxed) {
            return tools::call(&self.context(), tool, params);
        }
        let confined = || {
            (self.confine)();
            tools::call(&self.context(), tool, params)
        };
        std::thread::scope(|scope| scope.spawn(confined).join()).unwrap_or_else(|_| {
            Err(ToolError::new(Code::Internal, format!("{tool}: internal error")))
        })
    }
}

/// Confines threads to the roots of a workspace.
pub(super) fn confine(workspace: &Workspace) -> ConfineThread {
    let snapshot = workspace.snapshot();
    tools::confine_to(snapshot.roots().iter().map(Arc::as_ref)).0
}

/// The editor of a worktree: it has no open documents, and the person of the delegating call is asked.
pub(super) struct Person<'a>(pub(super) &'a dyn Editor);

impl Editor for Person<'_> {
    fn can_apply(&self) -> bool {
        false
    }

    fn apply(&self, _: &str, _: &[DocumentEdit]) -> Result<(), EditorError> {
        Err(EditorError::Unsupported)
    }

    fn request_approval(&self, request: &ApprovalRequest) -> Result<ApprovalDecision, NoAnswer> {
        self.0.request_approval(request)
    }

    fn show(&self, _: &ShowRequest) -> Result<(), ShowError> {
        Err(ShowError::NoEditor)
    }
}
