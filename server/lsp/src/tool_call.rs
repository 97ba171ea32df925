//! One call of a tool, whoever asks for it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use serde_json::{Map, Value};
use tokio::runtime::Handle;
use tokio::sync::OwnedMutexGuard;
use tools::{Caller, Code, Context, Entry, ToolError};
use workspace::Snapshot;

use crate::editor::{Call, LspEditor};
use crate::ingress::Gate;
use crate::live;
use crate::pool::{Interrupt, Panicked};
use crate::progress::Progress;
use crate::session::Session;
use crate::status::UnderWay;

/// What is called for.
pub(crate) struct ToolCall {
    pub(crate) tool: String,
    pub(crate) arguments: Map<String, Value>,
    pub(crate) caller: Caller,
    /// Whether the caller's person has approved it already, so nobody is asked.
    pub(crate) approved: bool,
    /// Whether another server has passed it on, so it is made here.
    pub(crate) is_passed_on: bool,
    /// The workspace as it was when the call came in.
    pub(crate) snapshot: Snapshot,
    pub(crate) gate: Arc<Gate>,
    pub(crate) progress: Progress,
}

impl ToolCall {
    /// Makes the call. Dropping the future cancels it.
    pub(crate) async fn run(self, session: &Arc<Session>) -> Result<Value, ToolError> {
        let session = session.clone();
        let waiting = Waiting::new(&session, &self);
        let writes = tools::find(&self.tool).is_some_and(Entry::needs_write_lock);
        // In the order in which they came, before anything is waited for.
        let mut turn = if writes { Some(session.writes.clone().lock_owned().await) } else { None };
        if let Some(answer) = self.elsewhere(&session, &mut turn).await {
            waiting.over();
            return answer;
        }
        let Self { tool, caller, approved, snapshot, gate, progress, .. } = self;
        let interrupt = Interrupt::new();
        let flag = interrupt.flag();
        let runtime = Handle::current();
        let entry = tools::find(&tool);
        let runs_unsandboxed = entry.is_some_and(Entry::runs_unsandboxed);
        let under_way = UnderWay::new(&session);
        let slot = session.calls.clone().acquire_owned().await;
        // A guest has a queue of its own.
        if caller.front_end.is_empty() {
            session.outbox.room().await;
        }
        let arguments = waiting.over();
        let (pool, name) = (session.clone(), tool.clone());
        let work = move || {
            // Kept until the work has ended, also when nobody waits for it any more.
            let _kept = (slot, under_way);
            let call = Call { interrupt: flag.clone(), gate, turn, approved, progress };
            let editor = LspEditor::new(session.clone(), runtime, call);
            let (workspace, own) = (&session.workspace, session.tools());
            let context = Context::new(workspace, snapshot, &editor, &flag, own).by(caller);
            tools::call(&context, &tool, arguments)
        };
        // No thread behind the wall could set up a sandbox, or a wall around other places.
        let done = if runs_unsandboxed {
            tokio::task::spawn_blocking(move || catch_unwind(AssertUnwindSafe(work)))
                .await
                .map_or(Err(Panicked), |done| done.map_err(|_| Panicked))
        } else {
            pool.pool.call(work).await
        };
        done.unwrap_or_else(|Panicked| Err(failed_inside(&name)))
    }
}

impl ToolCall {
    /// The answer of another server, where the text is that the call is about; it is on record there.
    /// `None` where the call is to be made here: with its turn, if it has one.
    async fn elsewhere(
        &self,
        session: &Arc<Session>,
        turn: &mut Option<OwnedMutexGuard<()>>,
    ) -> Option<Result<Value, ToolError>> {
        let peer = match live::place(session, self).await {
            Ok(peer) => peer?,
            Err(error) => {
                let (own, caller, tool) = (session.clone(), self.caller.clone(), self.tool.clone());
                let told = error.clone();
                session.pool.background(move || tools::refused(own.tools(), &caller, &tool, &told));
                return Some(Err(error));
            }
        };
        let Some(held) = turn.take() else { return live::pass_on(self, &peer).await };
        // Not held meanwhile: the other server may pass on a call to this one.
        drop(held);
        let passing = session.peers.pass().await;
        if let Some(answer) = live::pass_on(self, &peer).await {
            return Some(answer);
        }
        drop(passing);
        *turn = Some(session.writes.clone().lock_owned().await);
        None
    }
}

/// The error of a call that panicked.
fn failed_inside(tool: &str) -> ToolError {
    let message =
        format!("{tool}: failed inside; this is a bug in tandem. Other calls are not affected");
    ToolError::new(Code::Internal, message)
}

/// A call that waits for its turn: given up meanwhile, it is put on record all the same.
struct Waiting {
    session: Arc<Session>,
    caller: Caller,
    tool: String,
    arguments: Option<Value>,
}

impl Waiting {
    fn new(session: &Arc<Session>, call: &ToolCall) -> Self {
        let arguments = Some(Value::from(call.arguments.clone()));
        let (caller, tool) = (call.caller.clone(), call.tool.clone());
        Self { session: session.clone(), caller, tool, arguments }
    }

    /// It waits no more.
    fn over(mut self) -> Value {
        self.arguments.take().unwrap_or_default()
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let Some(arguments) = self.arguments.take() else { return };
        let (session, tool) = (self.session.clone(), std::mem::take(&mut self.tool));
        let (own, caller) = (session.clone(), std::mem::take(&mut self.caller));
        session.pool.background(move || tools::cancelled(own.tools(), &caller, &tool, &arguments));
    }
}
