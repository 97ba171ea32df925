//! Approval requests that wait for an answer, from their editor or from elsewhere.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

use jiff::Timestamp;
use parking_lot::Mutex;
use workspace::{ApprovalDecision, ApprovalRequest, NoAnswer, OtherAnswer};

use super::Policy;
use crate::ToolRequest;
use crate::audit::Feed;

/// An approval request that waits for an answer.
#[derive(Debug, Clone)]
pub struct PendingApproval {
    /// Its id, unique in this server.
    pub id: u64,
    /// The tool whose call waits.
    pub tool: String,
    /// The text that the person reads.
    pub question: String,
    /// When it was sent.
    pub asked_at: Timestamp,
    /// The possible answers.
    pub answers: &'static [ApprovalDecision],
}

/// All waiting requests.
#[derive(Default)]
pub(super) struct PendingApprovals {
    count: AtomicU64,
    requests: Mutex<Vec<(PendingApproval, Arc<OtherAnswer>)>>,
    /// The [`Approvals`] that there are.
    places: Arc<AtomicUsize>,
    feed: Arc<Feed<Vec<PendingApproval>>>,
}

impl PendingApprovals {
    fn all(&self) -> Vec<PendingApproval> {
        self.requests.lock().iter().map(|(request, _)| request.clone()).collect()
    }

    fn publish(&self) {
        self.feed.publish(|| self.all());
    }
}

/// Removes its request when the call goes on.
struct PendingGuard<'a>(&'a PendingApprovals, u64);

impl Drop for PendingGuard<'_> {
    fn drop(&mut self) {
        self.0.requests.lock().retain(|(request, _)| request.id != self.1);
        self.0.publish();
    }
}

/// A place beside the editors where a person answers approval requests. As long as there is one, requests that no
/// editor can show wait for it.
pub struct Approvals(Arc<PendingApprovals>);

impl Approvals {
    /// The waiting requests, oldest first.
    #[must_use]
    pub fn pending(&self) -> Vec<PendingApproval> {
        self.0.all()
    }

    /// All waiting requests, whenever they change.
    #[must_use]
    pub fn feed(&self) -> &Arc<Feed<Vec<PendingApproval>>> {
        &self.0.feed
    }

    /// The person's answer. False if the request does not wait any more, or does not offer it.
    pub fn answer(&self, id: u64, decision: ApprovalDecision) -> bool {
        let requests = self.0.requests.lock();
        let found = requests.iter().find(|(request, _)| request.id == id);
        let found = found.filter(|(request, _)| request.answers.contains(&decision));
        found.is_some_and(|(_, answer)| answer.set(decision))
    }
}

impl Drop for Approvals {
    fn drop(&mut self) {
        self.0.places.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Policy {
    /// The waiting requests, oldest first.
    pub fn pending(&self) -> Vec<PendingApproval> {
        self.pending.all()
    }

    /// Lets a person answer beside the editors.
    #[must_use]
    pub fn approvals_elsewhere(&self) -> Approvals {
        self.pending.places.fetch_add(1, Ordering::Relaxed);
        Approvals(self.pending.clone())
    }

    /// Requests approval; a decision that was not offered counts as no answer.
    pub(super) fn request_approval(
        &self,
        request: &ToolRequest<'_>,
        tool: &str,
        question: &ApprovalRequest,
    ) -> Result<ApprovalDecision, NoAnswer> {
        let id = self.pending.count.fetch_add(1, Ordering::Relaxed) + 1;
        let elsewhere = Arc::new(OtherAnswer::new(self.pending.places.clone()));
        let pending = PendingApproval {
            id,
            tool: tool.to_owned(),
            question: question.text.clone(),
            asked_at: Timestamp::now(),
            answers: question.decisions,
        };
        self.pending.requests.lock().push((pending, elsewhere.clone()));
        let _guard = PendingGuard(&self.pending, id);
        self.pending.publish();
        let question = ApprovalRequest { elsewhere: Some(elsewhere), ..question.clone() };
        let answer = request.editor.request_approval(&question)?;
        if question.decisions.contains(&answer) { Ok(answer) } else { Err(NoAnswer::Unanswered) }
    }
}
