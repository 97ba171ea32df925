//! Why a call failed.

use serde_json::json;
use tools::{Code, ToolError};

use crate::limits::MAX_MESSAGE_CHARS;

/// What refused a statement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Layer {
    /// It does not parse as one statement, so nobody knows what it does.
    Syntax,
    /// The statement, or a part of it, does more than read.
    Statement,
    /// It calls a function that does more than read, or that is not known.
    Function,
    /// By the server's catalog a function may do more than read.
    Catalog,
    /// The database refused it: it is open for reading only.
    Engine,
}

impl Layer {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Syntax => "syntax",
            Self::Statement => "statement",
            Self::Function => "function",
            Self::Catalog => "catalog",
            Self::Engine => "engine",
        }
    }
}

/// A failure of a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The statement would do more than it may.
    Refused { layer: Layer, why: String },
    /// The database found a mistake.
    Database { code: String, message: String },
    /// There is no connection.
    Connect(String),
    /// The server broke its protocol.
    Protocol(String),
    /// Something is larger than a limit.
    TooLarge(String),
    /// This cannot be done here.
    Unsupported(String),
    /// Parameters are wrong.
    Invalid(String),
    /// The time is up.
    Timeout(u128),
    /// The call was cancelled.
    Cancelled,
}

impl Failure {
    pub(crate) fn refused(layer: Layer, why: impl Into<String>) -> Self {
        Self::Refused { layer, why: why.into() }
    }

    /// The error of `tool`.
    pub(crate) fn of(self, tool: &str) -> ToolError {
        let error = |code, why: &str| ToolError::new(code, format!("{tool}: {why}"));
        match self {
            Self::Refused { layer, why } => error(Code::Denied, &format!("refused: {why}"))
                .hint(
                    "reading needs nothing more; for a change call db_query with `write: true`, which \
                       needs a person's approval",
                )
                .details(json!({ "layer": layer.name() })),
            Self::Database { code, message } => {
                let shown = if code.is_empty() { message } else { format!("{message} ({code})") };
                error(Code::Unsupported, &format!("the database reports: {}", printable(&shown)))
                    .hint("correct the statement; `db_schema` lists tables and columns")
            }
            Self::Connect(why) => error(Code::Unavailable, &printable(&why)),
            Self::Protocol(why) => {
                error(Code::Io, &format!("the server broke its protocol: {}", printable(&why)))
            }
            Self::TooLarge(why) => {
                error(Code::TooLarge, &why).hint("select fewer columns, or a part by substr()")
            }
            Self::Unsupported(why) => error(Code::Unsupported, &why),
            Self::Invalid(why) => error(Code::InvalidParams, &why),
            Self::Timeout(time) => {
                error(Code::Timeout, &format!("no answer within {time} ms; the query was ended"))
                    .hint("`timeout_ms` allows more time; `db_explain` shows why it is slow")
            }
            Self::Cancelled => error(Code::Cancelled, "cancelled; the query was ended"),
        }
    }
}

/// A server's text on one line, bounded.
pub(crate) fn printable(text: &str) -> String {
    tools::one_line(text.trim_end(), MAX_MESSAGE_CHARS)
}
