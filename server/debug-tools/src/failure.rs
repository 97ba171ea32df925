//! Converts failures of debug adapters to tool errors.

use ::debug::DebugError;

use tools::{Code, ToolError, command::sandbox};

/// The tool error for a failure in a session.
pub(super) fn from_debug_error(tool: &str, error: DebugError) -> ToolError {
    let message = format!("{tool}: {error}");
    match error {
        DebugError::Start { source, .. } => sandbox::refused(tool, &source),
        DebugError::Unreachable { .. } => ToolError::new(Code::Unavailable, message),
        DebugError::Ended { .. } => ToolError::new(Code::Unavailable, message)
            .hint("`debug_output` still reads what it wrote; `debug_launch` starts another"),
        DebugError::Refused { .. } => ToolError::new(Code::InvalidParams, message),
        DebugError::Timeout { .. } => ToolError::new(Code::Timeout, message)
            .hint("`debug_stop` ends the session, whatever it does"),
        DebugError::Cancelled => ToolError::new(Code::Cancelled, message),
        DebugError::Malformed { .. } => ToolError::new(Code::Io, message),
        DebugError::Unsupported { .. } => ToolError::new(Code::Unsupported, message),
        DebugError::Running { .. } => ToolError::new(Code::Conflict, message)
            .hint("`debug_pause` stops it; `debug_step` with `wait_ms` waits for a stop"),
        DebugError::TooMany { .. } => {
            ToolError::new(Code::TooLarge, message).hint("`debug_stop` ends one")
        }
        DebugError::Table { .. } => ToolError::new(Code::InvalidParams, message),
    }
}

/// An error for invalid parameters.
pub(super) fn invalid(tool: &str, why: &str) -> ToolError {
    ToolError::new(Code::InvalidParams, format!("{tool}: {why}"))
}
