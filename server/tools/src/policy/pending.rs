//! The questions that a person has not answered yet.

use std::sync::atomic::{AtomicU64, Ordering};

use jiff::Timestamp;
use parking_lot::Mutex;
use workspace::{ApprovalDecision, ApprovalRequest, NoAnswer};

use super::Policy;
use crate::ToolRequest;

/// A question that is open.
#[derive(Debug, Clone)]
pub(crate) struct Pending {
    /// What tells it from the others.
    pub(crate) id: u64,
    /// The tool whose call waits for it.
    pub(crate) tool: String,
    /// What the person is shown.
    pub(crate) question: String,
    /// When it was asked.
    pub(crate) asked_at: Timestamp,
    /// What they may answer.
    pub(crate) answers: &'static [ApprovalDecision],
}

/// All that are open.
#[derive(Default)]
pub(super) struct Open {
    count: AtomicU64,
    questions: Mutex<Vec<Pending>>,
}

/// One of them, until its call goes on.
struct Asking<'a>(&'a Open, u64);

impl Drop for Asking<'_> {
    fn drop(&mut self) {
        self.0.questions.lock().retain(|question| question.id != self.1);
    }
}

impl Policy {
    /// The questions that nobody has answered yet, oldest first.
    pub(crate) fn pending(&self) -> Vec<Pending> {
        self.open.questions.lock().clone()
    }

    /// Asks the person; what was not offered is no answer.
    pub(super) fn ask(
        &self,
        request: &ToolRequest<'_>,
        tool: &str,
        question: &ApprovalRequest,
    ) -> Result<ApprovalDecision, NoAnswer> {
        let id = self.open.count.fetch_add(1, Ordering::Relaxed) + 1;
        self.open.questions.lock().push(Pending {
            id,
            tool: tool.to_owned(),
            question: question.text.clone(),
            asked_at: Timestamp::now(),
            answers: question.decisions,
        });
        let _asking = Asking(&self.open, id);
        let answer = request.editor.request_approval(question)?;
        if question.decisions.contains(&answer) { Ok(answer) } else { Err(NoAnswer::Unanswered) }
    }
}
