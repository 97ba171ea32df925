//! `process_start`: starts a program that outlives the call.

use std::collections::BTreeMap;
use std::net::TcpStream;
use std::sync::Arc;

use jiff::Timestamp;
use process::{
    AppliedLimit, Input, Keep, Launcher, LimitMechanism, LimitedResource, Limits, StartRequest,
    SupervisedProcess, SupervisorError, TerminalSize, check_name,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::display::{Page, push_page};
use super::kept::{Note, kept_folder};
use super::readiness::{self, Ready, Waited};
use super::session_processes::processes;
use super::status::{Status, push_created, status_text};
use tools::{
    Code, Context, Effect, EffectKind, Target, Tool, ToolError,
    command::{
        guarded::{Before, Created},
        request::CommandRequest,
        sandbox::{self, Sandbox},
    },
    results::Lines,
};

pub(crate) struct ProcessStart;

/// Limits for a terminal's size, in characters.
const MAX_TERMINAL_SIZE: u16 = 1_000;
/// Least memory limit: what a program needs to start, in megabytes.
const MIN_MEMORY_MB: u64 = 8;
/// Largest values of limits: more is no limit.
const MAX_MEMORY_MB: u64 = 1 << 20;
const MAX_CPU_SECONDS: u64 = 30 * 24 * 3_600;
const MAX_PROCESS_LIMIT: u32 = 100_000;
const MAX_CPU_PERCENT: u32 = 100_000;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The command line for `/bin/sh -c`; the program, if there are `args`.
    command: String,
    /// Arguments of the program, which then runs without a shell.
    #[serde(default)]
    args: Option<Vec<String>>,
    /// A name to use in place of its id.
    #[serde(default)]
    name: Option<String>,
    /// Working folder, in the workspace.
    #[serde(default = "root")]
    cwd: String,
    /// Environment variables in addition to the default ones (PATH, HOME, locale, toolchain
    /// folders).
    #[serde(default)]
    env: BTreeMap<String, String>,
    /// Run it on a terminal: for interpreters and programs that ask.
    #[serde(default)]
    pty: bool,
    /// Rows of the terminal.
    #[serde(default = "rows")]
    rows: u16,
    /// Columns of the terminal.
    #[serde(default = "columns")]
    columns: u16,
    /// Wait until it is ready: at the first of these.
    #[serde(default)]
    ready: Option<Ready>,
    /// Allow network access, and connections from outside; its own loopback always works.
    #[serde(default)]
    network: bool,
    /// Keep it running when this server ends; later servers find it again. Needs approval.
    #[serde(default)]
    keep: bool,
    /// False: run without the sandbox, with all of the user's rights. Needs approval.
    #[serde(default = "yes")]
    sandbox: bool,
    /// Resource limits.
    #[serde(default)]
    limits: RequestedLimits,
}

/// Resource limits of a process.
#[derive(Deserialize, JsonSchema, Default)]
#[serde(deny_unknown_fields)]
struct RequestedLimits {
    /// Processor time of each of its processes, in seconds.
    #[serde(default)]
    cpu_seconds: Option<u64>,
    /// Memory in megabytes: of all together, with control groups, and that each can write to.
    #[serde(default)]
    memory_mb: Option<u64>,
    /// Processes and threads, all together.
    #[serde(default)]
    processes: Option<u32>,
    /// Share of processor time, all together: 100 is one processor. Needs control groups.
    #[serde(default)]
    cpu_percent: Option<u32>,
}

fn root() -> String {
    ".".to_owned()
}

fn yes() -> bool {
    true
}

fn rows() -> u16 {
    TerminalSize::default().rows
}

fn columns() -> u16 {
    TerminalSize::default().columns
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Its id for the other tools; its name works, too.
    id: String,
    /// Its process id, if the system reveals it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pid: Option<u32>,
    #[serde(flatten)]
    status: Status,
    /// What happened first of what `ready` names.
    #[serde(skip_serializing_if = "Option::is_none")]
    ready: Option<Waited>,
    #[serde(flatten)]
    page: Page,
    /// When it was started (RFC 3339).
    started_at: String,
    /// The limits in force that were requested.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    limits: Vec<Limit>,
    /// Files that earlier processes created in guarded places; those not approved were removed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    created_guarded: Vec<Created>,
    /// The isolation in force.
    sandbox: Sandbox,
}

/// A limit in force.
#[derive(Serialize, JsonSchema)]
struct Limit {
    /// `cpu_seconds`, `cpu_percent`, `memory_mb` or `processes`.
    limit: &'static str,
    /// Its value.
    value: u64,
    /// What enforces it: `rlimit`, `pid_namespace` or `cgroup`.
    by: &'static str,
    /// Whether each process has it for itself, instead of all together.
    per_process: bool,
}

impl Tool for ProcessStart {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "process_start";
    const DESCRIPTION: &'static str = "Start a program that runs on after the call: a dev server, \
        a watcher, an interpreter (`pty`). It runs in the sandbox of `run_command`; `ready` waits \
        for a line of output, a port or a URL. It ends with this server, unless `keep` is true. \
        Needs approval.";
    const EFFECTS: &'static [EffectKind] =
        &[EffectKind::Execute, EffectKind::Network, EffectKind::Admin];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[
        ("cmd", "command"),
        ("dir", "cwd"),
        ("working_directory", "cwd"),
        ("environment", "env"),
        ("tty", "pty"),
        ("cols", "columns"),
        ("wait_for", "ready"),
    ];
    const VERBOSE_FIELDS: &'static [&'static str] = &["sandbox", "started_at"];

    fn text(result: &Value) -> Option<String> {
        Some(text(result))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        params.check()?;
        let mut effects = params.request().effects(context)?;
        if params.keep {
            let line: String = params.request().display_line().chars().take(200).collect();
            let name = format!("keep `{line}` running when this server ends");
            effects.push(Effect {
                kind: EffectKind::Admin,
                target: Target::Named(name),
                detail: None,
            });
        }
        Ok(effects)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let family = processes(context);
        let created_guarded = family.settle(context);
        let wait = params.ready.as_ref().map(|ready| ready.request(Self::NAME)).transpose()?;
        if params.network
            && let Some(ready) = &params.ready
        {
            check_ports_are_free(ready)?;
        }
        let before = params.sandbox.then(|| Before::look(context, Self::NAME));
        let input = if params.pty {
            Input::Terminal(TerminalSize { rows: params.rows, columns: params.columns })
        } else {
            Input::Session
        };
        let limits = params.limits.limits();
        let (command, policy_command) =
            params.request().prepare(context, before.as_ref(), input, limits)?;
        context.check_interrupt(Self::NAME)?;
        let keep = if params.keep {
            let note = Note {
                line: policy_command.line.clone(),
                argv: params.argv(),
                cwd: policy_command.cwd.display_path(),
                workspace: context.snapshot.roots().first().map(|root| root.path().to_owned()),
            };
            Some(Keep { folder: kept_folder(context, Self::NAME)?, note: note.json() })
        } else {
            None
        };
        let request = StartRequest { name: params.name.clone(), command, keep };
        let process =
            family.supervisor.start(&Launcher::current(), request).map_err(not_started)?;
        family.record_start(process.id(), params.argv(), policy_command, before);
        context.workspace.files_may_have_changed();
        params.check_limits(&process)?;
        let ready = match wait {
            Some((wait, wait_ms)) => {
                Some(readiness::wait(context, Self::NAME, &process, &wait, wait_ms)?)
            }
            None => None,
        };
        Ok(output(context, &params, &process, ready, created_guarded))
    }
}

impl Params {
    fn request(&self) -> CommandRequest<'_> {
        CommandRequest {
            tool: ProcessStart::NAME,
            line: &self.command,
            arguments: self.args.as_deref(),
            cwd: &self.cwd,
            env: &self.env,
            input: None,
            network: self.network,
            sandbox: self.sandbox,
            writable: &[],
        }
    }

    /// The program and its arguments.
    fn argv(&self) -> Vec<String> {
        match &self.args {
            Some(args) => std::iter::once(&self.command).chain(args).cloned().collect(),
            None => vec!["/bin/sh".to_owned(), "-c".to_owned(), self.command.clone()],
        }
    }

    fn check(&self) -> Result<(), ToolError> {
        self.request().check()?;
        // Before anybody is asked.
        self.name.as_deref().map_or(Ok(()), check_name).map_err(not_started)?;
        if let Some(ready) = &self.ready {
            ready.request(ProcessStart::NAME)?;
        }
        let within = |name: &str, given: Option<u64>, least: u64, most: u64| match given {
            Some(value) if !(least..=most).contains(&value) => {
                let message =
                    format!("{}: `{name}` must be from {least} to {most}", ProcessStart::NAME);
                Err(ToolError::new(Code::InvalidParams, message))
            }
            _ => Ok(()),
        };
        let size = u64::from(MAX_TERMINAL_SIZE);
        within("rows", Some(self.rows.into()), 1, size)?;
        within("columns", Some(self.columns.into()), 1, size)?;
        let RequestedLimits { cpu_seconds, memory_mb, processes, cpu_percent } = &self.limits;
        within("limits.cpu_percent", cpu_percent.map(u64::from), 1, MAX_CPU_PERCENT.into())?;
        within("limits.cpu_seconds", *cpu_seconds, 1, MAX_CPU_SECONDS)?;
        within("limits.memory_mb", *memory_mb, MIN_MEMORY_MB, MAX_MEMORY_MB)?;
        within("limits.processes", processes.map(u64::from), 1, MAX_PROCESS_LIMIT.into())
    }

    /// Ends a process without a limit that was requested.
    fn check_limits(&self, process: &SupervisedProcess) -> Result<(), ToolError> {
        let limits = &process.confinement().limits;
        let is_missing = |resource| limits.iter().all(|limit| limit.resource != resource);
        let missing = if self.limits.processes.is_some() && is_missing(LimitedResource::Processes) {
            "this system cannot count the processes of one program, as `limits.processes`"
        } else if self.limits.cpu_percent.is_some() && is_missing(LimitedResource::CpuPercent) {
            "there is no control group that can limit processor time here, as `limits.cpu_percent`"
        } else {
            return Ok(());
        };
        process.kill();
        let message = format!("{}: {missing} requires; it was ended again", ProcessStart::NAME);
        Err(ToolError::new(Code::Unavailable, message)
            .hint("start it without that limit; docs/processes.md says what each needs"))
    }
}

impl RequestedLimits {
    fn limits(&self) -> Limits {
        let standard = Limits::default();
        Limits {
            processes: self.processes.unwrap_or(standard.processes),
            cpu_seconds: self.cpu_seconds,
            memory_bytes: self.memory_mb.map(|megabytes| megabytes << 20),
            cpu_percent: self.cpu_percent,
            ..standard
        }
    }
}

/// With the network, the loopback is everybody's: a port that is open already says nothing.
fn check_ports_are_free(ready: &Ready) -> Result<(), ToolError> {
    let is_open = |port: &u16| {
        ["127.0.0.1", "::1"].iter().any(|host| TcpStream::connect((*host, *port)).is_ok())
    };
    match ready.ports().find(is_open) {
        None => Ok(()),
        Some(port) => {
            let message = format!(
                "{}: another program listens on port {port} already; nothing was started",
                ProcessStart::NAME
            );
            Err(ToolError::new(Code::Conflict, message)
                .hint("choose another port, or wait for a `pattern`"))
        }
    }
}

fn not_started(error: SupervisorError) -> ToolError {
    let message = format!("{}: {error}", ProcessStart::NAME);
    match error {
        SupervisorError::InvalidName { .. } => ToolError::new(Code::InvalidParams, message),
        SupervisorError::NameTaken { .. } => {
            ToolError::new(Code::Exists, message).hint("stop it, or choose another name")
        }
        SupervisorError::TooMany | SupervisorError::TooManyKept => {
            ToolError::new(Code::TooLarge, message)
                .hint("`process_stop` ends one that is not needed")
        }
        SupervisorError::Stopped => ToolError::new(Code::Unavailable, message),
        SupervisorError::Process(error) => sandbox::refused(ProcessStart::NAME, &error),
    }
}

fn output(
    context: &Context<'_>,
    params: &Params,
    process: &Arc<SupervisedProcess>,
    ready: Option<Waited>,
    created_guarded: Vec<Created>,
) -> Output {
    let status = Status::of(process);
    let confinement = process.confinement();
    let is_requested = |limit: &&AppliedLimit| match limit.resource {
        LimitedResource::Processes => params.limits.processes.is_some(),
        _ => true,
    };
    Output {
        id: process.id().to_owned(),
        pid: process.pid(),
        status,
        ready,
        page: Page::from_cursor(process, 0, false),
        started_at: Timestamp::try_from(process.started()).unwrap_or_default().to_string(),
        limits: confinement.limits.iter().filter(is_requested).map(Limit::from).collect(),
        created_guarded,
        sandbox: Sandbox::from_confinement(confinement, &context.snapshot),
    }
}

impl From<&AppliedLimit> for Limit {
    fn from(limit: &AppliedLimit) -> Self {
        let (name, value) = match limit.resource {
            LimitedResource::CpuSeconds => ("cpu_seconds", limit.value),
            LimitedResource::CpuPercent => ("cpu_percent", limit.value),
            LimitedResource::MemoryBytes => ("memory_mb", limit.value >> 20),
            LimitedResource::Processes => ("processes", limit.value),
        };
        let by = match limit.mechanism {
            LimitMechanism::Rlimit => "rlimit",
            LimitMechanism::PidNamespace => "pid_namespace",
            LimitMechanism::Cgroup => "cgroup",
        };
        Self { limit: name, value, by, per_process: limit.per_process }
    }
}

fn text(result: &Value) -> String {
    let mut lines = Lines::default();
    let id = result["id"].as_str().unwrap_or_default();
    let waited = readiness::waited_text(&result["ready"]);
    let waited = waited.map(|waited| format!("; {waited}")).unwrap_or_default();
    lines.push(format_args!("{id}: {}{waited}", status_text(result)));
    for limit in tools::results::list_at(result, "limits") {
        let whose = if limit["per_process"] == true { "each process" } else { "all processes" };
        lines.push(format_args!(
            "limit for {whose}: {} {} ({})",
            limit["value"],
            limit["limit"].as_str().unwrap_or_default(),
            limit["by"].as_str().unwrap_or_default()
        ));
    }
    push_page(&mut lines, result);
    push_created(&mut lines, result);
    if result["more"] == true || result["status"] == "running" {
        lines.push(format_args!("[cursor {}]", result["next_cursor"].as_str().unwrap_or_default()));
    }
    lines.finish("")
}
