//! `textDocument/didChange`

use std::sync::Arc;

use tower_lsp_server::ls_types::DidChangeTextDocumentParams;

use crate::convert::change_from_lsp;
use crate::session::Session;
use crate::{diagnostics, git, late_edits};

pub(crate) fn apply(session: &Arc<Session>, params: DidChangeTextDocumentParams) {
    let uri = params.text_document.uri;
    let version = params.text_document.version;
    let changes: Vec<_> = params.content_changes.into_iter().map(change_from_lsp).collect();
    match session.workspace.change(uri.as_str(), version, &changes, session.encoding) {
        None => session.warn(format!("{}: changed, but not open: ignored", uri.as_str())),
        Some((document, changed)) => {
            if changed.clamped {
                let uri = uri.as_str();
                session
                    .warn(format!("{uri}: version {version} changes what is not there: clamped"));
            }
            if changed.stale {
                tracing::warn!("{}: version {version} is not newer: applied", uri.as_str());
            }
            diagnostics::schedule(session, document.clone(), false);
            git::schedule(session, document);
            late_edits::revert(session);
        }
    }
}
