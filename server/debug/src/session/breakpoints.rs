//! Sends the workspace's breakpoints to one session's adapter.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use super::Session;

use crate::phase::SessionPhase;
use crate::{
    BoundBreakpoint, Breakpoint, BreakpointBinding, BreakpointCondition, DebugError,
    FunctionBreakpoint, WaitLimits,
};

#[derive(Deserialize)]
pub(super) struct SetBreakpointsBody {
    #[serde(default)]
    pub(super) breakpoints: Vec<BoundBreakpoint>,
}

/// Maps lines between a file's text and the version the program was built from.
#[derive(Clone)]
pub struct LineMap {
    /// From a line of the text to the program's.
    pub to_program: Arc<dyn Fn(u32) -> u32 + Send + Sync>,
    /// From a line of the program to the text's.
    pub to_text: Arc<dyn Fn(u32) -> u32 + Send + Sync>,
}

impl Session {
    /// Sets or removes the line map of a file. It takes effect when the file's breakpoints are sent
    /// next.
    pub fn set_line_map(&self, file: &Path, lines: Option<LineMap>) {
        let mut all = self.lines.lock();
        match lines {
            Some(lines) => drop(all.insert(file.to_owned(), lines)),
            None => drop(all.remove(file)),
        }
    }

    /// The state of the workspace's breakpoints in this session, by id.
    #[must_use]
    pub fn breakpoint_bindings(&self) -> HashMap<u64, BreakpointBinding> {
        self.shared.bound()
    }

    /// Sends the current breakpoints of a file. Does nothing after the session's end.
    ///
    /// # Errors
    /// When the adapter refuses.
    pub fn send_breakpoints(
        &self,
        file: &Path,
        patience: WaitLimits<'_>,
    ) -> Result<(), DebugError> {
        if matches!(self.phase(), SessionPhase::Ended(_)) || self.is_shutting_down() {
            return Ok(());
        }
        self.runtime.block_on(self.set_file_breakpoints(file, patience))
    }

    pub(super) async fn set_all_breakpoints(
        &self,
        patience: WaitLimits<'_>,
    ) -> Result<(), DebugError> {
        for file in self.breakpoints.files() {
            match self.set_file_breakpoints(&file, patience).await {
                // Their state says that they are not set.
                Ok(()) | Err(DebugError::Refused { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Sends the function breakpoints. Does nothing after the session's end.
    ///
    /// # Errors
    /// When the adapter refuses.
    pub fn send_function_breakpoints(&self, patience: WaitLimits<'_>) -> Result<(), DebugError> {
        if matches!(self.phase(), SessionPhase::Ended(_)) || self.is_shutting_down() {
            return Ok(());
        }
        self.runtime.block_on(self.send_functions(patience))
    }

    pub(super) async fn send_functions(&self, patience: WaitLimits<'_>) -> Result<(), DebugError> {
        let _one_at_a_time = self.breakpoint_requests.lock().await;
        let all = self.breakpoints.functions();
        if !self.capabilities().supports_function_breakpoints {
            let message = format!("{} does not support function breakpoints", self.adapter.name);
            let unable =
                BreakpointBinding { message: Some(message), ..BreakpointBinding::default() };
            self.shared.bind(&[], all.iter().map(|one| (one.id, unable.clone())).collect());
            return Ok(());
        }
        // Adapters that run expressions as commands ignore the condition.
        let is_unable = |one: &FunctionBreakpoint| {
            self.adapter.expressions.runs_commands()
                && one.condition != BreakpointCondition::default()
        };
        let (unable, all): (Vec<_>, Vec<_>) = all.into_iter().partition(is_unable);
        let message =
            format!("{} does not support conditions of function breakpoints", self.adapter.name);
        let unbound = BreakpointBinding { message: Some(message), ..BreakpointBinding::default() };
        self.shared.bind(&[], unable.iter().map(|one| (one.id, unbound.clone())).collect());
        let described: Vec<Value> = all
            .iter()
            .map(|one| with_condition(json!({ "name": one.name }), &one.condition, false))
            .collect();
        let arguments = json!({ "breakpoints": described });
        let response: Result<SetBreakpointsBody, _> =
            self.request("setFunctionBreakpoints", &arguments, patience).await;
        let new = all.iter().enumerate().map(|(index, one)| match &response {
            Ok(response) => (one.id, bound(response.breakpoints.get(index))),
            Err(error) => (
                one.id,
                BreakpointBinding {
                    message: Some(error.to_string()),
                    ..BreakpointBinding::default()
                },
            ),
        });
        self.shared.bind(&[], new.collect());
        match response {
            Err(error) if !matches!(error, DebugError::Refused { .. }) => Err(error),
            _ => Ok(()),
        }
    }

    /// Sends the exception breakpoints. Does nothing after the session's end.
    ///
    /// # Errors
    /// When the adapter refuses.
    pub fn send_exception_breakpoints(&self, patience: WaitLimits<'_>) -> Result<(), DebugError> {
        if matches!(self.phase(), SessionPhase::Ended(_)) || self.is_shutting_down() {
            return Ok(());
        }
        self.runtime.block_on(self.send_exceptions(patience))
    }

    /// Sends the filters chosen by the user, or else those that the adapter has on by default.
    pub(super) async fn send_exceptions(&self, patience: WaitLimits<'_>) -> Result<(), DebugError> {
        let capabilities = self.capabilities();
        let filters = &capabilities.exception_breakpoint_filters;
        if filters.is_empty() {
            return Ok(());
        }
        let chosen = self.breakpoints.exceptions();
        let (mut plain, mut options) = (Vec::new(), Vec::new());
        for filter in filters {
            let choice = chosen.iter().flatten().find(|one| one.filter == filter.filter);
            let is_on = chosen.as_ref().map_or(filter.default, |_| choice.is_some());
            let condition = choice.and_then(|one| one.condition.as_ref());
            match condition.filter(|_| filter.supports_condition) {
                Some(condition) if capabilities.supports_exception_filter_options => {
                    options.push(json!({ "filterId": filter.filter, "condition": condition }));
                }
                _ if is_on => plain.push(filter.filter.as_str()),
                _ => {}
            }
        }
        let mut arguments = json!({ "filters": plain });
        if !options.is_empty() {
            arguments["filterOptions"] = options.into();
        }
        match self.request::<Value>("setExceptionBreakpoints", &arguments, patience).await {
            Ok(_) | Err(DebugError::Refused { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    async fn set_file_breakpoints(
        &self,
        file: &Path,
        patience: WaitLimits<'_>,
    ) -> Result<(), DebugError> {
        let _one_at_a_time = self.breakpoint_requests.lock().await;
        let mut all = self.breakpoints.in_file(file);
        all.retain(|one| one.lost_reason.is_none());
        let (sent, unable): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|one| self.inability(one).is_none());
        let lines = self.lines.lock().get(file).cloned();
        let of_program = |line: u32| lines.as_ref().map_or(line, |l| (l.to_program)(line));
        let described: Vec<Value> =
            sent.iter().map(|one| self.describe(one, of_program(one.line))).collect();
        let arguments = json!({
            "source": { "name": file.file_name().map(|name| name.to_string_lossy()), "path": file.to_string_lossy() },
            "breakpoints": described,
            "lines": sent.iter().map(|one| of_program(one.line)).collect::<Vec<_>>(),
            "sourceModified": lines.is_some(),
        });
        let response: Result<SetBreakpointsBody, _> =
            self.request("setBreakpoints", &arguments, patience).await;
        let mut new: Vec<(u64, BreakpointBinding)> = unable
            .iter()
            .map(|one| {
                let message =
                    self.inability(one).map(|what| format!("{} cannot {what}", self.adapter.name));
                (one.id, BreakpointBinding { message, ..BreakpointBinding::default() })
            })
            .collect();
        match &response {
            Ok(response) => {
                for (index, one) in sent.iter().enumerate() {
                    let mut bound = bound(response.breakpoints.get(index));
                    if bound.verified && bound.message.is_none() {
                        bound.message.clone_from(&self.adapter.binding);
                    }
                    new.push((one.id, bound));
                }
            }
            Err(error) => {
                let failed = |one: &Breakpoint| {
                    (
                        one.id,
                        BreakpointBinding {
                            message: Some(error.to_string()),
                            ..BreakpointBinding::default()
                        },
                    )
                };
                new.extend(sent.iter().map(failed));
            }
        }
        self.shared.bind(&[], new);
        response.map(drop)
    }

    /// What this breakpoint needs and the adapter cannot do.
    fn inability(&self, one: &Breakpoint) -> Option<&'static str> {
        let capabilities = self.capabilities();
        let condition = &one.condition;
        if condition.expression.is_some() && !capabilities.supports_conditional_breakpoints {
            return Some("stop under a condition");
        }
        if condition.hits.is_some() && !capabilities.supports_hit_conditional_breakpoints {
            return Some("count hits");
        }
        if self.is_unapproved(condition) {
            return Some("check this condition without approval, as it runs it as a command");
        }
        (condition.log.is_some() && !capabilities.supports_log_points)
            .then_some("write log messages")
    }

    /// Whether a condition would run code that was not approved.
    fn is_unapproved(&self, condition: &BreakpointCondition) -> bool {
        let expressions = &self.adapter.expressions;
        let runs = |code: &String| !expressions.is_side_effect_free_condition(code);
        expressions.runs_commands()
            && !condition.is_approved
            && condition.expression.as_ref().is_some_and(runs)
    }

    /// A breakpoint as the request describes it.
    fn describe(&self, one: &Breakpoint, line: u32) -> Value {
        let mut condition = one.condition.clone();
        condition.expression =
            condition.expression.map(|it| self.adapter.expressions.condition(&it));
        with_condition(json!({ "line": line }), &condition, true)
    }

    /// Removes deleted breakpoints from the session's state.
    pub fn remove_breakpoint_bindings(&self, ids: &[u64]) {
        self.shared.bind(ids, Vec::new());
    }
}

fn with_condition(mut described: Value, condition: &BreakpointCondition, has_log: bool) -> Value {
    for (name, value) in [
        ("condition", &condition.expression),
        ("hitCondition", &condition.hits),
        ("logMessage", &condition.log),
    ] {
        if let Some(value) = value.as_ref().filter(|_| has_log || name != "logMessage") {
            described[name] = value.as_str().into();
        }
    }
    described
}

pub(super) fn bound(response: Option<&BoundBreakpoint>) -> BreakpointBinding {
    let Some(response) = response else {
        let message = Some("the adapter did not respond about it".to_owned());
        return BreakpointBinding { message, ..BreakpointBinding::default() };
    };
    BreakpointBinding {
        number: response.id,
        verified: response.verified,
        line: response.line.and_then(|line| u32::try_from(line).ok()),
        message: response.message.clone().filter(|text| !text.is_empty()),
    }
}
