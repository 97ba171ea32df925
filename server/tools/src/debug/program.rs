//! What is to be debugged, and how an adapter is started on it.

use std::collections::BTreeMap;
use std::net::TcpListener;
use std::sync::Arc;

use ::debug::{Kind, Phase, Plan, Session, Transport, Values};
use process::{
    Filesystem, Folder, Input, Isolation, Launcher, Limits, Mechanisms, Network, Program,
    clean_environment,
};
use serde_json::{Value, json};
use syntax::Language;
use workspace::FilePath;

use super::adapters::{self, Found, Wanted};
use super::failure;
use super::running::for_ms;
use crate::command::guarded::Before;
use crate::command::sandbox;
use crate::{Code, Command, Context, Effect, EffectKind, Target, ToolError};

/// How long a program may take to be started under its adapter, in milliseconds.
const START: u64 = 60_000;
/// Most words of a command line, and most bytes of one.
const MOST_WORDS: usize = 1_000;
const LONGEST_WORD: usize = 100_000;

/// What is to be debugged.
#[derive(Debug, Clone)]
pub(super) enum What {
    /// A file of the workspace: source that is run as it is, or a compiled program.
    File(String),
    /// A module, by its name.
    Module(String),
    /// A test, as its runner names it.
    Test(String),
    /// A process that runs.
    Process(u32),
}

/// A start, as it was asked for.
#[derive(Debug, Clone)]
pub(super) struct Start {
    pub(super) what: What,
    pub(super) args: Vec<String>,
    pub(super) cwd: String,
    pub(super) env: BTreeMap<String, String>,
    pub(super) debugger: Option<String>,
    pub(super) stop_on_entry: bool,
    pub(super) own_code_only: bool,
    pub(super) network: bool,
    pub(super) sandbox: bool,
}

/// A start that has been looked into.
struct Looked {
    cwd: FilePath,
    /// The file that is run.
    file: Option<FilePath>,
    /// The language that it is run by.
    language: Option<Language>,
    /// What is run, as one would write it.
    title: String,
}

impl Start {
    fn is_attach(&self) -> bool {
        matches!(self.what, What::Process(_))
    }

    /// Whether it is confined: what runs already cannot be.
    fn is_confined(&self) -> bool {
        self.sandbox && !self.is_attach()
    }

    fn look(&self, context: &Context<'_>, tool: &str) -> Result<Looked, ToolError> {
        let words = self.args.iter().chain(self.env.values());
        if words.clone().count() > MOST_WORDS || words.clone().any(|w| w.len() > LONGEST_WORD) {
            return Err(ToolError::new(
                Code::TooLarge,
                format!("{tool}: `args` or `env` have too many or too long words"),
            ));
        }
        for (name, value) in &self.env {
            if name.is_empty() || name.contains(['=', '\0']) || value.contains('\0') {
                let why = format!("`env`: `{name:.60}` is no environment variable");
                return Err(failure::invalid(tool, &why));
            }
        }
        let cwd = context.snapshot.locate(&self.cwd)?;
        if cwd.open_folder().is_err() {
            let message = format!("{tool}: {}: there is no such folder", cwd.shown());
            return Err(ToolError::new(Code::DirNotFound, message));
        }
        let python = || Language::by_id("python");
        let (file, language, words) = match &self.what {
            What::File(program) => {
                let file = context.snapshot.locate(program)?;
                let found = context.snapshot.metadata(&file)?;
                if found.kind != workspace::EntryKind::File {
                    let message = format!("{tool}: {}: is no file", file.shown());
                    return Err(ToolError::new(Code::Unsupported, message));
                }
                let language = Language::detect(&file.file_name().to_string_lossy(), "");
                let shown = file.absolute().to_string_lossy().into_owned();
                let words = match language.map(Language::id) {
                    Some("python") => vec!["python3".to_owned(), shown],
                    Some("go") => vec!["go".to_owned(), "run".to_owned(), shown],
                    _ => vec![shown],
                };
                (Some(file), language, words)
            }
            What::Module(module) => {
                (None, python(), vec!["python3".to_owned(), "-m".to_owned(), module.clone()])
            }
            What::Test(test) => (
                None,
                python(),
                vec!["python3".to_owned(), "-m".to_owned(), "pytest".to_owned(), test.clone()],
            ),
            What::Process(pid) => {
                (None, None, vec!["debugger".to_owned(), "--attach".to_owned(), pid.to_string()])
            }
        };
        let words = words.iter().chain(&self.args).map(String::as_str);
        let title = shlex::try_join(words)
            .map_err(|_| failure::invalid(tool, "what is to be run holds a NUL"))?;
        Ok(Looked { cwd, file, language, title })
    }

    fn command(&self, looked: &Looked) -> Command {
        Command {
            line: looked.title.clone(),
            cwd: looked.cwd.clone(),
            env: self.env.iter().map(|(n, v)| (n.clone(), v.clone())).collect(),
            input: None,
            network: self.network || self.is_attach(),
            sandbox: self.is_confined(),
        }
    }

    /// What starting it does: what running the same command would.
    pub(super) fn effects(
        &self,
        context: &Context<'_>,
        tool: &str,
    ) -> Result<Vec<Effect>, ToolError> {
        let looked = self.look(context, tool)?;
        let mut effects = vec![Effect::execute(self.command(&looked))];
        let mut named = |kind, what: &str| {
            let target = Target::Named(what.to_owned());
            effects.push(Effect { kind, target, detail: None });
        };
        if self.network && !self.is_attach() {
            named(EffectKind::Network, "any host");
        }
        if self.is_attach() {
            named(EffectKind::Admin, "attaching to a process that runs");
        } else if !self.sandbox {
            named(EffectKind::Admin, "running without the sandbox");
        }
        Ok(effects)
    }

    /// Starts it and waits until it runs, is held, or is over; then `wait_ms` more for a stop.
    pub(super) fn start(
        self,
        context: &Context<'_>,
        tool: &'static str,
        wait_ms: u64,
    ) -> Result<(Arc<Session>, Phase), ToolError> {
        let looked = self.look(context, tool)?;
        let found = self.adapter(context, tool, &looked)?;
        let port = match found.adapter.transport {
            Transport::Tcp => free_port().map_err(|error| {
                ToolError::new(Code::Io, format!("{tool}: no port for the adapter: {error}"))
            })?,
            Transport::Stdio | Transport::Unix => 0,
        };
        let values = self.values(&looked, &found, port);
        let arguments = self.arguments(tool, &looked, &found, &values)?;
        let before = self.is_confined().then(|| Before::look(context, tool));
        let command = self.process(context, &looked, &before, found.adapter.command(&values))?;
        let launcher = if self.is_attach() {
            // In namespaces of its own, it would see no other process.
            let mechanisms = Mechanisms { user_namespaces: false, ..Mechanisms::default() };
            Launcher::current().with(mechanisms)
        } else {
            Launcher::current()
        };
        context.check_interrupt(tool)?;
        // What ended before must be settled before there is more to tell apart.
        let _ = context.session.debugging.settle(context);
        let plan = Plan {
            adapter: found.adapter,
            command,
            launcher,
            port,
            attaches: self.is_attach(),
            arguments,
            title: looked.title.clone(),
        };
        let debugging = &context.session.debugging;
        let session = debugging
            .debugger
            .launch(plan, for_ms(context, START))
            .map_err(|error| failure::of(tool, error))?;
        let described = self.command(&looked);
        debugging.remember(session.id(), self, before.map(|before| (before, described)));
        context.workspace.files_may_have_changed();
        let phase = session.wait(for_ms(context, wait_ms)).map_err(|e| failure::of(tool, e))?;
        Ok((session, phase))
    }

    fn adapter(
        &self,
        context: &Context<'_>,
        tool: &str,
        looked: &Looked,
    ) -> Result<Found, ToolError> {
        let wanted = match (&self.what, looked.language) {
            (What::Process(_), _) => Wanted::Process,
            (_, Some(language)) => Wanted::Source(language.id()),
            (_, None) => Wanted::Binary,
        };
        let found = adapters::find(context, tool, self.debugger.as_deref(), &wanted)?;
        let runs = found.adapter.launches(Kind::File);
        if let (Wanted::Source(_), false, Some(file)) = (&wanted, runs, &looked.file) {
            let message = format!("{tool}: {}: is source that has to be built", file.shown());
            return Err(ToolError::new(Code::InvalidParams, message)
                .hint("build it with debug information, and give the program"));
        }
        Ok(found)
    }

    fn values(&self, looked: &Looked, found: &Found, port: u16) -> Values {
        let text = |path: &std::path::Path| json!(path.to_string_lossy());
        let mut values = Values::from([
            ("args", json!(self.args)),
            ("cwd", text(&looked.cwd.absolute())),
            ("env", json!(self.env)),
            ("stop_on_entry", json!(self.stop_on_entry)),
            ("just_my_code", json!(self.own_code_only)),
            ("port", json!(port)),
        ]);
        for name in ["adapter", "python"] {
            if let Some(path) = found.tools.get(name) {
                values.insert(name, text(path));
            }
        }
        if let Some(file) = &looked.file {
            let file = file.absolute();
            values.insert("program", text(&file));
            values.extend(file.parent().map(|folder| ("folder", text(folder))));
        } else {
            values.insert("folder", text(&looked.cwd.absolute()));
        }
        match &self.what {
            What::File(_) => None,
            What::Module(module) => values.insert("module", json!(module)),
            What::Test(test) => values.insert("test", json!(test)),
            What::Process(pid) => values.insert("pid", json!(pid)),
        };
        values
    }

    fn arguments(
        &self,
        tool: &str,
        looked: &Looked,
        found: &Found,
        values: &Values,
    ) -> Result<Value, ToolError> {
        let adapter = &found.adapter;
        let told = match &self.what {
            What::File(_) if looked.language.is_some() => adapter.launch(Kind::File, values),
            What::File(_) => {
                adapter.launch(Kind::Binary, values).or_else(|| adapter.launch(Kind::File, values))
            }
            What::Module(_) => adapter.launch(Kind::Module, values),
            What::Test(_) => adapter.launch(Kind::Test, values),
            What::Process(_) => adapter.attach(values),
        };
        told.ok_or_else(|| {
            let message = format!("{tool}: {} cannot start such a thing", adapter.name);
            ToolError::new(Code::Unsupported, message).hint("give a program's file")
        })
    }

    fn process(
        &self,
        context: &Context<'_>,
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
                    Some(before) => {
                        sandbox::filesystem(&context.snapshot, before.protected(context))?
                    }
                    None => Filesystem::Open,
                },
                network: if self.network || self.is_attach() {
                    Network::Open
                } else {
                    Network::None
                },
                may_trace: true,
            },
            limits: Limits::default(),
        })
    }
}

/// A port that is free now.
fn free_port() -> std::io::Result<u16> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}
