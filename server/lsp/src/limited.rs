//! Questions that are given up when they take too long: whoever asks what a text looks like has gone
//! on by then, and a thread that works on it is kept from others.

use std::time::Duration;

use tools::{Code, ToolError};
use tower_lsp_server::jsonrpc::Result;

use crate::error;

/// How long a question may take that the text of one document answers. Text that somebody wrote
/// takes less than a second; what has thousands of errors on one line may take minutes.
pub(crate) const LONGEST: Duration = Duration::from_secs(60);

/// The answer to `method`, or after `limit` the error that it took too long. What computes it sees
/// that nobody waits any more, as where the client cancels.
pub(crate) async fn limited<R>(
    limit: Duration,
    method: &str,
    answer: impl Future<Output = Result<R>>,
) -> Result<R> {
    tokio::time::timeout(limit, answer).await.unwrap_or_else(|_| {
        let message = format!("{method}: given up after {} seconds", limit.as_secs());
        Err(error::of_tool(&ToolError::new(Code::Timeout, message)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_takes_too_long_is_an_error_that_says_so() {
        let never = std::future::pending::<Result<()>>();
        let error = limited(Duration::from_millis(1), "a/b", never).await.unwrap_err();
        assert_eq!(error.data.unwrap()["code"], "E_TIMEOUT");
        let done = limited(LONGEST, "a/b", async { Ok(1) }).await;
        assert_eq!(done.unwrap(), 1);
    }
}
