//! Checks the project when a file is saved, if the setting `check.onSave` is true.
//!
//! The tools `lint` and `typecheck` run one after the other, under the same policy as any call. The
//! client shows what they find by [`crate::check_results`]. A new save cancels the run.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Map;
use tools::{Caller, CancelGate, Code, ToolError};
use workspace::path_of_uri;

use crate::progress::Progress;
use crate::session::Session;
use crate::tool_call::ToolCall;

/// The checks, the cheapest first.
const TOOLS: [&str; 2] = ["lint", "typecheck"];
/// Debounce after a save: editors save several files at a time.
const DEBOUNCE: Duration = Duration::from_millis(300);
/// Time limit of one check.
const CHECK_TIMEOUT: Duration = Duration::from_secs(300);

/// Schedules the checks of a saved file.
pub(crate) fn schedule(session: &Arc<Session>, uri: &str) {
    if !session.settings.check_on_save() {
        return;
    }
    let Ok(path) = path_of_uri(uri) else { return };
    if session.workspace.snapshot().locate_absolute(&path).is_err() {
        return;
    }
    let start = || session.runtime.spawn(check_saved(session.clone())).abort_handle();
    session.saved_files.add(path, start);
}

async fn check_saved(session: Arc<Session>) {
    tokio::time::sleep(DEBOUNCE).await;
    for (path, since) in session.saved_files.all() {
        for tool in TOOLS {
            // A linter that compiles has checked the types, too, and those of other saved files.
            let is_checked = session.workspace.check_diagnostics().has_checked(&path, tool, since);
            if !is_checked && !session.saved_files.is_denied(tool) {
                check(&session, tool, &path).await;
            }
        }
        session.saved_files.remove(&path, since);
    }
}

async fn check(session: &Arc<Session>, tool: &'static str, path: &Path) {
    let mut arguments = Map::new();
    arguments.insert("path".to_owned(), path.to_string_lossy().into());
    let timeout = u64::try_from(CHECK_TIMEOUT.as_millis()).unwrap_or(u64::MAX);
    arguments.insert("timeout_ms".to_owned(), timeout.into());
    let call = ToolCall {
        tool: tool.to_owned(),
        arguments,
        caller: Caller::default(),
        // As for formatting: the client runs nothing of a workspace that the user does not trust.
        approved: session.features.has_workspace_trust,
        is_forwarded: false,
        snapshot: session.workspace.snapshot(),
        gate: Arc::<CancelGate>::default(),
        progress: Arc::new(Progress::new(&session.outbox, None, tool.to_owned())),
    };
    if let Err(error) = call.run(session).await {
        failed(session, tool, &error);
    }
}

fn failed(session: &Arc<Session>, tool: &'static str, error: &ToolError) {
    match error.code {
        Code::Denied => {
            session.saved_files.deny(tool);
            session.warn(format!(
                "check on save: {}; `{tool}` does not run again until the server restarts",
                error.message
            ));
        }
        // The project has no such check, or its program is not installed.
        Code::Unsupported | Code::Unavailable | Code::ToolNotFound | Code::Cancelled => {
            tracing::debug!("check on save: {}", error.message);
        }
        _ => session.warn(format!("check on save: {}", error.message)),
    }
}
