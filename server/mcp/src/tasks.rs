//! The Tasks extension (`io.modelcontextprotocol/tasks`): calls that take long.
//!
//! The server decides. A call whose client has the extension becomes a task once it has taken a second:
//! the client polls for its state, answers what it asks, and gets the result when it is there.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rmcp::model::{
    CallToolResult, ElicitRequest, ErrorData, GetTaskResult, InputRequest, InputResponses, Task,
};
use rmcp::task_manager::{TaskContext, TaskExit, TaskManager, TaskOptions};
use workspace::ApprovalDecision;

use crate::approval_rounds::{AskingCall, CallEvent, FinishedCall, Question, decided};
use crate::editor::approval_form;

/// How long a call runs before it becomes a task.
pub(crate) const DELAY: Duration = Duration::from_secs(1);
/// How long a task may run, and how long its result is kept.
const TTL: Duration = Duration::from_secs(60 * 60);
/// How often clients should poll.
const POLL_INTERVAL_MS: u64 = 500;
/// Tasks that run at a time; further calls are answered when they end.
const MAX_RUNNING: usize = 32;
/// Tasks whose state and result are kept.
const MAX_KEPT: usize = 256;

/// The tasks of all clients.
#[derive(Default)]
pub(crate) struct Tasks {
    manager: TaskManager,
    /// When the tasks that may still be kept were created.
    created: Mutex<VecDeque<Instant>>,
}

impl Tasks {
    /// Whether a call may become a task.
    pub(crate) fn has_room(&self) -> bool {
        let mut created = self.created.lock();
        // A task ends after its TTL at the latest, and is kept as long again.
        while created.front().is_some_and(|time| time.elapsed() > 2 * TTL) {
            created.pop_front();
        }
        created.len() < MAX_KEPT && self.manager.running_task_count() < MAX_RUNNING
    }

    /// Makes a task of a running call. `finish` makes its result.
    pub(crate) fn begin(
        &self,
        call: AskingCall,
        finish: impl FnOnce(FinishedCall) -> Result<CallToolResult, ErrorData> + Send + 'static,
    ) -> Task {
        self.created.lock().push_back(Instant::now());
        let options = TaskOptions::new()
            .with_ttl_ms(u64::try_from(TTL.as_millis()).unwrap_or(u64::MAX))
            .with_poll_interval_ms(POLL_INTERVAL_MS);
        self.manager.spawn(options, |context| Box::pin(run(call, context, finish)))
    }

    pub(crate) fn state(&self, id: &str) -> Result<GetTaskResult, ErrorData> {
        self.manager.get_task(id).map(GetTaskResult::new)
    }

    /// Passes the person's answers on.
    pub(crate) fn answer(&self, id: &str, answers: InputResponses) -> Result<(), ErrorData> {
        self.manager.update_task(id, answers)
    }

    pub(crate) fn cancel(&self, id: &str) -> Result<(), ErrorData> {
        self.manager.cancel_task(id)
    }

    /// Ends all tasks.
    pub(crate) fn stop(&self) {
        self.manager.shutdown();
    }
}

/// Runs a call to its end. Dropping it cancels it.
async fn run(
    mut call: AskingCall,
    context: TaskContext,
    finish: impl FnOnce(FinishedCall) -> Result<CallToolResult, ErrorData>,
) -> Result<CallToolResult, TaskExit> {
    call.progress.report_to(context.clone());
    for number in 1_u32.. {
        let event = tokio::select! {
            event = call.next() => event?,
            () = context.cancelled() => return Err(TaskExit::Cancelled),
        };
        match event {
            CallEvent::Done(done) => return finish(done).map_err(TaskExit::Error),
            // The call stops waiting for the answer by itself.
            CallEvent::Asked(question) => {
                tokio::spawn(ask(context.clone(), format!("approval-{number}"), question));
            }
        }
    }
    Err(TaskExit::Cancelled)
}

/// Has the client's person asked.
async fn ask(context: TaskContext, key: String, question: Question) {
    let form = InputRequest::Elicitation(ElicitRequest::new(approval_form(&question.request)));
    // There is no answer if the task is cancelled.
    let Ok(answer) = context.request_input(key, form).await else { return };
    let decision = serde_json::from_value(answer)
        .map_or(ApprovalDecision::Deny, |answer| decided(&question.request, &answer));
    let _ = question.answer.send(decision);
}

#[cfg(test)]
mod tests {
    use rmcp::model::TaskStatus;
    use serde_json::{Value, json};
    use tokio::sync::{mpsc, oneshot};
    use workspace::ApprovalRequest;

    use super::*;
    use crate::progress::Progress;

    /// A task whose call asks, and ends with the decision.
    fn asking_task(tasks: &Tasks) -> Task {
        let (sender, questions) = mpsc::channel(1);
        let work = async move {
            let (answer, decided) = oneshot::channel();
            let request = ApprovalRequest {
                summary: "run true".to_owned(),
                is_summary_whole: true,
                text: "Allow?".to_owned(),
                decisions: ApprovalDecision::ALL,
                timeout: Duration::from_secs(60),
                elsewhere: None,
            };
            let _ = sender.send(Question { request, answer }).await;
            let decision = decided.await.map(ApprovalDecision::title).map_err(|_| Value::Null);
            FinishedCall::with_outcome("run_command", decision.map(Value::from))
        };
        let call = AskingCall::start(work, questions, Progress::to_nobody());
        tasks.begin(call, |done| {
            let text = done.outcome.unwrap_or_default().to_string();
            Ok(CallToolResult::success(vec![rmcp::model::ContentBlock::text(text)]))
        })
    }

    async fn wait_for(tasks: &Tasks, id: &str, status: TaskStatus) -> Value {
        for _ in 0..1_000 {
            let state = tasks.state(id).unwrap();
            if state.task.task.status == status {
                return serde_json::to_value(state).unwrap();
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        panic!("the task is never {status:?}");
    }

    fn block_on(work: impl Future<Output = ()>) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        runtime.unwrap().block_on(work);
    }

    #[test]
    fn a_task_asks_and_goes_on() {
        block_on(async {
            let tasks = Tasks::default();
            for (answer, decision) in [
                (
                    json!({ "action": "accept", "content": { "answer": "Allow once" } }),
                    "Allow once",
                ),
                (json!({ "action": "decline" }), "Deny"),
                (json!("yes"), "Deny"),
            ] {
                let id = asking_task(&tasks).task_id;
                let state = wait_for(&tasks, &id, TaskStatus::InputRequired).await;
                let form = &state["inputRequests"]["approval-1"];
                assert_eq!(form["params"]["message"], "Allow?", "{state}");
                tasks
                    .answer(&id, InputResponses::from([("approval-1".to_owned(), answer)]))
                    .unwrap();
                let state = wait_for(&tasks, &id, TaskStatus::Completed).await;
                let text = state["result"]["content"][0]["text"].as_str().unwrap();
                assert!(text.contains(decision), "{state}");
            }
        });
    }

    #[test]
    fn tasks_are_limited_and_can_be_cancelled() {
        block_on(async {
            let tasks = Tasks::default();
            let ids: Vec<_> = (0..MAX_RUNNING)
                .map(|_| {
                    assert!(tasks.has_room());
                    asking_task(&tasks).task_id
                })
                .collect();
            assert!(!tasks.has_room());
            for id in &ids {
                tasks.cancel(id).unwrap();
                wait_for(&tasks, id, TaskStatus::Cancelled).await;
            }
            assert!(tasks.has_room());
            tasks.created.lock().extend(vec![Instant::now(); MAX_KEPT]);
            assert!(!tasks.has_room());
            assert_eq!(tasks.state("gone").unwrap_err().code.0, -32_602);
        });
    }
}
