//! The editor of a workspace that no editor has open, for a call from one that has: its person is asked.

use std::sync::Arc;

use workspace::{
    ApprovalDecision, ApprovalRequest, DocumentEdit, Editor, EditorError, NoAnswer, ShowError,
    ShowRequest,
};

/// See the module.
pub(super) struct PromptsOnly(pub(super) Arc<dyn Editor>);

impl Editor for PromptsOnly {
    fn can_apply(&self) -> bool {
        false
    }

    fn apply(&self, _: &str, _: &[DocumentEdit]) -> Result<(), EditorError> {
        Err(EditorError::Unsupported)
    }

    fn request_approval(&self, request: &ApprovalRequest) -> Result<ApprovalDecision, NoAnswer> {
        self.0.request_approval(request)
    }

    fn show(&self, _: &ShowRequest) -> Result<(), ShowError> {
        Err(ShowError::NoEditor)
    }
}
