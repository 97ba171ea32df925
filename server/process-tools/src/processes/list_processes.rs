//! `list_processes`: the machine's processes.

use process::machine_processes;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use tools::{
    Code, Context, Effect, EffectKind, Target, Tool, ToolError,
    audit::redact,
    results::{Lines, list_at, str_at},
};

pub(crate) struct ListProcesses;

const DEFAULT_RESULTS: usize = 50;
const MAX_RESULTS: usize = 1_000;
/// Limit for a command line, in characters.
const MAX_COMMAND_CHARS: usize = 160;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// A part of the name or command line, in any case.
    #[serde(default)]
    filter: Option<String>,
    /// Most results, at most 1,000.
    #[serde(default = "most")]
    max_results: usize,
}

fn most() -> usize {
    DEFAULT_RESULTS
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The processes; those that use most of a processor first.
    processes: Vec<Listed>,
    /// Number of processes that the filter accepts.
    total: usize,
}

#[derive(Serialize, JsonSchema)]
struct Listed {
    /// Its id.
    pid: u32,
    /// That of its parent.
    ppid: u32,
    /// Its name.
    name: String,
    /// Use of one processor now: more than 100 on several.
    cpu_percent: f64,
    /// Its part of the machine's memory.
    memory_percent: f64,
    /// Its command line, without recognised secrets; a long one is cut.
    command: String,
}

impl Tool for ListProcesses {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "list_processes";
    const DESCRIPTION: &'static str = "All processes of the machine, with their \
        use of processors and memory. `process_list` lists those of `process_start`.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    // `/proc` is outside the workspace.
    const OWN_SANDBOX: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("name", "filter"), ("pattern", "filter"), ("limit", "max_results")];
    const EXAMPLES: &'static [&'static str] = &[r#"{"filter": "tandem"}"#];

    fn text(result: &Value) -> Option<String> {
        let mut lines = Lines::default();
        let listed = list_at(result, "processes");
        if !listed.is_empty() {
            lines.push("pid ppid cpu% memory% command");
        }
        for process in listed {
            let command = match str_at(process, "command") {
                "" => format!("[{}]", str_at(process, "name")),
                command => command.to_owned(),
            };
            let number = |field: &str| &process[field];
            lines.push(format_args!(
                "{} {} {} {} {command}",
                number("pid"),
                number("ppid"),
                number("cpu_percent"),
                number("memory_percent")
            ));
        }
        let total = result["total"].as_u64().unwrap_or_default();
        if total > listed.len() as u64 {
            lines.push(format_args!("[{} of {total}]", listed.len()));
        }
        Some(lines.finish("no such process"))
    }

    fn effects(_: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        if params.max_results == 0 || params.max_results > MAX_RESULTS {
            let message = format!("{}: `max_results` must be from 1 to {MAX_RESULTS}", Self::NAME);
            return Err(ToolError::new(Code::InvalidParams, message));
        }
        let target = Target::Named("the machine's processes".to_owned());
        Ok(vec![Effect { kind: EffectKind::Read, target, detail: None }])
    }

    fn run(_: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let filter = params.filter.unwrap_or_default().to_lowercase();
        let is_meant = |text: &str| text.to_lowercase().contains(&filter);
        let mut found = machine_processes();
        found.retain(|one| is_meant(&one.name) || is_meant(&one.command));
        found.sort_by(|one, other| other.cpu_percent.total_cmp(&one.cpu_percent));
        let total = found.len();
        let tenth = |percent: f64| (percent * 10.0).round() / 10.0;
        let listed = found.into_iter().take(params.max_results).map(|process| Listed {
            pid: process.pid,
            ppid: process.parent.unwrap_or_default(),
            name: process.name,
            cpu_percent: tenth(process.cpu_percent.into()),
            memory_percent: tenth(process.memory_percent),
            // Cut afterwards: half a secret might not be recognised.
            command: redact(&process.command).chars().take(MAX_COMMAND_CHARS).collect(),
        });
        Ok(Output { processes: listed.collect(), total })
    }
}
