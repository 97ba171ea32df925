//! The editor of a call that a person makes elsewhere, as on a dashboard: the documents are those of an editor,
//! the questions are answered where the call was made.

use std::sync::Arc;

use text::PositionEncoding;
use workspace::{
    ApprovalDecision, ApprovalRequest, DocumentEdit, Editor, EditorError, NoAnswer, ShowError,
    ShowRequest,
};

use super::CallControl;

/// See the module.
pub(super) struct DetachedEditor {
    /// That of the documents.
    pub(super) editor: Arc<dyn Editor>,
    pub(super) control: CallControl,
}

impl Editor for DetachedEditor {
    fn can_apply(&self) -> bool {
        self.editor.can_apply()
    }

    fn apply(&self, label: &str, edits: &[DocumentEdit]) -> Result<(), EditorError> {
        self.editor.apply(label, edits)
    }

    fn begin_effects(&self) {
        self.control.begin_effects();
    }

    fn end_changes(&self) {
        self.control.release_write_lock();
    }

    fn commit(&self) -> bool {
        self.control.commit()
    }

    /// The editor is not asked: it may be one whose person has approved its own call only.
    fn request_approval(&self, question: &ApprovalRequest) -> Result<ApprovalDecision, NoAnswer> {
        self.control.wait_for_decision(question, async { Err(NoAnswer::Nobody) })
    }

    fn show(&self, shown: &ShowRequest) -> Result<(), ShowError> {
        self.editor.show(shown)
    }

    fn encoding(&self) -> PositionEncoding {
        self.editor.encoding()
    }
}
