//! Starts a debug session: build, adapter, program.

use std::net::TcpListener;
use std::sync::Arc;

use ::debug::{
    Adapters, DebugError, LaunchKind, Session, SessionConfig, SessionPhase, TemplateValues,
    Transport,
};
use process::{
    Filesystem, Folder, Input, Isolation, Launcher, Limits, Mechanisms, Network, Program,
    clean_environment,
};
use serde_json::{Value, json};
use workspace::FilePath;

use super::adapters::{self, LocatedAdapter, TargetKind};
use super::parameter_defaults::current_folder;
use super::program::{DebugTarget, ResolvedTarget, StartRequest};
use super::program_texts::program_texts;
use super::sessions::{debugging, prefer_stopped_session, wait_limits};
use super::{build, failure};
use tools::{
    Code, Context, ToolError,
    command::{guarded::Before, sandbox},
};

/// Time limit for an adapter to start a program, in milliseconds.
const START_TIMEOUT_MS: u64 = 60_000;
/// How long to wait for a stop event after the adapter reported that the program is not running.
const STOP_EVENT_TIMEOUT_MS: u64 = 2_000;
/// How often a process is paused before an adapter's refusal counts.
const MAX_PAUSE_ATTEMPTS: usize = 3;

impl StartRequest {
    /// Starts it and waits until it runs, is held or has ended; then `wait_ms` more for a stop.
    pub(super) fn start(
        self,
        context: &Context<'_>,
        tool: &'static str,
        wait_ms: u64,
    ) -> Result<(Arc<Session>, SessionPhase), ToolError> {
        // The targets may have changed while approval was asked.
        if self.effects(context, tool)?.iter().any(|effect| !context.is_granted(effect)) {
            let message = format!("{tool}: the program changed meanwhile");
            return Err(ToolError::new(Code::Conflict, message).hint("try again"));
        }
        let table = adapters::load_adapters(context, tool)?;
        let resolved = self.resolve(context, tool, &table)?;
        let found = self.adapter(context, tool, &table, &resolved)?;
        let mut program = resolved.file.clone();
        if let Some(build) = &resolved.build {
            program = Some(build::build(context, tool, &self, &resolved, build)?);
        }
        let port = match found.adapter.transport {
            Transport::Tcp => free_port().map_err(|error| {
                ToolError::new(Code::Io, format!("{tool}: no port for the adapter: {error}"))
            })?,
            Transport::Stdio | Transport::Unix => 0,
        };
        let values = self.template_values(&resolved, program.as_ref(), &found, port);
        let arguments = self.request_arguments(tool, &resolved, &found, &values)?;
        let before = self.is_confined().then(|| Before::look(context, tool));
        let command = self.adapter_command(
            context,
            tool,
            &resolved,
            &before,
            found.adapter.command(&values),
        )?;
        let launcher = if self.is_attach() {
            // In its own namespaces it could not see other processes.
            let mechanisms = Mechanisms { user_namespaces: false, ..Mechanisms::default() };
            Launcher::current().with(mechanisms)
        } else {
            Launcher::current()
        };
        context.check_interrupt(tool)?;
        // Settle ended programs first, so their files are not confused with the new one's.
        let _ = debugging(context).settle(context);
        let (lines, saved) = program_texts(context).texts_at_start(context);
        let plan = SessionConfig {
            adapter: found.adapter,
            command,
            launcher,
            port,
            attached: self.attached_pid(),
            arguments,
            title: resolved.title.clone(),
            lines,
        };
        let debugging = debugging(context);
        let session = debugging
            .debugger
            .launch(plan, wait_limits(context, START_TIMEOUT_MS))
            .map_err(|error| failure::from_debug_error(tool, error))?;
        let (described, attaches) = (self.command(&resolved), self.is_attach());
        program_texts(context).record_start(context, session.id(), saved);
        debugging.record_start(session.id(), self, before.map(|before| (before, described)));
        context.workspace.files_may_have_changed();
        let is_held = matches!(session.phase(), SessionPhase::Stopped(_));
        let phase = if attaches && !is_held {
            hold(context, &session, wait_ms).inspect_err(|_| session.stop())
        } else {
            session.wait(wait_limits(context, wait_ms))
        };
        let phase = phase.map_err(|error| failure::from_debug_error(tool, error))?;
        Ok(prefer_stopped_session(session, phase))
    }

    pub(super) fn adapter(
        &self,
        context: &Context<'_>,
        tool: &str,
        table: &Adapters,
        resolved: &ResolvedTarget,
    ) -> Result<LocatedAdapter, ToolError> {
        let target_kind = match (&self.target, resolved.language, &resolved.build) {
            (DebugTarget::Process(_), ..) => {
                TargetKind::Process(resolved.process.as_ref().map_or("", |it| it.program.as_str()))
            }
            (_, Some(language), None) => TargetKind::Source(language.id()),
            (_, Some(language), Some(_)) => TargetKind::Binary(Some(language.id())),
            (_, None, _) => TargetKind::Binary(None),
        };
        let found = adapters::find_adapter(
            context,
            tool,
            table,
            self.debugger.as_deref(),
            &target_kind,
            self.is_confined(),
        )?;
        let runs = found.adapter.launches(LaunchKind::File);
        if let (TargetKind::Source(_), false, Some(file)) = (&target_kind, runs, &resolved.file) {
            let message = format!("{tool}: {}: must be built first", file.display_path());
            return Err(ToolError::new(Code::InvalidParams, message)
                .hint("build it with debug information, and give the program"));
        }
        Ok(found)
    }

    pub(super) fn template_values(
        &self,
        resolved: &ResolvedTarget,
        program: Option<&FilePath>,
        found: &LocatedAdapter,
        port: u16,
    ) -> TemplateValues {
        let text = |path: &std::path::Path| json!(path.to_string_lossy());
        let mut values = TemplateValues::from([
            ("args", json!(self.args)),
            ("cwd", text(&resolved.cwd.absolute())),
            ("env", json!(self.env)),
            ("stop_on_entry", json!(self.stop_on_entry)),
            ("just_my_code", json!(self.own_code_only)),
            ("port", json!(port)),
        ]);
        if let Ok(program) = std::env::current_exe() {
            values.insert("tandem", text(&program));
        }
        for (name, folder, with) in [
            ("adapter", "adapter_folder", "with_adapter"),
            ("python", "python_folder", "with_python"),
            ("rust", "rust_folder", "with_rust"),
        ] {
            if let Some(path) = found.tools.get(name) {
                values.insert(name, text(path));
                values.insert(with, json!(""));
                values.extend(path.parent().map(|parent| (folder, text(parent))));
            }
        }
        if let Some(file) = program {
            let file = file.absolute();
            values.insert("program", text(&file));
            values.extend(file.parent().map(|folder| ("folder", text(folder))));
        } else {
            values.insert("folder", text(&resolved.cwd.absolute()));
        }
        match &self.target {
            DebugTarget::File(_) => None,
            DebugTarget::Module(module) => values.insert("module", json!(module)),
            DebugTarget::Test(test) => {
                let name = resolved.test.as_ref().unwrap_or(test);
                values.insert("test", json!(name))
            }
            DebugTarget::Process(pid) => values.insert("pid", json!(pid)),
        };
        if let (DebugTarget::Test(_), Some(build)) = (&self.target, &resolved.build) {
            let args = build.project.test_arguments(&values);
            values.insert("args", json!(args));
            // The test runner's default.
            if self.cwd == current_folder() {
                values.insert("cwd", text(&build.cwd.absolute()));
            }
        }
        values
    }

    fn request_arguments(
        &self,
        tool: &str,
        resolved: &ResolvedTarget,
        found: &LocatedAdapter,
        values: &TemplateValues,
    ) -> Result<Value, ToolError> {
        let adapter = &found.adapter;
        let is_built = resolved.build.is_some() || resolved.language.is_none();
        let binary = || adapter.launch(LaunchKind::Binary, values);
        let request = match &self.target {
            DebugTarget::File(_) if is_built => {
                binary().or_else(|| adapter.launch(LaunchKind::File, values))
            }
            DebugTarget::File(_) => adapter.launch(LaunchKind::File, values),
            DebugTarget::Module(_) => adapter.launch(LaunchKind::Module, values),
            DebugTarget::Test(_) if is_built => binary(),
            DebugTarget::Test(_) => adapter.launch(LaunchKind::Test, values),
            DebugTarget::Process(_) => adapter.attach(values),
        };
        request.ok_or_else(|| {
            let message = format!("{tool}: {} cannot start it", adapter.name);
            ToolError::new(Code::Unsupported, message).hint("give a program's file")
        })
    }

    fn adapter_command(
        &self,
        context: &Context<'_>,
        tool: &'static str,
        resolved: &ResolvedTarget,
        before: &Option<Before>,
        words: Vec<String>,
    ) -> Result<process::Command, ToolError> {
        let mut temporary_folders = Vec::new();
        if before.is_some() {
            let caches = ["GOCACHE", "npm_config_cache"].into_iter();
            temporary_folders.extend(caches.map(str::to_owned));
        }
        Ok(process::Command {
            program: Program::Arguments(words),
            cwd: Folder { handle: resolved.cwd.open_folder()?, path: resolved.cwd.absolute() },
            environment: clean_environment(),
            temporary_folders,
            input: Input::Null,
            isolation: Isolation {
                filesystem: match before {
                    Some(before) => sandbox::filesystem(context, tool, before, &[])?,
                    None => Filesystem::Open,
                },
                network: if self.network || self.is_attach() {
                    Network::Open
                } else {
                    Network::None
                },
                may_trace: true,
                may_attach_anywhere: resolved
                    .process
                    .as_ref()
                    .is_some_and(|process| process.has_rights),
            },
            limits: Limits::default(),
            has_sandbox_proxy: true,
        })
    }
}

/// A free port.
fn free_port() -> std::io::Result<u16> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}

/// Stops a process that was attached to. Not every adapter stops it on attach, or reports that it could not.
fn hold(
    context: &Context<'_>,
    session: &Session,
    wait_ms: u64,
) -> Result<SessionPhase, DebugError> {
    let mut attempt = 1;
    loop {
        let error = match session.pause(None, wait_limits(context, wait_ms)) {
            Ok(phase) => return Ok(phase),
            Err(error) => error,
        };
        // It may have stopped meanwhile, with the event still on its way.
        let stop = session.wait(wait_limits(context, wait_ms.min(STOP_EVENT_TIMEOUT_MS)));
        if let Ok(phase @ SessionPhase::Stopped(_)) = stop {
            return Ok(phase);
        }
        // lldb-dap refuses while the process still stands as the attach left it, and lets it run then.
        if attempt == MAX_PAUSE_ATTEMPTS || !matches!(error, DebugError::Refused { .. }) {
            return Err(error);
        }
        attempt += 1;
    }
}
