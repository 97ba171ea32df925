//! Starts agents. They run outside the sandbox, because they have to reach their model and their own settings.

use process::{
    Filesystem, Folder, Input, Isolation, Launcher, Limits, Network, ProcessError, Program,
    clean_environment,
};
use serde_json::{Value, json};
use tools::{Code, Command, Effect, EffectKind, Target, ToolError};
use workspace::{FilePath, Snapshot};

use super::agent::Agent;
use super::chosen::Chosen;
use super::connection::Connection;
use crate::catalog::AgentProgram;

/// The folder that agents work in.
///
/// # Errors
/// If no folder is open.
pub(crate) fn root(snapshot: &Snapshot, tool: &str) -> Result<FilePath, ToolError> {
    snapshot.roots().first().map(FilePath::from_root).ok_or_else(|| {
        ToolError::new(Code::PathForbidden, format!("{tool}: no workspace folder is open"))
    })
}

/// What starting an agent is to policy; `task` is shown to the person.
pub(crate) fn start_effects(cwd: FilePath, chosen: &Chosen, task: String) -> Vec<Effect> {
    let named =
        |kind, what: &str| Effect { kind, target: Target::Named(what.to_owned()), detail: None };
    let command = Command {
        line: shlex::try_join(chosen.program.acp.iter().map(String::as_str)).unwrap_or_default(),
        cwd,
        env: Vec::new(),
        input: None,
        network: true,
        sandbox: false,
    };
    vec![
        Effect::execute(command).with_detail(task),
        named(EffectKind::Network, "any host"),
        named(EffectKind::Admin, "running without the sandbox"),
    ]
}

/// Starts an agent.
///
/// # Errors
/// If its program cannot be started.
pub(crate) fn start(
    tool: &'static str,
    folder: &FilePath,
    chosen: &Chosen,
) -> Result<Agent, ToolError> {
    let command = command(folder, &chosen.program)?;
    let child = Launcher::current().start(command).map_err(|error| not_started(tool, &error))?;
    let connection = Connection::new(child).ok_or_else(|| {
        ToolError::new(Code::Internal, format!("{tool}: cannot read the agent's output"))
    })?;
    Ok(Agent::new(tool, &chosen.name, connection))
}

fn command(folder: &FilePath, agent: &AgentProgram) -> Result<process::Command, ToolError> {
    let mut environment = clean_environment();
    for name in &agent.env {
        if let Ok(value) = std::env::var(name) {
            environment.retain(|(known, _)| known != name);
            environment.push((name.clone(), value));
        }
    }
    Ok(process::Command {
        program: Program::Arguments(agent.acp.clone()),
        cwd: Folder { handle: folder.open_folder()?, path: folder.absolute() },
        environment,
        temporary_folders: Vec::new(),
        input: Input::Piped,
        isolation: Isolation {
            filesystem: Filesystem::Open,
            network: Network::Open,
            may_trace: false,
            may_attach_anywhere: false,
        },
        limits: Limits::default(),
        has_sandbox_proxy: false,
    })
}

fn not_started(tool: &str, error: &ProcessError) -> ToolError {
    let code = match error {
        ProcessError::NoProgram { .. } | ProcessError::Unavailable { .. } => Code::Unavailable,
        _ => Code::Io,
    };
    ToolError::new(code, format!("{tool}: {error}"))
}

/// Our tools for the agent: this program as an MCP server, which joins a running server of the folder.
pub(crate) fn mcp_servers(cwd: &str) -> Value {
    let Ok(program) = std::env::current_exe() else { return json!([]) };
    let args = ["mcp", "--stdio", "--workspace", cwd];
    json!([{ "name": "tandem", "command": program, "args": args, "env": [] }])
}
