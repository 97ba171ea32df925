//! What to debug, and the effects of starting it.

use std::collections::BTreeMap;

use ::debug::{Adapters, ProjectKind};
use syntax::Language;
use workspace::{EntryKind, FilePath};

use super::{failure, project};
use tools::{
    Code, Command, Context, Effect, EffectKind, RunningProcess, Target, ToolError, running_process,
};

/// Limits for a command line: words and bytes.
const MAX_WORDS: usize = 1_000;
const MAX_WORD_BYTES: usize = 100_000;

/// What to debug.
#[derive(Debug, Clone)]
pub(super) enum DebugTarget {
    /// A file of the workspace: source to run, or to build and run, or a compiled program.
    File(String),
    /// A module, by name.
    Module(String),
    /// A test, by its runner's name; `FILE::` may precede it.
    Test(String),
    /// A running process.
    Process(u32),
}

/// A requested start.
#[derive(Debug, Clone)]
pub(super) struct StartRequest {
    pub(super) target: DebugTarget,
    pub(super) args: Vec<String>,
    pub(super) cwd: String,
    pub(super) env: BTreeMap<String, String>,
    pub(super) debugger: Option<String>,
    pub(super) stop_on_entry: bool,
    pub(super) own_code_only: bool,
    pub(super) network: bool,
    pub(super) sandbox: bool,
}

/// A start with its program resolved.
pub(super) struct ResolvedTarget {
    pub(super) cwd: FilePath,
    /// What to run: a file, or a folder if the language's tools take one.
    pub(super) file: Option<FilePath>,
    /// Its language; `None` for a compiled program.
    pub(super) language: Option<Language>,
    /// The test in the file.
    pub(super) test: Option<String>,
    /// The build that must run first.
    pub(super) build: Option<Build>,
    /// The process to attach to.
    pub(super) process: Option<RunningProcess>,
    /// What runs, as a command line.
    pub(super) title: String,
}

/// A build before the start.
#[derive(Debug, Clone)]
pub(super) struct Build {
    pub(super) words: Vec<String>,
    pub(super) cwd: FilePath,
    pub(super) project: ProjectKind,
}

impl StartRequest {
    /// The process to attach to.
    pub(super) fn attached_pid(&self) -> Option<u32> {
        match self.target {
            DebugTarget::Process(pid) => Some(pid),
            _ => None,
        }
    }

    pub(super) fn is_attach(&self) -> bool {
        self.attached_pid().is_some()
    }

    /// Whether it runs in the sandbox; a running process cannot.
    pub(super) fn is_confined(&self) -> bool {
        self.sandbox && !self.is_attach()
    }

    pub(super) fn resolve(
        &self,
        context: &Context<'_>,
        tool: &str,
        table: &Adapters,
    ) -> Result<ResolvedTarget, ToolError> {
        self.check(tool)?;
        let cwd = context.snapshot.locate(&self.cwd)?;
        if cwd.open_folder().is_err() {
            let message = format!("{tool}: {}: there is no such folder", cwd.display_path());
            return Err(ToolError::new(Code::DirNotFound, message));
        }
        let mut resolved = ResolvedTarget {
            cwd,
            file: None,
            language: None,
            test: None,
            build: None,
            process: None,
            title: String::new(),
        };
        let words = match &self.target {
            DebugTarget::File(program) => resolved.program(context, tool, table, program)?,
            DebugTarget::Test(test) => resolved.test(context, tool, table, test)?,
            DebugTarget::Module(module) => {
                resolved.language = Language::by_id("python");
                vec!["python3".to_owned(), "-m".to_owned(), module.clone()]
            }
            DebugTarget::Process(pid) => {
                resolved.process = Some(running_process(tool, *pid)?);
                vec!["debugger".into(), "--attach".into(), pid.to_string()]
            }
        };
        let words = words.iter().chain(&self.args).map(String::as_str);
        resolved.title = join_command_line(tool, words)?;
        Ok(resolved)
    }

    fn check(&self, tool: &str) -> Result<(), ToolError> {
        let words = self.args.iter().chain(self.env.values());
        if words.clone().count() > MAX_WORDS || words.clone().any(|w| w.len() > MAX_WORD_BYTES) {
            return Err(ToolError::new(
                Code::TooLarge,
                format!("{tool}: `args` or `env` have too many or too long words"),
            ));
        }
        for (name, value) in &self.env {
            if let Some(reason) = process::invalid_variable(name, value) {
                return Err(failure::invalid(tool, &format!("`env`: {reason}")));
            }
        }
        Ok(())
    }

    /// The program, as policy and the person see it.
    pub(super) fn command(&self, resolved: &ResolvedTarget) -> Command {
        Command {
            line: resolved.title.clone(),
            cwd: resolved.cwd.clone(),
            env: self.env.iter().map(|(n, v)| (n.clone(), v.clone())).collect(),
            input: None,
            network: self.network || self.is_attach(),
            sandbox: self.is_confined(),
        }
    }

    /// The build, as policy and the person see it.
    pub(super) fn build_command(&self, tool: &str, build: &Build) -> Result<Command, ToolError> {
        Ok(Command {
            line: join_command_line(tool, build.words.iter().map(String::as_str))?,
            cwd: build.cwd.clone(),
            env: Vec::new(),
            input: None,
            network: self.network,
            sandbox: self.sandbox,
        })
    }

    /// The effects of the start: those of running the same commands.
    pub(super) fn effects(
        &self,
        context: &Context<'_>,
        tool: &str,
    ) -> Result<Vec<Effect>, ToolError> {
        let table = super::adapters::load_adapters(context, tool)?;
        let resolved = self.resolve(context, tool, &table)?;
        let mut effects = Vec::new();
        if let Some(build) = &resolved.build {
            effects.push(Effect::execute(self.build_command(tool, build)?));
        }
        effects.push(Effect::execute(self.command(&resolved)));
        let mut named = |kind, what: &str, detail| {
            let target = Target::Named(what.to_owned());
            effects.push(Effect { kind, target, detail });
        };
        if self.network && !self.is_attach() {
            named(EffectKind::Network, "any host", None);
        }
        if !self.is_confined() {
            let started = self.unsandboxed_command(context, tool, &table, &resolved)?;
            let process = resolved.process.as_ref().map(|process| process.description.as_str());
            let detail: Vec<&str> = process.into_iter().chain([started.as_str()]).collect();
            let what = if self.is_attach() {
                "attaching to a process that runs"
            } else {
                "running without the sandbox"
            };
            named(EffectKind::Admin, what, Some(detail.join("\n")));
        }
        Ok(effects)
    }

    /// Describes what runs outside the sandbox: real paths and arguments.
    fn unsandboxed_command(
        &self,
        context: &Context<'_>,
        tool: &str,
        table: &Adapters,
        resolved: &ResolvedTarget,
    ) -> Result<String, ToolError> {
        let found = self.adapter(context, tool, table, resolved)?;
        let values = self.template_values(resolved, resolved.file.as_ref(), &found, 0);
        let words = found.adapter.command(&values);
        let real = |word: &String| match std::fs::canonicalize(word) {
            Ok(path) if word.starts_with('/') => path.to_string_lossy().into_owned(),
            _ if word.contains('\n') => format!("({} lines of the table)", word.lines().count()),
            _ => word.clone(),
        };
        let words: Vec<String> = words.iter().map(real).collect();
        Ok(format!("started outside the sandbox: {}", words.join(" ")))
    }
}

impl ResolvedTarget {
    /// Resolves a program, and returns how one would run it.
    fn program(
        &mut self,
        context: &Context<'_>,
        tool: &str,
        table: &Adapters,
        program: &str,
    ) -> Result<Vec<String>, ToolError> {
        let file = context.snapshot.locate(program)?;
        let kind = context.snapshot.metadata(&file)?.kind;
        let project = match kind {
            EntryKind::Directory => {
                project::find_for_folder(context, table, &file).filter(|(at, _)| *at == file)
            }
            EntryKind::File => {
                self.language = Language::detect(&file.file_name().to_string_lossy(), "");
                project::find_for_file(context, table, &file)
            }
            _ => None,
        };
        let of_language = |project: &ProjectKind, language: Option<Language>| {
            language.is_none_or(|it| it.id() == project.language)
        };
        match (kind, project) {
            (EntryKind::Directory, Some((_, project))) => {
                self.language = Language::by_id(&project.language);
                self.build = Build::from_project(project, &file, false);
            }
            (EntryKind::File, Some((folder, project)))
                if self.language.is_some() && of_language(project, self.language) =>
            {
                self.build = Build::from_project(project, &folder, false);
            }
            (EntryKind::File, _) => {}
            _ => {
                let message = format!("{tool}: {}: is no file", file.display_path());
                return Err(ToolError::new(Code::Unsupported, message)
                    .hint("give a file, or the folder of a project that is built"));
            }
        }
        let displayed = file.absolute().to_string_lossy().into_owned();
        self.file = Some(file);
        let by_hand = match &self.build {
            Some(build) => build.project.manual_command(false).to_vec(),
            None => match self.language.map(Language::id) {
                Some("python") => vec!["python3".to_owned(), displayed],
                Some("go") => vec!["go".to_owned(), "run".to_owned(), displayed],
                Some("bash") => vec!["bash".to_owned(), displayed],
                Some("javascript" | "typescript") => vec!["node".to_owned(), displayed],
                _ => vec![displayed],
            },
        };
        Ok(by_hand)
    }

    /// Resolves a test, and returns how one would run it.
    fn test(
        &mut self,
        context: &Context<'_>,
        tool: &str,
        table: &Adapters,
        test: &str,
    ) -> Result<Vec<String>, ToolError> {
        let (path, name) = test.split_once("::").unwrap_or((test, ""));
        let located = context.snapshot.locate(path).ok().filter(|file| {
            context.snapshot.metadata(file).is_ok_and(|found| found.kind == EntryKind::File)
        });
        let project = match &located {
            Some(file) => project::find_for_file(context, table, file),
            None => project::find_for_folder(context, table, &self.cwd),
        };
        let by_project = project.as_ref().and_then(|(_, p)| Language::by_id(&p.language));
        self.language = match &located {
            Some(file) => Language::detect(&file.file_name().to_string_lossy(), ""),
            None => by_project.or_else(|| Language::by_id("python")),
        };
        if self.language.map(Language::id) == Some("python") {
            return Ok(["python3", "-m", "pytest", test].map(str::to_owned).to_vec());
        }
        let is_script =
            matches!(self.language.map(Language::id), Some("javascript" | "typescript"));
        if let (true, Some(file), false) = (is_script, &located, name.is_empty()) {
            // Node's own test runner, in the process of the file.
            let pattern = format!("--test-name-pattern={name}");
            let shown = file.absolute().to_string_lossy().into_owned();
            (self.file, self.test) = (located, Some(name.to_owned()));
            return Ok(vec!["node".to_owned(), pattern, shown]);
        }
        let name = if located.is_some() { name } else { test };
        if name.is_empty() {
            return Err(failure::invalid(tool, "`test` names a file, but no test in it")
                .hint("`src/lib.rs::tests::adds`, `a_test.go::TestAdd`, `tests/a.py::test_b`"));
        }
        let fits =
            |project: &ProjectKind| self.language.map(Language::id) == Some(&*project.language);
        let Some((folder, project)) = project.filter(|(_, project)| fits(project)) else {
            let message = format!("{tool}: no test runner is known for `{test:.200}`");
            return Err(ToolError::new(Code::Unsupported, message)
                .hint("build it, and give its program and arguments to `program` and `args`"));
        };
        self.build = Build::from_project(project, &folder, true);
        let name = match (&located, &self.build) {
            (Some(file), Some(_)) => {
                project::module_path(&folder.absolute(), &file.absolute(), name)
            }
            _ => name.to_owned(),
        };
        let words = project.manual_command(true).iter().cloned().chain([name.clone()]).collect();
        (self.file, self.test) = (located, Some(name));
        Ok(words)
    }
}

impl Build {
    fn from_project(project: &ProjectKind, folder: &FilePath, is_test: bool) -> Option<Self> {
        let words = project.build_command(is_test)?.to_vec();
        Some(Self { words, cwd: folder.clone(), project: project.clone() })
    }
}

fn join_command_line<'w>(
    tool: &str,
    words: impl Iterator<Item = &'w str>,
) -> Result<String, ToolError> {
    shlex::try_join(words)
        .map_err(|_| failure::invalid(tool, "the program or an argument contains a NUL"))
}
