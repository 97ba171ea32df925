//! The error type of debug sessions.

use std::time::Duration;

use process::ProcessError;
use thiserror::Error;

/// Why a debug operation failed.
#[derive(Debug, Error)]
pub enum DebugError {
    /// The adapter did not start.
    #[error("the debug adapter {adapter} did not start: {source}")]
    Start {
        /// The adapter's name.
        adapter: String,
        /// Why.
        source: ProcessError,
    },
    /// The adapter could not be reached.
    #[error("the debug adapter {adapter} could not be reached: {reason}")]
    Unreachable {
        /// The adapter's name.
        adapter: String,
        /// Why.
        reason: String,
    },
    /// The session has ended.
    #[error("debug session {session} has ended: {why}")]
    Ended {
        /// The session's id.
        session: u64,
        /// How it ended, with the adapter's last lines of standard error if it failed.
        why: String,
    },
    /// The adapter responded with an error.
    #[error("{adapter} refused `{command}`: {message}")]
    Refused {
        /// The adapter's name.
        adapter: String,
        /// The request.
        command: String,
        /// Its error message.
        message: String,
    },
    /// The adapter did not respond in time.
    #[error("{adapter} sent no answer to `{command}` within {} ms", after.as_millis())]
    Timeout {
        /// The adapter's name.
        adapter: String,
        /// The request.
        command: String,
        /// The timeout.
        after: Duration,
    },
    /// The caller cancelled.
    #[error("cancelled")]
    Cancelled,
    /// The adapter's response does not have the form that DAP prescribes.
    #[error("{adapter} sent an invalid response to `{command}`: {reason}")]
    Malformed {
        /// The adapter's name.
        adapter: String,
        /// The request.
        command: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The adapter does not support this.
    #[error("{adapter} cannot {what}")]
    Unsupported {
        /// The adapter's name.
        adapter: String,
        /// What it should do.
        what: String,
    },
    /// The program is running, and only a stopped one can be inspected.
    #[error("debug session {session} is running: only a stopped program can be inspected")]
    Running {
        /// The session's id.
        session: u64,
    },
    /// Too many sessions.
    #[error("{most} debug sessions are running already")]
    TooMany {
        /// The limit.
        most: usize,
    },
    /// A table of adapters is invalid.
    #[error("{place}: {reason}")]
    Table {
        /// Which table.
        place: String,
        /// What is wrong with it.
        reason: String,
    },
}
