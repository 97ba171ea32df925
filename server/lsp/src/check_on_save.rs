//! Checks a project when one of its files is saved, if the setting `check.onSave` is true.
//!
//! The tools `lint` and `typecheck` run one after the other, under the same policy as any call. The
//! client shows what they find by [`crate::check_results`]. A new save cancels the run.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use serde_json::Map;
use tokio::task::AbortHandle;
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
const TIMEOUT: Duration = Duration::from_secs(300);
/// Most saved files that wait to be checked.
const MAX_SAVED: usize = 100;

/// The saved files that are still to be checked.
#[derive(Default)]
pub(crate) struct CheckOnSave(Mutex<CheckState>);

#[derive(Default)]
struct CheckState {
    /// When each file was saved last.
    saved: BTreeMap<PathBuf, Instant>,
    run: Option<AbortHandle>,
    /// Tools that the user has not allowed; they are not asked for again.
    denied: BTreeSet<&'static str>,
}

/// Schedules the checks of a saved file.
pub(crate) fn saved(session: &Arc<Session>, uri: &str) {
    if !session.settings.check_on_save() {
        return;
    }
    let Ok(path) = path_of_uri(uri) else { return };
    if session.workspace.snapshot().locate_absolute(&path).is_err() {
        return;
    }
    let mut state = session.check_on_save.0.lock();
    if state.saved.len() < MAX_SAVED || state.saved.contains_key(&path) {
        state.saved.insert(path, Instant::now());
    }
    // What it had not finished is still in `saved`.
    if let Some(run) = state.run.take() {
        run.abort();
    }
    state.run = Some(session.runtime.spawn(check_saved(session.clone())).abort_handle());
}

async fn check_saved(session: Arc<Session>) {
    tokio::time::sleep(DEBOUNCE).await;
    let saved = session.check_on_save.0.lock().saved.clone();
    for (path, since) in saved {
        for tool in TOOLS {
            let is_denied = session.check_on_save.0.lock().denied.contains(tool);
            let results = session.workspace.check_diagnostics();
            // A linter that compiles has checked the types, too, and those of other saved files.
            if !is_denied && !results.has_checked(&path, tool, since) {
                check(&session, tool, &path).await;
            }
        }
        session.check_on_save.0.lock().saved.remove(&path);
    }
}

async fn check(session: &Arc<Session>, tool: &'static str, path: &Path) {
    let mut arguments = Map::new();
    arguments.insert("path".to_owned(), path.to_string_lossy().into());
    let timeout = u64::try_from(TIMEOUT.as_millis()).unwrap_or(u64::MAX);
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
            session.check_on_save.0.lock().denied.insert(tool);
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
