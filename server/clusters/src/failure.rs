//! Why a request failed.

use serde_json::Value;
use tools::{Code, ToolError, one_line};

use crate::limits::MAX_MESSAGE_CHARS;

/// A failure of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The server refused it, with its own reason.
    Status { code: u16, reason: String, message: String },
    /// There is no connection.
    Connect(String),
    /// The connection broke in the middle of an answer, so it is not known whether the request was carried out.
    Broken(String),
    /// The server does not speak as one of Kubernetes does.
    Protocol(String),
    /// The answer is larger than a limit.
    TooLarge(String),
    /// The time is up.
    Timeout(u128),
    /// The call was cancelled.
    Cancelled,
}

impl Failure {
    /// Reads the `Status` of an answer.
    pub(crate) fn of_status(code: u16, body: &[u8]) -> Self {
        let status: Value = serde_json::from_slice(body).unwrap_or_default();
        let text = |name: &str| printable(status[name].as_str().unwrap_or_default());
        let message = match text("message") {
            empty if empty.is_empty() => printable(&String::from_utf8_lossy(body)),
            message => message,
        };
        Self::Status { code, reason: text("reason"), message }
    }

    /// Whether the server has no such object.
    pub(crate) fn is_not_found(&self) -> bool {
        matches!(self, Self::Status { code: 404, .. })
    }

    /// The error of `tool`.
    pub(crate) fn of(self, tool: &str) -> ToolError {
        let message = format!("{tool}: {}", self.text());
        match self {
            Self::Status { code, message: of_server, .. } => match code {
                401 => ToolError::new(Code::Permission, message)
                    .hint("the credentials of this context are not accepted; log in again"),
                403 => ToolError::new(Code::Permission, message)
                    .hint("the user of this context may not do that; `context` names another one"),
                404 => ToolError::new(Code::NoMatch, message),
                409 if of_server.contains("conflict with") => {
                    ToolError::new(Code::Conflict, message)
                        .hint("another manager owns these fields; `force: true` takes them over")
                }
                409 | 412 => ToolError::new(Code::Conflict, message).hint("call kube_diff again"),
                400 | 415 | 422 => ToolError::new(Code::InvalidParams, message),
                413 => ToolError::new(Code::TooLarge, message),
                429 | 500..=599 => ToolError::new(Code::Unavailable, message),
                _ => ToolError::new(Code::Unsupported, message),
            },
            Self::Connect(_) => ToolError::new(Code::Unavailable, message)
                .hint("does the cluster run, and is `context` the one that you mean?"),
            Self::Broken(_) | Self::Protocol(_) => ToolError::new(Code::Io, message),
            Self::TooLarge(_) => ToolError::new(Code::TooLarge, message)
                .hint("ask for less: a namespace, a name, a page"),
            Self::Timeout(_) => {
                ToolError::new(Code::Timeout, message).hint("`timeout_ms` allows more time")
            }
            Self::Cancelled => ToolError::new(Code::Cancelled, message),
        }
    }

    /// What happened, in words.
    pub(crate) fn text(&self) -> String {
        match self {
            Self::Status { code, reason, message } => {
                let reason = if reason.is_empty() { code.to_string() } else { reason.clone() };
                format!("the cluster answers {reason}: {message}")
            }
            Self::Connect(why) => printable(why),
            Self::Broken(why) => format!("the connection broke: {}", printable(why)),
            Self::Protocol(why) => format!("the server answers oddly: {}", printable(why)),
            Self::TooLarge(why) => why.clone(),
            Self::Timeout(time) => format!("no answer within {time} ms"),
            Self::Cancelled => "cancelled".to_owned(),
        }
    }
}

/// A server's text on one line, bounded.
pub(crate) fn printable(text: &str) -> String {
    one_line(text.trim_end(), MAX_MESSAGE_CHARS)
}
