//! Starts a debug session: build, adapter, program.

use std::net::TcpListener;
use std::sync::Arc;

use ::debug::{
    Adapters, LaunchKind, Session, SessionConfig, SessionPhase, TemplateValues, Transport,
};
use process::{
    Filesystem, Folder, Input, Isolation, Launcher, Limits, Mechanisms, Network, Program,
    clean_environment,
};
use serde_json::{Value, json};
use workspace::FilePath;

use super::adapters::{self, Found, Wanted};
use super::program::{Looked, Start, What};
use super::running::{debugging, for_ms, to_report};
use super::wanted::here;
use super::{build, failure};
use crate::command::guarded::Before;
use crate::command::sandbox;
use crate::{Code, Context, ToolError};

/// Time limit for an adapter to start a program, in milliseconds.
const START: u64 = 60_000;
/// How long to wait for a stop event after the adapter reported that the program is not running.
const STOPPING: u64 = 2_000;

impl Start {
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
        let table = adapters::all(context, tool)?;
        let looked = self.look(context, tool, &table)?;
        let found = self.adapter(context, tool, &table, &looked)?;
        let mut program = looked.file.clone();
        if let Some(wanted) = &looked.build {
            program = Some(build::build(context, tool, &self, &looked, wanted)?);
        }
        let port = match found.adapter.transport {
            Transport::Tcp => free_port().map_err(|error| {
                ToolError::new(Code::Io, format!("{tool}: no port for the adapter: {error}"))
            })?,
            Transport::Stdio | Transport::Unix => 0,
        };
        let values = self.values(&looked, program.as_ref(), &found, port);
        let arguments = self.arguments(tool, &looked, &found, &values)?;
        let before = self.is_confined().then(|| Before::look(context, tool));
        let command =
            self.process(context, tool, &looked, &before, found.adapter.command(&values))?;
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
        let (lines, saved) = debugging(context).texts.starting(context);
        let plan = SessionConfig {
            adapter: found.adapter,
            command,
            launcher,
            port,
            attached: self.attached(),
            arguments,
            title: looked.title.clone(),
            lines,
        };
        let debugging = debugging(context);
        let session = debugging
            .debugger
            .launch(plan, for_ms(context, START))
            .map_err(|error| failure::of(tool, error))?;
        let (described, attaches) = (self.command(&looked), self.is_attach());
        debugging.texts.started(context, session.id(), saved);
        debugging.remember(session.id(), self, before.map(|before| (before, described)));
        context.workspace.files_may_have_changed();
        let is_held = matches!(session.phase(), SessionPhase::Stopped(_));
        let phase = if attaches && !is_held {
            // Not every adapter stops the process on attach, or reports that it could not.
            session.pause(None, for_ms(context, wait_ms)).or_else(|error| {
                // It may have stopped meanwhile, with the event still on its way.
                match session.wait(for_ms(context, wait_ms.min(STOPPING))) {
                    Ok(phase @ SessionPhase::Stopped(_)) => Ok(phase),
                    _ => {
                        session.stop();
                        Err(error)
                    }
                }
            })
        } else {
            session.wait(for_ms(context, wait_ms))
        };
        let phase = phase.map_err(|error| failure::of(tool, error))?;
        Ok(to_report(session, phase))
    }

    pub(super) fn adapter(
        &self,
        context: &Context<'_>,
        tool: &str,
        table: &Adapters,
        looked: &Looked,
    ) -> Result<Found, ToolError> {
        let wanted = match (&self.what, looked.language, &looked.build) {
            (What::Process(_), ..) => {
                Wanted::Process(looked.process.as_ref().map_or("", |it| it.program.as_str()))
            }
            (_, Some(language), None) => Wanted::Source(language.id()),
            (_, Some(language), Some(_)) => Wanted::Binary(Some(language.id())),
            (_, None, _) => Wanted::Binary(None),
        };
        let found = adapters::find(
            context,
            tool,
            table,
            self.debugger.as_deref(),
            &wanted,
            self.is_confined(),
        )?;
        let runs = found.adapter.launches(LaunchKind::File);
        if let (Wanted::Source(_), false, Some(file)) = (&wanted, runs, &looked.file) {
            let message = format!("{tool}: {}: must be built first", file.display_path());
            return Err(ToolError::new(Code::InvalidParams, message)
                .hint("build it with debug information, and give the program"));
        }
        Ok(found)
    }

    pub(super) fn values(
        &self,
        looked: &Looked,
        program: Option<&FilePath>,
        found: &Found,
        port: u16,
    ) -> TemplateValues {
        let text = |path: &std::path::Path| json!(path.to_string_lossy());
        let mut values = TemplateValues::from([
            ("args", json!(self.args)),
            ("cwd", text(&looked.cwd.absolute())),
            ("env", json!(self.env)),
            ("stop_on_entry", json!(self.stop_on_entry)),
            ("just_my_code", json!(self.own_code_only)),
            ("port", json!(port)),
        ]);
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
            values.insert("folder", text(&looked.cwd.absolute()));
        }
        match &self.what {
            What::File(_) => None,
            What::Module(module) => values.insert("module", json!(module)),
            What::Test(test) => {
                let name = looked.test.as_ref().unwrap_or(test);
                values.insert("test", json!(name))
            }
            What::Process(pid) => values.insert("pid", json!(pid)),
        };
        if let (What::Test(_), Some(build)) = (&self.what, &looked.build) {
            let args = build.project.test_arguments(&values);
            values.insert("args", json!(args));
            // The test runner's default.
            if self.cwd == here() {
                values.insert("cwd", text(&build.cwd.absolute()));
            }
        }
        values
    }

    fn arguments(
        &self,
        tool: &str,
        looked: &Looked,
        found: &Found,
        values: &TemplateValues,
    ) -> Result<Value, ToolError> {
        let adapter = &found.adapter;
        let is_built = looked.build.is_some() || looked.language.is_none();
        let binary = || adapter.launch(LaunchKind::Binary, values);
        let told = match &self.what {
            What::File(_) if is_built => {
                binary().or_else(|| adapter.launch(LaunchKind::File, values))
            }
            What::File(_) => adapter.launch(LaunchKind::File, values),
            What::Module(_) => adapter.launch(LaunchKind::Module, values),
            What::Test(_) if is_built => binary(),
            What::Test(_) => adapter.launch(LaunchKind::Test, values),
            What::Process(_) => adapter.attach(values),
        };
        told.ok_or_else(|| {
            let message = format!("{tool}: {} cannot start it", adapter.name);
            ToolError::new(Code::Unsupported, message).hint("give a program's file")
        })
    }

    fn process(
        &self,
        context: &Context<'_>,
        tool: &'static str,
        looked: &Looked,
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
            cwd: Folder { handle: looked.cwd.open_folder()?, path: looked.cwd.absolute() },
            environment: clean_environment(),
            temporary_folders,
            input: Input::Null,
            isolation: Isolation {
                filesystem: match before {
                    Some(before) => sandbox::filesystem(context, tool, before)?,
                    None => Filesystem::Open,
                },
                network: if self.network || self.is_attach() {
                    Network::Open
                } else {
                    Network::None
                },
                may_trace: true,
                may_attach_anywhere: looked
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
