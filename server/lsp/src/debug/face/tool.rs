//! Tools, called for a user interface as for an agent: by the rules, and on record.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use serde_json::Value;
use tokio::runtime::Handle;
use tools::{Context, take_over_session};
use tower_lsp_server::ls_types::{ExecuteCommandParams, WorkDoneProgressParams};

use crate::editor::{Call, LspEditor};
use crate::ingress::Gate;
use crate::pool::Interrupt;
use crate::progress::Progress;
use crate::requests::execute_command;
use crate::session::Session;

/// Calls a tool. The error is in words for a person.
pub(super) async fn call(
    session: &Arc<Session>,
    tool: &str,
    arguments: Value,
) -> Result<Value, String> {
    let params = ExecuteCommandParams {
        command: format!("tandem.{tool}"),
        arguments: vec![arguments],
        work_done_progress_params: WorkDoneProgressParams::default(),
    };
    let done = execute_command::answer(session, params).await;
    done.map(Option::unwrap_or_default).map_err(|error| {
        let hint = error.data.as_ref().and_then(|data| data["hint"].as_str());
        match hint {
            Some(hint) => format!("{}: {hint}", error.message),
            None => error.message.into_owned(),
        }
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
        let call = Call { interrupt: flag.clone(), gate, turn: None, progress };
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
