//! The editor behind the client, as the tools see it.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use text::PositionEncoding;
use tokio::runtime::Handle;
use tokio::sync::OwnedMutexGuard;
use tower_lsp_server::jsonrpc::Result;
use tower_lsp_server::ls_types::request::{
    ApplyWorkspaceEdit, Request, ShowDocument, ShowMessageRequest,
};
use tower_lsp_server::ls_types::{
    ApplyWorkspaceEditParams, DocumentChanges, MessageActionItem, MessageType, OneOf,
    OptionalVersionedTextDocumentIdentifier, ShowDocumentParams, ShowMessageRequestParams,
    TextDocumentEdit, TextEdit, WorkspaceEdit,
};
use workspace::{
    Answer, DocumentEdit, Editor, EditorError, NoAnswer, Proposal, Question, ShowError, Shown,
    Verdict,
};

use crate::convert::{range_to_lsp, uri_to_lsp};
use crate::ingress::Gate;
use crate::progress::Progress;
use crate::review::{self, Review};
use crate::session::Session;
use crate::taken_back;

/// Reaches the client for one call, from a thread that may block.
pub(crate) struct LspEditor {
    session: Arc<Session>,
    runtime: Handle,
    call: Call,
    turn: Mutex<Option<OwnedMutexGuard<()>>>,
}

/// What is the call's own.
pub(crate) struct Call {
    /// Set once nobody waits for the tool any more.
    pub(crate) interrupt: Arc<AtomicBool>,
    pub(crate) gate: Arc<Gate>,
    /// The turn to write, of a tool that takes one.
    pub(crate) turn: Option<OwnedMutexGuard<()>>,
    /// Whether the caller's person has approved it already.
    pub(crate) approved: bool,
    pub(crate) progress: Progress,
}

/// `window/showMessageRequest`, with what a client that knows of it shows first.
enum Ask {}

impl Request for Ask {
    type Params = AskParams;
    type Result = <ShowMessageRequest as Request>::Result;
    const METHOD: &'static str = ShowMessageRequest::METHOD;
}

#[derive(Debug, Serialize, Deserialize)]
struct AskParams {
    #[serde(flatten)]
    message: ShowMessageRequestParams,
    tandem: Summary,
}

/// What is to be done, in one line.
#[derive(Debug, Serialize, Deserialize)]
struct Summary {
    summary: String,
    /// Whether it leaves out nothing of what is to be done.
    is_whole: bool,
}

/// How long an editor may take to apply an edit, or to show a document.
const APPLY: Duration = Duration::from_secs(20);

/// How often it is looked whether the answer is still wanted.
const LOOK: Duration = Duration::from_millis(10);

impl LspEditor {
    pub(crate) fn new(session: Arc<Session>, runtime: Handle, mut call: Call) -> Self {
        let turn = Mutex::new(call.turn.take());
        Self { session, runtime, call, turn }
    }

    /// The client's answer; `None` after `limit`, or once nobody wants it any more: then the
    /// request is taken back.
    fn request<M: Request>(&self, params: M::Params, limit: Duration) -> Option<Result<M::Result>> {
        let give_up = async {
            tokio::select! {
                () = tokio::time::sleep(limit) => {}
                () = self.given_up() => {}
            }
        };
        self.runtime.block_on(taken_back::ask::<M>(&self.session.client, params, give_up))
    }

    async fn given_up(&self) {
        while !self.call.interrupt.load(Ordering::Relaxed) {
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Queues up again for the turn to write. False once nobody wants the call any more.
    fn retake(&self, turn: &mut Option<OwnedMutexGuard<()>>) -> bool {
        let writes = self.session.writes.clone();
        *turn = self.runtime.block_on(async {
            tokio::select! {
                turn = writes.lock_owned() => Some(turn),
                () = self.given_up() => None,
            }
        });
        turn.is_some()
    }

    /// Asks the person, without keeping the turn to write.
    fn question<M: Request>(
        &self,
        params: M::Params,
        patience: Duration,
    ) -> std::result::Result<M::Result, NoAnswer> {
        let Ok(_open) = self.session.questions.try_acquire() else {
            tracing::warn!("too many questions are open: one more is not asked");
            return Err(NoAnswer::TooMany);
        };
        let mut turn = self.turn.lock();
        let had_turn = turn.take().is_some();
        let answer = self.request::<M>(params, patience);
        if had_turn && !self.retake(&mut turn) {
            return Err(NoAnswer::Unanswered);
        }
        match answer {
            None | Some(Err(_)) => Err(NoAnswer::Unanswered),
            Some(Ok(answer)) => Ok(answer),
        }
    }

    fn edits(&self, edit: &DocumentEdit) -> Vec<TextEdit> {
        off_line_endings(edit)
            .into_iter()
            .map(|(span, new_text)| TextEdit {
                range: range_to_lsp(&edit.text, span, self.session.encoding),
                new_text,
            })
            .collect()
    }

    fn workspace_edit(&self, edits: &[DocumentEdit]) -> Option<WorkspaceEdit> {
        if !self.session.features.versioned_edits {
            let mut changes = HashMap::new();
            for edit in edits {
                changes.insert(uri_to_lsp(&edit.uri)?, self.edits(edit));
            }
            return Some(WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() });
        }
        let mut documents = Vec::new();
        for edit in edits {
            documents.push(TextDocumentEdit {
                text_document: OptionalVersionedTextDocumentIdentifier {
                    uri: uri_to_lsp(&edit.uri)?,
                    version: Some(edit.version),
                },
                edits: self.edits(edit).into_iter().map(OneOf::Left).collect(),
            });
        }
        Some(WorkspaceEdit {
            document_changes: Some(DocumentChanges::Edits(documents)),
            ..WorkspaceEdit::default()
        })
    }
}

/// The edits with their spans widened off the insides of CRLF, where no position can point.
/// Edits that touch are joined, so that widening makes none overlap.
fn off_line_endings(edit: &DocumentEdit) -> Vec<(Range<usize>, String)> {
    let inside = |at: usize| at > 0 && &*edit.text.slice(at - 1..at + 1) == "\r\n";
    let mut joined: Vec<(Range<usize>, String)> = Vec::new();
    for (span, new) in &edit.edits {
        match joined.last_mut() {
            Some((last, text)) if last.end == span.start && inside(span.start) => {
                last.end = span.end;
                text.push_str(new);
            }
            _ => joined.push((span.clone(), new.clone())),
        }
    }
    for (span, new) in &mut joined {
        if inside(span.start) {
            span.start -= 1;
            new.insert(0, '\r');
        }
        if inside(span.end) {
            span.end += 1;
            new.push('\n');
        }
    }
    joined
}

impl Editor for LspEditor {
    fn can_apply(&self) -> bool {
        self.session.features.apply_edit
    }

    fn apply(&self, label: &str, edits: &[DocumentEdit]) -> std::result::Result<(), EditorError> {
        if !self.can_apply() {
            return Err(EditorError::Unsupported);
        }
        let edit = self.workspace_edit(edits).ok_or(EditorError::Unsupported)?;
        tracing::debug!("{label}: {} documents change in the editor", edits.len());
        let params = ApplyWorkspaceEditParams { label: Some(label.to_owned()), edit };
        match self.request::<ApplyWorkspaceEdit>(params, APPLY) {
            None => Err(EditorError::NoAnswer),
            Some(Err(error)) => Err(EditorError::Refused(Some(error.message.into_owned()))),
            Some(Ok(response)) if response.applied => Ok(()),
            Some(Ok(response)) => Err(EditorError::Refused(response.failure_reason)),
        }
    }

    fn commit(&self) -> bool {
        self.call.gate.commit()
    }

    fn ask(&self, question: &Question) -> std::result::Result<Answer, NoAnswer> {
        if self.call.approved {
            return Ok(Answer::Once);
        }
        if !self.session.features.show_message_request {
            return Err(NoAnswer::Nobody);
        }
        let action = |answer: &Answer| MessageActionItem {
            title: answer.title().to_owned(),
            properties: HashMap::new(),
        };
        let message = ShowMessageRequestParams {
            typ: MessageType::WARNING,
            message: question.text.clone(),
            actions: Some(question.answers.iter().map(action).collect()),
        };
        let tandem =
            Summary { summary: question.summary.clone(), is_whole: question.is_summary_whole };
        // Whoever closes a question has read it.
        let answer = self.question::<Ask>(AskParams { message, tandem }, question.patience)?;
        Ok(question.answer(answer.as_ref().map(|answer| answer.title.as_str())))
    }

    fn reviews(&self) -> bool {
        self.session.features.review && self.session.settings.reviews()
    }

    fn review(&self, proposal: &Proposal) -> std::result::Result<Verdict, NoAnswer> {
        let params = review::params(proposal);
        let answer = self.question::<Review>(params, proposal.patience)?;
        review::verdict(proposal, answer).ok_or(NoAnswer::Unanswered)
    }

    fn show(&self, shown: &Shown) -> std::result::Result<(), ShowError> {
        if !self.session.features.show_document {
            return Err(ShowError::Unsupported);
        }
        let uri = uri_to_lsp(&shown.uri).ok_or(ShowError::Unsupported)?;
        let encoding = self.session.encoding;
        let selection = shown.selection.as_ref();
        let params = ShowDocumentParams {
            uri,
            external: Some(false),
            take_focus: Some(true),
            selection: selection.map(|(text, span)| range_to_lsp(text, span.clone(), encoding)),
        };
        match self.request::<ShowDocument>(params, APPLY) {
            None => Err(ShowError::NoAnswer),
            Some(Err(error)) => Err(ShowError::Refused(Some(error.message.into_owned()))),
            Some(Ok(result)) if result.success => Ok(()),
            Some(Ok(_)) => Err(ShowError::Refused(None)),
        }
    }

    fn encoding(&self) -> PositionEncoding {
        self.session.encoding
    }

    fn progress(&self, message: &str) {
        if !self.call.interrupt.load(Ordering::Relaxed) {
            self.call.progress.tell(message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_never_point_inside_crlf() {
        let check = |text: &str, edits: &[(Range<usize>, &str)], want: &[(Range<usize>, &str)]| {
            let own = |edits: &[(Range<usize>, &str)]| -> Vec<(Range<usize>, String)> {
                edits.iter().map(|(span, new)| (span.clone(), (*new).to_owned())).collect()
            };
            let edit = DocumentEdit {
                uri: "file:///a".into(),
                version: 1,
                text: text::Text::new(text),
                edits: own(edits),
            };
            assert_eq!(off_line_endings(&edit), own(want), "{text:?} {edits:?}");
        };
        check("a\r\nb", &[(2..3, "")], &[(1..3, "\r")]);
        check("a\r\nb", &[(0..2, "x")], &[(0..3, "x\n")]);
        check("a\r\nb", &[(0..2, "x"), (2..4, "y")], &[(0..4, "xy")]);
        check("a\r\nb", &[(0..1, "x"), (3..4, "y")], &[(0..1, "x"), (3..4, "y")]);
        check("a\rb\n", &[(2..2, "x")], &[(2..2, "x")]);
    }
}
