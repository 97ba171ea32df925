//! `workspace/executeCommand`: the tools.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Map, Value};
use tools::{Caller, Code, ToolError};
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::ExecuteCommandParams;

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
    let Asked { tool, arguments, approved } = match asked(params) {
        Ok(asked) => asked,
        Err(error) => {
            let (own, told) = (session.clone(), error.clone());
            let record = move || tools::refused(own.tools(), &Caller::default(), &command, &told);
            let _ = session.pool.call(record).await;
            return Err(error::of_tool(&error));
        }
    };
    let call = ToolCall {
        arguments,
        caller: Caller::default(),
        approved,
        snapshot: ingress_snapshot(session),
        gate: GATE.try_with(Clone::clone).unwrap_or_default(),
        progress: Progress::new(&session.outbox, token, tool.clone()),
        tool,
    };
    call.run(session).await.map(Some).map_err(|error| error::of_tool(&error))
}

/// What a command means.
struct Asked {
    tool: String,
    arguments: Map<String, Value>,
    approved: bool,
}

fn asked(params: ExecuteCommandParams) -> std::result::Result<Asked, ToolError> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Call {
        tool: String,
        #[serde(default)]
        arguments: Value,
        /// The person started it themselves, so they are not asked. Rules that deny hold.
        #[serde(default)]
        approved: bool,
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
        return Ok(Asked { tool: name.to_owned(), arguments, approved: false });
    }
    let call: Call = serde_json::from_value(arguments.into())
        .map_err(|e| ToolError::new(Code::InvalidParams, format!("tandem.call: {e}")))?;
    if let Some(dialect) = call.dialect {
        let shown: String = dialect.chars().take(60).collect();
        return Err(ToolError::new(Code::InvalidParams, format!("there is no dialect `{shown}`"))
            .hint("leave `dialect` out for the canonical names"));
    }
    let arguments = tools::object(vec![call.arguments])?;
    Ok(Asked { tool: call.tool, arguments, approved: call.approved })
}
