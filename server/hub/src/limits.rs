//! All limits of this crate, with their reasons.

use std::time::Duration;

/// Connections at a time; more are closed at once. Each has a task and at most
/// [`MAX_QUEUED_BYTES`] and one message of memory.
pub(crate) const MAX_CLIENTS: usize = 32;
/// How long the header of a request may take.
pub(crate) const HEADER_TIMEOUT: Duration = Duration::from_secs(10);
/// Size of the header of a request, in bytes: browsers send all cookies of `localhost`.
pub(crate) const MAX_HEADER_BYTES: usize = 64 << 10;
/// Size of a message from a client, in bytes: a subscription needs a hundred.
pub(crate) const MAX_REQUEST_BYTES: usize = 16 << 10;
/// Channels of one client: every process, and the others.
pub(crate) const MAX_SUBSCRIPTIONS: usize = 300;
/// Events that wait for a client, in number and in bytes; output waits in the rings of the processes.
pub(crate) const MAX_QUEUED_EVENTS: usize = 1_000;
pub(crate) const MAX_QUEUED_BYTES: usize = 4 << 20;
/// How long a client may take for one message, of 40 KB in most cases. Over loopback it takes
/// microseconds, so a client that needs longer has stopped reading.
pub(crate) const SEND_TIMEOUT: Duration = Duration::from_secs(5);
/// How long the notice to a slow client is kept for it. Nobody waits for that.
pub(crate) const NOTICE_TIMEOUT: Duration = Duration::from_secs(30);
/// How often a client is checked for life, and how long it may be silent.
pub(crate) const PING_INTERVAL: Duration = Duration::from_secs(20);
pub(crate) const SILENCE_TIMEOUT: Duration = Duration::from_secs(60);
/// How long clients get to take their last message when the hub stops.
pub(crate) const STOP_TIMEOUT: Duration = Duration::from_millis(300);
