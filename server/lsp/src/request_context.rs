//! The context that a request handler runs in.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use tower_lsp_server::ls_types::TextDocumentPositionParams;
use workspace::{Document, Snapshot};

use crate::convert::position_from_lsp;
use crate::ingress::REQUEST_SNAPSHOT;
use crate::session::Session;

/// The session, snapshot and cancellation flag of one request.
pub(crate) struct RequestContext<'a> {
    pub(crate) session: &'a Arc<Session>,
    /// The workspace as it was when the request came in.
    pub(crate) snapshot: Snapshot,
    /// Set once the request is cancelled.
    pub(crate) interrupt: &'a AtomicBool,
}

impl RequestContext<'_> {
    /// The document at a position, open or on disk, and the position's byte offset.
    pub(crate) fn document_at(
        &self,
        params: &TextDocumentPositionParams,
    ) -> Option<(Arc<Document>, usize)> {
        let document = self.snapshot.document_or_file(params.text_document.uri.as_str())?;
        let position = position_from_lsp(params.position);
        let offset = document.text().offset(position, self.session.encoding);
        Some((document, offset))
    }
}

/// The snapshot taken when the request came in.
pub(crate) fn ingress_snapshot(session: &Session) -> Snapshot {
    REQUEST_SNAPSHOT
        .try_with(Clone::clone)
        .ok()
        .flatten()
        .unwrap_or_else(|| session.workspace.snapshot())
}
