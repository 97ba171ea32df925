//! The port to the editor that holds the open documents.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use text::{PositionEncoding, Text};
use thiserror::Error;

use crate::{Proposal, Verdict};

/// Edits of one open document.
#[derive(Debug, Clone)]
pub struct DocumentEdit {
    /// Its URI as the client spells it.
    pub uri: Arc<str>,
    /// The version that the edits are for.
    pub version: i32,
    /// The text that the edits are for.
    pub text: Text,
    /// Byte spans of `text` and what replaces them: sorted, disjoint.
    pub edits: Vec<(Range<usize>, String)>,
}

/// Why the editor did not do what it was asked.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[allow(missing_docs)]
pub enum EditorError {
    #[error("the editor cannot apply edits (workspace/applyEdit)")]
    Unsupported,
    #[error("the editor refused the edit{}", .0.as_deref().map(|r| format!(": {r}")).unwrap_or_default())]
    Refused(Option<String>),
    #[error("the editor did not answer")]
    NoAnswer,
}

/// Why a document was not shown.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[allow(missing_docs)]
pub enum ShowError {
    #[error("no editor is connected")]
    NoEditor,
    #[error("the editor cannot show documents (window/showDocument)")]
    Unsupported,
    #[error("the editor did not show it{}", .0.as_deref().map(|r| format!(": {r}")).unwrap_or_default())]
    Refused(Option<String>),
    #[error("the editor did not answer")]
    NoAnswer,
}

/// What a person is asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// What is to be done, in one line: what they read first. Nothing in it is invisible.
    pub summary: String,
    /// Whether `summary` leaves out nothing of what is to be done.
    pub is_summary_whole: bool,
    /// All that they are shown; nothing in it is invisible.
    pub text: String,
    /// The answers that are offered. Any other is a no.
    pub answers: &'static [Answer],
    /// How long they may take.
    pub patience: Duration,
}

/// What they answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Answer {
    /// This call may go on.
    Once,
    /// And so may every call like this one until the client goes.
    Session,
    /// And so may exactly this call from now on.
    Always,
    /// It may not.
    Deny,
}

impl Answer {
    /// What a person is shown for it.
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

impl Question {
    /// What the answer with this title means; any that is not offered is a no.
    #[must_use]
    pub fn answer(&self, title: Option<&str>) -> Answer {
        let chosen = self.answers.iter().find(|answer| Some(answer.title()) == title);
        chosen.copied().unwrap_or(Answer::Deny)
    }
}

/// Why there is no answer, which is a no.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[allow(missing_docs)]
pub enum NoAnswer {
    #[error("nobody could be asked")]
    Nobody,
    #[error("too many questions are open")]
    TooMany,
    #[error("no answer came in time, or none that was offered")]
    Unanswered,
}

/// A place that is to be shown.
#[derive(Debug, Clone)]
pub struct Shown {
    /// The document's URI.
    pub uri: Arc<str>,
    /// Its text, and the bytes of it that are to be selected; the end is where the cursor goes.
    pub selection: Option<(Text, Range<usize>)>,
}

/// What a front end does for the tools. Calls block, and are never made on a runtime's thread.
pub trait Editor: Send + Sync {
    /// Whether [`Editor::apply`] can work at all.
    fn can_apply(&self) -> bool;

    /// Applies all the edits as one step that can be undone, or none of them.
    ///
    /// # Errors
    /// When nothing was changed, and why.
    fn apply(&self, label: &str, edits: &[DocumentEdit]) -> Result<(), EditorError>;

    /// Called before what cannot be taken back. False where the call has been cancelled; once it
    /// has been true, a cancel comes too late, and the call's own result is what is answered.
    fn commit(&self) -> bool {
        true
    }

    /// Asks the person for leave. Other calls go on meanwhile.
    ///
    /// # Errors
    /// When there is no answer, and why.
    fn ask(&self, question: &Question) -> Result<Answer, NoAnswer>;

    /// Whether the person wants to look at every change of text before it is made.
    fn reviews(&self) -> bool {
        false
    }

    /// Shows the person a change before it is made. Other calls go on meanwhile.
    ///
    /// # Errors
    /// When there is no answer, and why.
    fn review(&self, _proposal: &Proposal) -> Result<Verdict, NoAnswer> {
        Err(NoAnswer::Nobody)
    }

    /// Shows a document to the person.
    ///
    /// # Errors
    /// When it was not shown, and why.
    fn show(&self, shown: &Shown) -> Result<(), ShowError>;

    /// What the characters of positions count: the protocol's own unit, unless the client and the
    /// server have agreed on another.
    fn encoding(&self) -> PositionEncoding {
        PositionEncoding::Utf16
    }

    /// Tells whoever waits for the call how far it is.
    fn progress(&self, _message: &str) {}
}

/// No editor: nothing is open, and the only leave is what was given on the command line.
#[derive(Debug, Clone, Copy, Default)]
pub struct Headless {
    /// The person's own leave for this one call.
    pub yes: bool,
}

impl Editor for Headless {
    fn can_apply(&self) -> bool {
        false
    }

    fn apply(&self, _: &str, _: &[DocumentEdit]) -> Result<(), EditorError> {
        Err(EditorError::Unsupported)
    }

    fn ask(&self, _: &Question) -> Result<Answer, NoAnswer> {
        if self.yes { Ok(Answer::Once) } else { Err(NoAnswer::Nobody) }
    }

    fn show(&self, _: &Shown) -> Result<(), ShowError> {
        Err(ShowError::NoEditor)
    }
}
