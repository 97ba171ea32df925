//! Looking at a stopped program.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};

use super::Session;
use super::forward::SEVERAL_LINES;
use crate::body::{Frame, Scope, Thread, Variable};
use crate::client::Wait;
use crate::{DebugError, Patience};

/// Longest evaluation that is waited for.
const EVALUATION: Duration = Duration::from_secs(600);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Frames {
    #[serde(default)]
    pub(super) stack_frames: Vec<Frame>,
    #[serde(default)]
    total_frames: Option<i64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Exception {
    #[serde(default)]
    exception_id: Option<String>,
    #[serde(default)]
    description: Option<String>,
}

#[derive(Deserialize)]
struct Scopes {
    #[serde(default)]
    scopes: Vec<Scope>,
}

#[derive(Deserialize)]
pub(super) struct Variables {
    #[serde(default)]
    pub(super) variables: Vec<Variable>,
}

#[derive(Deserialize)]
struct Threads {
    #[serde(default)]
    threads: Vec<Thread>,
}

impl Session {
    /// The threads of the program.
    ///
    /// # Errors
    /// When the session is over, or the adapter refuses.
    pub fn threads(&self, patience: Patience<'_>) -> Result<Vec<Thread>, DebugError> {
        self.runtime.block_on(self.all_threads(patience))
    }

    pub(super) async fn all_threads(
        &self,
        patience: Patience<'_>,
    ) -> Result<Vec<Thread>, DebugError> {
        let threads: Threads = self.ask("threads", &Value::Null, patience).await?;
        Ok(threads.threads)
    }

    /// Frames of a thread's stack, the newest first, and how many there are where that is known.
    ///
    /// # Errors
    /// When the program is not stopped, or the adapter refuses.
    pub fn stack(
        &self,
        thread: Option<i64>,
        start: usize,
        count: usize,
        patience: Patience<'_>,
    ) -> Result<(Vec<Frame>, Option<i64>), DebugError> {
        self.runtime.block_on(async {
            let stop = self.stopped()?;
            let thread = match thread.or(stop.thread) {
                Some(thread) => thread,
                None => self.all_threads(patience).await?.first().map_or(0, |thread| thread.id),
            };
            let arguments = json!({ "threadId": thread, "startFrame": start, "levels": count });
            let frames: Frames = self.ask_once("stackTrace", &arguments, patience).await?;
            let mut all = frames.stack_frames;
            all.truncate(count);
            Ok((all, frames.total_frames))
        })
    }

    /// The exception that a thread is stopped at, in words, where the adapter has any.
    #[must_use]
    pub fn exception(&self, thread: Option<i64>, patience: Patience<'_>) -> Option<String> {
        if !self.capabilities().supports_exception_info_request {
            return None;
        }
        let arguments = json!({ "threadId": thread? });
        let told = self.ask::<Exception>("exceptionInfo", &arguments, patience);
        let told = self.runtime.block_on(told).ok()?;
        let kind = told.exception_id.filter(|kind| !kind.is_empty());
        let words = told.description.filter(|words| !words.is_empty());
        match (kind, words) {
            (Some(kind), Some(words)) if !words.contains(&kind) => Some(format!("{kind}: {words}")),
            (kind, words) => words.or(kind),
        }
    }

    /// The groups of a frame's variables.
    ///
    /// # Errors
    /// When the program is not stopped, or the adapter refuses.
    pub fn scopes(&self, frame: i64, patience: Patience<'_>) -> Result<Vec<Scope>, DebugError> {
        self.runtime.block_on(async {
            let stop = self.stopped()?.number;
            let arguments = json!({ "frameId": frame });
            let scopes: Scopes = self.ask_once("scopes", &arguments, patience).await?;
            self.remember_scopes(stop, frame, &scopes.scopes);
            Ok(scopes.scopes)
        })
    }

    /// What a scope or a variable holds. `page` asks for elements by number: the first, how many.
    ///
    /// # Errors
    /// When the program is not stopped, or the adapter refuses.
    pub fn variables(
        &self,
        reference: i64,
        page: Option<(usize, usize)>,
        patience: Patience<'_>,
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
            let variables: Variables = self.ask_once("variables", &arguments, patience).await?;
            self.remember_held(stop, reference, &variables.variables);
            Ok(variables.variables)
        })
    }

    /// The value of an expression in a frame. What takes longer than `patience` goes on in the
    /// program, unless the adapter can take it back.
    ///
    /// # Errors
    /// When the program is not stopped, or the adapter refuses.
    pub fn evaluate(
        &self,
        expression: &str,
        frame: Option<i64>,
        context: &str,
        patience: Patience<'_>,
    ) -> Result<Variable, DebugError> {
        self.runtime.block_on(async {
            let stop = self.stopped()?.number;
            let Some(told) = self.adapter.expressions.told(expression, context) else {
                return Err(self.unable(SEVERAL_LINES));
            };
            let mut arguments = json!({ "expression": told, "context": context });
            if let Some(frame) = frame {
                arguments["frameId"] = frame.into();
            }
            let value = self.ask_at_length("evaluate", &arguments, patience).await?;
            self.remember_value(stop, expression, frame, &value);
            Ok(value)
        })
    }

    /// Gives a variable of `reference` a new value.
    ///
    /// # Errors
    /// When the program is not stopped, or the adapter cannot or refuses.
    pub fn set_variable(
        &self,
        reference: i64,
        name: &str,
        value: &str,
        patience: Patience<'_>,
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
            self.ask_at_length("setVariable", &arguments, patience).await
        })
    }

    /// As [`Session::ask`], for what runs code of the program.
    pub(super) async fn ask_at_length<T: serde::de::DeserializeOwned>(
        &self,
        command: &str,
        arguments: &Value,
        patience: Patience<'_>,
    ) -> Result<T, DebugError> {
        let wait =
            Wait { longest: patience.longest.min(EVALUATION), interrupt: patience.interrupt };
        let at = self.stopped().map_or(0, |stop| stop.number);
        let reply = self.told(command, self.client.send(command, arguments), wait)?;
        let can_cancel = self.capabilities().supports_cancel_request;
        let done = self.told(command, reply.wait_or_cancel(wait, can_cancel).await, wait);
        match &done {
            Err(DebugError::Timeout { .. } | DebugError::Cancelled) => {
                self.shared.seen.is_unsteady_at(at);
            }
            _ => self.shared.seen.changed(),
        }
        self.read(command, done?)
    }
}
