//! The `Editor` of tools when no editor runs: prompts go to the user by MCP elicitation.

use std::collections::BTreeMap;

use live::{BoxFuture, CallClient};
use rmcp::model::{
    ElicitRequestParams, ElicitationAction, ElicitationSchema, EnumSchema,
    PrimitiveSchemaDefinition,
};
use rmcp::service::{Peer, RequestContext, RoleServer};
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;
use tools::CallControl;
use workspace::{
    ApprovalDecision, ApprovalRequest, DocumentEdit, Editor, EditorError, NoAnswer, ShowError,
    ShowRequest,
};

use crate::approval_rounds::Question;
use crate::progress::Progress;

/// The only field of the elicitation form.
const ANSWER_FIELD: &str = "answer";

/// The user behind an MCP client.
#[derive(Clone)]
pub(crate) enum User {
    /// Asked by a request to the client: protocol versions up to 2025-11-25.
    Peer(Peer<RoleServer>),
    /// Asked in the answer to the call: later versions.
    Rounds(mpsc::Sender<Question>),
    /// The client cannot ask.
    Nobody,
}

impl User {
    /// The user, if the client of this request supports forms. The receiver is for questions to be asked
    /// in rounds.
    pub(crate) fn new(
        context: &RequestContext<RoleServer>,
    ) -> (Self, Option<mpsc::Receiver<Question>>) {
        let capabilities = context.client_capabilities();
        let elicitation = capabilities.and_then(|capabilities| capabilities.elicitation);
        // Neither mode given means forms, as in the first version that had them.
        if elicitation.is_none_or(|modes| modes.form.is_none() && modes.url.is_some()) {
            return (Self::Nobody, None);
        }
        if context.protocol_version().is_none_or(|version| version.has_initialize()) {
            return (Self::Peer(context.peer.clone()), None);
        }
        // A call waits for each answer before its next question.
        let (sender, questions) = mpsc::channel(1);
        (Self::Rounds(sender), Some(questions))
    }

    async fn prompt(&self, question: &ApprovalRequest) -> Result<ApprovalDecision, NoAnswer> {
        match self {
            Self::Nobody => Err(NoAnswer::Nobody),
            Self::Rounds(questions) => {
                let (answer, decided) = oneshot::channel();
                let asked = Question { request: question.clone(), answer };
                questions.send(asked).await.map_err(|_| NoAnswer::Nobody)?;
                match timeout(question.timeout, decided).await {
                    Ok(Ok(decision)) => Ok(decision),
                    _ => Err(NoAnswer::Unanswered),
                }
            }
            Self::Peer(peer) => {
                let (form, limit) = (approval_form(question), Some(question.timeout));
                let answer = peer.create_elicitation_with_timeout(form, limit).await;
                let answer = answer.map_err(|error| {
                    tracing::debug!("the prompt failed: {error}");
                    NoAnswer::Unanswered
                })?;
                if answer.action != ElicitationAction::Accept {
                    return Ok(ApprovalDecision::Deny);
                }
                Ok(decision(question, answer.content.as_ref()))
            }
        }
    }
}

/// The client of this process that made a call.
#[derive(Clone)]
pub(crate) struct McpClient {
    pub(crate) user: User,
    pub(crate) progress: Progress,
}

impl CallClient for McpClient {
    fn progress(&self, message: &str) {
        self.progress.report(message);
    }

    fn ask(&self, request: ApprovalRequest) -> BoxFuture<Result<ApprovalDecision, NoAnswer>> {
        let user = self.user.clone();
        Box::pin(async move { user.prompt(&request).await })
    }
}

/// The form that asks for approval.
pub(crate) fn approval_form(question: &ApprovalRequest) -> ElicitRequestParams {
    let titles = question.decisions.iter().map(|answer| answer.title().to_owned()).collect();
    let choice = PrimitiveSchemaDefinition::Enum(EnumSchema::builder(titles).build());
    let mut schema = ElicitationSchema::new(BTreeMap::from([(ANSWER_FIELD.to_owned(), choice)]));
    schema.required = Some(vec![ANSWER_FIELD.to_owned()]);
    ElicitRequestParams::FormElicitationParams {
        meta: None,
        message: question.text.clone(),
        requested_schema: schema,
    }
}

/// The decision in an accepted form.
pub(crate) fn decision(question: &ApprovalRequest, content: Option<&Value>) -> ApprovalDecision {
    question.decision(content.and_then(|content| content[ANSWER_FIELD].as_str()))
}

/// Implements `Editor` without an editor, for a client of this process or for one that joined it.
pub(crate) struct HeadlessEditor<C> {
    pub(crate) client: C,
    /// Whether the client's person has approved the call already.
    pub(crate) approved: bool,
    pub(crate) control: CallControl,
}

impl<C: CallClient> Editor for HeadlessEditor<C> {
    fn can_apply(&self) -> bool {
        false
    }

    fn apply(&self, _: &str, _: &[DocumentEdit]) -> Result<(), EditorError> {
        Err(EditorError::Unsupported)
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

    fn request_approval(&self, question: &ApprovalRequest) -> Result<ApprovalDecision, NoAnswer> {
        if self.approved {
            return Ok(ApprovalDecision::Once);
        }
        self.control.wait_for_decision(question, async {
            tokio::select! {
                answer = self.client.ask(question.clone()) => answer,
                () = self.control.cancelled() => Err(NoAnswer::Unanswered),
            }
        })
    }

    fn show(&self, _: &ShowRequest) -> Result<(), ShowError> {
        Err(ShowError::Unsupported)
    }

    fn progress(&self, message: &str) {
        self.client.progress(message);
    }
}
