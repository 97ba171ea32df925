//! The editor that a step of a workflow talks to: the workflow's, with the step's own cancellation and write
//! lock.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use text::PositionEncoding;
use workspace::{
    ActionGroup, ApprovalDecision, ApprovalRequest, DocumentEdit, Editor, EditorError, NoAnswer,
    Proposal, ShowError, ShowRequest, Verdict,
};

use super::CallControl;

/// See the module.
pub(super) struct StepEditor {
    /// The workflow's.
    pub(super) editor: Arc<dyn Editor>,
    pub(super) control: CallControl,
    /// What the step's changes are undone with.
    pub(super) group: String,
    /// The step's part of it; progress is reported as this.
    pub(super) part: String,
    /// Whether nobody awaits progress any more.
    pub(super) is_answered: Arc<AtomicBool>,
}

impl Editor for StepEditor {
    fn can_apply(&self) -> bool {
        self.editor.can_apply()
    }

    fn apply(&self, label: &str, edits: &[DocumentEdit]) -> Result<(), EditorError> {
        self.editor.apply(label, edits)
    }

    fn begin_effects(&self) {
        self.control.begin_effects();
        self.editor.begin_effects();
    }

    fn end_changes(&self) {
        self.control.release_write_lock();
    }

    /// The workflow itself is never committed: its later steps can still be cancelled.
    fn commit(&self) -> bool {
        self.control.commit()
    }

    fn request_approval(&self, question: &ApprovalRequest) -> Result<ApprovalDecision, NoAnswer> {
        self.control.without_write_lock(|| self.editor.request_approval(question))?
    }

    fn wants_review(&self) -> bool {
        self.editor.wants_review()
    }

    fn review(&self, proposal: &Proposal) -> Result<Verdict, NoAnswer> {
        self.control.without_write_lock(|| self.editor.review(proposal))?
    }

    fn show(&self, shown: &ShowRequest) -> Result<(), ShowError> {
        self.editor.show(shown)
    }

    fn encoding(&self) -> PositionEncoding {
        self.editor.encoding()
    }

    fn progress(&self, message: &str) {
        if !self.is_answered.load(Ordering::Relaxed) {
            self.editor.progress(&format!("{}: {message}", self.part));
        }
    }

    fn action_group(&self) -> Option<ActionGroup<'_>> {
        Some(ActionGroup { name: &self.group, part: &self.part })
    }
}
