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

/// A result in a dialect: a text as it is, anything else as JSON.
pub(crate) fn in_dialect(result: Value, notice: Option<String>) -> CallToolResult {
    let text = result.as_str().map_or_else(|| result.to_string(), str::to_owned);
    let texts = std::iter::once(text).chain(notice);
    let mut outcome = CallToolResult::success(texts.map(ContentBlock::text).collect());
    outcome.structured_content = Some(result).filter(Value::is_object);
    outcome
}

/// A tool's error, as text: structured content would have to match the output schema.
pub(crate) fn failure(error: &Value) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(error.to_string())])
}
