//! Cursors into lists: the number of items already returned, bound to the query.

use tools::{Code, ToolError};

/// A hash of everything that determines the results of a query.
pub(super) fn query_hash(parts: &[&str]) -> String {
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
pub(super) fn format_cursor(query_hash: &str, returned: usize) -> String {
    format!("{query_hash}-{returned}")
}

/// The number of items on previous pages.
pub(super) fn parse_cursor(
    tool: &str,
    query_hash: &str,
    cursor: Option<&str>,
) -> Result<usize, ToolError> {
    let Some(cursor) = cursor else { return Ok(0) };
    let returned =
        cursor.strip_prefix(query_hash).and_then(|rest| rest.strip_prefix('-')?.parse().ok());
    returned.ok_or_else(|| {
        let quoted: String = cursor.chars().take(60).collect();
        let message = format!("{tool}: `{quoted}` is no cursor of this question");
        ToolError::new(Code::InvalidParams, message).hint(
            "pass `next_cursor` of the previous page, and the same parameters; what it is about \
             may have changed since",
        )
    })
}
