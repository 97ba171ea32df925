//! What a run and a plan look like in results.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use tools::{Context, PlannedDecision, ToolError};

use super::definition::Workflow;
use super::expression::Scope;
use super::journal::{Outcome, Recorded, RunState, StepRecord};
use super::plan::PlannedStep;
use super::run::Run;

/// Effects that are listed of one call.
const MAX_EFFECTS: usize = 10;

/// A step of a run.
#[derive(Serialize, JsonSchema)]
pub(super) struct StepReport {
    id: String,
    tool: &'static str,
    /// `done`, `failed`, `skipped` or `pending`.
    state: &'static str,
    /// How many calls it made, if it is a loop.
    #[serde(skip_serializing_if = "Option::is_none")]
    calls: Option<usize>,
    /// How many of them failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    failed: Option<usize>,
    /// How long it took.
    ms: u64,
    /// What went wrong.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

/// Where and why a run stopped.
#[derive(Serialize, JsonSchema)]
pub(super) struct Failure {
    step: String,
    /// The line of the step in the file.
    line: usize,
    /// `{code, message, hint?, details?}` of the call.
    error: Value,
}

/// A call that a run would make.
#[derive(Serialize, JsonSchema)]
pub(super) struct CallReport {
    step: String,
    /// The item of a loop, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    item: Option<usize>,
    tool: &'static str,
    /// The arguments; `{jq: …}` stands for what depends on results.
    arguments: Value,
    /// What it would do.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    effects: Vec<String>,
    /// `allowed`, `asks`, `denied`, or `later` if that is decided when the step comes.
    decision: &'static str,
    /// It runs only if this holds.
    #[serde(rename = "if", skip_serializing_if = "Option::is_none")]
    condition: Option<String>,
    /// What is not known before.
    #[serde(skip_serializing_if = "Option::is_none")]
    unknown: Option<String>,
}

impl CallReport {
    pub(super) fn new(context: &Context<'_>, planned: &PlannedStep<'_>, scope: &Scope) -> Self {
        let effects = planned.call.as_ref().and_then(|call| call.effect_phrases().ok());
        let decision = match planned.decision(context) {
            Some(PlannedDecision::Allowed) => "allowed",
            Some(PlannedDecision::Asks) => "asks",
            Some(PlannedDecision::Denied) => "denied",
            None => "later",
        };
        let unknown = match &planned.error {
            Some(error) => Some(error.message.clone()),
            None => (!planned.unknown.is_empty()).then(|| planned.unknown.join(", ")),
        };
        Self {
            step: planned.step.id.clone(),
            item: planned.item.map(|(number, _)| number + 1),
            tool: planned.step.tool.name,
            arguments: planned.arguments.clone(),
            effects: effects.unwrap_or_default().into_iter().take(MAX_EFFECTS).collect(),
            decision,
            condition: planned.condition(scope).map(str::to_owned),
            unknown,
        }
    }
}

/// The steps of a run.
pub(super) fn steps_of_run(workflow: &Workflow, run: &Run<'_>) -> Vec<StepReport> {
    let one = |step: &super::definition::Step| {
        let progress = run.steps.get(&step.id);
        let error = progress.and_then(|progress| progress.errors().next());
        let failed = progress.map_or(0, |progress| progress.errors().count());
        StepReport {
            id: step.id.clone(),
            tool: step.tool.name,
            state: match progress {
                Some(progress) if progress.is_skipped => "skipped",
                Some(_) if failed > 0 => "failed",
                Some(progress) if progress.is_complete() => "done",
                _ => "pending",
            },
            calls: progress
                .filter(|progress| progress.is_loop)
                .map(|progress| progress.outcomes.len()),
            failed: progress.filter(|progress| progress.is_loop && failed > 0).map(|_| failed),
            ms: progress.map_or(0, |progress| progress.ms),
            error: error.and_then(message_of),
        }
    };
    workflow.steps.iter().map(one).collect()
}

/// The steps of a journal.
pub(super) fn steps_of_journal(workflow: &Workflow, recorded: &Recorded) -> Vec<StepReport> {
    let one = |step: &super::definition::Step| {
        let record = recorded.steps.get(&step.id);
        let calls = record.into_iter().flat_map(|record| record.calls.values());
        let ended: Vec<_> = calls.filter_map(|call| call.ended.as_ref()).collect();
        let errors: Vec<&Value> = ended
            .iter()
            .filter_map(|(_, outcome)| match outcome {
                Outcome::Error(error) => Some(error),
                Outcome::Result(_) => None,
            })
            .collect();
        let count = record.and_then(|record| record.items.as_ref()).map_or(1, Vec::len);
        let is_loop = record.is_some_and(|record| record.items.is_some());
        StepReport {
            id: step.id.clone(),
            tool: step.tool.name,
            state: match record {
                Some(StepRecord { is_skipped: true, .. }) => "skipped",
                Some(_) if !errors.is_empty() => "failed",
                Some(_) if ended.len() >= count => "done",
                _ => "pending",
            },
            calls: is_loop.then_some(ended.len()),
            failed: (is_loop && !errors.is_empty()).then_some(errors.len()),
            ms: ended.iter().map(|(ms, _)| ms).sum(),
            error: errors.first().copied().and_then(message_of),
        }
    };
    workflow.steps.iter().map(one).collect()
}

/// Where and why a run stopped.
pub(super) fn failure_of(
    workflow: &Workflow,
    failure: &Option<(usize, ToolError)>,
) -> Option<Failure> {
    let (step, error) = failure.as_ref()?;
    let step = &workflow.steps[*step];
    Some(Failure { step: step.id.clone(), line: step.line, error: error.data() })
}

fn message_of(error: &Value) -> Option<String> {
    error["message"].as_str().map(str::to_owned)
}

/// A result as lines for a model.
pub(super) fn text(result: &Value) -> Option<String> {
    let mut lines = Vec::new();
    let text = |value: &Value, key: &str| value[key].as_str().unwrap_or_default().to_owned();
    for workflow in result["workflows"].as_array().into_iter().flatten() {
        lines.push(format!(
            "{} {}: {}",
            text(workflow, "name"),
            text(workflow, "inputs"),
            text(workflow, "description")
        ));
        if let Some(mistake) = workflow["mistakes"].as_array().and_then(|all| all.first()) {
            lines.push(format!("  line {}: {}", mistake["line"], text(mistake, "message")));
        }
    }
    for run in result["runs"].as_array().into_iter().flatten() {
        lines.push(format!("{}: {}", text(run, "run"), text(run, "state")));
    }
    if let Some(state) = result["state"].as_str() {
        lines.push(format!("{}: {state}", text(result, "run")));
    }
    for step in result["steps"].as_array().into_iter().flatten() {
        let error = step["error"].as_str().map(|error| format!(": {error}")).unwrap_or_default();
        lines.push(format!("  {} {}{error}", text(step, "id"), text(step, "state")));
    }
    for call in result["calls"].as_array().into_iter().flatten() {
        let item = call["item"].as_u64().map(|item| format!(" {item}")).unwrap_or_default();
        let unknown = call["unknown"].as_str().map(|why| format!(" ({why})")).unwrap_or_default();
        let condition =
            call["if"].as_str().map(|filter| format!(" if {filter}")).unwrap_or_default();
        lines.push(format!(
            "{}{item}: {} {} [{}]{condition}{unknown}",
            text(call, "step"),
            text(call, "tool"),
            call["arguments"],
            text(call, "decision")
        ));
    }
    for mistake in result["mistakes"].as_array().into_iter().flatten() {
        lines.push(format!("line {}: {}", mistake["line"], text(mistake, "message")));
    }
    match &result["output"] {
        Value::Null => {}
        Value::String(output) => lines.push(output.clone()),
        output => lines.push(output.to_string()),
    }
    if let Some(next) = result["next"].as_str() {
        lines.push(next.to_owned());
    }
    (!lines.is_empty()).then(|| lines.join("\n"))
}

/// What a model or person can do after a run.
pub(super) fn next(run: &str, state: RunState, changed_files: bool) -> Option<String> {
    let mut next = Vec::new();
    if matches!(state, RunState::Failed | RunState::Cancelled | RunState::Interrupted) {
        next.push(format!("workflow {{\"action\": \"resume\", \"run\": \"{run}\"}} goes on after the last step that ended"));
    }
    if changed_files {
        next.push(format!("undo_action {{\"action\": \"{run}\"}} undoes the changes of files"));
    }
    (!next.is_empty()).then(|| next.join("; "))
}
