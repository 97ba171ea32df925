//! What can go wrong between a client and its server.

use std::fmt;
use std::io;
use std::time::Duration;

use serde_json::Value;

/// The server's answer to a request that it did not fulfil.
#[derive(Clone, Debug, PartialEq)]
pub struct ResponseError {
    /// The JSON-RPC error code.
    pub code: i64,
    /// What the server says went wrong.
    pub message: String,
    /// What the server adds for programs, or `Null`.
    pub data: Value,
}

impl ResponseError {
    /// Reads the `error` member of a response; what is missing or of a wrong type is left at zero.
    pub fn from_value(error: &Value) -> Self {
        Self {
            code: error["code"].as_i64().unwrap_or_default(),
            message: error["message"].as_str().unwrap_or_default().to_owned(),
            data: error["data"].clone(),
        }
    }
}

impl fmt::Display for ResponseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error {}: {}", self.code, self.message)?;
        if !self.data.is_null() {
            write!(f, " {}", self.data)?;
        }
        Ok(())
    }
}

/// Why a call on a [`Client`](crate::Client) or [`Process`](crate::Process) did not succeed.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The server's process did not start.
    #[error("cannot start `{program}`: {source}")]
    Spawn {
        /// The program that was to run.
        program: String,
        /// What the system said.
        source: io::Error,
    },
    /// Nothing listens at the address, or it refused.
    #[error("cannot connect to {address}: {source}")]
    Connect {
        /// Where the server was expected.
        address: String,
        /// What the system said last.
        source: io::Error,
    },
    /// The operating system failed where no server is to blame.
    #[error("{what}: {source}")]
    Io {
        /// What was being done.
        what: &'static str,
        /// What the system said.
        source: io::Error,
    },
    /// What was waited for did not come in time.
    #[error("no {what} within {after:?}")]
    Timeout {
        /// What was waited for.
        what: String,
        /// How long.
        after: Duration,
    },
    /// The connection ended, by the server or because the server broke the protocol.
    #[error("the connection is closed: {reason}")]
    Closed {
        /// Why it ended.
        reason: String,
    },
    /// The server answered the request with an error.
    #[error("{method}: {error}")]
    Refused {
        /// The method that was asked for.
        method: String,
        /// The server's answer.
        error: Box<ResponseError>,
    },
}

impl ClientError {
    /// The server's own error, if that is what this is.
    pub fn response(&self) -> Option<&ResponseError> {
        match self {
            Self::Refused { error, .. } => Some(error),
            _ => None,
        }
    }
}
