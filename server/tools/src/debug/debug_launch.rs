//! `debug_launch`: a program under a debugger.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

use super::failure;
use super::program::{Start, What};
use super::report::Report;
use super::wanted::{check_wait, here, ten_seconds, yes};
use crate::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct DebugLaunch;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The file to run: a script, or a compiled program with debug information.
    #[serde(default)]
    program: Option<String>,
    /// Or a module, as `python -m` has it.
    #[serde(default)]
    module: Option<String>,
    /// Or a test, as its runner names it: `tests/test_a.py::test_b`.
    #[serde(default)]
    test: Option<String>,
    /// Its arguments.
    #[serde(default)]
    args: Vec<String>,
    /// The folder of the workspace to run it in.
    #[serde(default = "here")]
    cwd: String,
    /// Environment variables for it, beside the few that it gets anyway.
    #[serde(default)]
    env: BTreeMap<String, String>,
    /// The debug adapter: `debugpy`, `lldb-dap`, `gdb`, `delve`, or one of your own table. By
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

impl Params {
    fn start(&self) -> Result<Start, ToolError> {
        check_wait(DebugLaunch::NAME, self.wait_ms)?;
        let what = match (&self.program, &self.module, &self.test) {
            (Some(program), None, None) => What::File(program.clone()),
            (None, Some(module), None) => What::Module(module.clone()),
            (None, None, Some(test)) => What::Test(test.clone()),
            _ => {
                let why = "give one of `program`, `module` and `test`";
                return Err(failure::invalid(DebugLaunch::NAME, why));
            }
        };
        Ok(Start {
            what,
            args: self.args.clone(),
            cwd: self.cwd.clone(),
            env: self.env.clone(),
            debugger: self.debugger.clone(),
            stop_on_entry: self.stop_on_entry,
            own_code_only: self.just_my_code,
            network: self.network,
            sandbox: self.sandbox,
        })
    }
}

impl Tool for DebugLaunch {
    type Params = Params;
    type Output = Report;
    const NAME: &'static str = "debug_launch";
    const DESCRIPTION: &'static str = "Start a program under a debugger, with the breakpoints that \
        `debug_breakpoint` has set, and wait for its first stop or its end. It runs in the \
        sandbox of `run_command`, and ends with the server. Python needs nothing but debugpy; \
        compiled programs have to be built with debug information first. A person is asked first.";
    const EFFECTS: &'static [EffectKind] =
        &[EffectKind::Execute, EffectKind::Network, EffectKind::Admin];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("adapter", "debugger"), ("workdir", "cwd"), ("environment", "env")];

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        params.start()?.effects(context, Self::NAME)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Report, ToolError> {
        let (session, phase) = params.start()?.start(context, Self::NAME, params.wait_ms)?;
        Report::of(context, Self::NAME, &session, phase)
    }
}
