//! Queries while the workspace is still being indexed.

use std::time::Duration;

use workspace::{IndexProgress, Snapshot};

/// How long a call waits for files that are not indexed; then it answers with what is known.
const INDEX_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a call waits for files that only add to its result.
const SHORT_INDEX_TIMEOUT: Duration = Duration::from_millis(150);

/// A snapshot whose queries wait for indexing up to a limit.
pub fn with_index_wait(snapshot: &Snapshot) -> Snapshot {
    snapshot.with_index_timeout(INDEX_TIMEOUT)
}

/// A snapshot whose queries wait a moment only, long enough to index a small workspace.
pub fn with_short_index_wait(snapshot: &Snapshot) -> Snapshot {
    snapshot.with_index_timeout(SHORT_INDEX_TIMEOUT)
}

/// The field `reading` of a result: the progress of indexing, if the query did not wait for its
/// end.
pub fn index_progress(snapshot: &Snapshot) -> Option<String> {
    snapshot.partial_index_progress().map(progress_text)
}

/// The progress as a sentence for people.
#[must_use]
pub fn progress_text(progress: IndexProgress) -> String {
    format!("{} of {} files read", progress.done, progress.total)
}
