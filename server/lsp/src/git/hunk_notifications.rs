//! Sends hunks to the client after edits and after changes in a repository.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tower_lsp_server::ls_types::notification::Notification;
use tower_lsp_server::ls_types::request::Request;
use workspace::Document;

use super::GitWork;
use super::hunks::{self, Hunks};
use super::options::BlameOptions;
use crate::session::Session;

/// Debounce, so that a burst of changes is sent once.
const DEBOUNCE: Duration = Duration::from_millis(30);
/// Most open documents that are recomputed when a repository changes.
const MAX_RECOMPUTED: usize = 256;

/// `tandem/didChangeHunks`
enum DidChangeHunks {}

impl Notification for DidChangeHunks {
    type Params = serde_json::Value;
    const METHOD: &'static str = "tandem/didChangeHunks";
}

/// Sends a document's hunks after a debounce. A newer version of the document supersedes this.
pub(crate) fn schedule(session: &Arc<Session>, document: Arc<Document>) {
    if !session.git.sends_hunks.load(Ordering::Relaxed) {
        return;
    }
    let session = session.clone();
    tokio::spawn(async move {
        tokio::time::sleep(DEBOUNCE).await;
        send_hunks(&session, document, true).await;
    });
}

/// Recomputes all open documents whenever a repository changes, until the session ends.
pub(crate) fn start(session: &Arc<Session>) {
    let changed = session.git.changed.clone();
    // The task must not keep the session alive.
    let weak = Arc::downgrade(session);
    session.runtime.spawn(async move {
        loop {
            changed.notified().await;
            tokio::time::sleep(DEBOUNCE).await;
            let Some(session) = weak.upgrade() else { return };
            if session.is_stopping.load(Ordering::Relaxed) {
                return;
            }
            recompute_all(&session).await;
        }
    });
}

async fn recompute_all(session: &Arc<Session>) {
    if session.git.sends_hunks.load(Ordering::Relaxed) {
        let open: Vec<_> = session.workspace.snapshot().documents().cloned().collect();
        for document in open.into_iter().take(MAX_RECOMPUTED) {
            send_hunks(session, document, false).await;
        }
    }
    refresh_blame(session, session.git.options.current());
    refresh_content(session);
}

/// Has the client refresh its blame lenses and hints; `before` are the settings they were shown by.
pub(crate) fn refresh_blame(session: &Arc<Session>, before: BlameOptions) {
    let now = session.git.options.current();
    let features = session.features;
    let (lens, inlay) = (before.lens || now.lens, before.inlay || now.inlay);
    let task_session = session.clone();
    session.runtime.spawn(async move {
        // If the client does not answer, further refreshes wait.
        if lens && features.code_lens_refresh {
            let _ = task_session.client.code_lens_refresh().await;
        }
        if inlay && features.inlay_hint_refresh {
            let _ = task_session.client.inlay_hint_refresh().await;
        }
    });
}

/// `workspace/textDocumentContent/refresh`
enum ContentRefresh {}

impl Request for ContentRefresh {
    type Params = serde_json::Value;
    type Result = ();
    const METHOD: &'static str = "workspace/textDocumentContent/refresh";
}

/// Has the client refresh the historic content it shows, since revisions may have moved.
fn refresh_content(session: &Arc<Session>) {
    let shown: Vec<_> = std::mem::take(&mut *session.git.shown_uris.lock()).into_iter().collect();
    let task_session = session.clone();
    session.runtime.spawn(async move {
        for uri in shown {
            let params = serde_json::json!({ "uri": uri });
            if task_session.client.send_request::<ContentRefresh>(params).await.is_err() {
                return;
            }
        }
    });
}

/// Sends a document's hunks, unless it changes meanwhile. Unchanged hunks are sent again only if
/// `force`.
async fn send_hunks(session: &Arc<Session>, document: Arc<Document>, force: bool) {
    let current = || {
        let snapshot = session.workspace.snapshot();
        let now = snapshot.document(document.uri());
        now.is_some_and(|d| d.revision() == document.revision()).then_some(snapshot)
    };
    let Some(snapshot) = current() else { return };
    let (task_session, state) = (session.clone(), document.clone());
    let found = super::run(session, GitWork::Quick, move |_| {
        hunks::document_hunks(&task_session, &snapshot, &state)
    })
    .await;
    let found = match found {
        Ok(Ok(Some(found))) => found,
        // A document that left its repository gets an empty list.
        Ok(Ok(None)) if session.git.sent_digests.lock().contains_key(document.uri()) => Hunks {
            uri: document.uri().to_string(),
            version: document.version(),
            tracked: false,
            conflicted: false,
            state: String::new(),
            hunks: Vec::new(),
            staged: Vec::new(),
            truncated: false,
        },
        Ok(Err(error)) => {
            tracing::debug!("{}: no hunks: {error}", document.uri());
            return;
        }
        _ => return,
    };
    if current().is_none() {
        return;
    }
    let mut hasher = DefaultHasher::new();
    found.hash(&mut hasher);
    let digest = hasher.finish();
    let before = session.git.sent_digests.lock().insert(document.uri().clone(), digest);
    if force || before != Some(digest) {
        session.client.send_notification::<DidChangeHunks>(serde_json::json!(found)).await;
    }
}
