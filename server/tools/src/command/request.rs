//! A command that a call wants to run: what policy sees of it, and how it is started.

use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::path::PathBuf;

use process::{Filesystem, Folder, Input, Isolation, Limits, Network, Program, clean_environment};
use workspace::{FileError, FilePath};

use super::guarded::Before;
use super::sandbox;
use crate::{Code, Command, Context, Effect, EffectKind, Target, ToolError};

/// Limit for the command, in bytes: a little below the kernel's limit.
const MAX_COMMAND_BYTES: usize = 120_000;
/// Caches that are in the home folder, which is read-only in the sandbox.
const CACHES: &[&str] = &["GOCACHE", "npm_config_cache"];

/// A command as a call describes it.
pub struct CommandRequest<'p> {
    /// The tool that runs it, for messages.
    pub tool: &'static str,
    /// A line for `/bin/sh -c`, or the program if there are `arguments`.
    pub line: &'p str,
    /// The arguments of a program; `None` for a line of the shell.
    pub arguments: Option<&'p [String]>,
    /// Its working directory, relative to the workspace.
    pub cwd: &'p str,
    /// Variables that it gets besides the usual ones.
    pub env: &'p BTreeMap<String, String>,
    /// Its standard input; empty by default.
    pub input: Option<&'p str>,
    /// Whether it may use the network.
    pub network: bool,
    /// Whether it runs in a sandbox.
    pub sandbox: bool,
    /// Folders outside the workspace that it may write in the sandbox.
    pub writable: &'p [PathBuf],
}

impl CommandRequest<'_> {
    /// Checks the request.
    ///
    /// # Errors
    /// If it cannot be a command.
    pub fn check(&self) -> Result<(), ToolError> {
        let invalid =
            |why: &str| Err(ToolError::new(Code::InvalidParams, format!("{}: {why}", self.tool)));
        if self.line.trim().is_empty() {
            return invalid("`command` is empty");
        }
        let words = self.arguments.unwrap_or_default();
        if self.line.contains('\0') || words.iter().any(|word| word.contains('\0')) {
            return invalid("`command` holds a NUL");
        }
        let bytes = self.line.len() + words.iter().map(|word| word.len() + 1).sum::<usize>();
        if bytes > MAX_COMMAND_BYTES {
            let message = format!(
                "{}: the command has {bytes} bytes; {MAX_COMMAND_BYTES} are the most",
                self.tool
            );
            return Err(ToolError::new(Code::TooLarge, message)
                .hint("write it to a file, or pass what it reads as input"));
        }
        for (name, value) in self.env {
            if let Some(reason) = process::invalid_variable(name, value) {
                return invalid(&format!("`env`: {reason}"));
            }
            if name.len() + value.len() > MAX_COMMAND_BYTES {
                return invalid(&format!("`env`: `{name:.60}` is too long"));
            }
        }
        Ok(())
    }

    /// The effects of running it.
    pub fn effects(&self, context: &Context<'_>) -> Result<Vec<Effect>, ToolError> {
        let (cwd, _) = self.folder(context)?;
        let mut effects = vec![Effect::execute(self.policy_command(cwd))];
        let mut named = |kind, what: &str| {
            let target = Target::Named(what.to_owned());
            effects.push(Effect { kind, target, detail: None });
        };
        if self.network {
            named(EffectKind::Network, "any host");
        }
        if !self.sandbox {
            named(EffectKind::Admin, "running without the sandbox");
        }
        Ok(effects)
    }

    /// The command to start, in the sandbox if there are guarded places `before` it, and as policy
    /// sees it.
    pub fn prepare(
        &self,
        context: &Context<'_>,
        before: Option<&Before>,
        input: Input,
        limits: Limits,
    ) -> Result<(process::Command, Command), ToolError> {
        let (path, handle) = self.folder(context)?;
        let mut environment = clean_environment();
        environment.retain(|(name, _)| !self.env.contains_key(name));
        let mut temporary_folders = Vec::new();
        if before.is_some() {
            let caches = CACHES.iter().filter(|name| !self.env.contains_key(**name));
            temporary_folders.extend(caches.map(|&name| name.to_owned()));
        }
        environment.extend(self.env.clone());
        let command = process::Command {
            program: match self.arguments {
                Some(words) => Program::Arguments([&[self.line.to_owned()], words].concat()),
                None => Program::Shell(self.line.to_owned()),
            },
            cwd: Folder { handle, path: path.absolute() },
            environment,
            temporary_folders,
            input,
            isolation: Isolation {
                filesystem: match before {
                    Some(before) => sandbox::filesystem(context, self.tool, before, self.writable)?,
                    None => Filesystem::Open,
                },
                network: if self.network { Network::Open } else { Network::None },
                may_trace: false,
                may_attach_anywhere: false,
            },
            limits,
            has_sandbox_proxy: false,
        };
        Ok((command, self.policy_command(path)))
    }

    /// The command, as policy and the person see it.
    fn policy_command(&self, cwd: FilePath) -> Command {
        Command {
            line: self.display_line(),
            cwd,
            env: self.env.iter().map(|(n, v)| (n.clone(), v.clone())).collect(),
            input: self.input.map(str::to_owned),
            network: self.network,
            sandbox: self.sandbox,
        }
    }

    /// The command as a line for a shell.
    pub fn display_line(&self) -> String {
        let Some(words) = self.arguments else { return self.line.to_owned() };
        let words = std::iter::once(self.line).chain(words.iter().map(String::as_str));
        // It fails on a NUL only, which `check` refuses.
        shlex::try_join(words).unwrap_or_else(|_| self.line.to_owned())
    }

    /// The working folder, and its handle.
    fn folder(&self, context: &Context<'_>) -> Result<(FilePath, OwnedFd), ToolError> {
        let path = context.snapshot.locate(self.cwd)?;
        match path.open_folder() {
            Ok(handle) => Ok((path, handle)),
            Err(FileError::NotFound { .. }) => {
                let message =
                    format!("{}: {}: there is no such folder", self.tool, path.display_path());
                Err(ToolError::new(Code::DirNotFound, message))
            }
            Err(error) => Err(error.into()),
        }
    }
}
