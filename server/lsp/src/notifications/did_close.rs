//! `textDocument/didClose`

use std::sync::Arc;

use tower_lsp_server::ls_types::DidCloseTextDocumentParams;

use crate::diagnostics;
use crate::session::Session;

pub(crate) fn apply(session: &Arc<Session>, params: &DidCloseTextDocumentParams) {
    let Some(document) = session.workspace.close(params.text_document.uri.as_str()) else {
        return;
    };
    diagnostics::clear(session, &document);
    session.sent_tokens.forget(document.uri());
    session.syntax_limits.forget(document.uri());
    session.git.forget(document.uri());
    session.workspace.editor_diagnostics().forget(document.uri());
    let background = session.clone();
    session.threads.spawn_background(move || {
        background.workspace.snapshot().apply_file_changes(&background.is_stopping);
        background.workspace.drop_closed_document(document);
    });
}
