//! `textDocument/didSave`

use std::sync::Arc;

use tower_lsp_server::ls_types::DidSaveTextDocumentParams;

use crate::check_on_save;
use crate::session::Session;

pub(crate) fn apply(session: &Arc<Session>, params: &DidSaveTextDocumentParams) {
    check_on_save::schedule(session, params.text_document.uri.as_str());
}
