//! Answers that come before the whole workspace has been read.

use std::time::Duration;

use workspace::{IndexProgress, Snapshot};

/// How long a call waits for files that have not been read; then it answers with what is known.
const LONGEST_WAIT: Duration = Duration::from_secs(5);
/// How long a call waits for what only adds to its answer.
const SHORT_WAIT: Duration = Duration::from_millis(150);

/// The snapshot for queries of one call, which then answer within a bounded time.
pub(crate) fn bounded(snapshot: &Snapshot) -> Snapshot {
    snapshot.waiting_at_most(LONGEST_WAIT)
}

/// The snapshot for queries that answer with what has been read within a moment, which is all of a small
/// workspace.
pub(crate) fn as_read(snapshot: &Snapshot) -> Snapshot {
    snapshot.waiting_at_most(SHORT_WAIT)
}

/// The field `reading` of a result: how far the workspace had been read, where the answer did not
/// wait for all of it.
pub(crate) fn reading(snapshot: &Snapshot) -> Option<String> {
    snapshot.unfinished_reading().map(unread)
}

pub(super) fn unread(progress: IndexProgress) -> String {
    format!("{} of {} files read", progress.done, progress.total)
}
