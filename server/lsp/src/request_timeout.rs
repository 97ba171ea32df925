//! A time limit for queries. By then the editor has moved on, and the thread is needed elsewhere.

use std::time::Duration;

use tools::{Code, ToolError};
use tower_lsp_server::jsonrpc::Result;

use crate::error;

/// Time limit for queries that read a single document. Hand-written text takes less than a second;
/// thousands of errors on one line may take minutes.
pub(crate) const DOCUMENT_QUERY_TIMEOUT: Duration = Duration::from_secs(60);

/// Awaits the answer to `method`, or returns `E_TIMEOUT` after `limit`. Dropping the answer's future
/// cancels its computation.
pub(crate) async fn with_timeout<R>(
    limit: Duration,
    method: &str,
    answer: impl Future<Output = Result<R>>,
) -> Result<R> {
    tokio::time::timeout(limit, answer).await.unwrap_or_else(|_| {
        let message = format!("{method}: timed out after {} seconds", limit.as_secs());
        Err(error::from_tool_error(&ToolError::new(Code::Timeout, message)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_slow_query_ends_with_e_timeout() {
        let never = std::future::pending::<Result<()>>();
        let error = with_timeout(Duration::from_millis(1), "a/b", never).await.unwrap_err();
        assert_eq!(error.data.unwrap()["code"], "E_TIMEOUT");
        let done = with_timeout(DOCUMENT_QUERY_TIMEOUT, "a/b", async { Ok(1) }).await;
        assert_eq!(done.unwrap(), 1);
    }
}
