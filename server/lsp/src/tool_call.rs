//! One tool call, from the client or from a joined client.

use std::sync::Arc;

use serde_json::{Map, Value};
use tools::{AcceptedCall, Caller, CancelGate, ToolError};
use workspace::Snapshot;

use crate::editor::{EditorCall, LspEditor};
use crate::live;
use crate::progress::Progress;
use crate::session::Session;
use crate::status::RunningCall;

/// A tool call to run.
pub(crate) struct ToolCall {
    pub(crate) tool: String,
    pub(crate) arguments: Map<String, Value>,
    pub(crate) caller: Caller,
    /// Whether the user has approved the call already, so there is no prompt.
    pub(crate) approved: bool,
    /// Whether another server forwarded it, so it must run here.
    pub(crate) is_forwarded: bool,
    /// The workspace when the call came in.
    pub(crate) snapshot: Snapshot,
    pub(crate) gate: Arc<CancelGate>,
    pub(crate) progress: Arc<Progress>,
}

impl ToolCall {
    /// Runs the call. Dropping the future cancels it.
    pub(crate) async fn run(self, session: &Arc<Session>) -> Result<Value, ToolError> {
        let call = tools::ToolCall {
            tool: self.tool.clone(),
            arguments: Value::from(self.arguments.clone()),
            caller: self.caller.clone(),
            gate: self.gate.clone(),
        };
        let mut accepted = session.executor.accept(session, call).await;
        match self.run_on_peer(session, &mut accepted).await {
            Ok(None) => {}
            Ok(Some(answer)) => {
                accepted.answered_elsewhere();
                return answer;
            }
            Err(error) => {
                accepted.refuse(&error);
                return Err(error);
            }
        }
        let running = Some(RunningCall::new(session));
        // Joined clients have a queue of their own.
        if self.caller.front_end.is_empty() {
            session.outbox.wait_for_capacity().await;
        }
        let Self { approved, snapshot, progress, .. } = self;
        let session = session.clone();
        let editor = move |control| {
            let call = EditorCall { approved, progress, running };
            LspEditor::new(session, call, control)
        };
        accepted.run(Some(snapshot), editor).await
    }

    /// Runs the call in the server that has the affected text open, which also records it. `None` if it
    /// runs here; then it holds the write lock if it did before.
    ///
    /// # Errors
    /// If the call cannot run anywhere.
    async fn run_on_peer(
        &self,
        session: &Arc<Session>,
        accepted: &mut AcceptedCall<Session>,
    ) -> Result<Option<Result<Value, ToolError>>, ToolError> {
        let Some(peer) = live::choose_peer(session, self).await? else { return Ok(None) };
        // Released meanwhile: the other server may forward a call to this one.
        if !accepted.release_write_lock() {
            return Ok(live::forward_call(self, &peer).await);
        }
        let forwarding = session.peers.lock_forwarding().await;
        if let Some(answer) = live::forward_call(self, &peer).await {
            return Ok(Some(answer));
        }
        drop(forwarding);
        accepted.reacquire_write_lock().await;
        Ok(None)
    }
}
