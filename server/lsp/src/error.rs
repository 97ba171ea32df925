//! JSON-RPC errors. Their `data` always has the fields that the tools' contract defines.

use std::borrow::Cow;

use serde_json::Value;
use tools::{Code, DialectError, ToolError};
use tower_lsp_server::jsonrpc::{Error, ErrorCode};
use workspace::QueryError;

/// Converts a tool's error.
pub(crate) fn from_tool_error(error: &ToolError) -> Error {
    Error {
        code: ErrorCode::from(error.code.rpc_code()),
        message: Cow::Owned(error.message.clone()),
        data: Some(error.data()),
    }
}

/// Converts an error of a call in a dialect.
pub(crate) fn from_dialect_error(error: DialectError) -> Error {
    let DialectError { rpc_code, message, mut value } = error;
    // If the dialect's form is a JSON-RPC error, it is this one.
    if value["code"] == rpc_code && value["data"].is_object() {
        value = value["data"].take();
    }
    Error { code: ErrorCode::from(rpc_code), message: Cow::Owned(message), data: Some(value) }
}

/// Converts a git error of `method`.
pub(crate) fn from_git_error(method: &str, error: git::GitError) -> Error {
    from_tool_error(&git_tools::from_git_error(method, error))
}

/// Converts the error of a query.
pub(crate) fn from_query_error(error: QueryError) -> Error {
    match error {
        QueryError::Interrupted => with_data(Error::request_cancelled()),
        QueryError::DocumentChanged => with_data(Error::content_modified()),
    }
}

/// The error of a request whose handler panicked.
pub(crate) fn panicked(method: &str) -> Error {
    from_tool_error(&ToolError::new(
        Code::Internal,
        format!(
            "{method}: internal error; this is a bug in tandem. Other requests are not affected"
        ),
    ))
}

/// Adds the contract's `data` to an error that the framework made.
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
        -32801 => (Code::Conflict, Some("the document has changed; try again")),
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
