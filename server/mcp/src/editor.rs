//! The `Editor` of tools when no editor runs: prompts go to the user by MCP elicitation.

use std::collections::BTreeMap;

use rmcp::model::{
    ElicitRequestParams, ElicitationAction, ElicitationSchema, EnumSchema,
    PrimitiveSchemaDefinition,
};
use rmcp::service::{ElicitationMode, Peer, RequestContext, RoleServer};
use tools::CallControl;
use workspace::{
    ApprovalDecision, ApprovalRequest, DocumentEdit, Editor, EditorError, NoAnswer, ShowError,
    ShowRequest,
};

use crate::progress::Progress;

/// The only field of the elicitation form.
const ANSWER_FIELD: &str = "answer";

/// The user behind an MCP client.
#[derive(Clone)]
pub(crate) struct User {
    peer: Peer<RoleServer>,
}

impl User {
    pub(crate) fn new(context: &RequestContext<RoleServer>) -> Self {
        Self { peer: context.peer.clone() }
    }

    /// Whether the client supports elicitation.
    fn can_be_prompted(&self) -> bool {
        self.peer.supported_elicitation_modes().contains(&ElicitationMode::Form)
    }

    async fn prompt(&self, question: &ApprovalRequest) -> Result<ApprovalDecision, NoAnswer> {
        let titles = question.decisions.iter().map(|answer| answer.title().to_owned()).collect();
        let choice = PrimitiveSchemaDefinition::Enum(EnumSchema::builder(titles).build());
        let mut schema =
            ElicitationSchema::new(BTreeMap::from([(ANSWER_FIELD.to_owned(), choice)]));
        schema.required = Some(vec![ANSWER_FIELD.to_owned()]);
        let params = ElicitRequestParams::FormElicitationParams {
            meta: None,
            message: question.text.clone(),
            requested_schema: schema,
        };
        let timeout = Some(question.timeout);
        let answer = self.peer.create_elicitation_with_timeout(params, timeout).await;
        let answer = answer.map_err(|error| {
            tracing::debug!("the prompt failed: {error}");
            NoAnswer::Unanswered
        })?;
        if answer.action != ElicitationAction::Accept {
            return Ok(ApprovalDecision::Deny);
        }
        let chosen = answer.content.as_ref().and_then(|content| content[ANSWER_FIELD].as_str());
        Ok(question.decision(chosen))
    }
}

/// Implements `Editor` without an editor.
pub(crate) struct HeadlessEditor {
    pub(crate) user: User,
    pub(crate) progress: Progress,
    pub(crate) control: CallControl,
}

impl Editor for HeadlessEditor {
    fn can_apply(&self) -> bool {
        false
    }

    fn apply(&self, _: &str, _: &[DocumentEdit]) -> Result<(), EditorError> {
        Err(EditorError::Unsupported)
    }

    fn commit(&self) -> bool {
        !self.control.is_cancelled()
    }

    fn request_approval(&self, question: &ApprovalRequest) -> Result<ApprovalDecision, NoAnswer> {
        if !self.user.can_be_prompted() {
            return Err(NoAnswer::Nobody);
        }
        let answer = self.control.wait_for_person(async {
            tokio::select! {
                answer = self.user.prompt(question) => answer,
                () = self.control.cancelled() => Err(NoAnswer::Unanswered),
            }
        });
        answer.unwrap_or(Err(NoAnswer::Unanswered))
    }

    fn show(&self, _: &ShowRequest) -> Result<(), ShowError> {
        Err(ShowError::Unsupported)
    }

    fn progress(&self, message: &str) {
        self.progress.report(message);
    }
}
