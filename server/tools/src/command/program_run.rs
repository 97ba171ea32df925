//! Runs a program for a tool of another crate: in the sandbox of `run_command`, after approval.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use process::{Child, CommandOutcome, Input, Launcher, Limits, OutputStream, SandboxProxy};

use super::guarded::{Before, Created};
use super::request::CommandRequest;
use super::sandbox;
use crate::{Code, Context, Effect, ToolError};

/// A program that a tool runs. The same value must be used for the effects and for the run: policy
/// decides on what is run.
pub struct ProgramRun<'p> {
    /// The tool.
    pub tool: &'static str,
    /// The program and its arguments; not empty.
    pub words: &'p [String],
    /// Working folder, in the workspace.
    pub cwd: &'p str,
    /// Environment variables in addition to the default ones.
    pub env: &'p BTreeMap<String, String>,
    /// Whether it may use the network.
    pub network: bool,
    /// Folders outside the workspace that it may write; `env` should name them, so that the person who
    /// approves the command sees them.
    pub writable: &'p [PathBuf],
    /// Whether its standard output and its standard error are one stream, which keeps their order.
    pub joins_streams: bool,
}

/// How a program ended, and what it left in guarded places.
pub struct ProgramOutcome {
    /// How it ended, and its captured output.
    pub outcome: CommandOutcome,
    /// Files that it created in guarded places; those not approved were removed.
    pub created_guarded: Vec<Created>,
    /// True if the workspace is too large to be checked for such places.
    pub guarded_unchecked: bool,
}

impl ProgramRun<'_> {
    /// The effects of running it.
    ///
    /// # Errors
    /// If it cannot be a command, or its folder cannot be reached.
    pub fn effects(&self, context: &Context<'_>) -> Result<Vec<Effect>, ToolError> {
        let request = self.request();
        request.check()?;
        request.effects(context)
    }

    /// The command as a line for a shell.
    #[must_use]
    pub fn line(&self) -> String {
        self.request().display_line()
    }

    /// Runs it to its end, at most for `timeout` and until the call is cancelled; both are results.
    /// Captures at most `most` bytes of each stream; `seen` receives every piece of output.
    ///
    /// # Errors
    /// If it does not start, or if policy has decided on another command.
    pub fn run(
        &self,
        context: &Context<'_>,
        timeout: Duration,
        most: usize,
        seen: &mut dyn FnMut(OutputStream, &[u8]),
    ) -> Result<ProgramOutcome, ToolError> {
        self.run_with(context, timeout, None, most, seen)
    }

    /// Like [`ProgramRun::run`], for a program that must not be killed in the middle of its work: when the call is
    /// cancelled or its time is up, it gets SIGINT, and `grace` to end by itself. Its streams must be joined, so that
    /// it leads a session.
    ///
    /// # Errors
    /// As [`ProgramRun::run`].
    pub fn run_gracefully(
        &self,
        context: &Context<'_>,
        timeout: Duration,
        grace: Duration,
        most: usize,
        seen: &mut dyn FnMut(OutputStream, &[u8]),
    ) -> Result<ProgramOutcome, ToolError> {
        self.run_with(context, timeout, Some(grace), most, seen)
    }

    fn run_with(
        &self,
        context: &Context<'_>,
        timeout: Duration,
        grace: Option<Duration>,
        most: usize,
        seen: &mut dyn FnMut(OutputStream, &[u8]),
    ) -> Result<ProgramOutcome, ToolError> {
        // What was planned may depend on files that have changed since policy decided.
        if !self.effects(context)?.iter().all(|effect| context.is_granted(effect)) {
            let message = format!("{}: the command is another one by now; nothing ran", self.tool);
            return Err(ToolError::new(Code::Conflict, message).hint("call it again"));
        }
        let before = Before::look(context, self.tool);
        let input = if self.joins_streams { Input::Session } else { Input::Null };
        let (mut command, policy_command) =
            self.request().prepare(context, Some(&before), input, Limits::default())?;
        command.has_sandbox_proxy = grace.is_some();
        context.check_interrupt(self.tool)?;
        let child =
            Launcher::current().start(command).map_err(|e| sandbox::refused(self.tool, &e))?;
        let outcome = match grace.zip(child.sandbox_proxy()) {
            Some((grace, proxy)) => {
                let end = GracefulEnd { proxy, timeout, grace, interrupt: context.interrupt };
                end.collect(child, most, seen)
            }
            None => child.collect(most, Some(timeout), context.interrupt, seen),
        };
        let settled = before.settle(context, &policy_command);
        context.workspace.files_may_have_changed();
        Ok(ProgramOutcome {
            outcome,
            created_guarded: settled.created,
            guarded_unchecked: settled.is_partial,
        })
    }

    fn request(&self) -> CommandRequest<'_> {
        let (program, arguments) = match self.words {
            [program, arguments @ ..] => (program.as_str(), arguments),
            [] => ("", &[][..]),
        };
        CommandRequest {
            tool: self.tool,
            line: program,
            arguments: Some(arguments),
            cwd: self.cwd,
            env: self.env,
            input: None,
            network: self.network,
            sandbox: true,
            writable: self.writable,
        }
    }
}

/// How often the flags are checked.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The end of a program that is asked to end before it is killed.
struct GracefulEnd<'e> {
    proxy: SandboxProxy,
    timeout: Duration,
    grace: Duration,
    interrupt: &'e AtomicBool,
}

impl GracefulEnd<'_> {
    fn collect(
        &self,
        child: Child,
        most: usize,
        seen: &mut dyn FnMut(OutputStream, &[u8]),
    ) -> CommandOutcome {
        let (ended, kill) = (AtomicBool::new(false), AtomicBool::new(false));
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let is_ended = || ended.load(Ordering::Relaxed);
                let wait = |limit: Duration, until: &dyn Fn() -> bool| {
                    let started = Instant::now();
                    while !is_ended() && !until() && started.elapsed() < limit {
                        std::thread::sleep(POLL_INTERVAL);
                    }
                };
                wait(self.timeout, &|| self.interrupt.load(Ordering::Relaxed));
                if is_ended() {
                    return;
                }
                // If it has ended meanwhile, there is nobody to receive it.
                let _ = self.proxy.interrupt();
                wait(self.grace, &|| false);
                kill.store(true, Ordering::Relaxed);
            });
            let outcome = child.collect(most, None, &kill, seen);
            ended.store(true, Ordering::Relaxed);
            outcome
        })
    }
}
