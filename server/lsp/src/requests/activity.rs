//! `tandem/activity`: the calls of tools, and `tandem/didCallTool`, which tells of them.

use serde::{Deserialize, Serialize};
use serde_json::json;
use tools::{Activity, ToolError};
use tower_lsp_server::jsonrpc::{Error, Request};
use workspace::Snapshot;

use crate::error;
use crate::session::Session;

pub(crate) const METHOD: &str = "tandem/activity";
const TOLD: &str = "tandem/didCallTool";

const DEFAULT: usize = 50;
const MOST: usize = 500;

#[derive(Debug, Deserialize)]
pub(crate) struct ActivityParams {
    #[serde(default)]
    limit: Option<usize>,
}

#[derive(Debug, Serialize)]
pub(crate) struct Calls {
    /// Newest first.
    calls: Vec<Activity>,
}

pub(crate) fn answer(
    session: &Session,
    snapshot: &Snapshot,
    params: &ActivityParams,
) -> Result<Calls, Error> {
    let limit = params.limit.unwrap_or(DEFAULT).clamp(1, MOST);
    session.tools().audit.flush();
    let calls = tools::recent_calls(snapshot, limit);
    Ok(Calls { calls: calls.map_err(|error| error::of_tool(&ToolError::from(error)))? })
}

/// Has the client told of every call of `tools`, where it shows them.
pub(crate) fn watch(session: &Session, tools: &tools::Session) {
    let (outbox, status) = (session.outbox.clone(), session.status.clone());
    let (shows, client) = (session.features.activity, session.client_name.clone());
    tools.audit.watch(move |call| {
        status.note(&call);
        // What is left out can be asked for.
        if !shows || outbox.is_full() {
            return;
        }
        let mut told = json!(call);
        if call.client.is_none()
            && let Some(client) = &client
        {
            told["client"] = json!(client);
        }
        outbox.post(&Request::build(TOLD).params(told).finish());
    });
}
