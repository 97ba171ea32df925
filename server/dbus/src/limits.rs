//! All limits of this crate, with their reasons.

use std::time::Duration;

/// Size of a message. A hundred thousand references to elements are 6 MB.
pub(crate) const MAX_MESSAGE_BYTES: usize = 8 << 20;
/// Size of a message by the specification. Larger ones cannot be skipped: the stream is broken.
pub(crate) const MAX_SKIPPED_BYTES: usize = 128 << 20;
/// Size of a message's header fields.
pub(crate) const MAX_FIELD_BYTES: usize = 64 << 10;
/// Values in a message, each of 40 bytes or more in memory.
pub(crate) const MAX_VALUES: usize = 500_000;
/// Nesting of values; the specification allows 32 arrays in 32 structures.
pub(crate) const MAX_DEPTH: usize = 64;
/// Length of a line of the login.
pub(crate) const MAX_LOGIN_LINE: usize = 4_096;
/// Messages from others that are kept while replies are awaited. Older ones are dropped.
pub(crate) const MAX_KEPT_MESSAGES: usize = 1_000;
/// Size of a message from others that is kept.
pub(crate) const MAX_KEPT_BYTES: usize = 16 << 10;
/// How often a wait checks whether it was interrupted.
pub(crate) const POLL_INTERVAL: Duration = Duration::from_millis(20);
