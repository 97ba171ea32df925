//! Shared defaults and timeouts of the debugging tools.

use super::failure;
use tools::ToolError;

/// Longest wait for a stop, in milliseconds.
const MAX_WAIT_MS: u64 = 600_000;

pub(super) fn current_folder() -> String {
    ".".to_owned()
}

pub(super) fn default_true() -> bool {
    true
}

pub(super) fn default_wait_ms() -> u64 {
    10_000
}

/// Checks a wait against its limit.
pub(super) fn check_wait(tool: &str, wait_ms: u64) -> Result<(), ToolError> {
    if wait_ms > MAX_WAIT_MS {
        let why = format!("`wait_ms` must be {MAX_WAIT_MS} at most");
        return Err(failure::invalid(tool, &why));
    }
    Ok(())
}
