//! What a request's handler is given.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use workspace::Snapshot;

use crate::ingress::SNAPSHOT;
use crate::session::Session;

/// What a request's handler works on.
pub(crate) struct Question<'a> {
    pub(crate) session: &'a Arc<Session>,
    /// The workspace as it was when the request came in.
    pub(crate) snapshot: Snapshot,
    /// Set once nobody wants the answer any more.
    pub(crate) interrupt: &'a AtomicBool,
}

/// The snapshot taken when the request came in.
pub(crate) fn ingress_snapshot(session: &Session) -> Snapshot {
    SNAPSHOT.try_with(Clone::clone).ok().flatten().unwrap_or_else(|| session.workspace.snapshot())
}
