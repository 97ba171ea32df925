//! Makes calls of other tools for a call.

use std::collections::HashMap;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;
use tokio::task::JoinSet;
use workspace::Snapshot;

use super::detached_editor::DetachedEditor;
use super::step_editor::StepEditor;
use super::{CancelGate, Executor, Host, SharedHost, ToolCall, internal_error};
use crate::approved_calls::ApprovedCalls;
use crate::execute::approve_more;
use crate::step_calls::{StepCall, StepCalls, Surroundings};
use crate::{Caller, Code, Context, Effect, ToolError};

/// How often a running step is checked for cancellation and its time limit.
const POLL_INTERVAL: Duration = Duration::from_millis(10);
/// How long a step that was cancelled may take to end. A change of files is reverted or complete by then.
const GRACE: Duration = Duration::from_secs(10);

/// Makes calls by the executor: like any call, each has its effects checked, waits for the write lock, runs
/// on the right thread and is recorded.
#[derive(Clone)]
pub(super) struct StepCaller {
    pub(super) host: Arc<SharedHost>,
    pub(super) executor: Executor,
    /// The editor of the call that they are made for, and what is set once that call is cancelled.
    pub(super) surroundings: Surroundings,
    pub(super) caller: Caller,
}

impl StepCalls for StepCaller {
    fn call(
        &self,
        calls: Vec<StepCall>,
        approved: &Arc<ApprovedCalls>,
        group: &str,
        done: &mut dyn FnMut(usize, Result<Value, ToolError>),
    ) {
        if let [call] = calls.as_slice() {
            // On this thread: passing it on takes longer than a short call.
            let run = self.one(call.clone(), approved.clone(), group.to_owned());
            return done(0, self.surroundings.runtime.block_on(run));
        }
        let mut running = JoinSet::new();
        let mut numbers = HashMap::new();
        for (number, call) in calls.into_iter().enumerate() {
            let tool = call.tool.clone();
            let run = self.one(call, approved.clone(), group.to_owned());
            let task = running.spawn_on(run, &self.surroundings.runtime);
            numbers.insert(task.id(), (number, tool));
        }
        while let Some(ended) = self.surroundings.runtime.block_on(running.join_next_with_id()) {
            let (id, outcome) = match ended {
                Ok((id, outcome)) => (id, Some(outcome)),
                Err(error) => (error.id(), None),
            };
            if let Some((number, tool)) = numbers.remove(&id) {
                done(number, outcome.unwrap_or_else(|| Err(internal_error(&tool))));
            }
        }
    }

    fn approve(&self, name: &str, params: &Value, effects: &[Effect]) -> Result<(), ToolError> {
        let Surroundings { editor, interrupt, .. } = &self.surroundings;
        let (workspace, session) = (self.host.workspace(), self.host.session());
        let context = Context::new(workspace, workspace.snapshot(), &**editor, interrupt, session);
        approve_more(&context.by(self.caller.clone()), name, params, effects)
    }

    fn call_by_itself(&self, tool: &str, arguments: Value) -> Result<Value, ToolError> {
        let editor = self.surroundings.editor.clone();
        let (tool, caller) = (tool.to_owned(), self.caller.clone());
        let call = ToolCall { tool, arguments, caller, gate: Arc::default() };
        self.surroundings.runtime.block_on(async {
            let accepted = self.executor.accept(&self.host, call).await;
            accepted.run(None, move |control| DetachedEditor { editor, control }).await
        })
    }

    fn snapshot(&self) -> Snapshot {
        self.host.workspace().snapshot()
    }

    fn of_caller(&self, caller: Caller) -> Box<dyn StepCalls> {
        Box::new(Self { caller, ..self.clone() })
    }

    fn surroundings(&self) -> Surroundings {
        self.surroundings.clone()
    }
}

impl StepCaller {
    fn one(
        &self,
        call: StepCall,
        approved: Arc<ApprovedCalls>,
        group: String,
    ) -> impl Future<Output = Result<Value, ToolError>> + Send + use<> {
        let (host, executor) = (self.host.clone(), self.executor.clone());
        let Surroundings { editor, interrupt, is_answered, .. } = self.surroundings.clone();
        let caller = self.caller.clone();
        async move {
            let StepCall { tool, arguments, part, timeout } = call;
            let deadline = timeout.map(|timeout| Instant::now() + timeout);
            let gate = Arc::<CancelGate>::default();
            let call = ToolCall { tool: tool.clone(), arguments, caller, gate: gate.clone() };
            let stop = Stop { interrupt, deadline };
            let accepted = tokio::select! {
                accepted = executor.accept(&host, call) => accepted.step_of(approved),
                error = stop.requested(&tool, timeout) => return Err(error),
            };
            let flag = accepted.interrupt.clone();
            let mut work = pin!(accepted.run(None, move |control| StepEditor {
                editor,
                control,
                group,
                part,
                is_answered
            }));
            let error = tokio::select! {
                outcome = &mut work => return outcome,
                error = stop.requested(&tool, timeout) => error,
            };
            // Unlike a dropped call, a step is waited for: what it has done by now is recorded.
            gate.cancel();
            flag.store(true, Ordering::Relaxed);
            match tokio::time::timeout(GRACE, work).await {
                Ok(Err(ToolError { code: Code::Cancelled, details, .. })) => {
                    Err(ToolError { details, ..error })
                }
                Ok(outcome) => outcome,
                Err(_) => Err(error),
            }
        }
    }
}

/// When a step has to stop.
struct Stop {
    interrupt: Arc<AtomicBool>,
    deadline: Option<Instant>,
}

impl Stop {
    /// Returns once the step has to stop, and why.
    async fn requested(&self, tool: &str, timeout: Option<Duration>) -> ToolError {
        loop {
            if self.interrupt.load(Ordering::Relaxed) {
                return ToolError::new(Code::Cancelled, format!("{tool}: cancelled"));
            }
            if self.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                let after = timeout.unwrap_or_default().as_secs_f64();
                return ToolError::new(Code::Timeout, format!("{tool}: stopped after {after} s"));
            }
            tokio::time::sleep(POLL_INTERVAL).await;
        }
    }
}
