//! `run_command`: runs a shell command in a sandbox.

use std::collections::BTreeMap;
use std::time::Duration;

use process::{CommandOutcome, ExitStatus, Input, KillReason, Launcher, Limits};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::guarded::{Before, Created, Settled};
use super::output;
use super::output_reporter::OutputReporter;
use super::request::CommandRequest;
use super::sandbox::{self, Sandbox};
use crate::results::{Lines, list_at, str_at};
use crate::{Code, Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct RunCommand;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The command line for `/bin/sh -c`.
    command: String,
    /// Working folder, in the workspace.
    #[serde(default = "root")]
    cwd: String,
    /// Timeout in milliseconds, at most 600,000.
    #[serde(default = "two_minutes")]
    timeout_ms: u64,
    /// Its standard input; empty by default.
    #[serde(default)]
    stdin: Option<String>,
    /// Environment variables in addition to the default ones (PATH, HOME, locale, toolchain
    /// folders).
    #[serde(default)]
    env: BTreeMap<String, String>,
    /// Allow network access; loopback always works.
    #[serde(default)]
    network: bool,
    /// False: run without the sandbox, with all of the user's rights. Needs approval.
    #[serde(default = "yes")]
    sandbox: bool,
}

fn root() -> String {
    ".".to_owned()
}

fn two_minutes() -> u64 {
    120_000
}

fn yes() -> bool {
    true
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Exit code; 128 plus the signal's number if a signal ended it.
    exit_code: i32,
    /// The signal that ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<i32>,
    /// Standard output; a long one is cut in the middle and marked.
    stdout: String,
    /// Standard error, likewise.
    stderr: String,
    /// Duration.
    duration_ms: u64,
    /// Whether output was cut.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// Files that it created in guarded places; those not approved were removed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    created_guarded: Vec<Created>,
    /// True if the workspace is too large to be checked for such places.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    guarded_unchecked: bool,
    /// The isolation that was in force.
    sandbox: Sandbox,
}

/// Limit for the timeout, in milliseconds.
const MAX_TIMEOUT_MS: u64 = 600_000;
/// Limit for standard input, in bytes.
const MAX_INPUT_BYTES: usize = 16 << 20;
/// Limit for the captured part of each output stream, in bytes.
const MAX_CAPTURED_BYTES: usize = 1 << 20;

impl Tool for RunCommand {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "run_command";
    const DESCRIPTION: &'static str = "Run a shell command in a sandbox: it can write to the \
        workspace and $TMPDIR only, not to .git and editors' folders, and has no network unless \
        `network` is true. A failing command is a result with its exit code. Long output is cut \
        in the middle. Needs approval.";
    const EFFECTS: &'static [EffectKind] =
        &[EffectKind::Execute, EffectKind::Network, EffectKind::Admin];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[
        ("cmd", "command"),
        ("command_line", "command"),
        ("working_directory", "cwd"),
        ("workdir", "cwd"),
        ("working_dir", "cwd"),
        ("dir", "cwd"),
        ("timeout", "timeout_ms"),
        ("input", "stdin"),
        ("environment", "env"),
    ];
    const VERBOSE_FIELDS: &'static [&'static str] = &["sandbox"];

    fn text(result: &Value) -> Option<String> {
        Some(text(result))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        check(params)?;
        params.request().effects(context)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let request = params.request();
        // Without the sandbox, the person has allowed writing anywhere.
        let before = params.sandbox.then(|| Before::look(context, Self::NAME));
        let input = match &params.stdin {
            Some(text) => Input::Bytes(text.clone().into_bytes()),
            None => Input::Null,
        };
        let (command, policy_command) =
            request.prepare(context, before.as_ref(), input, Limits::default())?;
        context.check_interrupt(Self::NAME)?;
        let child =
            Launcher::current().start(command).map_err(|e| sandbox::refused(Self::NAME, &e))?;
        let timeout = Duration::from_millis(params.timeout_ms);
        let mut reporter = OutputReporter::new(context);
        let outcome =
            child.collect(MAX_CAPTURED_BYTES, Some(timeout), context.interrupt, &mut |_, bytes| {
                reporter.report(bytes);
            });
        let settled = before.map(|before| before.settle(context, &policy_command));
        context.workspace.files_may_have_changed();
        result(context, &outcome, settled.unwrap_or_default(), params.timeout_ms)
    }
}

impl Params {
    fn request(&self) -> CommandRequest<'_> {
        CommandRequest {
            tool: RunCommand::NAME,
            line: &self.command,
            arguments: None,
            cwd: &self.cwd,
            env: &self.env,
            input: self.stdin.as_deref(),
            network: self.network,
            sandbox: self.sandbox,
            writable: &[],
        }
    }
}

fn check(params: &Params) -> Result<(), ToolError> {
    params.request().check()?;
    if params.stdin.as_ref().is_some_and(|text| text.len() > MAX_INPUT_BYTES) {
        let message = format!("{}: `stdin` exceeds {MAX_INPUT_BYTES} bytes", RunCommand::NAME);
        return Err(ToolError::new(Code::TooLarge, message));
    }
    if params.timeout_ms == 0 || params.timeout_ms > MAX_TIMEOUT_MS {
        let message =
            format!("{}: `timeout_ms` must be from 1 to {MAX_TIMEOUT_MS}", RunCommand::NAME);
        return Err(ToolError::new(Code::InvalidParams, message));
    }
    Ok(())
}

fn result(
    context: &Context<'_>,
    outcome: &CommandOutcome,
    settled: Settled,
    timeout_ms: u64,
) -> Result<Output, ToolError> {
    let name = RunCommand::NAME;
    let stdout = output::Output::of(&outcome.stdout);
    let stderr = output::Output::of(&outcome.stderr);
    let duration_ms = u64::try_from(outcome.duration.as_millis()).unwrap_or(u64::MAX);
    let (code, message) = match (outcome.stop, outcome.status) {
        (Some(KillReason::Interrupt), _) => (
            Code::Cancelled,
            format!("{name}: cancelled; it was killed, and what it had done by then stays"),
        ),
        (Some(KillReason::Timeout), _) => (
            Code::Timeout,
            format!(
                "{name}: killed after {timeout_ms} ms, with all that it started; what it had \
                 done by then stays"
            ),
        ),
        (None, ExitStatus::Killed) => {
            (Code::Io, format!("{name}: what contained the command was killed from outside"))
        }
        (None, ExitStatus::Code(code)) => {
            return Ok(completed(context, outcome, settled, (code, None)));
        }
        (None, ExitStatus::Signal(signal)) => {
            return Ok(completed(context, outcome, settled, (128 + signal, Some(signal))));
        }
    };
    let error = ToolError::new(code, message).details(json!({
        "stdout": stdout.text,
        "stderr": stderr.text,
        "duration_ms": duration_ms,
        "timed_out": code == Code::Timeout,
        "created_guarded": settled.created,
        "guarded_unchecked": settled.is_partial,
    }));
    Err(if code == Code::Timeout {
        error.hint(format!("`timeout_ms` can be up to {MAX_TIMEOUT_MS}"))
    } else {
        error
    })
}

fn completed(
    context: &Context<'_>,
    outcome: &CommandOutcome,
    settled: Settled,
    (exit_code, signal): (i32, Option<i32>),
) -> Output {
    let stdout = output::Output::of(&outcome.stdout);
    let stderr = output::Output::of(&outcome.stderr);
    Output {
        exit_code,
        signal,
        truncated: stdout.truncated || stderr.truncated,
        stdout: stdout.text,
        stderr: stderr.text,
        duration_ms: u64::try_from(outcome.duration.as_millis()).unwrap_or(u64::MAX),
        created_guarded: settled.created,
        guarded_unchecked: settled.is_partial,
        sandbox: Sandbox::from_confinement(&outcome.confinement, &context.snapshot),
    }
}

/// What a terminal would show, and the exit code if it is not 0.
fn text(result: &Value) -> String {
    let mut lines = Lines::default();
    lines.push_text(str_at(result, "stdout"));
    let errors = str_at(result, "stderr");
    if !errors.is_empty() {
        if !lines.is_empty() {
            lines.push("[stderr]");
        }
        lines.push_text(errors);
    }
    if let Some(signal) = result["signal"].as_i64() {
        lines.push(format_args!("[ended by signal {signal}]"));
    } else if result["exit_code"] != 0 {
        lines.push(format_args!("[exit code {}]", result["exit_code"]));
    }
    for created in list_at(result, "created_guarded") {
        let what = if created["kept"] == true { "created" } else { "not allowed, removed" };
        lines.push(format_args!("[guarded: {}: {what}]", str_at(created, "path")));
    }
    if result["guarded_unchecked"] == true {
        lines.push("[the workspace is too large to be checked for guarded files]");
    }
    lines.finish("[exit code 0, no output]")
}
