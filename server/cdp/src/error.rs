//! Why a command failed.

use thiserror::Error;

/// Why waiting for a response ended early.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Stop {
    /// The caller no longer wants the response.
    #[error("cancelled")]
    Cancelled,
    /// The time of the call is over.
    #[error("the time is over")]
    Timeout,
}

/// A failure of a command.
#[derive(Debug, Clone, Error)]
pub enum CdpError {
    /// The other side refused the command.
    #[error("{method}: {message}")]
    Refused {
        /// The command.
        method: String,
        /// The code of the error.
        code: i64,
        /// The error's message.
        message: String,
    },
    /// The response is not what the protocol documents.
    #[error("{method}: unexpected response: {why}")]
    Unexpected {
        /// The command.
        method: String,
        /// What is wrong with it.
        why: String,
    },
    /// The connection has ended.
    #[error("the connection has ended: {0}")]
    Closed(String),
    /// Waiting was stopped.
    #[error("{method}: {stop}")]
    Stopped {
        /// The command.
        method: String,
        /// Why.
        stop: Stop,
    },
}

impl CdpError {
    /// Whether the execution context, node or frame of a command no longer exists: the page has navigated.
    #[must_use]
    pub fn is_stale(&self) -> bool {
        const STALE: &[&str] = &[
            "Cannot find context",
            "Execution context was destroyed",
            "Cannot find object",
            "Could not find object",
            "No node with given id",
            "Could not find node",
            "No frame",
            "Frame with the given",
            "Inspected target navigated",
            "uniqueContextId not found",
        ];
        matches!(self, Self::Refused { message, .. } if STALE.iter().any(|text| message.contains(text)))
    }
}
