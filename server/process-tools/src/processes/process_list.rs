//! `process_list`: the processes that `process_start` started.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::session_processes::{adopt, processes};
use super::status::{Status, push_created, status_text};
use tools::{
    Context, Effect, EffectKind, Tool, ToolError,
    command::guarded::Created,
    results::{Lines, list_at, number_at, str_at},
};

pub(crate) struct ProcessList;

/// Limit for a command line, in characters.
const MAX_COMMAND_CHARS: usize = 200;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// Only those that run; otherwise the last ended ones, too.
    #[serde(default)]
    running_only: bool,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The processes, in the order of their starts.
    processes: Vec<Listed>,
    /// Files that they created in guarded places; those not approved were removed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    created_guarded: Vec<Created>,
}

#[derive(Serialize, JsonSchema)]
struct Listed {
    /// Its id.
    id: String,
    /// Its name, if it has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    #[serde(flatten)]
    status: Status,
    /// Its process id, while it runs, if the system reveals it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pid: Option<u32>,
    /// Its command line; a long one is cut.
    command: String,
    /// Its program and arguments; the shell's, for a line.
    argv: Vec<String>,
    /// Its working folder.
    cwd: String,
    /// When it was started (RFC 3339).
    started_at: String,
    /// How long it has run, or did run.
    duration_ms: u64,
    /// Bytes that it has written.
    output_bytes: u64,
    /// Whether it has a terminal.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pty: bool,
    /// Whether it runs on when the server ends.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    kept: bool,
}

impl Tool for ProcessList {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "process_list";
    const DESCRIPTION: &'static str = "The processes that `process_start` started: those that run, \
        the last that ended, and kept ones of earlier servers. `list_processes` lists all of the machine.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Execute];
    const IDEMPOTENT: bool = true;
    const VERBOSE_FIELDS: &'static [&'static str] = &["processes[].argv", "processes[].started_at"];
    const EXAMPLES: &'static [&'static str] = &["{}", r#"{"running_only": true}"#];

    fn text(result: &Value) -> Option<String> {
        let mut lines = Lines::default();
        for process in list_at(result, "processes") {
            let name = process["name"].as_str().map(|name| format!(" {name}")).unwrap_or_default();
            let seconds = number_at(process, "duration_ms") / 1_000;
            let kept = if process["kept"] == true { ", kept" } else { "" };
            lines.push(format_args!(
                "{}{name}: {}{kept} ({seconds} s): {}",
                str_at(process, "id"),
                status_text(process),
                str_at(process, "command")
            ));
        }
        push_created(&mut lines, result);
        Some(lines.finish("no processes"))
    }

    fn effects(_: &Context<'_>, _: &Params) -> Result<Vec<Effect>, ToolError> {
        Ok(Vec::new())
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let family = processes(context);
        adopt(context, Self::NAME);
        let created_guarded = family.settle(context);
        let listed = family.supervisor.processes().into_iter().map(|process| {
            let status = Status::of(&process);
            let command = family.command(&process).unwrap_or_default();
            Listed {
                id: process.id().to_owned(),
                name: process.name().map(str::to_owned),
                pid: process.pid().filter(|_| status.is_running()),
                status,
                command: command.line.chars().take(MAX_COMMAND_CHARS).collect(),
                argv: command.argv,
                cwd: command.cwd,
                started_at: Timestamp::try_from(process.started()).unwrap_or_default().to_string(),
                duration_ms: u64::try_from(process.duration().as_millis()).unwrap_or(u64::MAX),
                output_bytes: process.output_range().1,
                pty: process.is_terminal(),
                kept: process.is_kept(),
            }
        });
        let listed = listed.filter(|one| !params.running_only || one.status.is_running());
        Ok(Output { processes: listed.collect(), created_guarded })
    }
}
