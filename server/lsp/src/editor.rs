//! The editor behind the LSP client, as the tools see it.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use text::PositionEncoding;
use tools::{CallControl, answer_from};
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
    ApprovalDecision, ApprovalRequest, DocumentEdit, Editor, EditorError, NoAnswer, Proposal,
    ShowError, ShowRequest, Verdict,
};

use crate::cancellable_request;
use crate::convert::{range_to_lsp, uri_to_lsp};
use crate::progress::Progress;
use crate::review::{self, Review};
use crate::session::Session;
use crate::status::RunningCall;

/// Talks to the client for one tool call, from a thread that may block.
pub(crate) struct LspEditor {
    session: Arc<Session>,
    call: EditorCall,
    control: CallControl,
}

/// The state of one call.
pub(crate) struct EditorCall {
    /// Whether the user has approved the call already.
    pub(crate) approved: bool,
    pub(crate) progress: Arc<Progress>,
    /// Counts the call as running, unless it is none of a tool.
    #[expect(dead_code, reason = "counts until it is dropped")]
    pub(crate) running: Option<RunningCall>,
}

/// `window/showMessageRequest`, with a summary for clients that support it.
enum ShowMessageWithSummary {}

impl Request for ShowMessageWithSummary {
    type Params = ShowMessageWithSummaryParams;
    type Result = <ShowMessageRequest as Request>::Result;
    const METHOD: &'static str = ShowMessageRequest::METHOD;
}

#[derive(Debug, Serialize, Deserialize)]
struct ShowMessageWithSummaryParams {
    #[serde(flatten)]
    message: ShowMessageRequestParams,
    tandem: Summary,
}

/// A one-line summary of the action to approve.
#[derive(Debug, Serialize, Deserialize)]
struct Summary {
    summary: String,
    /// Whether the summary is complete.
    is_whole: bool,
}

/// How long an editor may take to apply an edit or to show a document.
const CLIENT_TIMEOUT: Duration = Duration::from_secs(20);

impl LspEditor {
    pub(crate) fn new(session: Arc<Session>, call: EditorCall, control: CallControl) -> Self {
        Self { session, call, control }
    }

    /// The client's response. `None` after `limit` or on cancellation, which also cancels the request.
    async fn request<M: Request>(
        &self,
        params: M::Params,
        limit: Duration,
    ) -> Option<Result<M::Result>> {
        let give_up = async {
            tokio::select! {
                () = tokio::time::sleep(limit) => {}
                () = self.control.cancelled() => {}
            }
        };
        cancellable_request::send::<M>(&self.session.client, params, give_up).await
    }

    /// Prompts the user. The write lock is released while the prompt is open.
    fn prompt<M: Request>(
        &self,
        params: M::Params,
        timeout: Duration,
    ) -> std::result::Result<M::Result, NoAnswer> {
        match self.control.wait_for_person(self.request::<M>(params, timeout)) {
            Ok(Some(Ok(answer))) => Ok(answer),
            Ok(None | Some(Err(_))) => Err(NoAnswer::Unanswered),
            Err(why) => Err(why),
        }
    }

    fn text_edits(&self, edit: &DocumentEdit) -> Vec<TextEdit> {
        widen_off_crlf(edit)
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
                changes.insert(uri_to_lsp(&edit.uri)?, self.text_edits(edit));
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
                edits: self.text_edits(edit).into_iter().map(OneOf::Left).collect(),
            });
        }
        Some(WorkspaceEdit {
            document_changes: Some(DocumentChanges::Edits(documents)),
            ..WorkspaceEdit::default()
        })
    }
}

/// The edits, widened so that none starts or ends inside CRLF, where LSP has no position. Adjacent
/// edits are joined, so that widening creates no overlap.
fn widen_off_crlf(edit: &DocumentEdit) -> Vec<(Range<usize>, String)> {
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
        match self.control.wait(self.request::<ApplyWorkspaceEdit>(params, CLIENT_TIMEOUT)) {
            None => Err(EditorError::NoResponse),
            Some(Err(error)) => Err(EditorError::Refused(Some(error.message.into_owned()))),
            Some(Ok(response)) if response.applied => Ok(()),
            Some(Ok(response)) => Err(EditorError::Refused(response.failure_reason)),
        }
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

    fn request_approval(
        &self,
        question: &ApprovalRequest,
    ) -> std::result::Result<ApprovalDecision, NoAnswer> {
        if self.call.approved {
            return Ok(ApprovalDecision::Once);
        }
        let can_ask = self.session.features.show_message_request;
        if !can_ask && !question.elsewhere.as_ref().is_some_and(|other| other.may_come()) {
            return Err(NoAnswer::Nobody);
        }
        let action = |answer: &ApprovalDecision| MessageActionItem {
            title: answer.title().to_owned(),
            properties: HashMap::new(),
        };
        let message = ShowMessageRequestParams {
            typ: MessageType::WARNING,
            message: question.text.clone(),
            actions: Some(question.decisions.iter().map(action).collect()),
        };
        let tandem =
            Summary { summary: question.summary.clone(), is_whole: question.is_summary_whole };
        let params = ShowMessageWithSummaryParams { message, tandem };
        self.control.wait_for_decision(question, async {
            if !can_ask {
                return Err(NoAnswer::Nobody);
            }
            let answered = async {
                match &question.elsewhere {
                    Some(elsewhere) => drop(answer_from(elsewhere).await),
                    None => std::future::pending().await,
                }
            };
            let give_up = async {
                tokio::select! {
                    () = tokio::time::sleep(question.timeout) => {}
                    () = self.control.cancelled() => {}
                    () = answered => {}
                }
            };
            let client = &self.session.client;
            let asked =
                cancellable_request::send::<ShowMessageWithSummary>(client, params, give_up);
            match asked.await {
                // A closed prompt counts as an answer.
                Some(Ok(answer)) => {
                    Ok(question.decision(answer.as_ref().map(|answer| answer.title.as_str())))
                }
                None | Some(Err(_)) => Err(NoAnswer::Unanswered),
            }
        })
    }

    fn wants_review(&self) -> bool {
        self.session.features.review && self.session.settings.review_enabled()
    }

    fn review(&self, proposal: &Proposal) -> std::result::Result<Verdict, NoAnswer> {
        let params = review::params(proposal);
        let answer = self.prompt::<Review>(params, proposal.timeout)?;
        review::verdict(proposal, answer).ok_or(NoAnswer::Unanswered)
    }

    fn show(&self, shown: &ShowRequest) -> std::result::Result<(), ShowError> {
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
        match self.control.wait(self.request::<ShowDocument>(params, CLIENT_TIMEOUT)) {
            None => Err(ShowError::NoResponse),
            Some(Err(error)) => Err(ShowError::Refused(Some(error.message.into_owned()))),
            Some(Ok(result)) if result.success => Ok(()),
            Some(Ok(_)) => Err(ShowError::Refused(None)),
        }
    }

    fn encoding(&self) -> PositionEncoding {
        self.session.encoding
    }

    fn progress(&self, message: &str) {
        if !self.control.is_cancelled() {
            self.call.progress.report(message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_never_point_inside_crlf() {
        let check = |text: &str, edits: &[(Range<usize>, &str)], want: &[(Range<usize>, &str)]| {
            let to_edits = |edits: &[(Range<usize>, &str)]| -> Vec<(Range<usize>, String)> {
                edits.iter().map(|(span, new)| (span.clone(), (*new).to_owned())).collect()
            };
            let edit = DocumentEdit {
                uri: "file:///a".into(),
                version: 1,
                text: text::Text::new(text),
                edits: to_edits(edits),
            };
            assert_eq!(widen_off_crlf(&edit), to_edits(want), "{text:?} {edits:?}");
        };
        check("a\r\nb", &[(2..3, "")], &[(1..3, "\r")]);
        check("a\r\nb", &[(0..2, "x")], &[(0..3, "x\n")]);
        check("a\r\nb", &[(0..2, "x"), (2..4, "y")], &[(0..4, "xy")]);
        check("a\r\nb", &[(0..1, "x"), (3..4, "y")], &[(0..1, "x"), (3..4, "y")]);
        check("a\rb\n", &[(2..2, "x")], &[(2..2, "x")]);
    }
}
