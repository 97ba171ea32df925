//! `workspace/didChangeWatchedFiles`

use std::sync::Arc;

use tower_lsp_server::ls_types::DidChangeWatchedFilesParams;

use crate::indexing;
use crate::session::Session;

pub(crate) fn apply(session: &Arc<Session>, params: DidChangeWatchedFilesParams) {
    session
        .workspace
        .files_changed(params.changes.into_iter().map(|event| event.uri.as_str().to_owned()));
    indexing::index_changed_files(session);
}
