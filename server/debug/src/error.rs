//! What goes wrong with a debug adapter.

use std::time::Duration;

use process::ProcessError;
use thiserror::Error;

/// Why something could not be done in a debug session.
#[derive(Debug, Error)]
pub enum DebugError {
    /// The adapter did not start.
    #[error("the debug adapter {adapter} did not start: {source}")]
    Start {
        /// Which one.
        adapter: String,
        /// Why.
        source: ProcessError,
    },
    /// The adapter could not be reached.
    #[error("the debug adapter {adapter} could not be reached: {reason}")]
    Unreachable {
        /// Which one.
        adapter: String,
        /// Why.
        reason: String,
    },
    /// The session is over.
    #[error("debug session {session} has ended: {why}")]
    Ended {
        /// Its number.
        session: u64,
        /// How it ended, with the last lines of the adapter's errors where it failed.
        why: String,
    },
    /// The adapter said no.
    #[error("{adapter} refused `{command}`: {message}")]
    Refused {
        /// Which adapter.
        adapter: String,
        /// The request.
        command: String,
        /// What it said.
        message: String,
    },
    /// The adapter gave no answer in time.
    #[error("{adapter} gave no answer to `{command}` within {} ms", after.as_millis())]
    Timeout {
        /// Which adapter.
        adapter: String,
        /// The request.
        command: String,
        /// How long was waited.
        after: Duration,
    },
    /// Nobody wants the answer any more.
    #[error("cancelled")]
    Cancelled,
    /// The adapter's answer has not the form that the protocol gives it.
    #[error("{adapter} answered `{command}` with what the protocol does not know: {reason}")]
    Malformed {
        /// Which adapter.
        adapter: String,
        /// The request.
        command: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The adapter cannot do this.
    #[error("{adapter} cannot {what}")]
    Unsupported {
        /// Which adapter.
        adapter: String,
        /// What it was to do.
        what: String,
    },
    /// The program runs, and only a stopped one can be looked at.
    #[error("debug session {session} runs: only a stopped program can be looked at")]
    Running {
        /// The session's number.
        session: u64,
    },
    /// Too many sessions.
    #[error("{most} debug sessions run already")]
    TooMany {
        /// The most there may be.
        most: usize,
    },
    /// The table of adapters cannot be read.
    #[error("{place}: {reason}")]
    Table {
        /// Which table.
        place: String,
        /// What is wrong with it.
        reason: String,
    },
}
