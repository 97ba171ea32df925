//! Tools, called for a user interface as for an agent: by the rules, and on record.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use serde_json::Value;
use tokio::runtime::Handle;
use tools::{Caller, Context, take_over_session};

use crate::editor::{Call, LspEditor};
use crate::ingress::Gate;
use crate::pool::Interrupt;
use crate::progress::Progress;
use crate::session::Session;
use crate::tool_call::ToolCall;

/// The tool that a person is asked about each time: a process that runs already cannot be confined.
const ATTACH: &str = "debug_attach";

/// Calls a tool. Who sits at a debugger's user interface has started it, so they are not asked again;
/// rules that deny hold. The error is in words for a person.
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
        is_passed_on: false,
        approved: tool != ATTACH,
        snapshot: session.workspace.snapshot(),
        gate: Arc::<Gate>::default(),
        progress: Progress::new(&session.outbox, None, tool.to_owned()),
    };
    call.run(session).await.map_err(|error| match error.hint {
        Some(hint) => format!("{}: {hint}", error.message),
        None => error.message,
    })
}

/// Asks for leave to take a session over.
pub(super) async fn take_over(session: &Arc<Session>, id: u64) -> Result<(), String> {
    let session = session.clone();
    let interrupt = Interrupt::new();
    let flag = interrupt.flag();
    let runtime = Handle::current();
    let asked = tokio::task::spawn_blocking(move || {
        let progress = Progress::new(&session.outbox, None, "debug_take_over".to_owned());
        let gate = Arc::<Gate>::default();
        let call = Call { interrupt: flag.clone(), gate, turn: None, approved: false, progress };
        let editor = LspEditor::new(session.clone(), runtime, call);
        let snapshot = session.workspace.snapshot();
        let context = Context::new(&session.workspace, snapshot, &editor, &flag, session.tools());
        catch_unwind(AssertUnwindSafe(|| take_over_session(&context, id)))
    });
    match asked.await {
        Ok(Ok(Ok(()))) => Ok(()),
        Ok(Ok(Err(error))) => Err(error.message),
        _ => Err("asking for leave has failed".to_owned()),
    }
}
