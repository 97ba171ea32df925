//! `iac_apply`: exactly what was planned, after approval of the changes.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tools::{Code, Context, Effect, EffectKind, Target, Tool, ToolError};
use workspace::FilePath;

use crate::changes::Action;
use crate::events::{Diagnostic, Log, Step};
use crate::fingerprint::{differences, fingerprint};
use crate::iac_plan::{check_timeout, push_diagnostics};
use crate::limits::{APPLY_TIMEOUT_MS, READ_TIMEOUT};
use crate::plan_file::StateVersion;
use crate::program::{ProgramCall, program};
use crate::store::{Store, StoredPlan};
use crate::summary::{plan_text, totals_text};

pub(crate) struct IacApply;

fn default_timeout_ms() -> u64 {
    APPLY_TIMEOUT_MS
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The folder of the configuration.
    path: String,
    /// `plan` of iac_plan's result; the last plan of that folder by default.
    #[serde(default)]
    plan: Option<String>,
    /// As in `iac_plan`.
    #[serde(default)]
    tool: Option<String>,
    /// Has no effect: the program itself asks nothing here, and the approval cannot be skipped.
    #[serde(default)]
    auto_approve: bool,
    /// The time limit in milliseconds; an hour by default.
    #[serde(default = "default_timeout_ms")]
    timeout_ms: u64,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Whether everything was done.
    success: bool,
    /// The plan's SHA-256.
    plan: String,
    /// Steps that were done, in order; a replacement has two.
    done: Vec<Step>,
    /// Steps that failed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    failed: Vec<Step>,
    /// Steps that began and did not report an end.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unknown: Vec<String>,
    /// Resources of the plan that were not reached.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    not_done: Vec<String>,
    /// Errors and warnings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    diagnostics: Vec<Diagnostic>,
    /// What to know of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

impl Tool for IacApply {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "iac_apply";
    const DESCRIPTION: &'static str = "Apply a stored plan of `iac_plan`, after a person approved its changes. If the \
        plan, a file of the configuration or the state has changed since, nothing is applied. Returns which resources \
        were done, and after a failure which were not.";
    const EFFECTS: &'static [EffectKind] =
        &[EffectKind::Admin, EffectKind::Execute, EffectKind::Network];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("plan_hash", "plan"), ("dir", "path"), ("directory", "path")];

    fn text(result: &Value) -> Option<String> {
        let mut text = String::new();
        for (name, verb) in [("done", "done"), ("failed", "FAILED")] {
            for step in result[name].as_array().into_iter().flatten() {
                let (action, address) = (step["action"].as_str()?, step["address"].as_str()?);
                text.push_str(&format!("{verb}: {action} {address}\n"));
            }
        }
        for (name, what) in [("unknown", "perhaps done"), ("not_done", "not done")] {
            for address in result[name].as_array().into_iter().flatten().filter_map(Value::as_str) {
                text.push_str(&format!("{what}: {address}\n"));
            }
        }
        if text.is_empty() && result["success"] == true {
            text.push_str("applied; no resource changed\n");
        }
        push_diagnostics(&mut text, result);
        text.truncate(text.trim_end().len());
        Some(text)
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let apply = Apply::new(context, params)?;
        let mut effects = vec![apply.effect()];
        for call in [&apply.pull, &apply.apply] {
            for effect in call.effects(context)? {
                if !effects.contains(&effect) {
                    effects.push(effect);
                }
            }
        }
        Ok(effects)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let apply = Apply::new(context, &params)?;
        if !context.is_granted(&apply.effect()) {
            return Err(conflict("another plan was approved"));
        }
        let _lock = apply.store.lock(&apply.folder)?;
        apply.check_state(context)?;
        apply.run(context, Duration::from_millis(params.timeout_ms), params.auto_approve)
    }
}

/// A stored plan that still fits the configuration, and the commands that apply it.
struct Apply<'p> {
    folder: FilePath,
    store: Store,
    stored: StoredPlan,
    pull: ProgramCall<'p>,
    apply: ProgramCall<'p>,
}

impl<'p> Apply<'p> {
    fn new(context: &Context<'_>, params: &'p Params) -> Result<Self, ToolError> {
        let tool = IacApply::NAME;
        check_timeout(tool, params.timeout_ms)?;
        let folder = context.snapshot.locate(&params.path)?;
        let program = program(context, tool, params.tool.as_deref())?;
        let store = Store::open(context, tool)?;
        let stored = store.find(&folder, params.plan.as_deref())?;
        if stored.program != program {
            let why = format!("{} made the plan, and {program} would apply it", stored.program);
            return Err(conflict(&why).hint("pass the `tool` that made the plan"));
        }
        let now = fingerprint(context, tool, &folder, &stored.modules)?;
        let changed = differences(&stored.files, &now);
        if let Some(first) = changed.first() {
            let others = match changed.len() {
                1 => String::new(),
                count => format!(" and {} more", count - 1),
            };
            return Err(conflict(&format!("{first}{others} changed after the plan"))
                .details(json!({ "changed": changed.iter().take(100).collect::<Vec<_>>() })));
        }
        let call = |words: Vec<String>| ProgramCall {
            tool,
            words,
            cwd: &params.path,
            network: stored.network,
            writable: Vec::new(),
        };
        let words =
            |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let pull = call(words(&[program, "state", "pull"]));
        let file = store.plan_path(&stored.hash).display().to_string();
        let apply =
            call(words(&[program, "apply", "-input=false", "-json", "-lock-timeout=20s", &file]));
        Ok(Self { folder, pull, apply, store, stored })
    }

    /// What a person approves: the changes of this plan.
    fn effect(&self) -> Effect {
        let StoredPlan { hash, path, program, version, state, plan, .. } = &self.stored;
        let version = version.as_deref().map(|version| format!(" {version}")).unwrap_or_default();
        let detail = format!(
            "{}\nplan {hash:.16} by {program}{version}, for state serial {}\n{}",
            totals_text(&plan.totals),
            state.serial,
            plan_text(plan),
        );
        let target = Target::Named(format!("infrastructure/apply/{path}/{hash:.16}"));
        Effect { kind: EffectKind::Admin, target, detail: Some(detail) }
    }

    /// Compares the state with the one that was planned for. Of the state only its version is read.
    fn check_state(&self, context: &Context<'_>) -> Result<(), ToolError> {
        let pulled = self.pull.output(context, READ_TIMEOUT)?;
        context.check_interrupt(IacApply::NAME)?;
        if !pulled.is_success {
            let message =
                format!("{}: the state cannot be read: {}", IacApply::NAME, pulled.errors);
            return Err(ToolError::new(Code::Unavailable, message));
        }
        let now = StateVersion::of_state(&pulled.output)
            .ok_or_else(|| conflict("the state has no serial that could be compared"))?;
        let planned = &self.stored.state;
        if now == *planned {
            return Ok(());
        }
        let why = if now.lineage == planned.lineage || planned.lineage.is_empty() {
            format!(
                "the state is at serial {} now, and the plan is for {}",
                now.serial, planned.serial
            )
        } else {
            "the state is another one than the plan is for".to_owned()
        };
        Err(conflict(&why))
    }

    fn run(
        &self,
        context: &Context<'_>,
        timeout: Duration,
        auto_approve: bool,
    ) -> Result<Output, ToolError> {
        let mut log = Log::default();
        let printed = self.apply.lines(context, timeout, &mut |line| {
            if let Some(progress) = log.read(line) {
                context.editor.progress(&progress);
            }
        })?;
        let plan = &self.stored.plan;
        if printed.is_success {
            self.store.remove(&self.stored.hash);
        }
        let reached = |address: &str| {
            let steps = log.done.iter().chain(&log.failed).any(|step| step.address == address);
            steps || log.unknown().iter().any(|step| step.ends_with(&format!(" {address}")))
        };
        let is_step = |action: Action| !matches!(action, Action::Read | Action::Forget);
        let not_done: Vec<String> = plan
            .changes
            .iter()
            .filter(|change| {
                is_step(change.action) && change.moved_from.is_none() && !change.imported
            })
            .filter(|change| !printed.is_success && !reached(&change.address))
            .map(|change| change.address.clone())
            .collect();
        if !printed.is_success && log.done.is_empty() && log.diagnostics.is_empty() {
            let message = format!(
                "{}: it failed before it changed anything: {}",
                IacApply::NAME,
                printed.errors
            );
            return Err(ToolError::new(Code::Unsupported, message));
        }
        let note = match (printed.is_success, auto_approve) {
            (true, true) => Some(
                "`auto_approve` skips the program's own question only: rules and approval decided on this call",
            ),
            (true, false) => None,
            (false, _) => Some(
                "it stopped in the middle; what was done is in the state, so plan again for the rest",
            ),
        };
        Ok(Output {
            success: printed.is_success,
            plan: self.stored.hash.clone(),
            unknown: log.unknown(),
            done: log.done,
            failed: log.failed,
            not_done,
            diagnostics: log.diagnostics,
            note: note.map(str::to_owned),
        })
    }
}

fn conflict(why: &str) -> ToolError {
    ToolError::new(Code::Conflict, format!("{}: {why}; nothing was applied", IacApply::NAME))
        .hint("call iac_plan again, and look at what it would change now")
}
