//! Parses and highlights documents in the background, then has the client refresh its tokens.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use crate::session::Session;

/// How long highlighting waits for a new parse while the user types. After that, if the client supports
/// refresh, highlights come from the previous tree. The interrupted parse is discarded, so this exceeds
/// the time of an incremental parse in 100,000 lines.
pub(crate) const HIGHLIGHT_PARSE_TIMEOUT: Duration = Duration::from_millis(40);
/// Time for highlighting embedded languages that were not parsed before.
pub(crate) const INJECTION_TIMEOUT: Duration = Duration::from_millis(20);
/// How long an outline waits for a parse. LSP has no refresh request for outlines.
pub(crate) const OUTLINE_PARSE_TIMEOUT: Duration = Duration::from_secs(2);

/// The documents with a running background parse.
#[derive(Default)]
pub(crate) struct PendingParses(Mutex<HashSet<Arc<str>>>);

/// Removes its document from the set when dropped.
struct PendingGuard<'a>(&'a Session, Arc<str>);

impl Drop for PendingGuard<'_> {
    fn drop(&mut self) {
        self.0.pending_parses.0.lock().remove(&self.1);
    }
}

/// Parses the current state of a document to the end, then has the client refresh its tokens.
pub(crate) fn spawn(session: &Arc<Session>, uri: &Arc<str>) {
    spawn_job(session, uri, false);
}

/// Like [`spawn`], and computes all highlights before the refresh.
pub(crate) fn spawn_with_highlights(session: &Arc<Session>, uri: &Arc<str>) {
    spawn_job(session, uri, true);
}

fn spawn_job(session: &Arc<Session>, uri: &Arc<str>, with_highlights: bool) {
    if !session.pending_parses.0.lock().insert(uri.clone()) {
        return;
    }
    let (task_session, uri) = (session.clone(), uri.clone());
    let failed = (session.clone(), uri.clone());
    let work = move || {
        parse_to_current(&task_session, uri, with_highlights);
        if task_session.features.token_refresh {
            let client = task_session.client.clone();
            task_session.runtime.spawn(async move {
                let _ = client.semantic_tokens_refresh().await;
            });
        }
    };
    if let Err(error) = session.threads.spawn_thread("parse", work) {
        tracing::error!("no thread to parse on: {error}");
        drop(PendingGuard(&failed.0, failed.1));
    }
}

fn parse_to_current(session: &Session, uri: Arc<str>, with_highlights: bool) {
    let pending = PendingGuard(session, uri);
    loop {
        let snapshot = session.workspace.snapshot();
        let Some(document) = snapshot.document(&pending.1) else { return };
        if document.syntax(&session.is_stopping).is_none() {
            return;
        }
        let (length, limits) = (document.text().len(), session.syntax_limits.current());
        if with_highlights && length <= limits.tokens {
            // Embedded languages, which the time limit had left out.
            let injections = length <= limits.injections;
            if document.highlights(0..length, injections, &session.is_stopping).is_none() {
                return;
            }
        }
        // Checked under the lock: a later change of the document finds no entry and spawns again.
        let mut pending_set = session.pending_parses.0.lock();
        let now = session.workspace.snapshot();
        if now.document(&pending.1).is_none_or(|now| now.revision() == document.revision()) {
            pending_set.remove(&pending.1);
            return;
        }
    }
}
