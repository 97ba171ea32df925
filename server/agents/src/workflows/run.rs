//! Runs a workflow: one approval, steps side by side where they do not touch, a journal of what has ended.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tools::{
    ApprovedCalls, Code, Context, EffectKind, PlannedCall, StepCall, StepCalls, Target, ToolError,
};

use super::definition::{Step, Workflow};
use super::expression::Scope;
use super::journal::{EffectClass, Event, Journal, Outcome, Recorded, RunState, StepRecord};
use super::parallel::{Touched, are_apart, only_reads, runs_alone};
use super::plan::{self, MAX_CALLS};

/// Most calls that run at the same time.
const MAX_PARALLEL: usize = 8;
/// How often a pause before a retry checks for cancellation.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// A run.
pub(super) struct Run<'c> {
    context: &'c Context<'c>,
    caller: &'c dyn StepCalls,
    workflow: &'c Workflow,
    pub(super) journal: Journal,
    pub(super) scope: Scope,
    approved: Arc<ApprovedCalls>,
    pub(super) steps: BTreeMap<String, Progress>,
    /// The lists of loops that were interrupted.
    lists: BTreeMap<String, Vec<Value>>,
    queue: VecDeque<Job>,
    calls: usize,
    /// The error that stopped it, with the step.
    pub(super) failure: Option<(usize, ToolError)>,
}

/// How far a step is.
#[derive(Default)]
pub(super) struct Progress {
    /// Whether it is repeated for a list.
    pub(super) is_loop: bool,
    pub(super) is_skipped: bool,
    pub(super) count: usize,
    pub(super) outcomes: BTreeMap<usize, Outcome>,
    pub(super) ms: u64,
}

impl Progress {
    pub(super) fn is_complete(&self) -> bool {
        self.outcomes.len() >= self.count
    }

    /// The errors of its calls.
    pub(super) fn errors(&self) -> impl Iterator<Item = &Value> {
        self.outcomes.values().filter_map(|outcome| match outcome {
            Outcome::Error(error) => Some(error),
            Outcome::Result(_) => None,
        })
    }

    /// What later steps read.
    fn value(&self) -> Value {
        if self.is_skipped {
            return Value::Null;
        }
        let one = |outcome: &Outcome| match outcome {
            Outcome::Result(value) => value.clone(),
            Outcome::Error(error) => json!({ "error": error }),
        };
        if self.is_loop {
            return self.outcomes.values().map(one).collect();
        }
        self.outcomes.values().next().map(one).unwrap_or_default()
    }
}

/// A call to make.
struct Job {
    step: usize,
    item: usize,
    /// The item of a loop.
    value: Option<Value>,
    arguments: Value,
    attempt: u64,
}

/// What to do with a call whose outcome is not known, because the process was killed while it ran.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Interrupted {
    /// Make it again.
    Rerun,
    /// Go on as if it had ended, with null as its result.
    Skip,
}

impl<'c> Run<'c> {
    pub(super) fn new(
        context: &'c Context<'c>,
        caller: &'c dyn StepCalls,
        workflow: &'c Workflow,
        journal: Journal,
        scope: Scope,
        approved: ApprovedCalls,
    ) -> Self {
        Self {
            context,
            caller,
            workflow,
            journal,
            scope,
            approved: Arc::new(approved),
            steps: BTreeMap::new(),
            lists: BTreeMap::new(),
            queue: VecDeque::new(),
            calls: 0,
            failure: None,
        }
    }

    /// Sets the calls that were approved before.
    pub(super) fn with_approved(self, approved: ApprovedCalls) -> Self {
        Self { approved: Arc::new(approved), ..self }
    }

    /// Makes the calls that are left, and records how it ended.
    pub(super) fn run(&mut self) -> Result<RunState, ToolError> {
        let state = self.make_calls()?;
        self.journal.write(&Event::Finished { state }, false)?;
        Ok(state)
    }

    fn make_calls(&mut self) -> Result<RunState, ToolError> {
        let mut next = 0;
        loop {
            if self.context.interrupt.load(Ordering::Relaxed) {
                return Ok(RunState::Cancelled);
            }
            if self.failure.is_some() {
                return Ok(RunState::Failed);
            }
            while next < self.workflow.steps.len() && self.queue.len() < MAX_PARALLEL {
                let step = &self.workflow.steps[next];
                if self.scope.steps.contains_key(&step.id) {
                    next += 1;
                    continue;
                }
                if step.reads_any(&self.open_steps()) {
                    break;
                }
                if let Err(error) = self.open(next) {
                    self.end_without_call(next, error)?;
                }
                next += 1;
                if self.failure.is_some() {
                    return Ok(RunState::Failed);
                }
            }
            if self.queue.is_empty() {
                if next >= self.workflow.steps.len() {
                    return Ok(RunState::Done);
                }
                continue;
            }
            let (jobs, classes) = self.take_wave();
            self.call(jobs, &classes)?;
        }
    }

    /// The steps with calls that have not ended.
    fn open_steps(&self) -> Vec<&str> {
        let is_open = |(_, progress): &(&String, &Progress)| !progress.is_complete();
        self.steps.iter().filter(is_open).map(|(id, _)| id.as_str()).collect()
    }

    /// Decides whether a step runs, and queues its calls.
    fn open(&mut self, number: usize) -> Result<(), ToolError> {
        let step = &self.workflow.steps[number];
        if !plan::is_wanted(step, &self.scope)? {
            self.journal.write(&Event::Skipped { step: step.id.clone() }, false)?;
            self.steps
                .insert(step.id.clone(), Progress { is_skipped: true, ..Progress::default() });
            self.scope.steps.insert(step.id.clone(), Value::Null);
            return Ok(());
        }
        // A step that was interrupted has begun some of its calls.
        let mut progress = self.steps.remove(&step.id).unwrap_or_default();
        let recorded = self.lists.remove(&step.id);
        let is_recorded = recorded.is_some();
        let items = match recorded {
            Some(items) => Some(items),
            None => plan::items(step, &self.scope)?,
        };
        progress.is_loop = items.is_some();
        progress.count = items.as_ref().map_or(1, Vec::len);
        self.calls += progress.count;
        if self.calls > MAX_CALLS {
            return Err(plan::invalid(step, format!("more than {MAX_CALLS} calls")));
        }
        let mut jobs = Vec::new();
        for item in (0..progress.count).filter(|item| !progress.outcomes.contains_key(item)) {
            let value = items.as_ref().map(|items| (item, &items[item]));
            let arguments = plan::arguments(step, &self.scope, value)?;
            let value = value.map(|(_, value)| value.clone());
            jobs.push(Job { step: number, item, value, arguments, attempt: 0 });
        }
        if let Some(items) = items.filter(|_| !is_recorded) {
            self.journal.write(&Event::Items { step: step.id.clone(), items }, false)?;
        }
        self.queue.extend(jobs);
        if progress.is_complete() {
            self.scope.steps.insert(step.id.clone(), progress.value());
        }
        self.steps.insert(step.id.clone(), progress);
        Ok(())
    }

    /// The next calls that may run at the same time, with what it takes to repeat them.
    fn take_wave(&mut self) -> (Vec<Job>, Vec<EffectClass>) {
        let mut wave = Vec::new();
        let mut planned: Vec<Option<PlannedCall>> = Vec::new();
        while wave.len() < MAX_PARALLEL {
            let Some(job) = self.queue.front() else { break };
            let tool = self.workflow.steps[job.step].tool;
            let is_alone = |job: &Job| runs_alone(self.workflow.steps[job.step].tool);
            if !wave.is_empty() && (runs_alone(tool) || wave.iter().any(is_alone)) {
                break;
            }
            let all_read = wave
                .iter()
                .chain([job])
                .all(|job: &Job| only_reads(self.workflow.steps[job.step].tool));
            let call = match all_read {
                true => None,
                false => PlannedCall::new(self.context, "", tool, job.arguments.clone()).ok(),
            };
            if !all_read && !wave.is_empty() {
                // The reads of this wave were not needed before.
                for (job, call) in wave.iter().zip(&mut planned) {
                    if call.is_none() {
                        let tool = self.workflow.steps[job.step].tool;
                        *call =
                            PlannedCall::new(self.context, "", tool, job.arguments.clone()).ok();
                    }
                }
                let new = Touched::new(tool, call.as_ref());
                let is_apart = |(job, call): (&Job, &Option<PlannedCall>)| {
                    are_apart(
                        &Touched::new(self.workflow.steps[job.step].tool, call.as_ref()),
                        &new,
                    )
                };
                if !wave.iter().zip(&planned).all(is_apart) {
                    break;
                }
            }
            planned.push(call);
            wave.extend(self.queue.pop_front());
        }
        let class = |(job, call): (&Job, &Option<PlannedCall>)| {
            if only_reads(self.workflow.steps[job.step].tool) {
                return EffectClass::Read;
            }
            call.as_ref().map_or(EffectClass::Other, class_of)
        };
        let classes = wave.iter().zip(&planned).map(class).collect();
        (wave, classes)
    }

    /// Makes calls at the same time, again those that fail and have retries left.
    fn call(&mut self, jobs: Vec<Job>, classes: &[EffectClass]) -> Result<(), ToolError> {
        let mut waiting: Vec<(Job, EffectClass)> =
            jobs.into_iter().zip(classes.iter().copied()).collect();
        for (job, effects) in &waiting {
            let step = self.workflow.steps[job.step].id.clone();
            let event = Event::Begun { step, item: job.item, effects: *effects };
            self.journal.write(&event, *effects == EffectClass::Other)?;
        }
        while !waiting.is_empty() {
            let calls = waiting.iter().map(|(job, _)| self.step_call(job)).collect();
            let started = Instant::now();
            let mut again = Vec::new();
            let mut jobs: Vec<Option<(Job, EffectClass)>> = waiting.into_iter().map(Some).collect();
            let mut ended = Ok(());
            let (caller, approved) = (self.caller, self.approved.clone());
            let group = self.journal.id.clone();
            caller.call(calls, &approved, &group, &mut |number, outcome| {
                let Some((mut job, class)) = jobs[number].take() else { return };
                let outcome = outcome.and_then(|result| self.as_expected(&job, result));
                let step = &self.workflow.steps[job.step];
                match outcome {
                    Err(error) if job.attempt < step.retries && is_worth_a_retry(&error) => {
                        self.context
                            .editor
                            .progress(&format!("{}: {}; trying again", step.id, error.message));
                        job.attempt += 1;
                        again.push((job, class));
                    }
                    outcome => {
                        let ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
                        let kept = self.end(&job, class, ms, outcome);
                        if ended.is_ok() {
                            ended = kept;
                        }
                    }
                }
            });
            ended?;
            let delay =
                again.iter().map(|(job, _)| self.workflow.steps[job.step].retry_delay).max();
            if delay.is_some_and(|delay| !self.pause(delay)) {
                return Ok(());
            }
            waiting = again;
        }
        Ok(())
    }

    fn step_call(&self, job: &Job) -> StepCall {
        let step = &self.workflow.steps[job.step];
        let part = part_of(&step.id, self.steps[&step.id].is_loop.then_some(job.item));
        StepCall {
            tool: step.tool.name.to_owned(),
            arguments: job.arguments.clone(),
            part,
            timeout: step.timeout,
        }
    }

    /// The result, unless the step says that it is a failure. A command that fails is one.
    fn as_expected(&self, job: &Job, result: Value) -> Result<Value, ToolError> {
        let step = &self.workflow.steps[job.step];
        let Some(expect) = &step.expect else {
            return match result.get("exit_code").and_then(Value::as_i64) {
                None | Some(0) => Ok(result),
                Some(code) => {
                    let message = format!("{}: exit code {code}", step.tool.name);
                    Err(ToolError::new(Code::Guard, message).details(json!({ "result": result })))
                }
            };
        };
        let item = job.value.as_ref().map(|value| (job.item, value));
        if plan::is_true(&expect.run(result.clone(), &self.scope, item)?) {
            return Ok(result);
        }
        let message = format!("{}: expected `{:.200}`", step.tool.name, expect.text);
        Err(ToolError::new(Code::Guard, message).details(json!({ "result": result })))
    }

    /// Records the outcome of a call.
    fn end(
        &mut self,
        job: &Job,
        class: EffectClass,
        ms: u64,
        outcome: Result<Value, ToolError>,
    ) -> Result<(), ToolError> {
        let step = &self.workflow.steps[job.step];
        // What was cancelled has not ended: resuming the run makes the call again.
        if self.context.interrupt.load(Ordering::Relaxed)
            && matches!(&outcome, Err(error) if error.code == Code::Cancelled)
        {
            return Ok(());
        }
        let recorded = match &outcome {
            Ok(result) => Outcome::Result(result.clone()),
            Err(error) => Outcome::Error(error.data()),
        };
        let event =
            Event::Ended { step: step.id.clone(), item: job.item, ms, outcome: recorded.clone() };
        self.journal.write(&event, class == EffectClass::Other)?;
        if let Err(error) = outcome
            && !step.goes_on
            && self.failure.is_none()
        {
            self.failure = Some((job.step, error));
        }
        let Some(progress) = self.steps.get_mut(&step.id) else { return Ok(()) };
        progress.ms += ms;
        progress.outcomes.insert(job.item, recorded);
        if progress.is_complete() {
            let value = progress.value();
            self.scope.steps.insert(step.id.clone(), value);
            let (done, all) = (self.scope.steps.len(), self.workflow.steps.len());
            self.context.editor.progress(&format!("{}: done ({done} of {all} steps)", step.id));
        }
        Ok(())
    }

    /// Records the failure of a step that made no call.
    fn end_without_call(&mut self, number: usize, error: ToolError) -> Result<(), ToolError> {
        let step = &self.workflow.steps[number];
        let job = Job { step: number, item: 0, value: None, arguments: Value::Null, attempt: 0 };
        self.steps.insert(step.id.clone(), Progress { count: 1, ..Progress::default() });
        let event = Event::Begun { step: step.id.clone(), item: 0, effects: EffectClass::Read };
        self.journal.write(&event, false)?;
        self.end(&job, EffectClass::Read, 0, Err(error))
    }

    /// Waits. False if the run was cancelled meanwhile.
    fn pause(&self, delay: Duration) -> bool {
        let until = Instant::now() + delay;
        while !self.context.interrupt.load(Ordering::Relaxed) {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return true;
            }
            std::thread::sleep(left.min(POLL_INTERVAL));
        }
        false
    }

    /// Takes over what has ended in an earlier process. What it had begun is reverted, or made again as
    /// `interrupted` says.
    ///
    /// # Errors
    /// `E_CONFLICT` if it is not known whether a call had an effect, and `interrupted` does not say what to do.
    pub(super) fn take_over(
        &mut self,
        recorded: &Recorded,
        interrupted: Option<Interrupted>,
    ) -> Result<(), ToolError> {
        self.revert_unrecorded(recorded)?;
        for step in &self.workflow.steps {
            let Some(record) = recorded.steps.get(&step.id) else { continue };
            if record.is_skipped {
                self.steps
                    .insert(step.id.clone(), Progress { is_skipped: true, ..Progress::default() });
                self.scope.steps.insert(step.id.clone(), Value::Null);
                continue;
            }
            let progress = self.progress_of(step, record, interrupted)?;
            if progress.is_complete() {
                self.scope.steps.insert(step.id.clone(), progress.value());
            } else if let Some(items) = &record.items {
                self.lists.insert(step.id.clone(), items.clone());
            }
            self.steps.insert(step.id.clone(), progress);
        }
        Ok(())
    }

    fn progress_of(
        &self,
        step: &Step,
        record: &StepRecord,
        interrupted: Option<Interrupted>,
    ) -> Result<Progress, ToolError> {
        let count = record.items.as_ref().map_or(1, Vec::len);
        let mut progress =
            Progress { is_loop: record.items.is_some(), count, ..Progress::default() };
        for (item, call) in &record.calls {
            match &call.ended {
                // A failure that stopped the run is what resuming is for.
                Some((_, Outcome::Error(_))) if !step.goes_on => {}
                Some((ms, outcome)) => {
                    progress.ms += ms;
                    progress.outcomes.insert(*item, outcome.clone());
                }
                None if call.effects != EffectClass::Other
                    || step.rerun
                    || step.tool.idempotent => {}
                None => match interrupted {
                    Some(Interrupted::Rerun) => {}
                    Some(Interrupted::Skip) => {
                        progress.outcomes.insert(*item, Outcome::Result(Value::Null));
                    }
                    None => return Err(outcome_unknown(&self.journal.id, step)),
                },
            }
        }
        Ok(progress)
    }

    /// Undoes what interrupted calls changed and could not report. The history knows it, even if a power
    /// failure lost the last lines of the journal.
    fn revert_unrecorded(&self, recorded: &Recorded) -> Result<(), ToolError> {
        let mut kept = Vec::new();
        for (step, record) in &recorded.steps {
            for (item, call) in &record.calls {
                if call.ended.is_some() || call.effects == EffectClass::Other {
                    kept.push(part_of(step, record.items.is_some().then_some(*item)));
                }
            }
        }
        let actions = self.context.workspace.action_group(&self.journal.id);
        let actions =
            actions.map_err(|error| ToolError::new(Code::Io, format!("workflow: {error}")))?;
        for (id, part) in actions.into_iter().filter(|(_, part)| !kept.contains(part)) {
            let call = StepCall {
                tool: "undo_action".to_owned(),
                arguments: json!({ "action": id }),
                part: part.clone(),
                timeout: None,
            };
            let mut outcome = Ok(Value::Null);
            let group = format!("{}-recovery", self.journal.id);
            self.caller.call(vec![call], &self.approved, &group, &mut |_, ended| outcome = ended);
            outcome.map_err(|error| {
                let message = format!(
                    "workflow: step `{part}` was interrupted and cannot be reverted: {}",
                    error.message
                );
                ToolError { message, ..error }
            })?;
        }
        Ok(())
    }
}

/// What a call's changes are recorded as, and its progress is reported as.
fn part_of(step: &str, item: Option<usize>) -> String {
    item.map_or_else(|| step.to_owned(), |item| format!("{step} {}", item + 1))
}

fn outcome_unknown(run: &str, step: &Step) -> ToolError {
    let message = format!(
        "workflow: step `{}` (line {}) had started when the run was interrupted; it may have had its effect",
        step.id, step.line
    );
    ToolError::new(Code::Conflict, message).hint(format!(
        "find out, then resume `{run}` with interrupted: \"rerun\" or \"skip\"; a step with `rerun = true` \
         is made again without asking"
    ))
}

fn is_worth_a_retry(error: &ToolError) -> bool {
    !matches!(
        error.code,
        Code::Cancelled
            | Code::Denied
            | Code::InvalidParams
            | Code::ToolNotFound
            | Code::PathForbidden
    )
}

fn class_of(call: &PlannedCall) -> EffectClass {
    let Ok(effects) = call.effects() else { return EffectClass::Other };
    if effects.iter().all(|effect| effect.kind == EffectKind::Read) {
        return EffectClass::Read;
    }
    let is_on_files = effects.iter().all(|effect| {
        matches!(effect.kind, EffectKind::Read | EffectKind::Write | EffectKind::Delete)
            && matches!(effect.target, Target::Path(_) | Target::Tree(_))
    });
    if is_on_files { EffectClass::Files } else { EffectClass::Other }
}
