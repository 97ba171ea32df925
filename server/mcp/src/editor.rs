//! What tools see of an editor where there is none: the person behind the client, where it can ask
//! them.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use rmcp::model::{
    ElicitRequestParams, ElicitationAction, ElicitationSchema, EnumSchema,
    PrimitiveSchemaDefinition,
};
use rmcp::service::{ElicitationMode, Peer, RequestContext, RoleServer};
use tokio::runtime::Handle;
use workspace::{Answer, DocumentEdit, Editor, EditorError, NoAnswer, Question, ShowError, Shown};

use crate::progress::Progress;

/// How often it is looked whether an answer is still wanted.
const LOOK: Duration = Duration::from_millis(20);
/// The one thing that is asked for.
const FIELD: &str = "answer";

/// The person behind a client.
#[derive(Clone)]
pub(crate) struct Person {
    peer: Peer<RoleServer>,
    runtime: Handle,
}

impl Person {
    pub(crate) fn new(context: &RequestContext<RoleServer>) -> Self {
        Self { peer: context.peer.clone(), runtime: Handle::current() }
    }

    /// Whether they can be asked.
    fn can_be_asked(&self) -> bool {
        self.peer.supported_elicitation_modes().contains(&ElicitationMode::Form)
    }

    async fn ask(&self, question: &Question) -> Result<Answer, NoAnswer> {
        let titles = question.answers.iter().map(|answer| answer.title().to_owned()).collect();
        let choice = PrimitiveSchemaDefinition::Enum(EnumSchema::builder(titles).build());
        let mut schema = ElicitationSchema::new(BTreeMap::from([(FIELD.to_owned(), choice)]));
        schema.required = Some(vec![FIELD.to_owned()]);
        let params = ElicitRequestParams::FormElicitationParams {
            meta: None,
            message: question.text.clone(),
            requested_schema: schema,
        };
        let patience = Some(question.patience);
        let answer = self.peer.create_elicitation_with_timeout(params, patience).await;
        let answer = answer.map_err(|error| {
            tracing::debug!("the person was not asked: {error}");
            NoAnswer::Unanswered
        })?;
        if answer.action != ElicitationAction::Accept {
            return Ok(Answer::Deny);
        }
        let chosen = answer.content.as_ref().and_then(|content| content[FIELD].as_str());
        Ok(question.answer(chosen))
    }
}

/// No editor, but perhaps a person.
pub(crate) struct NoEditor {
    pub(crate) person: Person,
    pub(crate) progress: Progress,
    /// Set once nobody waits for the call any more.
    pub(crate) interrupt: Arc<AtomicBool>,
}

impl Editor for NoEditor {
    fn can_apply(&self) -> bool {
        false
    }

    fn apply(&self, _: &str, _: &[DocumentEdit]) -> Result<(), EditorError> {
        Err(EditorError::Unsupported)
    }

    fn commit(&self) -> bool {
        !self.interrupt.load(Ordering::Relaxed)
    }

    fn ask(&self, question: &Question) -> Result<Answer, NoAnswer> {
        if !self.person.can_be_asked() {
            return Err(NoAnswer::Nobody);
        }
        self.person.runtime.block_on(async {
            tokio::select! {
                answer = self.person.ask(question) => answer,
                () = given_up(&self.interrupt) => Err(NoAnswer::Unanswered),
            }
        })
    }

    fn show(&self, _: &Shown) -> Result<(), ShowError> {
        Err(ShowError::Unsupported)
    }

    fn progress(&self, message: &str) {
        self.progress.tell(message);
    }
}

async fn given_up(interrupt: &AtomicBool) {
    while !interrupt.load(Ordering::Relaxed) {
        tokio::time::sleep(LOOK).await;
    }
}
