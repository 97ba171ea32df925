//! What several tools take, and how they write numbers.

use std::time::Duration;

use tools::{Code, ToolError};

use crate::limits::MAX_TIMEOUT_MS;

/// The time limit of a call.
pub(crate) fn timeout(tool: &str, given: Option<u64>, default: u64) -> Result<Duration, ToolError> {
    let time = given.unwrap_or(default);
    if time == 0 || time > MAX_TIMEOUT_MS {
        let message = format!("{tool}: `timeout_ms` must be from 1 to {MAX_TIMEOUT_MS}");
        return Err(ToolError::new(Code::InvalidParams, message));
    }
    Ok(Duration::from_millis(time))
}

/// `3 files`.
pub(crate) fn count_text(count: usize, what: &str) -> String {
    if count == 1 { format!("1 {what}") } else { format!("{count} {what}s") }
}

/// A size for people.
pub(crate) fn size_text(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{}.{} kB", bytes / 1_000, bytes / 100 % 10),
        1_000_000..1_000_000_000 => format!("{}.{} MB", bytes / 1_000_000, bytes / 100_000 % 10),
        _ => format!("{}.{} GB", bytes / 1_000_000_000, bytes / 100_000_000 % 10),
    }
}
