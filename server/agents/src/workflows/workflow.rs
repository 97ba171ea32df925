//! `workflow`: lists, checks, runs and resumes workflows.

use std::sync::atomic::Ordering;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tools::{Code, Context, Effect, EffectKind, PlannedCall, Target, Tool, ToolError};

use super::definition::Workflow;
use super::expression::Scope;
use super::file::Mistake;
use super::inputs::{self, Input};
use super::journal::{self, Journal, RunHeader, RunState};
use super::plan::{self, PlannedStep};
use super::report::{self, CallReport, Failure, StepReport};
use super::run::{Interrupted, Run};
use super::{checked, find, of_mistakes};
use crate::library::{Kind, documents};

pub(crate) struct WorkflowTool;

/// Runs that are listed.
const MAX_LISTED_RUNS: usize = 20;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// What to do; by default `run` with `workflow`, else `list`.
    #[serde(default)]
    action: Option<Action>,
    /// Its name, from `list`.
    #[serde(default)]
    workflow: Option<String>,
    /// Values of its inputs by name.
    #[serde(default)]
    inputs: Map<String, Value>,
    /// For `run`: return the calls it would make, and make none.
    #[serde(default)]
    dry_run: bool,
    /// For `status` and `resume`: the id of a run.
    #[serde(default)]
    run: Option<String>,
    /// For `status`: return the result of this step, too.
    #[serde(default)]
    step: Option<String>,
    /// For `resume`: what to do with a step that was interrupted and may have had its effect.
    #[serde(default)]
    interrupted: Option<Interrupted>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Action {
    List,
    Show,
    Validate,
    Run,
    Status,
    Resume,
}

#[derive(Default, Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The workflows that there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    workflows: Option<Vec<Listed>>,
    /// Runs, newest first.
    #[serde(skip_serializing_if = "Option::is_none")]
    runs: Option<Vec<RunOutput>>,
    /// The workflow's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    workflow: Option<String>,
    /// Its file.
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<String>,
    /// Its inputs.
    #[serde(skip_serializing_if = "Option::is_none")]
    inputs: Option<Vec<Input>>,
    /// Its text.
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
    /// Mistakes in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    mistakes: Option<Vec<Mistake>>,
    /// The run's id, for `status`, `resume` and `undo_action`.
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<String>,
    /// How it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    state: Option<RunState>,
    #[serde(skip_serializing_if = "Option::is_none")]
    steps: Option<Vec<StepReport>>,
    /// Where and why it stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    failed: Option<Failure>,
    /// The calls that a run would make.
    #[serde(skip_serializing_if = "Option::is_none")]
    calls: Option<Vec<CallReport>>,
    /// What the workflow returns, or the result of its last step.
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<Value>,
    /// What can be done next.
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<String>,
}

/// A workflow in a list.
#[derive(Serialize, JsonSchema)]
struct Listed {
    name: String,
    description: String,
    /// Its inputs, as `{name: type, optional?: type}`.
    inputs: String,
    path: String,
    /// Mistakes in it: it does not run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    mistakes: Vec<Mistake>,
}

/// A run in a list.
#[derive(Serialize, JsonSchema)]
struct RunOutput {
    run: String,
    workflow: String,
    state: RunState,
    /// When it began (RFC 3339).
    time: String,
}

impl Tool for WorkflowTool {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "workflow";
    const DESCRIPTION: &'static str = "Run a workflow: a checked pipeline of tool calls, such as release \
        checks, a bisect or a dependency bump, with one approval and one undo. `dry_run` returns every call; \
        without parameters it lists the workflows. A run that stopped goes on with action `resume`.";
    const EFFECTS: &'static [EffectKind] = &[
        EffectKind::Read,
        EffectKind::Write,
        EffectKind::Delete,
        EffectKind::Execute,
        EffectKind::Network,
        EffectKind::Admin,
    ];
    // Each step takes the write lock for itself.
    const LOCKS_LATE: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[
        ("name", "workflow"),
        ("input", "inputs"),
        ("arguments", "inputs"),
        ("run_id", "run"),
        ("id", "run"),
    ];
    const EXAMPLES: &'static [&'static str] =
        &["{}", r#"{"action": "show", "workflow": "bisect"}"#, r#"{"action": "status"}"#];

    fn text(result: &Value) -> Option<String> {
        report::text(result)
    }

    /// The steps' effects are decided on together before the first one, and at each step.
    fn effects(_: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let name = params.workflow.as_deref().or(params.run.as_deref()).unwrap_or("all");
        let target = Target::Named(format!("the workflow {name:.60}"));
        Ok(vec![Effect { kind: EffectKind::Read, target, detail: None }])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let default = if params.workflow.is_some() { Action::Run } else { Action::List };
        match params.action.unwrap_or(default) {
            Action::List => list(context),
            Action::Show => show(context, &params, true),
            Action::Validate => show(context, &params, false),
            Action::Run => start(context, params),
            Action::Status => status(context, &params),
            Action::Resume => resume(context, &params),
        }
    }
}

fn missing(parameter: &str) -> ToolError {
    ToolError::new(Code::InvalidParams, format!("workflow: `{parameter}` is missing"))
}

fn list(context: &Context<'_>) -> Result<Output, ToolError> {
    let all = documents(context, WorkflowTool::NAME, Kind::Workflow)?;
    let listed = all.into_iter().map(|document| {
        let (inputs, mistakes) = match checked(context, &document.text) {
            Ok(workflow) => (inputs::signature(&workflow.inputs), Vec::new()),
            Err(mistakes) => (String::new(), mistakes),
        };
        Listed {
            name: document.name,
            description: document.description.unwrap_or(document.title),
            inputs,
            path: document.path,
            mistakes,
        }
    });
    Ok(Output { workflows: Some(listed.collect()), ..Output::default() })
}

fn show(context: &Context<'_>, params: &Params, with_text: bool) -> Result<Output, ToolError> {
    let name = params.workflow.as_deref().ok_or_else(|| missing("workflow"))?;
    let document = find(context, WorkflowTool::NAME, name)?;
    let (inputs, mistakes) = match checked(context, &document.text) {
        Ok(workflow) => (Some(workflow.inputs.clone()), Vec::new()),
        Err(mistakes) => (None, mistakes),
    };
    Ok(Output {
        inputs,
        workflow: Some(document.name),
        path: Some(document.path),
        content: with_text.then_some(document.text),
        mistakes: Some(mistakes),
        ..Output::default()
    })
}

fn start(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
    let name = params.workflow.ok_or_else(|| missing("workflow"))?;
    let document = find(context, WorkflowTool::NAME, &name)?;
    let workflow = checked(context, &document.text)
        .map_err(|mistakes| of_mistakes(&document.path, &mistakes))?;
    let values = inputs::values(&document.name, &workflow.inputs, params.inputs)?;
    if params.dry_run {
        let mut scope = Scope { inputs: values, ..Scope::default() };
        let planned = plan::planned(context, &workflow, &mut scope, &|_, _| false)?;
        let calls = planned.iter().map(|planned| CallReport::new(context, planned, &scope));
        return Ok(Output {
            workflow: Some(document.name),
            path: Some(document.path),
            calls: Some(calls.collect()),
            ..Output::default()
        });
    }
    let caller = context.step_calls(WorkflowTool::NAME)?;
    let mut scope = Scope { inputs: values.clone(), ..Scope::default() };
    let planned = plan::planned(context, &workflow, &mut scope, &|_, _| false)?;
    let approved = approve(context, &document.name, &document.path, planned)?;
    let header = RunHeader {
        workflow: document.name,
        path: document.path,
        text: document.text,
        inputs: values.clone(),
        time: jiff::Timestamp::now().to_string(),
    };
    let name = header.workflow.clone();
    let journal = Journal::create(context, header)?;
    let scope = Scope { inputs: values, ..Scope::default() };
    let run = Run::new(context, caller, &workflow, journal, scope, approved);
    finish(context, name, &workflow, run)
}

/// Asks for the approval of the calls that are known.
fn approve(
    context: &Context<'_>,
    name: &str,
    path: &str,
    planned: Vec<PlannedStep<'_>>,
) -> Result<tools::ApprovedCalls, ToolError> {
    let is_known = |planned: &PlannedStep<'_>| planned.call.is_some();
    let rest: Vec<String> =
        planned.iter().filter(|planned| !is_known(planned)).map(PlannedStep::rest).collect();
    let calls: Vec<PlannedCall> = planned.into_iter().filter_map(|planned| planned.call).collect();
    let title = format!("Run the workflow {name} ({path})?");
    tools::approve_together(context, &title, &calls, &rest)
}

fn resume(context: &Context<'_>, params: &Params) -> Result<Output, ToolError> {
    let id = params.run.as_deref().ok_or_else(|| missing("run"))?;
    let caller = context.step_calls(WorkflowTool::NAME)?;
    let (journal, recorded) = Journal::resume(context, id)?;
    let header = &recorded.header;
    let workflow =
        checked(context, &header.text).map_err(|mistakes| of_mistakes(&header.path, &mistakes))?;
    let scope = Scope { inputs: header.inputs.clone(), ..Scope::default() };
    let mut run =
        Run::new(context, caller, &workflow, journal, scope, tools::ApprovedCalls::default());
    run.take_over(&recorded, params.interrupted)?;
    let mut scope = Scope { inputs: header.inputs.clone(), steps: run.scope.steps.clone() };
    let is_done = |step: &str, item: usize| {
        run.steps.get(step).is_some_and(|progress| progress.outcomes.contains_key(&item))
    };
    let planned = plan::planned(context, &workflow, &mut scope, &is_done)?;
    let approved = approve(context, &header.workflow, &header.path, planned)?;
    finish(context, header.workflow.clone(), &workflow, run.with_approved(approved))
}

fn finish(
    context: &Context<'_>,
    name: String,
    workflow: &Workflow,
    mut run: Run<'_>,
) -> Result<Output, ToolError> {
    let ended = run.run();
    let id = run.journal.id.clone();
    let state = ended?;
    if state == RunState::Cancelled || context.interrupt.load(Ordering::Relaxed) {
        let message =
            format!("workflow: `{id}` was cancelled; what its steps had done by then stays");
        return Err(ToolError::new(Code::Cancelled, message)
            .hint(report::next(&id, RunState::Cancelled, true).unwrap_or_default()));
    }
    let output = match (&workflow.output, state) {
        (Some(filter), RunState::Done) => Some(filter.run(Value::Null, &run.scope, None)?),
        (None, RunState::Done) => {
            workflow.steps.last().and_then(|step| run.scope.steps.get(&step.id)).cloned()
        }
        _ => None,
    };
    let changed = context.workspace.action_group(&id).is_ok_and(|actions| !actions.is_empty());
    Ok(Output {
        workflow: Some(name),
        next: report::next(&id, state, changed),
        run: Some(id),
        state: Some(state),
        steps: Some(report::steps_of_run(workflow, &run)),
        failed: report::failure_of(workflow, &run.failure),
        output: output.filter(|output| !output.is_null()),
        ..Output::default()
    })
}

fn status(context: &Context<'_>, params: &Params) -> Result<Output, ToolError> {
    let Some(id) = &params.run else {
        let mut runs = Vec::new();
        for id in journal::runs(context)?.into_iter().take(MAX_LISTED_RUNS) {
            context.check_interrupt(WorkflowTool::NAME)?;
            // A journal may be pruned meanwhile, or be from another version.
            let Ok(recorded) = journal::recorded(context, &id) else { continue };
            let (workflow, time) = (recorded.header.workflow, recorded.header.time);
            runs.push(RunOutput { run: id, workflow, state: recorded.state, time });
        }
        return Ok(Output { runs: Some(runs), ..Output::default() });
    };
    let recorded = journal::recorded(context, id)?;
    let header = &recorded.header;
    let workflow =
        checked(context, &header.text).map_err(|mistakes| of_mistakes(&header.path, &mistakes))?;
    let output = params.step.as_ref().map(|step| -> Result<Value, ToolError> {
        let record = recorded.steps.get(step).ok_or_else(|| {
            let message = format!("workflow: step `{step:.60}` of `{id}` has not run");
            ToolError::new(Code::PathNotFound, message)
        })?;
        let ended = record.calls.values().filter_map(|call| call.ended.as_ref());
        let mut outcomes: Vec<Value> =
            ended.map(|(_, outcome)| serde_json::to_value(outcome).unwrap_or_default()).collect();
        let is_loop = record.items.is_some();
        Ok(if is_loop || outcomes.is_empty() { outcomes.into() } else { outcomes.swap_remove(0) })
    });
    let changed = context.workspace.action_group(id).is_ok_and(|actions| !actions.is_empty());
    Ok(Output {
        workflow: Some(header.workflow.clone()),
        path: Some(header.path.clone()),
        run: Some(id.clone()),
        state: Some(recorded.state),
        steps: Some(report::steps_of_journal(&workflow, &recorded)),
        output: output.transpose()?,
        next: report::next(id, recorded.state, changed),
        ..Output::default()
    })
}
