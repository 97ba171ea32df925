//! `tandem/activity` lists recent tool calls; `tandem/didCallTool` reports each one.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::json;
use tools::{Activity, ToolError};
use tower_lsp_server::jsonrpc::{Error, Request};
use workspace::Snapshot;

use crate::error;
use crate::request_context::ingress_snapshot;
use crate::session::Session;

pub(crate) const METHOD: &str = "tandem/activity";
const NOTIFICATION: &str = "tandem/didCallTool";

const DEFAULT_LIMIT: usize = 50;
const MAX_LIMIT: usize = 500;

#[derive(Debug, Deserialize)]
pub(crate) struct ActivityParams {
    #[serde(default)]
    limit: Option<usize>,
}

#[derive(Debug, Serialize)]
pub(crate) struct RecentCalls {
    /// Newest first.
    calls: Vec<Activity>,
}

pub(crate) async fn answer(
    session: &Arc<Session>,
    params: ActivityParams,
) -> Result<RecentCalls, Error> {
    let (snapshot, owner) = (ingress_snapshot(session), session.clone());
    let work = move || recent_calls(&owner, &snapshot, &params);
    session.threads.run_blocking(work).await.map_err(|_| error::panicked(METHOD))?
}

fn recent_calls(
    session: &Session,
    snapshot: &Snapshot,
    params: &ActivityParams,
) -> Result<RecentCalls, Error> {
    let limit = params.limit.unwrap_or(DEFAULT_LIMIT).clamp(1, MAX_LIMIT);
    session.tools().audit.flush();
    let calls = tools::recent_calls(snapshot, limit);
    Ok(RecentCalls {
        calls: calls.map_err(|error| error::from_tool_error(&ToolError::from(error)))?,
    })
}

/// Notifies the client of every tool call, if it shows them.
pub(crate) fn watch(session: &Session, tools: &tools::Session) {
    let (outbox, status) = (session.outbox.clone(), session.status.clone());
    let (shows, client) = (session.features.activity, session.client_name.clone());
    tools.audit.activities().follow_forever(move |call| {
        status.record_failure(call);
        // Dropped ones can be queried.
        if !shows || outbox.is_full() {
            return;
        }
        let mut notification = json!(call);
        if call.client.is_none()
            && let Some(client) = &client
        {
            notification["client"] = json!(client);
        }
        outbox.post(&Request::build(NOTIFICATION).params(notification).finish());
    });
}
