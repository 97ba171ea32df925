//! `textDocument/didOpen`

use std::sync::Arc;

use tower_lsp_server::ls_types::DidOpenTextDocumentParams;

use crate::session::Session;
use crate::{diagnostics, git, syntax_limits};

pub(crate) fn apply(session: &Arc<Session>, params: DidOpenTextDocumentParams) {
    let item = params.text_document;
    let document =
        session.workspace.open(item.uri.as_str(), &item.language_id, item.version, &item.text);
    syntax_limits::tell(session, &document);
    session.git.opened(document.uri(), &item.language_id);
    // Its queries are compiled before somebody waits for them, apart from what reads the workspace.
    if let Some(language) = document.language().filter(|language| !language.is_warm())
        && let Err(error) = session.pool.thread("warm", move || language.warm())
    {
        tracing::warn!("no thread to compile queries on: {error}");
    }
    diagnostics::schedule(session, document.clone(), true);
    git::schedule(session, document);
}
