//! `debug_launch`: starts a program under a debugger.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::configuration::{self, Configurations};
use super::launch_variables::LaunchVariables;
use super::parameter_defaults::{check_wait, current_folder, default_true, default_wait_ms};
use super::program::{DebugTarget, StartRequest};
use super::report::Report;
use super::{adapters, failure};
use tools::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct DebugLaunch;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The file to run: a script, a compiled program with debug information, or a source file (or
    /// folder) of a Cargo package, which is built first.
    #[serde(default)]
    program: Option<String>,
    /// Or a module, as for `python -m`.
    #[serde(default)]
    module: Option<String>,
    /// Or a test: `tests/test_a.py::test_b`, `src/lib.rs::tests::adds`, `pkg/a_test.go::TestAdd`.
    #[serde(default)]
    test: Option<String>,
    /// Or a configuration or compound of `.vscode/launch.json`.
    #[serde(default)]
    configuration: Option<String>,
    /// The value of `${file}` there; by default the editor's active file.
    #[serde(default)]
    file: Option<String>,
    /// Its arguments.
    #[serde(default)]
    args: Vec<String>,
    /// Working folder, in the workspace.
    #[serde(default = "current_folder")]
    cwd: String,
    /// Additional environment variables.
    #[serde(default)]
    env: BTreeMap<String, String>,
    /// The debug adapter: `debugpy`, `lldb-dap`, `gdb`, `delve`, `bash-dap`, `node`, or one of your own
    /// table. By default the language's.
    #[serde(default)]
    debugger: Option<String>,
    /// Stop before the first line.
    #[serde(default)]
    stop_on_entry: bool,
    /// False: step into libraries, too.
    #[serde(default = "default_true")]
    just_my_code: bool,
    /// How long to wait for the first stop or the end, in milliseconds: 10,000 by default, at most
    /// 600,000.
    #[serde(default = "default_wait_ms")]
    wait_ms: u64,
    /// Allow network access; loopback always works.
    #[serde(default)]
    network: bool,
    /// False: run without the sandbox, with all of the user's rights. Needs approval.
    #[serde(default = "default_true")]
    sandbox: bool,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    #[serde(flatten)]
    report: Report,
    /// Of a compound: the other sessions.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    others: Vec<Report>,
    /// Unsupported fields of the configuration.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<String>,
}

impl Params {
    /// What to start, and the unsupported fields.
    fn starts(&self, context: &Context<'_>) -> Result<(Vec<StartRequest>, Vec<String>), ToolError> {
        let tool = DebugLaunch::NAME;
        check_wait(tool, self.wait_ms)?;
        let target = match (&self.program, &self.module, &self.test, &self.configuration) {
            (Some(program), None, None, None) => DebugTarget::File(program.clone()),
            (None, Some(module), None, None) => DebugTarget::Module(module.clone()),
            (None, None, Some(test), None) => DebugTarget::Test(test.clone()),
            (None, None, None, Some(name)) => return self.configured(context, name),
            _ => {
                let why = "give one of `program`, `module`, `test` and `configuration`";
                return Err(failure::invalid(tool, why));
            }
        };
        let start = StartRequest {
            target,
            args: self.args.clone(),
            cwd: self.cwd.clone(),
            env: self.env.clone(),
            debugger: self.debugger.clone(),
            stop_on_entry: self.stop_on_entry,
            own_code_only: self.just_my_code,
            network: self.network,
            sandbox: self.sandbox,
        };
        Ok((vec![start], Vec::new()))
    }

    fn configured(
        &self,
        context: &Context<'_>,
        name: &str,
    ) -> Result<(Vec<StartRequest>, Vec<String>), ToolError> {
        let tool = DebugLaunch::NAME;
        let variables = LaunchVariables::from_context(context, self.file.as_deref());
        let all = Configurations::read(context, tool)?;
        let named =
            all.by_name(tool, name, &adapters::load_adapters(context, tool)?, &variables)?;
        let left_out = named.iter().flat_map(|one| {
            let fields = one.left_out.iter();
            fields.map(|what| format!("{}: {what}", one.name))
        });
        let left_out = left_out.collect();
        let starts = named.into_iter().map(|one| {
            let mut start = one.start;
            start.args.extend(self.args.iter().cloned());
            start.env.extend(self.env.clone());
            start.debugger = self.debugger.clone().or(start.debugger);
            start.stop_on_entry |= self.stop_on_entry;
            (start.network, start.sandbox) = (self.network, self.sandbox);
            start
        });
        Ok((starts.collect(), left_out))
    }
}

impl Tool for DebugLaunch {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "debug_launch";
    const DESCRIPTION: &'static str = "Start a program under a debugger with the breakpoints set \
        by `debug_breakpoint`, and wait for its first stop or its end. It runs in the sandbox of \
        `run_command` and ends with the server. Python needs only debugpy; Cargo packages and Go \
        are built first; other compiled programs must have debug information. Needs approval.";
    const EFFECTS: &'static [EffectKind] =
        &[EffectKind::Execute, EffectKind::Network, EffectKind::Admin];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("adapter", "debugger"), ("workdir", "cwd"), ("environment", "env")];

    fn text(result: &Value) -> Option<String> {
        Some(super::report::text(result))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        if let Some(file) = &params.file {
            context.snapshot.locate(file)?;
        }
        let mut effects = Vec::new();
        if params.configuration.is_some() {
            effects.push(configuration::effect(context)?);
        }
        for start in params.starts(context)?.0 {
            effects.extend(start.effects(context, Self::NAME)?);
        }
        Ok(effects)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let (starts, left_out) = params.starts(context)?;
        let (mut reports, mut begun) = (Vec::new(), Vec::new());
        for start in starts {
            match start.start(context, Self::NAME, params.wait_ms) {
                Ok((session, phase)) => {
                    reports.push(Report::from_session(context, Self::NAME, &session, phase)?);
                    begun.push(session);
                }
                Err(error) => {
                    // A compound starts as a whole, or not at all.
                    begun.iter().for_each(|session| session.stop());
                    return Err(error);
                }
            }
        }
        let first = reports.iter().position(Report::is_stopped).unwrap_or(0);
        let report = if reports.is_empty() { Report::default() } else { reports.remove(first) };
        Ok(Output { report, others: reports, left_out })
    }
}
