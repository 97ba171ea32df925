//! Errors as JSON-RPC has them, their `data` always as the contract says.

use std::borrow::Cow;

use serde_json::Value;
use tools::{Code, ToolError};
use tower_lsp_server::jsonrpc::{Error, ErrorCode};
use workspace::QueryError;

/// A tool's error as a response.
pub(crate) fn of_tool(error: &ToolError) -> Error {
    Error {
        code: ErrorCode::from(error.code.rpc_code()),
        message: Cow::Owned(error.message.clone()),
        data: Some(error.data()),
    }
}

/// git's error, where `method` was asked for.
pub(crate) fn of_git(method: &str, error: git::GitError) -> Error {
    of_tool(&tools::of_git(method, error))
}

/// The error of a question that cannot be answered any more.
pub(crate) fn of_query(error: QueryError) -> Error {
    match error {
        QueryError::Interrupted => with_data(Error::request_cancelled()),
        QueryError::Moved => with_data(Error::content_modified()),
    }
}

/// The error of a handler that panicked.
pub(crate) fn panicked(method: &str) -> Error {
    of_tool(&ToolError::new(
        Code::Internal,
        format!(
            "{method}: failed inside; this is a bug in tandem. Other requests are not affected"
        ),
    ))
}

/// `error` with the contract's `data`, where the framework made one without.
pub(crate) fn with_data(error: Error) -> Error {
    if matches!(&error.data, Some(Value::Object(data)) if data.contains_key("code")) {
        return error;
    }
    let (code, hint) = match error.code.code() {
        -32601 => (Code::Unsupported, None),
        -32602 | -32700 => (Code::InvalidParams, None),
        -32600 => (Code::InvalidParams, Some("the server may be shutting down")),
        -32002 => (Code::Unavailable, Some("send initialize first")),
        -32800 => (Code::Cancelled, None),
        -32801 => (Code::Conflict, Some("ask again")),
        _ => (Code::Internal, None),
    };
    let message = match (&error.data, code) {
        (Some(Value::String(method)), Code::Unsupported) => format!("{}: {method}", error.message),
        _ => error.message.to_string(),
    };
    let tool = ToolError::new(code, message);
    let tool = hint.into_iter().fold(tool, ToolError::hint);
    Error { data: Some(tool.data()), message: Cow::Owned(tool.message), code: error.code }
}
