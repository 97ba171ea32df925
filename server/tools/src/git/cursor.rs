//! Cursors into lists: the number of items already returned, bound to the query.

use crate::{Code, ToolError};

/// A hash of everything that determines the results of a query.
pub(super) fn mark(parts: &[&str]) -> String {
    let mut bytes = Vec::new();
    for part in parts {
        bytes.extend_from_slice(&part.len().to_le_bytes());
        bytes.extend_from_slice(part.as_bytes());
    }
    let mut hash = workspace::ContentHash::digest(&bytes).to_string();
    hash.truncate(16);
    hash
}

/// The cursor as text.
pub(super) fn written(mark: &str, told: usize) -> String {
    format!("{mark}-{told}")
}

/// The number of items on previous pages.
pub(super) fn told(tool: &str, mark: &str, cursor: Option<&str>) -> Result<usize, ToolError> {
    let Some(cursor) = cursor else { return Ok(0) };
    let told = cursor.strip_prefix(mark).and_then(|rest| rest.strip_prefix('-')?.parse().ok());
    told.ok_or_else(|| {
        let shown: String = cursor.chars().take(60).collect();
        let message = format!("{tool}: `{shown}` is no cursor of this question");
        ToolError::new(Code::InvalidParams, message).hint(
            "pass `next_cursor` of the previous page, and the same parameters; what it is about \
             may have changed since",
        )
    })
}
