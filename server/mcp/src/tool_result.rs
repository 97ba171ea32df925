//! Tool results in MCP's format.

use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::Value;

/// A tool's result, as structured content and as text for clients without support for that.
pub(crate) fn success(result: Value) -> CallToolResult {
    let mut outcome = CallToolResult::success(vec![ContentBlock::text(result.to_string())]);
    outcome.structured_content = Some(result);
    outcome
}

/// A tool's error, as text: structured content would have to match the output schema.
pub(crate) fn failure(error: &Value) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(error.to_string())])
}
