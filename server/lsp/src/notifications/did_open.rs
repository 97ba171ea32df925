//! `textDocument/didOpen`

use std::sync::Arc;

use tower_lsp_server::ls_types::DidOpenTextDocumentParams;

use crate::session::Session;
use crate::{diagnostics, git, syntax_limits};

pub(crate) fn apply(session: &Arc<Session>, params: DidOpenTextDocumentParams) {
    let item = params.text_document;
    let document =
        session.workspace.open(item.uri.as_str(), &item.language_id, item.version, &item.text);
    syntax_limits::notify_reduced_features(session, &document);
    session.git.record_language(document.uri(), &item.language_id);
    // Compiles the language's queries before they are needed.
    if let Some(language) = document.language().filter(|language| !language.is_warm())
        && let Err(error) = session.threads.spawn_thread("warm", move || language.warm())
    {
        tracing::warn!("no thread to compile queries on: {error}");
    }
    diagnostics::schedule(session, document.clone(), true);
    git::schedule(session, document);
}
