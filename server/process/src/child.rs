//! Starts commands, and controls a running one.

use std::fs::File;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, open};
use rustix::pipe::{PipeFlags, fcntl_setpipe_size, pipe_with};

use crate::channel::{self, MAX_DESCRIPTORS};
use crate::plan::{
    CommandEnd, FIXED_DESCRIPTORS, PathMessage, Plan, Refusal, Report, WritableFolder,
};
use crate::sandbox_proxy::SandboxProxy;
use crate::spare::SpareLauncher;
use crate::{
    Command, Confinement, Filesystem, Folder, Input, Isolation, Limits, Mechanisms, Network,
    ProcessError, Program, Protected,
};

/// How long the launcher may take to start the command.
const START_TIMEOUT: Duration = Duration::from_secs(30);
/// How long it may take to end everything; then it is killed, and the kernel kills the rest.
pub(crate) const END_TIMEOUT: Duration = Duration::from_secs(2);
/// The kernel's size limit of a single argument, in bytes with its NUL.
const MAX_ARGUMENT_SIZE: usize = 128 << 10;
/// Size limit of arguments and environment together, in bytes.
const MAX_ARGUMENTS_SIZE: usize = 1 << 20;
/// Capacity of a pipe, in bytes, if the system allows it.
const PIPE_CAPACITY: usize = 256 << 10;

/// Starts commands. Its program must call [`launcher_main`](crate::launcher_main) if its first
/// argument is [`LAUNCHER_ARGUMENT`].
#[derive(Debug, Clone)]
pub struct Launcher {
    program: PathBuf,
    mechanisms: Mechanisms,
}

impl Launcher {
    /// The running program itself, even if its file has been replaced meanwhile.
    #[must_use]
    pub fn current() -> Self {
        Self { program: PathBuf::from("/proc/self/exe"), mechanisms: Mechanisms::default() }
    }

    /// The same with these mechanisms only.
    #[must_use]
    pub fn with(self, mechanisms: Mechanisms) -> Self {
        Self { mechanisms, ..self }
    }

    /// Tests whether commands can be isolated here: runs a command that does nothing, without
    /// network and writable only in its `TMPDIR`, and returns the isolation in force.
    ///
    /// # Errors
    /// Which mechanism is missing.
    pub fn check(&self) -> Result<Confinement, ProcessError> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let handle = open("/", flags, Mode::empty()).map_err(|e| ProcessError::failed("/", e))?;
        let protected = Protected::default();
        let filesystem = Filesystem::Confined { writable: Vec::new(), protected };
        let mut child = self.start(Command {
            program: Program::Shell(":".to_owned()),
            cwd: Folder { handle, path: PathBuf::from("/") },
            environment: Vec::new(),
            temporary_folders: Vec::new(),
            input: Input::Null,
            isolation: Isolation {
                filesystem,
                network: Network::None,
                may_trace: false,
                may_attach_anywhere: false,
            },
            limits: Limits::default(),
            has_sandbox_proxy: false,
        })?;
        child.wait();
        Ok(child.confinement().clone())
    }

    /// Starts a command. It runs with its isolation once this returns.
    ///
    /// # Errors
    /// When it does not run; no process is left then.
    pub fn start(&self, command: Command) -> Result<Child, ProcessError> {
        let program = arguments(&command)?;
        let failed = |e: rustix::io::Errno| ProcessError::failed("making a pipe", e);
        let (their_output, output) = pipe().map_err(failed)?;
        let (own_session, terminal) = match command.input {
            Input::Session => (true, None),
            Input::Terminal(size) => (true, Some(size)),
            Input::Null | Input::Bytes(_) | Input::Piped => (false, None),
        };
        let (their_errors, errors) = if own_session {
            // Both streams are one pipe.
            let their_errors = their_output.try_clone();
            (their_errors.map_err(|e| ProcessError::failed("making a pipe", e))?, None)
        } else {
            let (theirs, ours) = pipe().map_err(failed)?;
            (theirs, Some(ours))
        };
        let (their_input, input) = match &command.input {
            Input::Null | Input::Terminal(_) => {
                let flags = OFlags::RDONLY | OFlags::CLOEXEC;
                (open("/dev/null", flags, Mode::empty()).map_err(failed)?, None)
            }
            Input::Bytes(_) | Input::Piped | Input::Session => {
                let (theirs, ours) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC).map_err(failed)?;
                (theirs, Some(ours))
            }
        };
        let (writable, protected) = match command.isolation.filesystem {
            Filesystem::Open => (None, Protected::default()),
            Filesystem::Confined { writable, protected } => (Some(writable), protected),
        };
        let folders: &[Folder] = writable.as_deref().unwrap_or_default();
        // Two more: the proxy's socket, and the launcher's own.
        if FIXED_DESCRIPTORS + folders.len() + 2 > MAX_DESCRIPTORS {
            let reason = "too many writable folders".to_owned();
            return Err(ProcessError::Invalid { reason });
        }
        let pair = command.has_sandbox_proxy.then(UnixStream::pair).transpose();
        let (proxy, their_proxy) =
            pair.map_err(|e| ProcessError::failed("making a socket", e))?.unzip();
        let descriptors: Vec<BorrowedFd<'_>> =
            [&their_input, &their_output, &their_errors, &command.cwd.handle]
                .into_iter()
                .chain(folders.iter().map(|f| &f.handle))
                .map(AsFd::as_fd)
                .chain(their_proxy.as_ref().map(AsFd::as_fd))
                .collect();
        let plan = Plan {
            program,
            environment: command.environment,
            temporary_folders: command.temporary_folders,
            cwd: command.cwd.path.clone(),
            writable: writable
                .as_ref()
                .map(|all| all.iter().map(|f| WritableFolder { path: f.path.clone() }).collect()),
            protected,
            network: command.isolation.network,
            may_trace: command.isolation.may_trace,
            may_hold: command.isolation.may_attach_anywhere,
            limits: command.limits,
            own_session,
            terminal,
            has_door: their_proxy.is_some(),
            mechanisms: self.mechanisms,
            in_namespaces: false,
            sockets: Vec::new(),
            temporary: PathBuf::new(),
        };

        let failed = |e: std::io::Error| ProcessError::failed("starting the launcher", e);
        let SpareLauncher { control, process: launcher, .. } =
            SpareLauncher::take_or_start(&self.program).map_err(failed)?;
        let mut child = Child {
            stdin: input.map(File::from),
            stdout: terminal.is_none().then(|| File::from(output)),
            stderr: errors.map(File::from),
            terminal: None,
            pid: None,
            bytes: match command.input {
                Input::Bytes(bytes) => bytes,
                Input::Null | Input::Piped | Input::Session | Input::Terminal(_) => Vec::new(),
            },
            control,
            proxy: proxy.map(SandboxProxy::new),
            program: self.program.clone(),
            launcher,
            confinement: None,
            temporary: PathBuf::new(),
            ending: None,
            ended: false,
        };
        child.control.set_write_timeout(Some(START_TIMEOUT)).map_err(failed)?;
        child.control.set_read_timeout(Some(START_TIMEOUT)).map_err(failed)?;
        let sent = channel::send(&child.control, &plan, &descriptors);
        drop(descriptors);
        drop((their_input, their_output, their_errors, their_proxy));
        // If sending failed, the launcher has exited or reported why.
        child.receive_start().map_err(|error| match sent {
            Err(sent) if child.ended => ProcessError::failed("talking to the launcher", sent),
            _ => error,
        })?;
        child.control.set_read_timeout(None).map_err(failed)?;
        Ok(child)
    }
}

/// The process id of a pidfd, as this process sees it.
fn pid_of(process: &OwnedFd) -> Option<u32> {
    let path = format!("/proc/self/fdinfo/{}", process.as_raw_fd());
    let listed = std::fs::read_to_string(path).ok()?;
    let pid = listed.lines().find_map(|line| line.strip_prefix("Pid:"))?;
    pid.trim().parse().ok().filter(|pid| *pid > 0)
}

fn pipe() -> rustix::io::Result<(OwnedFd, OwnedFd)> {
    let (ours, theirs) = pipe_with(PipeFlags::CLOEXEC)?;
    // Only for speed.
    let _ = fcntl_setpipe_size(&ours, PIPE_CAPACITY);
    Ok((theirs, ours))
}

/// The program and its arguments, checked against the kernel's limits.
fn arguments(command: &Command) -> Result<Vec<String>, ProcessError> {
    let invalid = |reason: String| Err(ProcessError::Invalid { reason });
    let program = match &command.program {
        Program::Shell(line) => {
            ["/bin/sh", "-c", line].into_iter().map(str::to_owned).collect::<Vec<_>>()
        }
        Program::Arguments(arguments) => arguments.clone(),
    };
    if program.first().is_none_or(String::is_empty) {
        return invalid("no program is given".to_owned());
    }
    let pairs = command.environment.iter();
    let mut sizes = program.iter().map(String::len).collect::<Vec<_>>();
    sizes.extend(pairs.clone().map(|(name, value)| name.len() + value.len() + 1));
    if let Some(size) = sizes.iter().find(|size| **size >= MAX_ARGUMENT_SIZE) {
        return invalid(format!(
            "one argument has {size} bytes, more than the kernel's limit of {}",
            MAX_ARGUMENT_SIZE - 1
        ));
    }
    if sizes.iter().sum::<usize>() > MAX_ARGUMENTS_SIZE {
        return invalid(format!("arguments and environment exceed {MAX_ARGUMENTS_SIZE} bytes"));
    }
    if program.iter().any(|argument| argument.contains('\0')) {
        return invalid("an argument contains a NUL".to_owned());
    }
    for (name, value) in pairs {
        if let Some(reason) = invalid_variable(name, value) {
            return invalid(reason);
        }
    }
    Ok(program)
}

/// Why an environment variable cannot be set, if it cannot.
#[must_use]
pub fn invalid_variable(name: &str, value: &str) -> Option<String> {
    if name.is_empty() || name.contains(['=', '\0']) {
        Some(format!("`{name:.60}` is not a valid variable name"))
    } else if value.contains('\0') {
        Some(format!("the value of `{name:.60}` contains a NUL"))
    } else {
        None
    }
}

/// A running command. Dropping it kills the command and all processes it started.
#[derive(Debug)]
pub struct Child {
    /// The writing end of its input, with [`Input::Piped`] or [`Input::Bytes`].
    pub stdin: Option<File>,
    /// The reading end of its output.
    pub stdout: Option<File>,
    /// The reading end of its standard error.
    pub stderr: Option<File>,
    /// Its terminal, with [`Input::Terminal`].
    pub terminal: Option<File>,
    /// Its process id, with a session of its own, if the system reveals it.
    pub pid: Option<u32>,
    pub(crate) bytes: Vec<u8>,
    /// The launcher ends everything when this socket closes, even if this process is killed.
    pub(crate) control: UnixStream,
    proxy: Option<SandboxProxy>,
    program: PathBuf,
    launcher: std::process::Child,
    confinement: Option<Confinement>,
    temporary: PathBuf,
    ending: Option<CommandEnd>,
    /// Whether the launcher has exited, and everything with it.
    ended: bool,
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExitStatus {
    /// It exited with this code.
    Code(i32),
    /// A signal from elsewhere killed it.
    Signal(i32),
    /// This crate killed it.
    Killed,
}

impl Child {
    /// The isolation in force around it.
    #[must_use]
    pub fn confinement(&self) -> &Confinement {
        // `Launcher::start` returns only children that have one.
        static NONE: Confinement = Confinement::NONE;
        self.confinement.as_ref().unwrap_or(&NONE)
    }

    /// Its `TMPDIR`, deleted at its end.
    #[must_use]
    pub fn temporary_folder(&self) -> &Path {
        &self.temporary
    }

    /// The proxy into its sandbox; `None` without [`Command::has_door`].
    #[must_use]
    pub fn sandbox_proxy(&self) -> Option<SandboxProxy> {
        self.proxy.clone()
    }

    fn receive_start(&mut self) -> Result<(), ProcessError> {
        match channel::receive::<Report>(&self.control) {
            Ok(Some((
                Report::Started(confinement, PathMessage(temporary), attached),
                received,
            ))) => {
                self.confinement = Some(confinement);
                self.temporary = temporary;
                let mut received = received.into_iter();
                if attached.process {
                    self.pid = received.next().and_then(|process| pid_of(&process));
                }
                if attached.terminal {
                    self.terminal = received.next().map(File::from);
                }
                Ok(())
            }
            Ok(Some((Report::Refused(refusal), _))) => Err(match refusal {
                Refusal::Unavailable(missing) => ProcessError::Unavailable { missing },
                Refusal::NoProgram(program) => ProcessError::NoProgram { program },
                Refusal::FolderChanged(path) => ProcessError::FolderChanged { path },
                Refusal::Failed { action, message } => ProcessError::Failed { action, message },
            }),
            Ok(_) => {
                self.ended = true;
                Err(ProcessError::failed("starting the launcher", "it exited without a report"))
            }
            Err(error) => Err(ProcessError::failed("starting the launcher", error)),
        }
    }

    /// Starts to kill it and all processes it started.
    pub fn kill(&self) {
        // It may have exited already.
        let _ = self.control.shutdown(std::net::Shutdown::Write);
        let _ = self.control.set_read_timeout(Some(END_TIMEOUT));
    }

    /// Receives a report. False at end of file: everything has ended.
    pub(crate) fn receive_report(&mut self) -> bool {
        match channel::receive::<Report>(&self.control) {
            Ok(Some((Report::Ended(ending), _))) => {
                self.ending = Some(ending);
                true
            }
            Ok(Some(_)) => true,
            Ok(None) => false,
            Err(error) => {
                tracing::warn!("the launcher of a command does not respond: {error}");
                // Killing the launcher makes the kernel kill everything it started.
                let _ = self.launcher.kill();
                false
            }
        }
    }

    /// Waits for its end, and that of all processes it started.
    pub fn wait(&mut self) -> ExitStatus {
        while !self.ended && self.receive_report() {}
        self.reap();
        match self.ending {
            Some(CommandEnd::Code(code)) => ExitStatus::Code(code),
            Some(CommandEnd::Signal(signal)) => ExitStatus::Signal(signal),
            None => ExitStatus::Killed,
        }
    }

    /// Waits for the command to end by itself, at most `longest`. Processes it started may live on.
    pub fn ends_within(&mut self, longest: Duration) -> bool {
        let begun = Instant::now();
        while !self.ended && self.ending.is_none() {
            let left = longest.saturating_sub(begun.elapsed());
            let left = Timespec::try_from(left).ok();
            let mut waited = [PollFd::new(&self.control, PollFlags::IN)];
            match poll(&mut waited, left.as_ref()) {
                Ok(0) => return false,
                Ok(_) if !self.receive_report() => return true,
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => {
                    tracing::warn!("cannot wait for a command: {error}");
                    return false;
                }
            }
        }
        true
    }

    /// Another handle of the socket whose end kills the command.
    pub(crate) fn killer(&self) -> std::io::Result<UnixStream> {
        self.control.try_clone()
    }

    /// Starts the launcher of the next command now: this one runs long.
    pub(crate) fn prepare_next(&self) {
        SpareLauncher::prepare(&self.program);
    }

    /// Kills the launcher, which makes the kernel kill everything it started.
    pub(crate) fn kill_launcher(&mut self) {
        let _ = self.launcher.kill();
    }

    fn reap(&mut self) {
        self.ended = true;
        let _ = self.launcher.wait();
        // Not earlier: it would compete with a short command for the processor.
        SpareLauncher::prepare(&self.program);
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if !self.ended {
            self.kill();
            while self.receive_report() {}
        }
        self.reap();
    }
}
