//! `workspace/didChangeWatchedFiles`

use std::sync::Arc;

use tower_lsp_server::ls_types::DidChangeWatchedFilesParams;

use crate::session::Session;

pub(crate) fn apply(session: &Arc<Session>, params: DidChangeWatchedFilesParams) {
    let background = session.clone();
    session.pool.background(move || {
        let snapshot = background.workspace.snapshot();
        for event in params.changes {
            if let Ok(path) = snapshot.locate(event.uri.as_str()) {
                snapshot.refresh(&path, &background.stop);
            }
        }
    });
}
