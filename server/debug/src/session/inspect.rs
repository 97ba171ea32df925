//! Inspects a stopped program: threads, stack, variables, expressions.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use super::Session;
use super::forward::MULTI_LINE_EXPRESSION;
use crate::body::{Scope, StackFrame, Thread, Variable};
use crate::{DebugError, WaitLimits};

/// Time limit of an evaluation.
const MAX_EVALUATION_TIME: Duration = Duration::from_secs(600);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct StackTraceBody {
    #[serde(default)]
    pub(super) stack_frames: Vec<StackFrame>,
    #[serde(default)]
    total_frames: Option<i64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ExceptionInfoBody {
    #[serde(default)]
    exception_id: Option<String>,
    #[serde(default)]
    description: Option<String>,
}

#[derive(Deserialize)]
struct ScopesBody {
    #[serde(default)]
    scopes: Vec<Scope>,
}

#[derive(Deserialize)]
pub(super) struct VariablesBody {
    #[serde(default)]
    pub(super) variables: Vec<Variable>,
}

#[derive(Deserialize)]
struct ThreadsBody {
    #[serde(default)]
    threads: Vec<Thread>,
}

impl Session {
    /// The threads of the program.
    ///
    /// # Errors
    /// When the session has ended, or the adapter refuses.
    pub fn threads(&self, patience: WaitLimits<'_>) -> Result<Vec<Thread>, DebugError> {
        self.runtime.block_on(self.all_threads(patience))
    }

    pub(super) async fn all_threads(
        &self,
        patience: WaitLimits<'_>,
    ) -> Result<Vec<Thread>, DebugError> {
        let threads: ThreadsBody = self.request("threads", &Value::Null, patience).await?;
        Ok(threads.threads)
    }

    /// Frames of a thread's stack, innermost first, and their total if it is known.
    ///
    /// # Errors
    /// When the program is not stopped, or the adapter refuses.
    pub fn stack(
        &self,
        thread: Option<i64>,
        start: usize,
        count: usize,
        patience: WaitLimits<'_>,
    ) -> Result<(Vec<StackFrame>, Option<i64>), DebugError> {
        self.runtime.block_on(async {
            let stop = self.stopped()?;
            let thread = match thread.or(stop.thread) {
                Some(thread) => thread,
                None => self.all_threads(patience).await?.first().map_or(0, |thread| thread.id),
            };
            let arguments = json!({ "threadId": thread, "startFrame": start, "levels": count });
            let frames: StackTraceBody =
                self.cached_request("stackTrace", &arguments, patience).await?;
            let mut all = frames.stack_frames;
            all.truncate(count);
            Ok((all, frames.total_frames))
        })
    }

    /// A description of the exception at which a thread is stopped, if the adapter has one.
    #[must_use]
    pub fn exception(&self, thread: Option<i64>, patience: WaitLimits<'_>) -> Option<String> {
        if !self.capabilities().supports_exception_info_request {
            return None;
        }
        let arguments = json!({ "threadId": thread? });
        let info = self.request::<ExceptionInfoBody>("exceptionInfo", &arguments, patience);
        let info = self.runtime.block_on(info).ok()?;
        let kind = info.exception_id.filter(|kind| !kind.is_empty());
        let description = info.description.filter(|description| !description.is_empty());
        match (kind, description) {
            (Some(kind), Some(description)) if !description.contains(&kind) => {
                Some(format!("{kind}: {description}"))
            }
            (kind, description) => description.or(kind),
        }
    }

    /// The scopes of a frame.
    ///
    /// # Errors
    /// When the program is not stopped, or the adapter refuses.
    pub fn scopes(&self, frame: i64, patience: WaitLimits<'_>) -> Result<Vec<Scope>, DebugError> {
        self.runtime.block_on(async {
            let stop = self.stopped()?.number;
            let arguments = json!({ "frameId": frame });
            let scopes: ScopesBody = self.cached_request("scopes", &arguments, patience).await?;
            self.remember_scopes(stop, frame, &scopes.scopes);
            Ok(scopes.scopes)
        })
    }

    /// The children of a scope or variable. `page` selects indexed ones: first and count.
    ///
    /// # Errors
    /// When the program is not stopped, or the adapter refuses.
    pub fn variables(
        &self,
        reference: i64,
        page: Option<(usize, usize)>,
        patience: WaitLimits<'_>,
    ) -> Result<Vec<Variable>, DebugError> {
        self.runtime.block_on(async {
            let stop = self.stopped()?.number;
            self.check_length(stop, reference)?;
            let mut arguments = json!({ "variablesReference": reference });
            if let Some((start, count)) = page {
                arguments["filter"] = "indexed".into();
                arguments["start"] = start.into();
                arguments["count"] = count.into();
            }
            let variables: VariablesBody =
                self.cached_request("variables", &arguments, patience).await?;
            self.remember_children(stop, reference, &variables.variables);
            Ok(variables.variables)
        })
    }

    /// Evaluates an expression in a frame. After `patience`, it goes on in the program unless the
    /// adapter can cancel it.
    ///
    /// # Errors
    /// When the program is not stopped, or the adapter refuses.
    pub fn evaluate(
        &self,
        expression: &str,
        frame: Option<i64>,
        context: &str,
        patience: WaitLimits<'_>,
    ) -> Result<Variable, DebugError> {
        self.runtime.block_on(async {
            let stop = self.stopped()?.number;
            let Some(expression_text) = self.adapter.expressions.for_adapter(expression, context)
            else {
                return Err(self.unsupported(MULTI_LINE_EXPRESSION));
            };
            let mut arguments = json!({ "expression": expression_text, "context": context });
            if let Some(frame) = frame {
                arguments["frameId"] = frame.into();
            }
            let value = self.long_request("evaluate", &arguments, patience).await?;
            self.remember_value(stop, expression, frame, &value);
            Ok(value)
        })
    }

    /// Sets a variable of `reference` to a new value.
    ///
    /// # Errors
    /// When the program is not stopped, or the adapter cannot or refuses.
    pub fn set_variable(
        &self,
        reference: i64,
        name: &str,
        value: &str,
        patience: WaitLimits<'_>,
    ) -> Result<Variable, DebugError> {
        if !self.capabilities().supports_set_variable {
            return Err(DebugError::Unsupported {
                adapter: self.adapter.name.clone(),
                what: "change variables".to_owned(),
            });
        }
        self.runtime.block_on(async {
            self.stopped()?;
            let arguments =
                json!({ "variablesReference": reference, "name": name, "value": value });
            self.long_request("setVariable", &arguments, patience).await
        })
    }

    /// Sends a request that runs code of the program.
    pub(super) async fn long_request<T: serde::de::DeserializeOwned>(
        &self,
        command: &str,
        arguments: &Value,
        patience: WaitLimits<'_>,
    ) -> Result<T, DebugError> {
        let wait = WaitLimits {
            timeout: patience.timeout.min(MAX_EVALUATION_TIME),
            interrupt: patience.interrupt,
        };
        let stop = self.stopped().map_or(0, |stop| stop.number);
        let reply = self.check_response(command, self.client.send(command, arguments), wait)?;
        let can_cancel = self.capabilities().supports_cancel_request;
        let done = self.check_response(command, reply.wait_or_cancel(wait, can_cancel).await, wait);
        match &done {
            Err(DebugError::Timeout { .. } | DebugError::Cancelled) => {
                self.shared.responses.disable_at(stop);
            }
            _ => self.shared.responses.changed(),
        }
        self.parse_body(command, done?)
    }
}
