//! One tool call, from the client or from a joined client.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use serde_json::{Map, Value};
use tokio::runtime::Handle;
use tokio::sync::OwnedMutexGuard;
use tools::{Caller, Code, Context, Entry, ToolError};
use workspace::Snapshot;

use crate::editor::{EditorCall, LspEditor};
use crate::ingress::CancelGate;
use crate::live;
use crate::progress::Progress;
use crate::session::Session;
use crate::session_threads::{Interrupt, Panicked};
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
    pub(crate) progress: Progress,
}

impl ToolCall {
    /// Runs the call. Dropping the future cancels it.
    pub(crate) async fn run(self, session: &Arc<Session>) -> Result<Value, ToolError> {
        let session = session.clone();
        let queued = QueuedCall::new(&session, &self);
        let takes_write_lock = tools::find(&self.tool).is_some_and(Entry::needs_write_lock);
        // Locked before any other await, so that writing calls run in order of arrival.
        let mut write_guard = if takes_write_lock {
            Some(session.write_lock.clone().lock_owned().await)
        } else {
            None
        };
        if let Some(answer) = self.run_on_peer(&session, &mut write_guard).await {
            queued.start();
            return answer;
        }
        let Self { tool, caller, approved, snapshot, gate, progress, .. } = self;
        let interrupt = Interrupt::new();
        let flag = interrupt.flag();
        let runtime = Handle::current();
        let entry = tools::find(&tool);
        let runs_unconfined = entry.is_some_and(Entry::runs_unsandboxed);
        let running = RunningCall::new(&session);
        let permit = session.call_permits.clone().acquire_owned().await;
        // Joined clients have a queue of their own.
        if caller.front_end.is_empty() {
            session.outbox.wait_for_capacity().await;
        }
        let arguments = queued.start();
        let (owner, name) = (session.clone(), tool.clone());
        let work = move || {
            // Held until the work has ended, even if the future was dropped.
            let _kept = (permit, running);
            let call =
                EditorCall { interrupt: flag.clone(), gate, write_guard, approved, progress };
            let editor = LspEditor::new(session.clone(), runtime, call);
            let (workspace, tools) = (&session.workspace, session.tools());
            let context = Context::new(workspace, snapshot, &editor, &flag, tools).by(caller);
            tools::call(&context, &tool, arguments)
        };
        // A thread confined by Landlock cannot set up a sandbox or another ruleset.
        let done = if runs_unconfined {
            tokio::task::spawn_blocking(move || catch_unwind(AssertUnwindSafe(work)))
                .await
                .map_or(Err(Panicked), |done| done.map_err(|_| Panicked))
        } else {
            owner.threads.run_blocking(work).await
        };
        done.unwrap_or_else(|Panicked| Err(panic_error(&name)))
    }
}

impl ToolCall {
    /// Runs the call in the server that has the affected text open, which also records it. `None` if it
    /// runs here; then `write_guard` still holds the write lock if it did before.
    async fn run_on_peer(
        &self,
        session: &Arc<Session>,
        write_guard: &mut Option<OwnedMutexGuard<()>>,
    ) -> Option<Result<Value, ToolError>> {
        let peer = match live::choose_peer(session, self).await {
            Ok(peer) => peer?,
            Err(error) => {
                let (task_session, caller, tool) =
                    (session.clone(), self.caller.clone(), self.tool.clone());
                let refusal = error.clone();
                session.threads.spawn_background(move || {
                    tools::refused(task_session.tools(), &caller, &tool, &refusal)
                });
                return Some(Err(error));
            }
        };
        let Some(guard) = write_guard.take() else { return live::forward_call(self, &peer).await };
        // Released meanwhile: the other server may forward a call to this one.
        drop(guard);
        let forwarding = session.peers.lock_forwarding().await;
        if let Some(answer) = live::forward_call(self, &peer).await {
            return Some(answer);
        }
        drop(forwarding);
        *write_guard = Some(session.write_lock.clone().lock_owned().await);
        None
    }
}

/// The error of a call that panicked.
fn panic_error(tool: &str) -> ToolError {
    let message =
        format!("{tool}: internal error; this is a bug in tandem. Other calls are not affected");
    ToolError::new(Code::Internal, message)
}

/// A queued call. If dropped before it starts, it is recorded as cancelled.
struct QueuedCall {
    session: Arc<Session>,
    caller: Caller,
    tool: String,
    arguments: Option<Value>,
}

impl QueuedCall {
    fn new(session: &Arc<Session>, call: &ToolCall) -> Self {
        let arguments = Some(Value::from(call.arguments.clone()));
        let (caller, tool) = (call.caller.clone(), call.tool.clone());
        Self { session: session.clone(), caller, tool, arguments }
    }

    /// Takes the arguments; the call starts.
    fn start(mut self) -> Value {
        self.arguments.take().unwrap_or_default()
    }
}

impl Drop for QueuedCall {
    fn drop(&mut self) {
        let Some(arguments) = self.arguments.take() else { return };
        let (session, tool) = (self.session.clone(), std::mem::take(&mut self.tool));
        let (task_session, caller) = (session.clone(), std::mem::take(&mut self.caller));
        session.threads.spawn_background(move || {
            tools::cancelled(task_session.tools(), &caller, &tool, &arguments)
        });
    }
}
