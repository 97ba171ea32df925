//! The calls of a workflow as far as they are known before it runs.

use serde_json::Value;
use tools::{Context, PlannedCall, PlannedDecision, ToolError};

use super::definition::{ForEach, Step, Workflow};
use super::expression::{Expression, Item, Scope};

/// Most items of one loop, and most calls of one run.
pub(super) const MAX_ITEMS: usize = 500;
pub(super) const MAX_CALLS: usize = 1_000;

/// A call of a step.
pub(super) struct PlannedStep<'w> {
    pub(super) step: &'w Step,
    /// Its number in a loop, from 0, and how many there are; `None` for all of a list that is not known.
    pub(super) item: Option<(usize, usize)>,
    /// With filters in place of values that are not known.
    pub(super) arguments: Value,
    /// What depends on results, for people; empty if all is known.
    pub(super) unknown: Vec<String>,
    /// `None` if it depends on results.
    pub(super) call: Option<PlannedCall>,
    /// Why the effects are not known, if it does not depend on results.
    pub(super) error: Option<ToolError>,
}

impl PlannedStep<'_> {
    pub(super) fn label(&self) -> String {
        label(&self.step.id, self.item)
    }

    /// The condition, if it depends on results.
    pub(super) fn condition(&self, scope: &Scope) -> Option<&str> {
        let condition = self.step.condition.as_ref()?;
        (!condition.is_known(scope)).then_some(condition.text.as_str())
    }

    /// What policy would decide; `None` if that is not known before.
    pub(super) fn decision(&self, context: &Context<'_>) -> Option<PlannedDecision> {
        self.call.as_ref()?.decision(context).ok()
    }

    /// The line that says what is to come, for a call that cannot be approved before.
    pub(super) fn rest(&self) -> String {
        let why = match &self.error {
            Some(error) => format!("not known before: {}", error.message),
            None => format!("depends on {}", self.unknown.join(", ")),
        };
        let (label, tool) = (self.label(), self.step.tool.name);
        format!("{label}: {tool}, {why}; asked for when it comes, if it needs approval")
    }
}

/// How a call is called.
pub(super) fn label(step: &str, item: Option<(usize, usize)>) -> String {
    match item {
        Some((number, count)) => format!("step `{step}`, {} of {count}", number + 1),
        None => format!("step `{step}`"),
    }
}

/// The items that a step is repeated for; `None` if it is not repeated.
pub(super) fn items(step: &Step, scope: &Scope) -> Result<Option<Vec<Value>>, ToolError> {
    let items = match &step.for_each {
        None => return Ok(None),
        Some(ForEach::List(items)) => items.clone(),
        Some(ForEach::Filter(filter)) => match filter.run(Value::Null, scope, None)? {
            Value::Array(items) => items,
            Value::Null => Vec::new(),
            other => {
                let shown: String = other.to_string().chars().take(60).collect();
                return Err(invalid(step, format!("`for_each` is no list, but {shown}")));
            }
        },
    };
    if items.len() > MAX_ITEMS {
        return Err(invalid(step, format!("{} items, more than {MAX_ITEMS}", items.len())));
    }
    Ok(Some(items))
}

/// Whether a step runs.
pub(super) fn is_wanted(step: &Step, scope: &Scope) -> Result<bool, ToolError> {
    let Some(condition) = &step.condition else { return Ok(true) };
    Ok(is_true(&condition.run(Value::Null, scope, None)?))
}

/// As in jq, everything but false and null is true.
pub(super) fn is_true(value: &Value) -> bool {
    !matches!(value, Value::Null | Value::Bool(false))
}

/// The arguments of a call, so that its result has all fields that filters may read.
pub(super) fn arguments(step: &Step, scope: &Scope, item: Item<'_>) -> Result<Value, ToolError> {
    let mut arguments = step.arguments.run(scope, item)?;
    if let Some(fields) = arguments.as_object_mut()
        && !step.tool.verbose_fields.is_empty()
    {
        fields.entry("verbose").or_insert(true.into());
    }
    Ok(arguments)
}

pub(super) fn invalid(step: &Step, message: String) -> ToolError {
    let message = format!("line {}: step `{}`: {message}", step.line, step.id);
    ToolError::new(tools::Code::InvalidParams, message)
}

/// All calls of the steps that have not ended in `scope`, in order. `is_done` says which calls of a loop have.
///
/// # Errors
/// If a filter that reads only inputs fails.
pub(super) fn planned<'w>(
    context: &Context<'_>,
    workflow: &'w Workflow,
    scope: &mut Scope,
    is_done: &dyn Fn(&str, usize) -> bool,
) -> Result<Vec<PlannedStep<'w>>, ToolError> {
    let mut all = Vec::new();
    for step in &workflow.steps {
        if scope.steps.contains_key(&step.id) {
            continue;
        }
        let condition = step.condition.as_ref();
        if condition.is_some_and(|condition| condition.is_known(scope)) && !is_wanted(step, scope)?
        {
            scope.steps.insert(step.id.clone(), Value::Null);
            continue;
        }
        let items = match &step.for_each {
            Some(ForEach::Filter(filter)) if !filter.is_known(scope) => {
                all.push(unknown(step, scope));
                continue;
            }
            _ => items(step, scope)?,
        };
        let Some(items) = items else {
            all.push(one(context, step, scope, None, None)?);
            continue;
        };
        let count = items.len();
        for (number, value) in
            items.iter().enumerate().filter(|(number, _)| !is_done(&step.id, *number))
        {
            all.push(one(context, step, scope, Some((number, value)), Some((number, count)))?);
        }
        if all.len() > MAX_CALLS {
            return Err(invalid(step, format!("more than {MAX_CALLS} calls")));
        }
    }
    Ok(all)
}

fn one<'w>(
    context: &Context<'_>,
    step: &'w Step,
    scope: &Scope,
    item: Item<'_>,
    number: Option<(usize, usize)>,
) -> Result<PlannedStep<'w>, ToolError> {
    let mut planned = PlannedStep {
        item: number,
        arguments: step.arguments.display(scope, item),
        ..unknown(step, scope)
    };
    let mut known = true;
    step.arguments.filters(&mut |filter| known &= filter.is_known(scope));
    if !known {
        return Ok(planned);
    }
    let arguments = arguments(step, scope, item)?;
    match PlannedCall::new(context, planned.label(), step.tool, arguments) {
        Ok(call) => {
            planned.error = call.effects().err();
            planned.call = planned.error.is_none().then_some(call);
        }
        Err(error) => planned.error = Some(error),
    }
    Ok(planned)
}

fn unknown<'w>(step: &'w Step, scope: &Scope) -> PlannedStep<'w> {
    let mut unknown = Vec::new();
    let mut add = |filter: &Expression| {
        for read in filter.reads.iter().filter(|read| !scope.steps.contains_key(*read)) {
            let read = format!("the result of `{read}`");
            if !unknown.contains(&read) {
                unknown.push(read);
            }
        }
    };
    step.condition.iter().for_each(&mut add);
    if let Some(ForEach::Filter(filter)) = &step.for_each {
        add(filter);
    }
    step.arguments.filters(&mut |filter| add(filter));
    PlannedStep {
        step,
        item: None,
        arguments: step.arguments.display(scope, None),
        unknown,
        call: None,
        error: None,
    }
}
