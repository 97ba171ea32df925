//! Tells the client of hunks: after its edits, and after changes of a repository by others.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use tower_lsp_server::ls_types::notification::Notification;
use tower_lsp_server::ls_types::request::Request;
use workspace::Document;

use super::Pace;
use super::hunks::{self, Hunks};
use super::options::Blame;
use crate::session::Session;

/// The pause after a change: a burst is told once.
const PAUSE: Duration = Duration::from_millis(30);
/// Most open documents that are looked at again when a repository changes.
const MOST: usize = 256;

/// `tandem/didChangeHunks`
enum DidChangeHunks {}

impl Notification for DidChangeHunks {
    type Params = serde_json::Value;
    const METHOD: &'static str = "tandem/didChangeHunks";
}

/// Tells of a document's hunks once it has stood still for a while. A newer state of the document
/// makes this one void.
pub(crate) fn schedule(session: &Arc<Session>, document: Arc<Document>) {
    if !session.git.tells.load(Ordering::Relaxed) {
        return;
    }
    let session = session.clone();
    tokio::spawn(async move {
        tokio::time::sleep(PAUSE).await;
        tell(&session, document, true).await;
    });
}

/// Looks at all open documents whenever a repository has changed, until the session ends.
pub(crate) fn start(session: &Arc<Session>) {
    let changed = session.git.changed.clone();
    // Whoever watches does not keep the session.
    let weak = Arc::downgrade(session);
    session.runtime.spawn(async move {
        loop {
            changed.notified().await;
            tokio::time::sleep(PAUSE).await;
            let Some(session) = weak.upgrade() else { return };
            if session.stop.load(Ordering::Relaxed) {
                return;
            }
            look_again(&session).await;
        }
    });
}

async fn look_again(session: &Arc<Session>) {
    if session.git.tells.load(Ordering::Relaxed) {
        let open: Vec<_> = session.workspace.snapshot().documents().cloned().collect();
        for document in open.into_iter().take(MOST) {
            tell(session, document, false).await;
        }
    }
    refresh(session, session.git.options.current());
    refresh_content(session);
}

/// Has the client ask again for what is shown of blame, of which `before` was shown so far.
pub(crate) fn refresh(session: &Arc<Session>, before: Blame) {
    let now = session.git.options.current();
    let features = session.features;
    let (lens, inlay) = (before.lens || now.lens, before.inlay || now.inlay);
    let own = session.clone();
    session.runtime.spawn(async move {
        // A client that does not answer is asked no more.
        if lens && features.code_lens_refresh {
            let _ = own.client.code_lens_refresh().await;
        }
        if inlay && features.inlay_hint_refresh {
            let _ = own.client.inlay_hint_refresh().await;
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

/// Has the client ask again for what it shows of history by names that may mean something else now.
fn refresh_content(session: &Arc<Session>) {
    let showed: Vec<_> = std::mem::take(&mut *session.git.showed.lock()).into_iter().collect();
    let own = session.clone();
    session.runtime.spawn(async move {
        for uri in showed {
            let params = serde_json::json!({ "uri": uri });
            if own.client.send_request::<ContentRefresh>(params).await.is_err() {
                return;
            }
        }
    });
}

/// Tells of a document's hunks, unless it has moved on. What was said before is said again where
/// the text is `new`.
async fn tell(session: &Arc<Session>, document: Arc<Document>, new: bool) {
    let current = || {
        let snapshot = session.workspace.snapshot();
        let now = snapshot.document(document.uri());
        now.is_some_and(|d| d.revision() == document.revision()).then_some(snapshot)
    };
    let Some(snapshot) = current() else { return };
    let (own, state) = (session.clone(), document.clone());
    let found = super::ask(session, Pace::Quick, move |_| hunks::of(&own, &snapshot, &state)).await;
    let found = match found {
        Ok(Ok(Some(found))) => found,
        // What lies in no repository any more has no hunks.
        Ok(Ok(None)) if session.git.told.lock().contains_key(document.uri()) => Hunks {
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
    let before = session.git.told.lock().insert(document.uri().clone(), digest);
    if new || before != Some(digest) {
        session.client.send_notification::<DidChangeHunks>(serde_json::json!(found)).await;
    }
}
