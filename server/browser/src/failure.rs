//! Failures of the browser as errors of a tool.

use cdp::{CdpError, Stop};
use tools::{Code, ToolError};

/// The error of `tool`.
pub(crate) fn of(tool: &str, error: &CdpError) -> ToolError {
    match error {
        CdpError::Stopped { stop: Stop::Cancelled, .. } => {
            ToolError::new(Code::Cancelled, format!("{tool}: cancelled"))
        }
        CdpError::Stopped { stop: Stop::Timeout, method } => {
            ToolError::new(Code::Timeout, format!("{tool}: the page did not answer in time ({method})"))
                .hint("`timeout_ms` allows more time; a script that never ends is stopped by `navigate` or `browser_tabs`")
        }
        CdpError::Closed(_) => ToolError::new(Code::Unavailable, format!("{tool}: the browser has ended"))
            .hint("`navigate` starts another"),
        CdpError::Refused { .. } if error.is_stale() => {
            ToolError::new(Code::Conflict, format!("{tool}: the page changed meanwhile"))
                .hint("take a new `browser_snapshot`, then retry")
        }
        CdpError::Refused { message, .. } => {
            ToolError::new(Code::Unsupported, format!("{tool}: the browser refused: {message:.500}"))
        }
        CdpError::Unexpected { .. } => {
            ToolError::new(Code::Internal, format!("{tool}: {error}"))
        }
    }
}
