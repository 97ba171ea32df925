//! All limits of this crate, with their reasons.

use std::time::Duration;

/// Connections at a time; more are closed at once. A browser opens six for a page.
pub(crate) const MAX_CONNECTIONS: usize = 32;
/// How long the header of a request may take.
pub(crate) const HEADER_TIMEOUT: Duration = Duration::from_secs(10);
/// Size of the header of a request, in bytes: browsers send all cookies of `localhost`.
pub(crate) const MAX_HEADER_BYTES: usize = 64 << 10;
/// Size of a request, in bytes: a message to an agent has 64 KB, which JSON may double.
pub(crate) const MAX_BODY_BYTES: usize = 256 << 10;
/// How long the body of a request may take.
pub(crate) const BODY_TIMEOUT: Duration = Duration::from_secs(10);
/// Calls of pages that run at a time; each has a thread.
pub(crate) const MAX_CALLS: usize = 16;
/// Events that wait for a page, in bytes. One that leaves more waiting is disconnected, and begins anew.
pub(crate) const MAX_QUEUED_BYTES: usize = 4 << 20;
/// Calls that a page gets first.
pub(crate) const MAX_RECENT: usize = 200;
/// How often pages learn of the server's memory. It also shows that a page is gone.
pub(crate) const HEALTH_INTERVAL: Duration = Duration::from_secs(2);
/// How long connections get to end when the server stops.
pub(crate) const STOP_TIMEOUT: Duration = Duration::from_millis(300);
