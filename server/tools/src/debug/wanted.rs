//! Shared defaults and timeouts of the debugging tools.

use super::failure;
use crate::ToolError;

/// Longest wait for a stop, in milliseconds.
const LONGEST_WAIT: u64 = 600_000;

pub(super) fn here() -> String {
    ".".to_owned()
}

pub(super) fn yes() -> bool {
    true
}

pub(super) fn ten_seconds() -> u64 {
    10_000
}

/// Checks a wait against its limit.
pub(super) fn check_wait(tool: &str, wait_ms: u64) -> Result<(), ToolError> {
    if wait_ms > LONGEST_WAIT {
        let why = format!("`wait_ms` must be {LONGEST_WAIT} at most");
        return Err(failure::invalid(tool, &why));
    }
    Ok(())
}
