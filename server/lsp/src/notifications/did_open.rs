//! `textDocument/didOpen`

use std::sync::Arc;

use tower_lsp_server::ls_types::DidOpenTextDocumentParams;

use crate::session::Session;
use crate::{diagnostics, git};

pub(crate) fn apply(session: &Arc<Session>, params: DidOpenTextDocumentParams) {
    let item = params.text_document;
    let document =
        session.workspace.open(item.uri.as_str(), &item.language_id, item.version, &item.text);
    session.git.opened(document.uri(), &item.language_id);
    diagnostics::schedule(session, document.clone(), true);
    git::schedule(session, document);
}
