//! Why a request failed.

use thiserror::Error;
use tools::{Code, ToolError};

use crate::limits::{MAX_DECOMPRESSION_RATIO, MAX_RESPONSE_HEADER_BYTES, MAX_RESPONSE_HEADERS};

/// A failure of the network or of a server.
#[derive(Debug, Clone, Error)]
pub(crate) enum Failure {
    #[error("the name {name} could not be looked up: {why}")]
    Lookup { name: String, why: String },
    #[error("no connection to {host}: {why}")]
    Connect { host: String, why: String, refused: bool },
    #[error("no TLS with {host}: {why}")]
    Tls { host: String, why: String },
    #[error("{host} broke the connection off before it responded: {why}")]
    Broken { host: String, why: String },
    #[error("{host} did not answer in HTTP: {why}")]
    Protocol { host: String, why: String },
    #[error(
        "{host} sent more than {MAX_RESPONSE_HEADERS} headers or {MAX_RESPONSE_HEADER_BYTES} bytes of them"
    )]
    Headers { host: String },
    #[error("the body grows by more than {MAX_DECOMPRESSION_RATIO} times when decompressed")]
    Bomb,
    #[error("the body cannot be decompressed: {0}")]
    Compression(String),
    #[error("the body is larger than {0} bytes")]
    TooLarge(usize),
    #[error("the body broke off after {received} bytes: {why}")]
    BodyBroken { received: usize, why: String },
    #[error("no answer within {0} ms")]
    Timeout(u128),
    #[error("cancelled")]
    Cancelled,
}

impl Failure {
    /// Whether the same request may succeed at once when it is sent again, and the server has not begun to
    /// answer it.
    pub(crate) fn is_transient(&self) -> bool {
        match self {
            Self::Connect { refused, .. } => !refused,
            Self::Broken { .. } => true,
            _ => false,
        }
    }

    /// The error of `tool`.
    pub(crate) fn of(self, tool: &str) -> ToolError {
        let (code, hint) = match &self {
            Self::Lookup { .. } => (Code::Unavailable, Some("check the host's name")),
            Self::Connect { refused: true, .. } => (
                Code::Unavailable,
                Some(
                    "nothing listens there; start the server first, for instance with `process_start` and its `ready.port`",
                ),
            ),
            Self::Connect { .. } | Self::Broken { .. } => (Code::Unavailable, None),
            Self::Tls { .. } => (Code::Unavailable, Some("certificates are always checked")),
            Self::Protocol { .. } | Self::Compression(_) => (Code::Unsupported, None),
            Self::Headers { .. } | Self::Bomb => (Code::TooLarge, None),
            Self::TooLarge(_) => {
                (Code::TooLarge, Some("ask for a part of it by the header `Range`"))
            }
            Self::BodyBroken { .. } => (Code::Unavailable, Some("try again")),
            Self::Timeout(_) => (Code::Timeout, Some("`timeout_ms` allows more time")),
            Self::Cancelled => (Code::Cancelled, None),
        };
        let error = ToolError::new(code, format!("{tool}: {self}"));
        hint.into_iter().fold(error, ToolError::hint)
    }
}
