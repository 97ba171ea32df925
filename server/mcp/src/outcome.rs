//! Results of calls, as MCP has them.

use rmcp::model::{CallToolResult, ContentBlock};
use serde_json::Value;

/// What a tool has answered: as structure, and as text for clients that know none.
pub(crate) fn of_result(result: Value) -> CallToolResult {
    let mut outcome = CallToolResult::success(vec![ContentBlock::text(result.to_string())]);
    outcome.structured_content = Some(result);
    outcome
}

/// The contract's error. It is text: structure would have to be as the tool's results are.
pub(crate) fn of_error(error: &Value) -> CallToolResult {
    CallToolResult::error(vec![ContentBlock::text(error.to_string())])
}
