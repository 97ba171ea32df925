//! `workspace/executeCommand`: the tools.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value};
use tools::{Caller, Code, ToolError};
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::{ExecuteCommandParams, ProgressToken, WorkDoneProgressParams};

use crate::error;
use crate::ingress::GATE;
use crate::progress::Progress;
use crate::question::ingress_snapshot;
use crate::session::Session;
use crate::tool_call::ToolCall;

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
    let (tool, arguments) = match asked(params) {
        Ok(asked) => asked,
        Err(error) => {
            let (own, told) = (session.clone(), error.clone());
            let record = move || tools::refused(own.tools(), &Caller::default(), &command, &told);
            let _ = session.pool.call(record).await;
            return Err(error::of_tool(&error));
        }
    };
    run(session, tool, arguments, token, false).await.map(Some)
}

/// The request by which an editor's own extension calls a tool that the person has started by hand.
pub(crate) const BY_PERSON: &str = "tandem/call";

/// What it calls.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CallByPerson {
    tool: String,
    #[serde(default)]
    arguments: Value,
    #[serde(flatten)]
    progress: WorkDoneProgressParams,
}

/// Calls a tool for a person who has just asked for it: they are not asked once more. Rules that deny
/// hold. No command leads here, so that no plugin approves what a model has written.
pub(crate) async fn by_person(session: &Arc<Session>, call: CallByPerson) -> Result<Value> {
    let arguments = tools::object(vec![call.arguments]).map_err(|error| error::of_tool(&error))?;
    run(session, call.tool, arguments, call.progress.work_done_token, true).await
}

/// Calls a tool with its arguments.
pub(crate) async fn run(
    session: &Arc<Session>,
    tool: String,
    arguments: Map<String, Value>,
    token: Option<ProgressToken>,
    approved: bool,
) -> Result<Value> {
    let call = ToolCall {
        arguments,
        caller: Caller::default(),
        is_passed_on: false,
        approved,
        snapshot: ingress_snapshot(session),
        gate: GATE.try_with(Clone::clone).unwrap_or_default(),
        progress: Progress::new(&session.outbox, token, tool.clone()),
        tool,
    };
    call.run(session).await.map_err(|error| error::of_tool(&error))
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
