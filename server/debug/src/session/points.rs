//! The workspace's breakpoints, in one session.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};

use super::{Phase, Session};
use crate::{Bound, BoundBreakpoint, Breakpoint, Condition, DebugError, Function, Patience};

#[derive(Deserialize)]
pub(super) struct Answered {
    #[serde(default)]
    pub(super) breakpoints: Vec<BoundBreakpoint>,
}

/// How lines of a file's text and of what a program is made of lie to one another.
#[derive(Clone)]
pub struct Lines {
    /// The program's line, for a line of the text.
    pub of_program: Arc<dyn Fn(u32) -> u32 + Send + Sync>,
    /// The text's line, for a line of the program.
    pub of_text: Arc<dyn Fn(u32) -> u32 + Send + Sync>,
}

impl Session {
    /// Says that a file's text is not what the program is made of, or is so again; from the next
    /// setting of its breakpoints on.
    pub fn set_lines(&self, file: &Path, lines: Option<Lines>) {
        let mut all = self.lines.lock();
        match lines {
            Some(lines) => drop(all.insert(file.to_owned(), lines)),
            None => drop(all.remove(file)),
        }
    }

    /// What became of the workspace's breakpoints here, by their numbers.
    #[must_use]
    pub fn bound(&self) -> HashMap<u64, Bound> {
        self.shared.bound()
    }

    /// Tells the adapter of the breakpoints of a file as they are now. Nothing where it is over.
    ///
    /// # Errors
    /// When the adapter refuses.
    pub fn set_breakpoints(&self, file: &Path, patience: Patience<'_>) -> Result<(), DebugError> {
        if matches!(self.phase(), Phase::Ended(_)) || self.is_leaving() {
            return Ok(());
        }
        self.runtime.block_on(self.set_file(file, patience))
    }

    pub(super) async fn set_all(&self, patience: Patience<'_>) -> Result<(), DebugError> {
        for file in self.breakpoints.files() {
            match self.set_file(&file, patience).await {
                // Each says of itself that it is not there.
                Ok(()) | Err(DebugError::Refused { .. }) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Tells the adapter of the functions that programs stop in. Nothing where it is over.
    ///
    /// # Errors
    /// When the adapter refuses.
    pub fn set_functions(&self, patience: Patience<'_>) -> Result<(), DebugError> {
        if matches!(self.phase(), Phase::Ended(_)) || self.is_leaving() {
            return Ok(());
        }
        self.runtime.block_on(self.send_functions(patience))
    }

    pub(super) async fn send_functions(&self, patience: Patience<'_>) -> Result<(), DebugError> {
        let _one_at_a_time = self.setting.lock().await;
        let all = self.breakpoints.functions();
        if !self.capabilities().supports_function_breakpoints {
            let message = format!("{} cannot stop in functions by their names", self.adapter.name);
            let unable = Bound { message: Some(message), ..Bound::default() };
            self.shared.bind(&[], all.iter().map(|one| (one.id, unable.clone())).collect());
            return Ok(());
        }
        // Those that run commands stop there whatever the condition.
        let is_unable = |one: &Function| {
            self.adapter.expressions.are_commands() && one.condition != Condition::default()
        };
        let (unable, all): (Vec<_>, Vec<_>) = all.into_iter().partition(is_unable);
        let message = format!("{} cannot stop in a function under a condition", self.adapter.name);
        let unbound = Bound { message: Some(message), ..Bound::default() };
        self.shared.bind(&[], unable.iter().map(|one| (one.id, unbound.clone())).collect());
        let wanted: Vec<Value> = all
            .iter()
            .map(|one| with_condition(json!({ "name": one.name }), &one.condition, false))
            .collect();
        let arguments = json!({ "breakpoints": wanted });
        let answered: Result<Answered, _> =
            self.ask("setFunctionBreakpoints", &arguments, patience).await;
        let new = all.iter().enumerate().map(|(index, one)| match &answered {
            Ok(answered) => (one.id, bound(answered.breakpoints.get(index))),
            Err(error) => (one.id, Bound { message: Some(error.to_string()), ..Bound::default() }),
        });
        self.shared.bind(&[], new.collect());
        match answered {
            Err(error) if !matches!(error, DebugError::Refused { .. }) => Err(error),
            _ => Ok(()),
        }
    }

    /// Tells the adapter which exceptions to stop at. Nothing where it is over.
    ///
    /// # Errors
    /// When the adapter refuses.
    pub fn set_exceptions(&self, patience: Patience<'_>) -> Result<(), DebugError> {
        if matches!(self.phase(), Phase::Ended(_)) || self.is_leaving() {
            return Ok(());
        }
        self.runtime.block_on(self.send_exceptions(patience))
    }

    /// Those that were wanted and that it knows, else those that it would by itself.
    pub(super) async fn send_exceptions(&self, patience: Patience<'_>) -> Result<(), DebugError> {
        let can = self.capabilities();
        let filters = &can.exception_breakpoint_filters;
        if filters.is_empty() {
            return Ok(());
        }
        let wanted = self.breakpoints.exceptions();
        let (mut plain, mut options) = (Vec::new(), Vec::new());
        for filter in filters {
            let asked = wanted.iter().flatten().find(|one| one.filter == filter.filter);
            let is_on = wanted.as_ref().map_or(filter.default, |_| asked.is_some());
            let condition = asked.and_then(|one| one.condition.as_ref());
            match condition.filter(|_| filter.supports_condition) {
                Some(condition) if can.supports_exception_filter_options => {
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
        match self.ask::<Value>("setExceptionBreakpoints", &arguments, patience).await {
            Ok(_) | Err(DebugError::Refused { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    async fn set_file(&self, file: &Path, patience: Patience<'_>) -> Result<(), DebugError> {
        let _one_at_a_time = self.setting.lock().await;
        let mut all = self.breakpoints.of(file);
        all.retain(|one| one.lost.is_none());
        let (sent, unable): (Vec<_>, Vec<_>) =
            all.into_iter().partition(|one| self.inability(one).is_none());
        let lines = self.lines.lock().get(file).cloned();
        let of_program = |line: u32| lines.as_ref().map_or(line, |l| (l.of_program)(line));
        let wanted: Vec<Value> =
            sent.iter().map(|one| self.described(one, of_program(one.line))).collect();
        let arguments = json!({
            "source": { "name": file.file_name().map(|name| name.to_string_lossy()), "path": file.to_string_lossy() },
            "breakpoints": wanted,
            "lines": sent.iter().map(|one| of_program(one.line)).collect::<Vec<_>>(),
            "sourceModified": lines.is_some(),
        });
        let answered: Result<Answered, _> = self.ask("setBreakpoints", &arguments, patience).await;
        let mut new: Vec<(u64, Bound)> = unable
            .iter()
            .map(|one| {
                let message =
                    self.inability(one).map(|what| format!("{} cannot {what}", self.adapter.name));
                (one.id, Bound { message, ..Bound::default() })
            })
            .collect();
        match &answered {
            Ok(answered) => {
                for (index, one) in sent.iter().enumerate() {
                    let mut bound = bound(answered.breakpoints.get(index));
                    if bound.verified && bound.message.is_none() {
                        bound.message.clone_from(&self.adapter.binding);
                    }
                    new.push((one.id, bound));
                }
            }
            Err(error) => {
                let failed = |one: &Breakpoint| {
                    (one.id, Bound { message: Some(error.to_string()), ..Bound::default() })
                };
                new.extend(sent.iter().map(failed));
            }
        }
        self.shared.bind(&[], new);
        answered.map(drop)
    }

    /// What the adapter would have to be able to do for this breakpoint, and is not.
    fn inability(&self, one: &Breakpoint) -> Option<&'static str> {
        let can = self.capabilities();
        let condition = &one.condition;
        if condition.expression.is_some() && !can.supports_conditional_breakpoints {
            return Some("stop under a condition");
        }
        if condition.hits.is_some() && !can.supports_hit_conditional_breakpoints {
            return Some("count hits");
        }
        if self.is_without_leave(condition) {
            return Some("stop under this condition without leave, as it runs it as a command");
        }
        (condition.log.is_some() && !can.supports_log_points).then_some("write log messages")
    }

    /// Whether a condition would run what nobody has allowed.
    fn is_without_leave(&self, condition: &Condition) -> bool {
        let expressions = &self.adapter.expressions;
        let runs = |code: &String| !expressions.conditions_only_look(code);
        expressions.are_commands()
            && !condition.has_leave
            && condition.expression.as_ref().is_some_and(runs)
    }

    /// A breakpoint as the adapter is told of it.
    fn described(&self, one: &Breakpoint, line: u32) -> Value {
        let mut condition = one.condition.clone();
        condition.expression =
            condition.expression.map(|it| self.adapter.expressions.condition(&it));
        with_condition(json!({ "line": line }), &condition, true)
    }

    /// Forgets breakpoints that are wanted no more.
    pub fn forget(&self, ids: &[u64]) {
        self.shared.bind(ids, Vec::new());
    }
}

fn with_condition(mut described: Value, condition: &Condition, has_log: bool) -> Value {
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

pub(super) fn bound(answered: Option<&BoundBreakpoint>) -> Bound {
    let Some(answered) = answered else {
        let message = Some("the adapter did not say what became of it".to_owned());
        return Bound { message, ..Bound::default() };
    };
    Bound {
        number: answered.id,
        verified: answered.verified,
        line: answered.line.and_then(|line| u32::try_from(line).ok()),
        message: answered.message.clone().filter(|text| !text.is_empty()),
    }
}
