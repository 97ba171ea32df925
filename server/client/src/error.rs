//! Errors between a client and its server.

use std::fmt;
use std::io;
use std::time::Duration;

use serde_json::Value;

/// An error response.
#[derive(Clone, Debug, PartialEq)]
pub struct ResponseError {
    /// The JSON-RPC error code.
    pub code: i64,
    /// The error message.
    pub message: String,
    /// The error's data, or `Null`.
    pub data: Value,
}

impl ResponseError {
    /// Reads the `error` member of a response. Missing or invalid fields become zero, empty or null.
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

/// Why a call on a [`Client`](crate::Client) or [`Process`](crate::Process) failed.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The server's process did not start.
    #[error("cannot start `{program}`: {source}")]
    Spawn {
        /// The program.
        program: String,
        /// The system's error.
        source: io::Error,
    },
    /// Nothing listens at the address, or it refused the connection.
    #[error("cannot connect to {address}: {source}")]
    Connect {
        /// The address.
        address: String,
        /// The system's last error.
        source: io::Error,
    },
    /// The operating system failed, without involvement of a server.
    #[error("{what}: {source}")]
    Io {
        /// What was attempted.
        what: &'static str,
        /// The system's error.
        source: io::Error,
    },
    /// A timeout.
    #[error("no {what} within {after:?}")]
    Timeout {
        /// What was expected.
        what: String,
        /// The timeout.
        after: Duration,
    },
    /// The connection ended, by the server or because the server broke the protocol.
    #[error("the connection is closed: {reason}")]
    Closed {
        /// Why it ended.
        reason: String,
    },
    /// The server responded with an error.
    #[error("{method}: {error}")]
    ErrorResponse {
        /// The method of the request.
        method: String,
        /// The error response.
        error: Box<ResponseError>,
    },
}

impl ClientError {
    /// The error response, if this is one.
    pub fn response(&self) -> Option<&ResponseError> {
        match self {
            Self::ErrorResponse { error, .. } => Some(error),
            _ => None,
        }
    }
}
