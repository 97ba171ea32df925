//! `workspace/didChangeWorkspaceFolders`

use std::sync::Arc;

use tower_lsp_server::ls_types::DidChangeWorkspaceFoldersParams;
use workspace::path_of_uri;

use crate::indexing;
use crate::session::{Session, open_root};

pub(crate) fn apply(session: &Arc<Session>, params: DidChangeWorkspaceFoldersParams) {
    let removed: Vec<_> =
        params.event.removed.iter().filter_map(|f| path_of_uri(f.uri.as_str()).ok()).collect();
    let mut roots = session.workspace.snapshot().roots().to_vec();
    roots.retain(|root| !removed.iter().any(|path| root.is_at(path)));
    for folder in params.event.added {
        let Ok(path) = path_of_uri(folder.uri.as_str()) else { continue };
        if !roots.iter().any(|root| root.is_at(&path)) {
            roots.extend(open_root(&path).map(Arc::new));
        }
    }
    session.threads.replace_roots(&roots);
    session.workspace.set_roots(roots);
    indexing::rebuild(session, None);
    indexing::watch_folders(session);
}
