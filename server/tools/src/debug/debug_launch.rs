//! `debug_launch`: a program under a debugger.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::configuration::{self, Configurations};
use super::program::{Start, What};
use super::report::Report;
use super::variables::Variables;
use super::wanted::{check_wait, here, ten_seconds, yes};
use super::{adapters, failure};
use crate::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct DebugLaunch;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The file to run: a script, a compiled program with debug information, or a source file (or
    /// the folder) of a Cargo package, which is built first.
    #[serde(default)]
    program: Option<String>,
    /// Or a module, as `python -m` has it.
    #[serde(default)]
    module: Option<String>,
    /// Or a test, as its runner names it: `tests/test_a.py::test_b`, `src/lib.rs::tests::adds`,
    /// `pkg/a_test.go::TestAdd`.
    #[serde(default)]
    test: Option<String>,
    /// Or a configuration, or a compound, of `.vscode/launch.json`, by its name.
    #[serde(default)]
    configuration: Option<String>,
    /// The file that `${file}` stands for there; the editor's active one by default.
    #[serde(default)]
    file: Option<String>,
    /// Its arguments.
    #[serde(default)]
    args: Vec<String>,
    /// The folder of the workspace to run it in.
    #[serde(default = "here")]
    cwd: String,
    /// Environment variables for it, beside the few that it gets anyway.
    #[serde(default)]
    env: BTreeMap<String, String>,
    /// The debug adapter: `debugpy`, `lldb-dap`, `gdb`, `delve`, `bash-dap`, or one of your own table. By
    /// default the one for the language.
    #[serde(default)]
    debugger: Option<String>,
    /// Stop before its first line.
    #[serde(default)]
    stop_on_entry: bool,
    /// False steps into libraries, too.
    #[serde(default = "yes")]
    just_my_code: bool,
    /// How many milliseconds to wait for its first stop or its end, 600,000 at most; 10,000 by
    /// default.
    #[serde(default = "ten_seconds")]
    wait_ms: u64,
    /// Whether it may reach the network; its own loopback it always can.
    #[serde(default)]
    network: bool,
    /// False runs it with all the rights that the user has. A person is asked for that.
    #[serde(default = "yes")]
    sandbox: bool,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    #[serde(flatten)]
    report: Report,
    /// Of a compound, the others that were started, each as it is.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    others: Vec<Report>,
    /// What of the configuration was not done.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    left_out: Vec<String>,
}

impl Params {
    /// What is started, and what of its configuration is left out.
    fn starts(&self, context: &Context<'_>) -> Result<(Vec<Start>, Vec<String>), ToolError> {
        let tool = DebugLaunch::NAME;
        check_wait(tool, self.wait_ms)?;
        let what = match (&self.program, &self.module, &self.test, &self.configuration) {
            (Some(program), None, None, None) => What::File(program.clone()),
            (None, Some(module), None, None) => What::Module(module.clone()),
            (None, None, Some(test), None) => What::Test(test.clone()),
            (None, None, None, Some(name)) => return self.configured(context, name),
            _ => {
                let why = "give one of `program`, `module`, `test` and `configuration`";
                return Err(failure::invalid(tool, why));
            }
        };
        let start = Start {
            what,
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
    ) -> Result<(Vec<Start>, Vec<String>), ToolError> {
        let tool = DebugLaunch::NAME;
        let variables = Variables::of(context, self.file.as_deref());
        let all = Configurations::read(context, tool)?;
        let named = all.named(tool, name, &adapters::all(context, tool)?, &variables)?;
        let left_out = named.iter().flat_map(|one| {
            let told = one.left_out.iter();
            told.map(|what| format!("{}: {what}", one.name))
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
    const DESCRIPTION: &'static str = "Start a program under a debugger, with the breakpoints that \
        `debug_breakpoint` has set, and wait for its first stop or its end. It runs in the \
        sandbox of `run_command`, and ends with the server. Python needs nothing but debugpy; \
        Cargo packages and Go are built first; other compiled programs have to be built with debug \
        information. A person is asked first.";
    const EFFECTS: &'static [EffectKind] =
        &[EffectKind::Execute, EffectKind::Network, EffectKind::Admin];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("adapter", "debugger"), ("workdir", "cwd"), ("environment", "env")];

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
                    reports.push(Report::of(context, Self::NAME, &session, phase)?);
                    begun.push(session);
                }
                Err(error) => {
                    // All of a compound, or none.
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
