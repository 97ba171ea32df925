//! The interface to the editor that owns the open documents.

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use text::{PositionEncoding, Text};
use thiserror::Error;

use crate::action_group::ActionGroup;
use crate::{Proposal, Verdict};

/// Edits of one open document.
#[derive(Debug, Clone)]
pub struct DocumentEdit {
    /// The URI as the client spells it.
    pub uri: Arc<str>,
    /// The document version that the edits apply to.
    pub version: i32,
    /// The text that the edits apply to.
    pub text: Text,
    /// Byte spans of `text` with their replacements: sorted and disjoint.
    pub edits: Vec<(Range<usize>, String)>,
}

/// Why the editor did not apply an edit.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[allow(missing_docs)]
pub enum EditorError {
    #[error("the editor cannot apply edits (workspace/applyEdit)")]
    Unsupported,
    #[error("the editor refused the edit{}", .0.as_deref().map(|r| format!(": {r}")).unwrap_or_default())]
    Refused(Option<String>),
    #[error("the editor did not respond")]
    NoResponse,
}

/// Why the editor did not show a document.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[allow(missing_docs)]
pub enum ShowError {
    #[error("no editor is connected")]
    NoEditor,
    #[error("the editor cannot show documents (window/showDocument)")]
    Unsupported,
    #[error("the editor refused to show it{}", .0.as_deref().map(|r| format!(": {r}")).unwrap_or_default())]
    Refused(Option<String>),
    #[error("the editor did not respond")]
    NoResponse,
}

/// A request for the person's approval.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApprovalRequest {
    /// The action in one line, shown first. It contains no invisible characters.
    pub summary: String,
    /// Whether `summary` is complete.
    pub is_summary_whole: bool,
    /// The full text to show. It contains no invisible characters.
    pub text: String,
    /// The offered decisions. Any other answer counts as [`Answer::Deny`].
    pub decisions: &'static [ApprovalDecision],
    /// How long to wait for the answer.
    pub timeout: Duration,
    /// Where an answer may come from, beside the editor.
    pub elsewhere: Option<Arc<OtherAnswer>>,
}

/// An answer to an approval request from elsewhere than its editor: from a dashboard.
#[derive(Debug, Default)]
pub struct OtherAnswer {
    /// The number of places that show the request.
    places: Arc<AtomicUsize>,
    decision: OnceLock<ApprovalDecision>,
}

impl OtherAnswer {
    /// No answer yet; `places` is the number of places that show requests.
    #[must_use]
    pub fn new(places: Arc<AtomicUsize>) -> Self {
        Self { places, decision: OnceLock::new() }
    }

    /// Whether anybody could answer.
    #[must_use]
    pub fn may_come(&self) -> bool {
        self.places.load(Ordering::Relaxed) > 0
    }

    /// Answers. False if there is an answer already.
    pub fn set(&self, decision: ApprovalDecision) -> bool {
        self.decision.set(decision).is_ok()
    }

    /// The answer.
    #[must_use]
    pub fn get(&self) -> Option<ApprovalDecision> {
        self.decision.get().copied()
    }
}

impl PartialEq for OtherAnswer {
    /// Whether both are answers to the same request.
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for OtherAnswer {}

/// The person's decision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApprovalDecision {
    /// Allow this call.
    Once,
    /// Allow all similar calls until the client disconnects.
    Session,
    /// Allow exactly this call from now on.
    Always,
    /// Refuse.
    Deny,
}

impl ApprovalDecision {
    /// All decisions.
    pub const ALL: &'static [Self] = &[Self::Once, Self::Session, Self::Always, Self::Deny];
    /// The decisions on what cannot be decided for more than one call.
    pub const ONE_TIME: &'static [Self] = &[Self::Once, Self::Deny];

    /// Its name in results.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Once => "once",
            Self::Session => "session",
            Self::Always => "always",
            Self::Deny => "deny",
        }
    }

    /// The label of its button.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Once => "Allow once",
            Self::Session => "Allow for this session",
            Self::Always => "Always allow exactly this",
            Self::Deny => "Deny",
        }
    }
}

impl ApprovalRequest {
    /// The decision with this title; [`Answer::Deny`] if it was not offered.
    #[must_use]
    pub fn decision(&self, title: Option<&str>) -> ApprovalDecision {
        let chosen = self.decisions.iter().find(|answer| Some(answer.title()) == title);
        chosen.copied().unwrap_or(ApprovalDecision::Deny)
    }
}

/// Why there is no decision; it counts as a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[allow(missing_docs)]
pub enum NoAnswer {
    #[error("nobody could be asked")]
    Nobody,
    #[error("too many requests for approval are open")]
    TooMany,
    #[error("no valid answer came in time")]
    Unanswered,
}

/// A document to show in the editor.
#[derive(Debug, Clone)]
pub struct ShowRequest {
    /// The document's URI.
    pub uri: Arc<str>,
    /// The text and the byte span to select in it; the cursor goes to the end.
    pub selection: Option<(Text, Range<usize>)>,
}

/// What a front end does for the tools. Calls block and are never made on an async runtime thread.
pub trait Editor: Send + Sync {
    /// Whether the client supports [`Editor::apply`].
    fn can_apply(&self) -> bool;

    /// Applies all edits as one undoable step, or none of them.
    ///
    /// # Errors
    /// Why nothing was changed.
    fn apply(&self, label: &str, edits: &[DocumentEdit]) -> Result<(), EditorError>;

    /// Called before a tool runs that does more than read: from then on, the call may have had effects.
    fn begin_effects(&self) {}

    /// Called once a call has changed all that it changes and only waits for reports on it. Other
    /// writing calls proceed from then on.
    fn end_changes(&self) {}

    /// Called before the first irreversible step. False if the call was cancelled; after true, a
    /// later cancel has no effect and the call returns its result.
    fn commit(&self) -> bool {
        true
    }

    /// Asks the person for approval. Other calls proceed meanwhile.
    ///
    /// # Errors
    /// Why there is no decision.
    fn request_approval(&self, question: &ApprovalRequest) -> Result<ApprovalDecision, NoAnswer>;

    /// Whether the person reviews every change of text before it is made.
    fn wants_review(&self) -> bool {
        false
    }

    /// Lets the person review a change before it is made. Other calls proceed meanwhile.
    ///
    /// # Errors
    /// Why there is no verdict.
    fn review(&self, _proposal: &Proposal) -> Result<Verdict, NoAnswer> {
        Err(NoAnswer::Nobody)
    }

    /// Shows a document in the editor.
    ///
    /// # Errors
    /// Why it was not shown.
    fn show(&self, shown: &ShowRequest) -> Result<(), ShowError>;

    /// The position encoding that client and server agreed on; UTF-16 by default, as in LSP.
    fn encoding(&self) -> PositionEncoding {
        PositionEncoding::Utf16
    }

    /// The group that the call's changes are recorded in: those of a workflow are undone together.
    fn action_group(&self) -> Option<ActionGroup<'_>> {
        None
    }

    /// Reports the progress of the call.
    fn progress(&self, _message: &str) {}
}

/// No editor: no documents are open, and approval is only given on the command line.
#[derive(Debug, Clone, Copy, Default)]
pub struct Headless {
    /// Whether every request for approval is granted.
    pub approve_all: bool,
}

impl Editor for Headless {
    fn can_apply(&self) -> bool {
        false
    }

    fn apply(&self, _: &str, _: &[DocumentEdit]) -> Result<(), EditorError> {
        Err(EditorError::Unsupported)
    }

    fn request_approval(&self, _: &ApprovalRequest) -> Result<ApprovalDecision, NoAnswer> {
        if self.approve_all { Ok(ApprovalDecision::Once) } else { Err(NoAnswer::Nobody) }
    }

    fn show(&self, _: &ShowRequest) -> Result<(), ShowError> {
        Err(ShowError::NoEditor)
    }
}
