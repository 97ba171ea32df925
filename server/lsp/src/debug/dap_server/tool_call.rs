//! Tool calls for a DAP client, under the same policy and audit log as for an agent.

use std::sync::Arc;

use debug_tools::take_over_session;
use serde_json::Value;
use tools::{CallControl, Caller, Context, Panicked};

use crate::editor::{EditorCall, LspEditor};
use crate::progress::Progress;
use crate::session::Session;
use crate::tool_call::ToolCall;

/// This tool always prompts: a process that already runs cannot be sandboxed.
const ATTACH_TOOL: &str = "debug_attach";

/// Calls a tool. The user started the action in their debugger, so they are not prompted again. Deny
/// rules apply. The error is a message for the user.
pub(super) async fn call(
    session: &Arc<Session>,
    tool: &str,
    arguments: Value,
) -> Result<Value, String> {
    let arguments = tools::object(vec![arguments]).map_err(|error| error.message)?;
    let call = ToolCall {
        tool: tool.to_owned(),
        arguments,
        caller: Caller::default(),
        is_forwarded: false,
        approved: tool != ATTACH_TOOL,
        snapshot: session.workspace.snapshot(),
        gate: Arc::default(),
        progress: Arc::new(Progress::new(&session.outbox, None, tool.to_owned())),
    };
    call.run(session).await.map_err(|error| match error.hint {
        Some(hint) => format!("{}: {hint}", error.message),
        None => error.message,
    })
}

/// Requests approval to take a session over.
pub(super) async fn take_over(session: &Arc<Session>, id: u64) -> Result<(), String> {
    let task_session = session.clone();
    let approve = move |control: CallControl| {
        let interrupt = control.interrupt();
        let call = EditorCall {
            approved: false,
            progress: Arc::new(Progress::new(
                &task_session.outbox,
                None,
                "debug_take_over".to_owned(),
            )),
            running: None,
        };
        let session = &*task_session;
        let editor = LspEditor::new(task_session.clone(), call, control);
        let snapshot = session.workspace.snapshot();
        let context =
            Context::new(&session.workspace, snapshot, &editor, &interrupt, session.tools());
        take_over_session(&context, id)
    };
    match session.executor.run_operation(session, false, approve).await {
        Ok(Ok(())) => Ok(()),
        Ok(Err(error)) => Err(error.message),
        Err(Panicked) => Err("the approval request failed".to_owned()),
    }
}
