//! `workspace/executeCommand`: the tools.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value};
use tokio::runtime::Handle;
use tools::{Code, Context, Entry, ToolError};
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::ExecuteCommandParams;

use crate::editor::{Call, LspEditor};
use crate::error;
use crate::ingress::GATE;
use crate::pool::{Interrupt, Panicked};
use crate::progress::Progress;
use crate::question::ingress_snapshot;
use crate::session::Session;
use crate::status::UnderWay;

const PREFIX: &str = "tandem.";
const CALL: &str = "call";

/// Every command, for the capabilities.
pub(crate) fn commands() -> Vec<String> {
    let names = tools::registry().iter().flat_map(|t| t.aliases.iter().copied().chain([t.name]));
    let mut names: Vec<_> = names.chain([CALL]).map(|name| format!("{PREFIX}{name}")).collect();
    names.sort_unstable();
    names
}

pub(crate) async fn answer(
    session: &Arc<Session>,
    params: ExecuteCommandParams,
) -> Result<Option<Value>> {
    let token = params.work_done_progress_params.work_done_token.clone();
    let command = params.command.clone();
    let session = session.clone();
    let (tool, arguments) = match asked(params) {
        Ok(asked) => asked,
        Err(error) => {
            let (own, told) = (session.clone(), error.clone());
            let record = move || tools::refused(own.tools(), &command, &told);
            let _ = session.pool.call(record).await;
            return Err(error::of_tool(&error));
        }
    };
    let snapshot = ingress_snapshot(&session);
    let gate = GATE.try_with(Clone::clone).unwrap_or_default();
    let interrupt = Interrupt::new();
    let flag = interrupt.flag();
    let runtime = Handle::current();
    let entry = tools::find(&tool);
    let writes = entry.is_some_and(Entry::takes_turn);
    let is_outside_wall = entry.is_some_and(Entry::is_outside_wall);
    let under_way = UnderWay::new(&session);
    let waiting = Waiting::new(&session, &tool, arguments);
    let turn = if writes { Some(session.writes.clone().lock_owned().await) } else { None };
    let slot = session.calls.clone().acquire_owned().await;
    let arguments = waiting.over();
    let pool = session.clone();
    let work = move || {
        // Kept until the work has ended, also when nobody waits for it any more.
        let _kept = (slot, under_way);
        let progress = Progress::new(&session.outbox, token, tool.clone());
        let call = Call { interrupt: flag.clone(), gate, turn, progress };
        let editor = LspEditor::new(session.clone(), runtime, call);
        let context = Context::new(&session.workspace, snapshot, &editor, &flag, session.tools());
        tools::call(&context, &tool, arguments)
    };
    // No thread behind the wall could set up a sandbox, or a wall around other places.
    let done = if is_outside_wall {
        tokio::task::spawn_blocking(move || catch_unwind(AssertUnwindSafe(work)))
            .await
            .map_or(Err(Panicked), |done| done.map_err(|_| Panicked))
    } else {
        pool.pool.call(work).await
    };
    match done {
        Ok(result) => result.map(Some).map_err(|e| error::of_tool(&e)),
        Err(Panicked) => Err(error::panicked("workspace/executeCommand")),
    }
}

/// A call that waits for its turn: given up meanwhile, it is put on record all the same.
struct Waiting {
    session: Arc<Session>,
    tool: String,
    arguments: Option<Value>,
}

impl Waiting {
    fn new(session: &Arc<Session>, tool: &str, arguments: Map<String, Value>) -> Self {
        let arguments = Some(Value::from(arguments));
        Self { session: session.clone(), tool: tool.to_owned(), arguments }
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
        let own = session.clone();
        session.pool.background(move || tools::cancelled(own.tools(), &tool, &arguments));
    }
}

/// The tool and the parameters that a command means.
fn asked(
    params: ExecuteCommandParams,
) -> std::result::Result<(String, Map<String, Value>), ToolError> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Call {
        tool: String,
        #[serde(default)]
        arguments: Value,
        #[serde(default)]
        dialect: Option<String>,
    }

    let arguments = tools::object(params.arguments)?;
    let Some(name) = params.command.strip_prefix(PREFIX) else {
        let shown: String = params.command.chars().take(60).collect();
        return Err(ToolError::new(Code::ToolNotFound, format!("there is no command `{shown}`"))
            .hint("commands are called `tandem.<tool>`"));
    };
    if name != CALL {
        return Ok((name.to_owned(), arguments));
    }
    let call: Call = serde_json::from_value(arguments.into())
        .map_err(|e| ToolError::new(Code::InvalidParams, format!("tandem.call: {e}")))?;
    if let Some(dialect) = call.dialect {
        let shown: String = dialect.chars().take(60).collect();
        return Err(ToolError::new(Code::InvalidParams, format!("there is no dialect `{shown}`"))
            .hint("leave `dialect` out for the canonical names"));
    }
    Ok((call.tool, tools::object(vec![call.arguments])?))
}
