//! Approval of calls from protocol version 2026-07-28 on.
//!
//! Such a client takes no requests. A call that needs approval is answered by an `InputRequiredResult`
//! with the form and a `requestState`; the client calls again with both and the person's answer. The call
//! keeps running meanwhile, so that what was asked about is what is done. The state is signed, is bound to
//! the tool and its arguments, ends with the time to answer, and counts once.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use rmcp::model::{
    CallToolRequestParams, ElicitRequest, ElicitResult, ElicitationAction, ErrorData, InputRequest,
    InputRequests, InputRequiredResult, RequestStateCodec, SealOptions,
};
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinHandle;
use workspace::{ApprovalDecision, ApprovalRequest};

use crate::editor::{approval_form, decision};
use crate::progress::Progress;

/// The key of the only input that a call asks for.
const INPUT_KEY: &str = "approval";
/// How long a waiting call is kept after its time to answer, so that it ends by itself first.
const GRACE: Duration = Duration::from_secs(5);
/// Bytes of the signing key.
const KEY_LENGTH: usize = 32;

/// An approval request of a running call, and where its answer goes.
pub(crate) struct Question {
    pub(crate) request: ApprovalRequest,
    pub(crate) answer: oneshot::Sender<ApprovalDecision>,
}

/// A call that has ended.
pub(crate) struct FinishedCall {
    /// The tool behind the name that was called.
    pub(crate) tool: String,
    /// Whether it was called with `verbose`.
    pub(crate) is_verbose: bool,
    /// The result, or the error.
    pub(crate) outcome: Result<Value, Value>,
}

impl FinishedCall {
    /// A call that was not made.
    pub(crate) fn refused(tool: String, error: Value) -> Self {
        Self { tool, is_verbose: false, outcome: Err(error) }
    }

    #[cfg(test)]
    pub(crate) fn with_outcome(tool: &str, outcome: Result<Value, Value>) -> Self {
        Self { tool: tool.to_owned(), is_verbose: false, outcome }
    }
}

/// A running call that may ask. Dropping it cancels the call.
pub(crate) struct AskingCall {
    task: JoinHandle<FinishedCall>,
    questions: mpsc::Receiver<Question>,
    pub(crate) progress: Progress,
}

/// What a running call does next.
pub(crate) enum CallEvent {
    Done(FinishedCall),
    /// The person has to be asked.
    Asked(Question),
}

impl Drop for AskingCall {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl AskingCall {
    /// Starts a call, which asks by `questions`.
    pub(crate) fn start(
        call: impl Future<Output = FinishedCall> + Send + 'static,
        questions: mpsc::Receiver<Question>,
        progress: Progress,
    ) -> Self {
        Self { task: tokio::spawn(call), questions, progress }
    }

    /// Waits until the call ends or asks. Cancel safe.
    pub(crate) async fn next(&mut self) -> Result<CallEvent, ErrorData> {
        tokio::select! {
            biased;
            done = &mut self.task => done.map(CallEvent::Done).map_err(|error| {
                tracing::error!("a call failed: {error}");
                ErrorData::internal_error("internal error", None)
            }),
            Some(question) = self.questions.recv() => Ok(CallEvent::Asked(question)),
        }
    }
}

/// The decision in the answer to a form.
pub(crate) fn decided(request: &ApprovalRequest, answer: &ElicitResult) -> ApprovalDecision {
    match answer.action {
        ElicitationAction::Accept => decision(request, answer.content.as_ref()),
        _ => ApprovalDecision::Deny,
    }
}

/// The calls that wait for an answer.
pub(crate) struct ApprovalRounds {
    codec: RequestStateCodec,
    next_id: AtomicU64,
    waiting: Arc<Mutex<HashMap<u64, WaitingCall>>>,
}

struct WaitingCall {
    call: AskingCall,
    question: Question,
}

impl ApprovalRounds {
    /// # Errors
    /// If the system has no randomness for the key.
    pub(crate) fn new() -> Result<Self, String> {
        let mut key = [0; KEY_LENGTH];
        getrandom::fill(&mut key).map_err(|error| format!("no randomness: {error}"))?;
        let codec = RequestStateCodec::try_new(key).map_err(|error| error.to_string())?;
        Ok(Self { codec, next_id: AtomicU64::new(1), waiting: Arc::default() })
    }

    /// Keeps the call, and creates the answer that asks the person.
    pub(crate) fn ask(
        &self,
        request: &CallToolRequestParams,
        call: AskingCall,
        question: Question,
    ) -> InputRequiredResult {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let (timeout, form) = (question.request.timeout, approval_form(&question.request));
        self.waiting.lock().insert(id, WaitingCall { call, question });
        let waiting = Arc::downgrade(&self.waiting);
        tokio::spawn(async move {
            tokio::time::sleep(timeout + GRACE).await;
            if let Some(waiting) = waiting.upgrade() {
                waiting.lock().remove(&id);
            }
        });
        let context = call_context(request);
        let options = SealOptions::new().associated_data(&context).ttl(timeout);
        let state = self.codec.seal_with(&id.to_be_bytes(), &options);
        let form = InputRequest::Elicitation(ElicitRequest::new(form));
        let inputs = InputRequests::from([(INPUT_KEY.to_owned(), form)]);
        InputRequiredResult::new(Some(inputs), Some(state))
    }

    /// Passes the person's answer on to the call that `state` belongs to.
    ///
    /// # Errors
    /// If the state was forged, is late, was used before, or belongs to another call.
    pub(crate) fn resume(
        &self,
        request: &CallToolRequestParams,
        state: &str,
    ) -> Result<AskingCall, ErrorData> {
        let refused = |why: &str| {
            let message = format!("requestState: {why}; call the tool again without it");
            ErrorData::invalid_params(message, None)
        };
        let id = self
            .codec
            .open_with(state, &call_context(request))
            .map_err(|_| refused("it is not of this call, or the time to answer is over"))?;
        let id = <[u8; 8]>::try_from(id).map(u64::from_be_bytes).unwrap_or_default();
        let responses = request.input_responses.as_ref();
        let answer = responses.and_then(|responses| responses.get(INPUT_KEY)).ok_or_else(|| {
            let message = format!("inputResponses: `{INPUT_KEY}` is missing");
            ErrorData::invalid_params(message, None)
        })?;
        let answer: ElicitResult = serde_json::from_value(answer.clone()).map_err(|error| {
            ErrorData::invalid_params(format!("inputResponses: `{INPUT_KEY}`: {error}"), None)
        })?;
        let WaitingCall { call, question } = self
            .waiting
            .lock()
            .remove(&id)
            .ok_or_else(|| refused("it was used before, or the call has ended"))?;
        // The call has given up waiting if its receiver is gone; its result says so.
        let _ = question.answer.send(decided(&question.request, &answer));
        Ok(call)
    }
}

/// What a `requestState` is bound to: the tool and its arguments.
fn call_context(request: &CallToolRequestParams) -> Vec<u8> {
    // Maps are sorted, so that equal arguments give equal bytes.
    let arguments = request.arguments.as_ref().map(|arguments| {
        let mut arguments = Value::Object(arguments.clone());
        arguments.sort_all_objects();
        arguments
    });
    format!("{}\0{}", request.name, arguments.unwrap_or_default()).into_bytes()
}
