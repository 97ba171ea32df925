//! Approval requests that wait for an answer.

use std::sync::atomic::{AtomicU64, Ordering};

use jiff::Timestamp;
use parking_lot::Mutex;
use workspace::{ApprovalDecision, ApprovalRequest, NoAnswer};

use super::Policy;
use crate::ToolRequest;

/// An approval request that waits for an answer.
#[derive(Debug, Clone)]
pub(crate) struct Pending {
    /// Its id.
    pub(crate) id: u64,
    /// The tool whose call waits.
    pub(crate) tool: String,
    /// The text that the person reads.
    pub(crate) question: String,
    /// When it was sent.
    pub(crate) asked_at: Timestamp,
    /// The possible answers.
    pub(crate) answers: &'static [ApprovalDecision],
}

/// All waiting requests.
#[derive(Default)]
pub(super) struct PendingApprovals {
    count: AtomicU64,
    requests: Mutex<Vec<Pending>>,
}

/// Removes its request when the call goes on.
struct PendingGuard<'a>(&'a PendingApprovals, u64);

impl Drop for PendingGuard<'_> {
    fn drop(&mut self) {
        self.0.requests.lock().retain(|question| question.id != self.1);
    }
}

impl Policy {
    /// The waiting requests, oldest first.
    pub(crate) fn pending(&self) -> Vec<Pending> {
        self.pending.requests.lock().clone()
    }

    /// Requests approval; a decision that was not offered counts as no answer.
    pub(super) fn request_approval(
        &self,
        request: &ToolRequest<'_>,
        tool: &str,
        question: &ApprovalRequest,
    ) -> Result<ApprovalDecision, NoAnswer> {
        let id = self.pending.count.fetch_add(1, Ordering::Relaxed) + 1;
        self.pending.requests.lock().push(Pending {
            id,
            tool: tool.to_owned(),
            question: question.text.clone(),
            asked_at: Timestamp::now(),
            answers: question.decisions,
        });
        let _guard = PendingGuard(&self.pending, id);
        let answer = request.editor.request_approval(question)?;
        if question.decisions.contains(&answer) { Ok(answer) } else { Err(NoAnswer::Unanswered) }
    }
}
