//! Runs the `git` program for what libgit2 must not do: contact remotes, and run the hooks,
//! filters and signing programs that a repository or the person configures. It runs only in a
//! workspace that the person trusts, and like any command: after policy, in a clean environment,
//! bounded, and to its end.
//!
//! Nothing from a repository becomes an argument. Settings that disable prompts, pagers and
//! background processes are passed in the environment, so people and rules see the plain command
//! line.

use std::time::Duration;

use git::{RemoteLocation, RepoLayout, RepoPath, Trust, redact_urls};
use process::{
    CommandOutcome, ExitStatus, Filesystem, Folder, Input, Isolation, KillReason, Launcher, Limits,
    Network, Program, clean_environment,
};
use serde_json::json;

use super::repository_access::{display_path, unsaved_files};
use tools::{
    Code, Command, Context, Effect, EffectKind, Target, ToolError,
    command::{CutOutput, OutputReporter, refused},
};

/// Longest timeout, in milliseconds.
const MAX_TIMEOUT_MS: u64 = 600_000;
/// How much of each output stream is kept, in bytes.
const MAX_OUTPUT_BYTES: usize = 256 << 10;
/// Longest argument, in bytes: a little below the kernel's limit.
const MAX_ARGUMENT_BYTES: usize = 120_000;
/// Limit for all arguments, in bytes.
const MAX_ARGUMENTS_BYTES: usize = 1 << 20;

/// Environment variables passed on in addition to every command's: agents and proxies.
const INHERITED_VARIABLES: &[&str] = &[
    "SSH_AUTH_SOCK",
    "GNUPGHOME",
    "XDG_CONFIG_HOME",
    "XDG_RUNTIME_DIR",
    "http_proxy",
    "https_proxy",
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "no_proxy",
];
/// Environment variables set for it.
const SET_VARIABLES: &[(&str, &str)] = &[
    ("GIT_ALLOW_PROTOCOL", "file:git:http:https:ssh"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_ASKPASS", ""),
    ("SSH_ASKPASS_REQUIRE", "never"),
    ("GIT_EDITOR", ":"),
    ("GIT_SEQUENCE_EDITOR", ":"),
    ("GIT_MERGE_AUTOEDIT", "no"),
    ("GIT_PAGER", "cat"),
    ("GIT_LITERAL_PATHSPECS", "1"),
    ("GIT_ADVICE", "0"),
    ("LC_ALL", "C.UTF-8"),
];
/// Settings passed to it.
const GIT_SETTINGS: &[(&str, &str)] = &[
    ("safe.bareRepository", "explicit"),
    ("gc.auto", "0"),
    ("maintenance.auto", "false"),
    ("color.ui", "false"),
];

/// A run of the program.
#[derive(Debug, Clone)]
pub(super) struct GitCommand {
    /// Its arguments.
    pub(super) arguments: Vec<String>,
    /// The remote it contacts, if any.
    pub(super) location: RemoteLocation,
}

/// Its output.
#[derive(Debug)]
pub(super) struct GitOutcome {
    pub(super) exit_code: i32,
    pub(super) stdout: String,
    pub(super) stderr: String,
    pub(super) duration_ms: u64,
    pub(super) truncated: bool,
}

/// Refuses a workspace that the person does not trust.
pub(super) fn check_trusted(tool: &str, layout: &RepoLayout) -> Result<(), ToolError> {
    if layout.trust == Trust::Trusted {
        return Ok(());
    }
    let message = format!(
        "{tool}: only git's own program does this, which runs what the repository names: hooks, \
         filters, helpers; the workspace is not trusted"
    );
    let hint = "the person can trust the workspace: git.trusted in their config.toml";
    Err(ToolError::new(Code::Denied, message).hint(hint))
}

/// Refuses files with unsaved changes: the program reads the disk.
pub(super) fn check_saved(
    context: &Context<'_>,
    tool: &str,
    layout: &RepoLayout,
    files: &[RepoPath],
) -> Result<(), ToolError> {
    let unsaved = unsaved_files(context, layout);
    let open = unsaved.iter().find(|(path, _)| files.iter().any(|folder| path.is_in(folder)));
    open.map_or(Ok(()), |(path, _)| {
        let message =
            format!("{tool}: {}: has changes that are not saved", display_path(layout, path));
        Err(ToolError::new(Code::Conflict, message)
            .hint("save it first: git's own program takes what is on disk"))
    })
}

/// Paths as arguments, relative to the workspace folder in which the program runs.
pub(super) fn path_arguments(
    tool: &str,
    layout: &RepoLayout,
    paths: &[RepoPath],
) -> Result<Vec<String>, ToolError> {
    let name = |path: &RepoPath| {
        let below = match &layout.subfolder {
            Some(part) => {
                path.as_path().strip_prefix(part.path.as_path()).unwrap_or(path.as_path())
            }
            None => path.as_path(),
        };
        let below = if below.as_os_str().is_empty() { std::path::Path::new(".") } else { below };
        below.to_str().map(str::to_owned).ok_or_else(|| {
            let message = format!("{tool}: {}: is no text", display_path(layout, path));
            ToolError::new(Code::Unsupported, message).hint("git itself, in a terminal, takes it")
        })
    };
    paths.iter().map(name).collect()
}

/// A timeout within its limits.
pub(super) fn timeout(tool: &str, milliseconds: Option<u64>) -> Result<Duration, ToolError> {
    let milliseconds = milliseconds.unwrap_or(120_000);
    if milliseconds == 0 || milliseconds > MAX_TIMEOUT_MS {
        let message = format!("{tool}: `timeout_ms` must be from 1 to {MAX_TIMEOUT_MS}");
        return Err(ToolError::new(Code::InvalidParams, message));
    }
    Ok(Duration::from_millis(milliseconds))
}

impl GitCommand {
    /// Refuses arguments that are too long.
    pub(super) fn check(&self, tool: &str) -> Result<(), ToolError> {
        if self.location == RemoteLocation::RemoteHelper {
            let message = format!("{tool}: the remote's address names a program to be run");
            return Err(ToolError::new(Code::Denied, message)
                .hint("`git remote set-url` gives it an address of a host or a folder"));
        }
        if self.arguments.iter().any(|argument| argument.contains('\0')) {
            let message = format!("{tool}: an argument holds a NUL");
            return Err(ToolError::new(Code::InvalidParams, message));
        }
        let whole: usize = self.arguments.iter().map(|argument| argument.len() + 8).sum();
        let longest = self.arguments.iter().map(String::len).max().unwrap_or_default();
        if whole > MAX_ARGUMENTS_BYTES || longest > MAX_ARGUMENT_BYTES {
            let message = format!("{tool}: too many files, or too long a message, for one command");
            return Err(ToolError::new(Code::TooLarge, message)
                .hint("stage the files first, and commit what is staged"));
        }
        Ok(())
    }

    /// Its effects, for policy.
    pub(super) fn effects(&self, layout: &RepoLayout) -> Vec<Effect> {
        let named = |kind, what: &str| Effect {
            kind,
            target: Target::Named(what.to_owned()),
            detail: None,
        };
        let words = std::iter::once("git").chain(self.arguments.iter().map(String::as_str));
        let mut effects = vec![Effect::execute(Command {
            // No argument contains a NUL.
            line: shlex::try_join(words).unwrap_or_default(),
            cwd: layout.folder().clone(),
            env: Vec::new(),
            input: None,
            network: self.needs_network(),
            sandbox: false,
        })];
        if let RemoteLocation::Host(host) = &self.location {
            effects.push(named(EffectKind::Network, host));
        }
        effects.push(named(EffectKind::Admin, "running without the sandbox"));
        effects
    }

    fn needs_network(&self) -> bool {
        matches!(self.location, RemoteLocation::Host(_))
    }

    /// Runs it to its end. A failing program is a result.
    pub(super) fn run(
        self,
        context: &Context<'_>,
        tool: &str,
        layout: &RepoLayout,
        timeout: Duration,
    ) -> Result<GitOutcome, ToolError> {
        let cwd = layout.folder();
        let network = if self.needs_network() { Network::Open } else { Network::None };
        let command = process::Command {
            program: Program::Arguments(
                std::iter::once("git".to_owned()).chain(self.arguments).collect(),
            ),
            cwd: Folder { handle: cwd.open_folder()?, path: cwd.absolute() },
            environment: environment(),
            temporary_folders: Vec::new(),
            input: Input::Null,
            isolation: Isolation {
                filesystem: Filesystem::Open,
                network,
                may_trace: false,
                may_attach_anywhere: false,
            },
            limits: Limits::default(),
            has_sandbox_proxy: false,
        };
        context.check_interrupt(tool)?;
        let child = Launcher::current().start(command).map_err(|error| match error {
            process::ProcessError::NoProgram { .. } => {
                ToolError::new(Code::Unavailable, format!("{tool}: there is no `git` program"))
                    .hint("install it: `apt install git`, or as your system does")
            }
            error => refused(tool, &error),
        })?;
        let mut reporter = OutputReporter::new(context);
        let outcome =
            child.collect(MAX_OUTPUT_BYTES, Some(timeout), context.interrupt, &mut |_, bytes| {
                reporter.report(bytes);
            });
        context.workspace.files_may_have_changed();
        git_outcome(tool, &outcome)
    }
}

fn environment() -> Vec<(String, String)> {
    let is_set = |name: &str| SET_VARIABLES.iter().any(|(set, _)| *set == name);
    let mut environment = clean_environment();
    environment.retain(|(name, _)| !is_set(name) && !name.starts_with("LC_"));
    let taken = INHERITED_VARIABLES
        .iter()
        .filter_map(|name| Some(((*name).to_owned(), std::env::var(name).ok()?)));
    environment.extend(taken);
    let set = SET_VARIABLES.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    environment.extend(set);
    environment.push(("GIT_CONFIG_COUNT".to_owned(), GIT_SETTINGS.len().to_string()));
    for (number, (name, value)) in GIT_SETTINGS.iter().enumerate() {
        environment.push((format!("GIT_CONFIG_KEY_{number}"), (*name).to_owned()));
        environment.push((format!("GIT_CONFIG_VALUE_{number}"), (*value).to_owned()));
    }
    environment
}

fn git_outcome(tool: &str, outcome: &CommandOutcome) -> Result<GitOutcome, ToolError> {
    let (stdout, stderr) = (CutOutput::of(&outcome.stdout), CutOutput::of(&outcome.stderr));
    let done = |exit_code| GitOutcome {
        exit_code,
        truncated: stdout.truncated || stderr.truncated,
        stdout: redact_urls(&stdout.text),
        stderr: redact_urls(&stderr.text),
        duration_ms: u64::try_from(outcome.duration.as_millis()).unwrap_or(u64::MAX),
    };
    let stopped = |code, why: &str| {
        let message = format!("{tool}: {why}; what git had done by then stays");
        let hint = "if a `.lock` file is left in the git folder, the person may delete it";
        let outcome = done(-1);
        let details = json!({ "stdout": outcome.stdout, "stderr": outcome.stderr });
        Err(ToolError::new(code, message).hint(hint).details(details))
    };
    match (outcome.stop, outcome.status) {
        (Some(KillReason::Interrupt), _) => stopped(Code::Cancelled, "cancelled"),
        (Some(KillReason::Timeout), _) => {
            stopped(Code::Timeout, "its time was up, and it was killed")
        }
        (None, ExitStatus::Killed) => {
            stopped(Code::Io, "what contained git was killed from outside")
        }
        (None, ExitStatus::Code(code)) => Ok(done(code)),
        (None, ExitStatus::Signal(signal)) => Ok(done(128 + signal)),
    }
}

impl GitOutcome {
    /// The tool error for its failure.
    pub(super) fn error(&self, tool: &str, what: &str) -> ToolError {
        let mentions = |texts: &[&str]| texts.iter().any(|text| self.stderr.contains(text));
        let (code, hint) = if mentions(&[
            "Authentication failed",
            "could not read Username",
            "could not read Password",
            "terminal prompts disabled",
            "Permission denied (",
            "Host key verification failed",
        ]) {
            (Code::Permission, "log in to it with git itself once, so that a helper knows it")
        } else if mentions(&[".lock': File exists"]) {
            (Code::Conflict, "wait for it; if no git process runs, the person may delete the file")
        } else if mentions(&[
            "Could not resolve host",
            "unable to access",
            "Connection",
            "timed out",
        ]) {
            (Code::Io, "it may be there again later")
        } else {
            (Code::Conflict, "git's own words are in `details`")
        };
        let last = |text: &str| {
            let mut lines = text.lines().rev().filter(|line| !line.trim().is_empty());
            lines.next().map(|line| line.trim().chars().take(300).collect::<String>())
        };
        let why = last(&self.stderr).or_else(|| last(&self.stdout)).unwrap_or_default();
        let message = format!("{tool}: {what} (git exited with {}): {why}", self.exit_code);
        ToolError::new(code, message).hint(hint).details(json!({
            "exit_code": self.exit_code,
            "stdout": self.stdout,
            "stderr": self.stderr,
            "duration_ms": self.duration_ms,
        }))
    }

    /// Its whole output, stderr after stdout.
    pub(super) fn output(&self) -> String {
        let both = format!("{}{}", self.stdout, self.stderr);
        both.trim_end().to_owned()
    }
}
