//! `textDocument/didOpen`

use std::sync::Arc;

use tower_lsp_server::ls_types::DidOpenTextDocumentParams;

use crate::diagnostics;
use crate::session::Session;

pub(crate) fn apply(session: &Arc<Session>, params: DidOpenTextDocumentParams) {
    let item = params.text_document;
    let document =
        session.workspace.open(item.uri.as_str(), &item.language_id, item.version, &item.text);
    diagnostics::schedule(session, document, true);
}
