//! Tool results in MCP's format.

use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::Value;

/// A tool's result, as structured content and as text for clients without support for that. A notice
/// follows as a text of its own.
pub(crate) fn success(result: Value, notice: Option<String>) -> CallToolResult {
    let texts = std::iter::once(result.to_string()).chain(notice);
    let mut outcome = CallToolResult::success(texts.map(ContentBlock::text).collect());
    outcome.structured_content = Some(result);
    outcome
}

/// A tool's error, as text: structured content would have to match the output schema.
pub(crate) fn failure(error: &Value) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(error.to_string())])
}
