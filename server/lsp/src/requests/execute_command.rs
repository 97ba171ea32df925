//! `workspace/executeCommand`: tool calls.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value};
use tools::{Caller, Code, Dialect, ToolError};
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{ExecuteCommandParams, ProgressToken, WorkDoneProgressParams};

use crate::error;
use crate::ingress::GATE;
use crate::progress::Progress;
use crate::request_context::ingress_snapshot;
use crate::session::Session;
use crate::tool_call::ToolCall;

const COMMAND_PREFIX: &str = "tandem.";
const CALL_COMMAND: &str = "call";

/// All commands, for the server capabilities.
pub(crate) fn commands() -> Vec<String> {
    let names = tools::registry().iter().flat_map(|t| t.aliases.iter().copied().chain([t.name]));
    let mut names: Vec<_> =
        names.chain([CALL_COMMAND]).map(|name| format!("{COMMAND_PREFIX}{name}")).collect();
    names.sort_unstable();
    names
}

pub(crate) async fn answer(
    session: &Arc<Session>,
    params: ExecuteCommandParams,
) -> Result<Option<Value>> {
    let token = params.work_done_progress_params.work_done_token.clone();
    let command = params.command.clone();
    let (tool, arguments, dialect) = match parse_command(params) {
        Ok(parsed) => parsed,
        Err(error) => {
            let (task_session, recorded) = (session.clone(), error.clone());
            let record = move || {
                tools::refused(task_session.tools(), &Caller::default(), &command, &recorded)
            };
            let _ = session.threads.run_blocking(record).await;
            return Err(error::from_tool_error(&error));
        }
    };
    match dialect {
        None => run(session, tool, arguments, token, false).await.map(Some),
        Some(dialect) => run_in_dialect(session, &dialect, &tool, arguments, token).await.map(Some),
    }
}

/// Calls a tool by its name in a dialect.
async fn run_in_dialect(
    session: &Arc<Session>,
    dialect: &Arc<Dialect>,
    tool: &str,
    arguments: Map<String, Value>,
    token: Option<ProgressToken>,
) -> Result<Value> {
    let call = dialect.translate(tool, arguments.into()).map_err(error::from_dialect_error)?;
    let (tool, arguments) = (call.tool().to_owned(), call.arguments());
    let outcome = run_tool(session, tool, arguments, token, false).await;
    call.outcome(outcome.map_err(|error| error.data())).map_err(error::from_dialect_error)
}

/// The request by which an editor extension runs a tool that the user started.
pub(crate) const USER_CALL_METHOD: &str = "tandem/call";

/// The parameters of that request.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct UserCallParams {
    tool: String,
    #[serde(default)]
    arguments: Value,
    #[serde(flatten)]
    progress: WorkDoneProgressParams,
}

/// Calls a tool that the user has just started, so there is no prompt. Deny rules apply. This is not
/// reachable as a command, so that no plugin approves what a model wrote.
pub(crate) async fn run_user_call(session: &Arc<Session>, call: UserCallParams) -> Result<Value> {
    let arguments =
        tools::object(vec![call.arguments]).map_err(|error| error::from_tool_error(&error))?;
    run(session, call.tool, arguments, call.progress.work_done_token, true).await
}

/// Calls a tool.
pub(crate) async fn run(
    session: &Arc<Session>,
    tool: String,
    arguments: Map<String, Value>,
    token: Option<ProgressToken>,
    approved: bool,
) -> Result<Value> {
    let outcome = run_tool(session, tool, arguments, token, approved).await;
    outcome.map_err(|error| error::from_tool_error(&error))
}

async fn run_tool(
    session: &Arc<Session>,
    tool: String,
    arguments: Map<String, Value>,
    token: Option<ProgressToken>,
    approved: bool,
) -> std::result::Result<Value, ToolError> {
    let (tool, arguments) = match tools::resolve(tool, arguments.into()) {
        (tool, Value::Object(arguments)) => (tool, arguments),
        (tool, _) => (tool, Map::new()),
    };
    let call = ToolCall {
        arguments,
        caller: Caller::default(),
        is_forwarded: false,
        approved,
        snapshot: ingress_snapshot(session),
        gate: GATE.try_with(|gate| gate.call.clone()).unwrap_or_default(),
        progress: Arc::new(Progress::new(&session.outbox, token, tool.clone())),
        tool,
    };
    call.run(session).await
}

/// The tool, its arguments and its dialect.
type ParsedCommand = (String, Map<String, Value>, Option<Arc<Dialect>>);

fn parse_command(params: ExecuteCommandParams) -> std::result::Result<ParsedCommand, ToolError> {
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
    let Some(name) = params.command.strip_prefix(COMMAND_PREFIX) else {
        let shown: String = params.command.chars().take(60).collect();
        return Err(ToolError::new(Code::ToolNotFound, format!("unknown command `{shown}`"))
            .hint("commands are named `tandem.<tool>`"));
    };
    if name != CALL_COMMAND {
        return Ok((name.to_owned(), arguments, None));
    }
    let call: Call = serde_json::from_value(arguments.into())
        .map_err(|e| ToolError::new(Code::InvalidParams, format!("tandem.call: {e}")))?;
    let dialect = call.dialect.as_deref().map(tools::dialect).transpose()?;
    Ok((call.tool, tools::object(vec![call.arguments])?, dialect))
}
