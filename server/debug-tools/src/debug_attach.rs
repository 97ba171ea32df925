//! `debug_attach`: debugs a command from its first line, or a running process.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::failure;
use super::parameter_defaults::{current_folder, default_true};
use super::program::{DebugTarget, StartRequest};
use super::report::Report;
use tools::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct DebugAttach;

/// How long to wait for the first line, in milliseconds.
const ENTRY_STOP_TIMEOUT_MS: u64 = 30_000;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// Id of a running process.
    #[serde(default)]
    pid: Option<u32>,
    /// Or a command as a list: `["python3", "app.py"]`, `["./program"]`.
    #[serde(default)]
    command: Option<CommandLine>,
    /// Further arguments of the command.
    #[serde(default)]
    args: Vec<String>,
    /// The debug adapter: `debugpy`, `lldb`, `gdb`, `delve`, `bash`. By default the language's.
    #[serde(default)]
    debugger: Option<String>,
    /// Working folder of the command, in the workspace.
    #[serde(default = "current_folder")]
    cwd: String,
    /// Additional environment variables.
    #[serde(default)]
    env: BTreeMap<String, String>,
    /// False: step into libraries, too.
    #[serde(default = "default_true")]
    just_my_code: bool,
    /// Allow network access; loopback always works.
    #[serde(default)]
    network: bool,
    /// False: run without the sandbox, with all of the user's rights. Needs approval.
    #[serde(default = "default_true")]
    sandbox: bool,
}

#[derive(Deserialize, JsonSchema)]
#[serde(untagged)]
enum CommandLine {
    /// The program alone.
    One(String),
    /// The program and its arguments.
    Several(Vec<String>),
}

impl Params {
    fn start(&self) -> Result<StartRequest, ToolError> {
        let invalid = |why: &str| failure::invalid(DebugAttach::NAME, why);
        let (target, mut args) = match (&self.pid, &self.command) {
            (Some(0), _) => return Err(invalid("`pid` must be a process id")),
            (Some(pid), None) => (DebugTarget::Process(*pid), Vec::new()),
            (None, Some(CommandLine::One(program))) => target_of_command(vec![program.clone()])?,
            (None, Some(CommandLine::Several(words))) => target_of_command(words.clone())?,
            _ => return Err(invalid("give `pid` or `command`")),
        };
        args.extend(self.args.iter().cloned());
        Ok(StartRequest {
            target,
            args,
            cwd: self.cwd.clone(),
            env: self.env.clone(),
            debugger: self.debugger.clone(),
            stop_on_entry: true,
            own_code_only: self.just_my_code,
            network: self.network,
            sandbox: self.sandbox,
        })
    }
}

/// What a command line debugs: the file or module after an interpreter's name.
fn target_of_command(words: Vec<String>) -> Result<(DebugTarget, Vec<String>), ToolError> {
    let mut words = words.into_iter();
    let invalid = |why: &str| Err(failure::invalid(DebugAttach::NAME, why));
    let Some(first) = words.next().filter(|word| !word.is_empty()) else {
        return invalid("`command` is empty");
    };
    let name = first.rsplit('/').next().unwrap_or_default().to_owned();
    let is_python = name
        .strip_prefix("python")
        .is_some_and(|version| version.chars().all(|c| c.is_ascii_digit() || c == '.'));
    let target = if is_python {
        match (words.next(), &mut words) {
            (Some(option), words) if option == "-m" => match words.next() {
                Some(module) => DebugTarget::Module(module),
                None => return invalid("`command`: no module behind `-m`"),
            },
            (Some(file), _) if !file.starts_with('-') => DebugTarget::File(file),
            _ => return invalid("`command`: name a file, or a module behind `-m`, after python"),
        }
    } else if matches!(name.as_str(), "bash" | "node") {
        match words.next() {
            Some(file) if !file.starts_with('-') => DebugTarget::File(file),
            _ => return invalid(&format!("`command`: name a file after {name}")),
        }
    } else if name == "pytest" {
        DebugTarget::Module(name)
    } else if name == "go" && words.as_slice().first().is_some_and(|word| word == "run") {
        match words.nth(1) {
            Some(file) => DebugTarget::File(file),
            None => return invalid("`command`: no file behind `go run`"),
        }
    } else {
        DebugTarget::File(first)
    };
    Ok((target, words.collect()))
}

impl Tool for DebugAttach {
    type Params = Params;
    type Output = Report;
    const NAME: &'static str = "debug_attach";
    const DESCRIPTION: &'static str = "Start a command under a debugger, held before its first \
        line, or attach to a running process. `debug_step` with `action` \"continue\" starts it. A \
        command runs in the sandbox of `run_command` and ends with the server; a process is \
        detached at the end. Needs approval.";
    const EFFECTS: &'static [EffectKind] =
        &[EffectKind::Execute, EffectKind::Network, EffectKind::Admin];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("adapter", "debugger"), ("workdir", "cwd"), ("environment", "env")];

    fn text(result: &Value) -> Option<String> {
        Some(super::report::text(result))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        params.start()?.effects(context, Self::NAME)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Report, ToolError> {
        let (session, phase) = params.start()?.start(context, Self::NAME, ENTRY_STOP_TIMEOUT_MS)?;
        Report::from_session(context, Self::NAME, &session, phase)
    }
}
