//! Syntax errors, published after a pause.

use std::sync::Arc;
use std::time::Duration;

use tower_lsp_server::ls_types::{Diagnostic, DiagnosticSeverity};
use workspace::Document;

use crate::convert::{range_to_lsp, uri_to_lsp};
use crate::session::Session;

/// Most diagnostics of one document.
const MOST: usize = 200;
/// The pause after a change: while a person types, nothing flickers.
const PAUSE: Duration = Duration::from_millis(200);
/// The pause after opening, in which an editor may still send a burst.
const SHORT_PAUSE: Duration = Duration::from_millis(20);

/// Publishes the errors of `document` once it has stood still for a while, and takes it up in the
/// index. A newer state of the document makes this one void.
pub(crate) fn schedule(session: &Arc<Session>, document: Arc<Document>, opened: bool) {
    let session = session.clone();
    tokio::spawn(async move {
        tokio::time::sleep(if opened { SHORT_PAUSE } else { PAUSE }).await;
        let current = |session: &Session| {
            let snapshot = session.workspace.snapshot();
            let now = snapshot.document(document.uri());
            now.is_some_and(|d| d.revision() == document.revision()).then_some(snapshot)
        };
        let Some(snapshot) = current(&session) else { return };
        let (state, encoding) = (document.clone(), session.encoding);
        let computed = session.pool.ask(move |interrupt| {
            let syntax = state.syntax(interrupt)?;
            let diagnostics: Vec<_> = syntax
                .errors(MOST)
                .into_iter()
                .map(|error| Diagnostic {
                    range: range_to_lsp(state.text(), error.span, encoding),
                    severity: Some(DiagnosticSeverity::ERROR),
                    source: Some("tandem".to_owned()),
                    message: error.message,
                    ..Diagnostic::default()
                })
                .collect();
            snapshot.index_document(&state, interrupt);
            Some(diagnostics)
        });
        let Ok(Some(diagnostics)) = computed.await else { return };
        if current(&session).is_some()
            && let Some(uri) = uri_to_lsp(document.uri())
        {
            let version = Some(document.version());
            session.client.publish_diagnostics(uri, diagnostics, version).await;
        }
    });
}

/// Takes back what was published for a document that was closed.
pub(crate) fn clear(session: &Arc<Session>, document: &Document) {
    let Some(uri) = uri_to_lsp(document.uri()) else { return };
    let session = session.clone();
    tokio::spawn(async move {
        session.client.publish_diagnostics(uri, Vec::new(), None).await;
    });
}
