//! `iac_plan`: what an apply would change.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};
use workspace::{ContentHash, FilePath};

use crate::changes::{Change, OutputChange, Plan, Totals};
use crate::events::{Diagnostic, Log};
use crate::fingerprint::{differences, fingerprint};
use crate::limits::{
    MAX_TIMEOUT_MS, MAX_VARIABLE_BYTES, MAX_VARIABLES, PLAN_TIMEOUT_MS, READ_TIMEOUT,
};
use crate::plan_file::PlanFile;
use crate::program::{ProgramCall, program};
use crate::store::{Store, StoredPlan};
use crate::summary::{plan_text, totals_text};

pub(crate) struct IacPlan;

fn default_timeout_ms() -> u64 {
    PLAN_TIMEOUT_MS
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The folder of the configuration.
    path: String,
    /// `terraform` (the default), or `tofu`.
    #[serde(default)]
    tool: Option<String>,
    /// Values of the configuration's variables.
    #[serde(default)]
    vars: BTreeMap<String, Value>,
    /// Plans to destroy everything.
    #[serde(default)]
    destroy: bool,
    /// Plans these resources only, by address.
    #[serde(default)]
    targets: Vec<String>,
    /// Runs `init` first: after a change of providers, modules or the backend.
    #[serde(default)]
    init: bool,
    /// Gives it the network, as most providers and backends need; its apply has it, too.
    #[serde(default)]
    network: bool,
    /// The time limit in milliseconds; 10 minutes by default.
    #[serde(default = "default_timeout_ms")]
    timeout_ms: u64,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Whether there is a plan.
    success: bool,
    /// The plan's SHA-256, for `iac_apply`.
    #[serde(skip_serializing_if = "Option::is_none")]
    plan: Option<String>,
    /// The program that made it.
    program: &'static str,
    /// What would change; what is destroyed or replaced comes first.
    changes: Vec<Change>,
    /// Outputs that would change.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    outputs: Vec<OutputChange>,
    /// How many resources would change.
    totals: Totals,
    /// Resources that were changed outside of the program.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    drifted: Vec<String>,
    /// Errors and warnings.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    diagnostics: Vec<Diagnostic>,
    /// What to do next.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

impl Tool for IacPlan {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "iac_plan";
    const DESCRIPTION: &'static str = "Plan infrastructure changes with Terraform or OpenTofu, in a sandbox. Nothing is \
        changed: it returns what would be destroyed, replaced, updated and created, attribute by attribute, and the \
        hash of the plan, which `iac_apply` applies.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Execute, EffectKind::Network];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("variables", "vars"), ("target", "targets"), ("dir", "path"), ("directory", "path")];

    fn text(result: &Value) -> Option<String> {
        let mut text = String::new();
        if let Some(hash) = result["plan"].as_str() {
            let plan: Plan = serde_json::from_value(result.clone()).ok()?;
            text = format!("plan {hash}\n{}\n{}\n", totals_text(&plan.totals), plan_text(&plan));
        }
        push_diagnostics(&mut text, result);
        text.truncate(text.trim_end().len());
        Some(text)
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let commands = Commands::new(context, params)?;
        let mut effects: Vec<Effect> = Vec::new();
        for call in commands.all() {
            for effect in call.effects(context)? {
                if !effects.contains(&effect) {
                    effects.push(effect);
                }
            }
        }
        Ok(effects)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let commands = Commands::new(context, &params)?;
        let _lock = commands.store.lock(&commands.folder)?;
        let timeout = Duration::from_millis(params.timeout_ms);
        commands.run(context, timeout)
    }
}

/// The commands of a plan.
struct Commands<'p> {
    folder: FilePath,
    program: &'static str,
    network: bool,
    store: Store,
    file: PathBuf,
    init: Option<ProgramCall<'p>>,
    plan: ProgramCall<'p>,
    show: ProgramCall<'p>,
}

impl<'p> Commands<'p> {
    fn new(context: &Context<'_>, params: &'p Params) -> Result<Self, ToolError> {
        let tool = IacPlan::NAME;
        check_timeout(tool, params.timeout_ms)?;
        let folder = context.snapshot.locate(&params.path)?;
        let program = program(context, tool, params.tool.as_deref())?;
        let variables = variables(tool, &params.vars)?;
        let store = Store::open(context, tool)?;
        let file = store.new_file(&folder);
        let call = |words: Vec<String>, network| ProgramCall {
            tool,
            words: [vec![program.to_owned()], words].concat(),
            cwd: &params.path,
            network,
            writable: vec![store.new_folder()],
        };
        let words =
            |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        let init = params
            .init
            .then(|| call(words(&["init", "-input=false", "-no-color"]), params.network));
        let mut plan = words(&["plan", "-input=false", "-json", "-lock-timeout=20s"]);
        plan.push(format!("-out={}", file.display()));
        if params.destroy {
            plan.push("-destroy".to_owned());
        }
        for target in &params.targets {
            if target.is_empty() || target.len() > MAX_VARIABLE_BYTES {
                let message = format!("{tool}: `targets` has an entry that is no address");
                return Err(ToolError::new(Code::InvalidParams, message));
            }
            plan.push(format!("-target={target}"));
        }
        plan.extend(variables);
        let plan = call(plan, params.network);
        let file_name = file.display().to_string();
        let show = call(words(&["show", "-json", &file_name]), false);
        Ok(Self { folder, program, network: params.network, init, plan, show, file, store })
    }

    fn all(&self) -> impl Iterator<Item = &ProgramCall<'p>> {
        self.init.iter().chain([&self.plan, &self.show])
    }

    fn run(&self, context: &Context<'_>, timeout: Duration) -> Result<Output, ToolError> {
        let tool = IacPlan::NAME;
        self.store.remove_new(&self.file);
        if let Some(init) = &self.init {
            let printed = init.output(context, timeout)?;
            if !printed.is_success {
                let message = format!("{tool}: `{} init` failed: {}", self.program, printed.errors);
                let error = ToolError::new(Code::Unavailable, message);
                return Err(if self.network {
                    error
                } else {
                    error.hint("pass `network: true`, so that it can fetch providers and modules")
                });
            }
        }
        let before = fingerprint(context, tool, &self.folder, &[])?;
        let mut log = Log::default();
        let printed = self.plan.lines(context, timeout, &mut |line| {
            if let Some(progress) = log.read(line) {
                context.editor.progress(&progress);
            }
        })?;
        context.check_interrupt(tool)?;
        if printed.is_timeout {
            let message = format!("{tool}: no plan within {} ms", timeout.as_millis());
            return Err(
                ToolError::new(Code::Timeout, message).hint("`timeout_ms` allows more time")
            );
        }
        if !printed.is_success {
            return self.failed(log, &printed.errors);
        }
        let bytes = self.store.read_new(&self.file)?;
        let hash = ContentHash::digest(&bytes).to_string();
        let file = PlanFile::parse(&bytes).map_err(|why| unreadable(&why))?;
        let shown = self.show.output(context, READ_TIMEOUT.max(timeout))?;
        if !shown.is_success {
            return Err(unreadable(&shown.errors));
        }
        // What was shown is what was hashed.
        if self.store.read_new(&self.file)? != bytes {
            return Err(changed_meanwhile("the plan file"));
        }
        let (plan, secrets) = Plan::parse(&shown.output).map_err(|error| unreadable(&error.0))?;
        for one in &mut log.diagnostics {
            one.message = secrets.redact(&one.message);
        }
        let files = fingerprint(context, tool, &self.folder, &file.module_folders)?;
        let own = fingerprint(context, tool, &self.folder, &[])?;
        if let Some(changed) = differences(&before, &own)
            .into_iter()
            .find(|file| !file.ends_with(".terraform.lock.hcl"))
        {
            return Err(changed_meanwhile(&changed));
        }
        let stored = StoredPlan {
            hash: hash.clone(),
            path: self.folder.display_path(),
            program: self.program.to_owned(),
            version: log.version,
            network: self.network,
            state: file.state,
            files,
            modules: file.module_folders,
            made: Timestamp::now(),
            plan: plan.clone(),
        };
        self.store.add(&stored, &bytes)?;
        self.store.remove_new(&self.file);
        let note = if plan.is_empty() {
            "nothing would change".to_owned()
        } else {
            format!(
                "iac_apply with `path` and `plan: \"{hash}\"` applies exactly this, after approval"
            )
        };
        Ok(Output {
            success: true,
            plan: Some(hash),
            program: self.program,
            changes: plan.changes,
            outputs: plan.outputs,
            totals: plan.totals,
            drifted: plan.drifted,
            diagnostics: log.diagnostics,
            note: Some(note),
        })
    }

    /// The result of a plan that failed: what is wrong with the configuration.
    fn failed(&self, log: Log, errors: &str) -> Result<Output, ToolError> {
        let Some(first) = log.first_error() else {
            let message = format!("{}: `{} plan` failed: {errors}", IacPlan::NAME, self.program);
            return Err(ToolError::new(Code::Unsupported, message));
        };
        let needs_init = self.init.is_none()
            && ["init", "not installed", "Inconsistent dependency lock file"]
                .iter()
                .any(|part| first.message.contains(part));
        let note =
            needs_init.then(|| "call it again with `init: true` and `network: true`".to_owned());
        Ok(Output {
            success: false,
            plan: None,
            program: self.program,
            changes: Vec::new(),
            outputs: Vec::new(),
            totals: Totals::default(),
            drifted: Vec::new(),
            diagnostics: log.diagnostics,
            note,
        })
    }
}

/// Adds diagnostics and the note of a result.
pub(crate) fn push_diagnostics(text: &mut String, result: &Value) {
    for one in result["diagnostics"].as_array().into_iter().flatten() {
        let place = match (one["file"].as_str(), one["line"].as_u64()) {
            (Some(file), Some(line)) => format!("{file}:{line}: "),
            _ => String::new(),
        };
        let (severity, message) = (one["severity"].as_str(), one["message"].as_str());
        text.push_str(&format!(
            "{place}{}: {}\n",
            severity.unwrap_or("error"),
            message.unwrap_or_default()
        ));
    }
    if let Some(note) = result["note"].as_str() {
        text.push_str(&format!("[{note}]\n"));
    }
}

pub(crate) fn check_timeout(tool: &str, timeout_ms: u64) -> Result<(), ToolError> {
    if timeout_ms == 0 || timeout_ms > MAX_TIMEOUT_MS {
        let message = format!("{tool}: `timeout_ms` must be from 1 to {MAX_TIMEOUT_MS}");
        return Err(ToolError::new(Code::InvalidParams, message));
    }
    Ok(())
}

/// `-var` options. A text is passed as it is, everything else as JSON, which is HCL.
fn variables(tool: &str, vars: &BTreeMap<String, Value>) -> Result<Vec<String>, ToolError> {
    let invalid =
        |why: String| Err(ToolError::new(Code::InvalidParams, format!("{tool}: `vars`: {why}")));
    if vars.len() > MAX_VARIABLES {
        return invalid(format!("more than {MAX_VARIABLES}"));
    }
    let mut options = Vec::new();
    for (name, value) in vars {
        let is_name = name.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
        if name.is_empty() || !is_name {
            return invalid(format!("`{name:.60}` is no name of a variable"));
        }
        let value = match value {
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        if value.len() > MAX_VARIABLE_BYTES {
            return invalid(format!("{name:.60}: more than {MAX_VARIABLE_BYTES} bytes"));
        }
        options.push(format!("-var={name}={value}"));
    }
    Ok(options)
}

fn unreadable(why: &str) -> ToolError {
    ToolError::new(Code::Unsupported, format!("{}: the plan cannot be read: {why}", IacPlan::NAME))
}

fn changed_meanwhile(what: &str) -> ToolError {
    let message =
        format!("{}: {what} changed while the plan was made; nothing was stored", IacPlan::NAME);
    ToolError::new(Code::Conflict, message).hint("plan again")
}
