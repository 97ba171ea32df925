//! A command that has been started.

use std::fs::File;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, open};
use rustix::pipe::{PipeFlags, fcntl_setpipe_size, pipe_with};

use crate::channel::{self, MOST_DESCRIPTORS};
use crate::door::Door;
use crate::plan::{Ending, FIXED_DESCRIPTORS, Place, Plan, Refusal, Report, Writable};
use crate::spare::Waiting;
use crate::{
    Command, Confinement, Filesystem, Folder, Input, Isolation, Limits, Mechanisms, Network,
    ProcessError, Program, Protected,
};

/// How long the launcher may take until the command runs.
const START: Duration = Duration::from_secs(30);
/// How long it may take to end everything; it is killed then, and the kernel does the rest.
const END: Duration = Duration::from_secs(2);
/// Longest single argument that the kernel takes, in bytes with its NUL.
const LONGEST_ARGUMENT: usize = 128 << 10;
/// Most bytes of arguments and environment together.
const MOST_ARGUMENTS: usize = 1 << 20;
/// Bytes that a pipe holds, where the system lets it.
const PIPE: usize = 256 << 10;

/// What starts commands: a program that calls [`launcher_main`](crate::launcher_main) when its
/// first argument is [`LAUNCHER_ARGUMENT`].
#[derive(Debug, Clone)]
pub struct Launcher {
    program: PathBuf,
    mechanisms: Mechanisms,
}

impl Launcher {
    /// The running program itself, also when its file has been replaced meanwhile.
    #[must_use]
    pub fn current() -> Self {
        Self { program: PathBuf::from("/proc/self/exe"), mechanisms: Mechanisms::default() }
    }

    /// The same, without the means that `mechanisms` takes away.
    #[must_use]
    pub fn with(self, mechanisms: Mechanisms) -> Self {
        Self { mechanisms, ..self }
    }

    /// Whether commands can be confined here, tried out: what is in force around one that does
    /// nothing, in `/`, that may write nowhere but to its `TMPDIR` and has no network.
    ///
    /// # Errors
    /// What is missing.
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
                may_hold: false,
            },
            limits: Limits::default(),
            has_door: false,
        })?;
        child.wait();
        Ok(child.confinement().clone())
    }

    /// Starts a command. It runs, confined as asked, once this returns.
    ///
    /// # Errors
    /// When it does not run; nothing is left of it then.
    pub fn start(&self, command: Command) -> Result<Child, ProcessError> {
        let program = arguments(&command)?;
        let failed = |e: rustix::io::Errno| ProcessError::failed("making a pipe", e);
        let (their_output, output) = pipe().map_err(failed)?;
        let (their_errors, errors) = pipe().map_err(failed)?;
        let (their_input, input) = match &command.input {
            Input::Null => {
                let flags = OFlags::RDONLY | OFlags::CLOEXEC;
                (open("/dev/null", flags, Mode::empty()).map_err(failed)?, None)
            }
            Input::Bytes(_) | Input::Piped => {
                let (theirs, ours) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC).map_err(failed)?;
                (theirs, Some(ours))
            }
        };
        let (writable, protected) = match command.isolation.filesystem {
            Filesystem::Open => (None, Protected::default()),
            Filesystem::Confined { writable, protected } => (Some(writable), protected),
        };
        let folders: &[Folder] = writable.as_deref().unwrap_or_default();
        // The door, and the launcher's own socket.
        if FIXED_DESCRIPTORS + folders.len() + 2 > MOST_DESCRIPTORS {
            let reason = "too many writable folders".to_owned();
            return Err(ProcessError::Invalid { reason });
        }
        let pair = command.has_door.then(UnixStream::pair).transpose();
        let (door, their_door) =
            pair.map_err(|e| ProcessError::failed("making a socket", e))?.unzip();
        let descriptors: Vec<BorrowedFd<'_>> =
            [&their_input, &their_output, &their_errors, &command.cwd.handle]
                .into_iter()
                .chain(folders.iter().map(|f| &f.handle))
                .map(AsFd::as_fd)
                .chain(their_door.as_ref().map(AsFd::as_fd))
                .collect();
        let plan = Plan {
            program,
            environment: command.environment,
            temporary_folders: command.temporary_folders,
            cwd: command.cwd.path.clone(),
            writable: writable
                .as_ref()
                .map(|all| all.iter().map(|f| Writable { path: f.path.clone() }).collect()),
            protected,
            network: command.isolation.network,
            may_trace: command.isolation.may_trace,
            may_hold: command.isolation.may_hold,
            limits: command.limits,
            has_door: their_door.is_some(),
            mechanisms: self.mechanisms,
            in_namespaces: false,
            sockets: Vec::new(),
            temporary: PathBuf::new(),
        };

        let failed = |e: std::io::Error| ProcessError::failed("starting the launcher", e);
        let Waiting { control, process: launcher, .. } =
            Waiting::take(&self.program).map_err(failed)?;
        let mut child = Child {
            stdin: input.map(File::from),
            stdout: Some(File::from(output)),
            stderr: Some(File::from(errors)),
            bytes: match command.input {
                Input::Bytes(bytes) => bytes,
                Input::Null | Input::Piped => Vec::new(),
            },
            control,
            door: door.map(Door::new),
            program: self.program.clone(),
            launcher,
            confinement: None,
            temporary: PathBuf::new(),
            ending: None,
            ended: false,
        };
        child.control.set_write_timeout(Some(START)).map_err(failed)?;
        child.control.set_read_timeout(Some(START)).map_err(failed)?;
        let sent = channel::send(&child.control, &plan, &descriptors);
        drop(descriptors);
        drop((their_input, their_output, their_errors, their_door));
        // Where sending failed, the launcher has said why, or is gone.
        child.started().map_err(|error| match sent {
            Err(sent) if child.ended => ProcessError::failed("talking to the launcher", sent),
            _ => error,
        })?;
        child.control.set_read_timeout(None).map_err(failed)?;
        Ok(child)
    }
}

fn pipe() -> rustix::io::Result<(OwnedFd, OwnedFd)> {
    let (ours, theirs) = pipe_with(PipeFlags::CLOEXEC)?;
    // A matter of speed only.
    let _ = fcntl_setpipe_size(&ours, PIPE);
    Ok((theirs, ours))
}

/// The program and its arguments, checked against what the kernel takes.
fn arguments(command: &Command) -> Result<Vec<String>, ProcessError> {
    let invalid = |reason: String| Err(ProcessError::Invalid { reason });
    let program = match &command.program {
        Program::Shell(line) => {
            ["/bin/sh", "-c", line].into_iter().map(str::to_owned).collect::<Vec<_>>()
        }
        Program::Arguments(arguments) => arguments.clone(),
    };
    if program.first().is_none_or(String::is_empty) {
        return invalid("no program is named".to_owned());
    }
    let pairs = command.environment.iter();
    let mut sizes = program.iter().map(String::len).collect::<Vec<_>>();
    sizes.extend(pairs.clone().map(|(name, value)| name.len() + value.len() + 1));
    if let Some(size) = sizes.iter().find(|size| **size >= LONGEST_ARGUMENT) {
        return invalid(format!(
            "one argument has {size} bytes; the kernel takes {} at most",
            LONGEST_ARGUMENT - 1
        ));
    }
    if sizes.iter().sum::<usize>() > MOST_ARGUMENTS {
        return invalid(format!("arguments and environment exceed {MOST_ARGUMENTS} bytes"));
    }
    if program.iter().any(|argument| argument.contains('\0')) {
        return invalid("it holds a NUL".to_owned());
    }
    for (name, value) in pairs {
        if name.is_empty() || name.contains(['=', '\0']) || value.contains('\0') {
            return invalid(format!("`{name:.60}` is not a valid variable name"));
        }
    }
    Ok(program)
}

/// A command that has been started. Dropped, it is killed with all that it started.
#[derive(Debug)]
pub struct Child {
    /// Where its input is written to, with [`Input::Piped`] or [`Input::Bytes`].
    pub stdin: Option<File>,
    /// Where its output is read from.
    pub stdout: Option<File>,
    /// Where its errors are read from.
    pub stderr: Option<File>,
    pub(crate) bytes: Vec<u8>,
    /// The launcher ends everything when this end closes, however that comes about.
    pub(crate) control: UnixStream,
    door: Option<Door>,
    program: PathBuf,
    launcher: std::process::Child,
    confinement: Option<Confinement>,
    temporary: PathBuf,
    ending: Option<Ending>,
    /// Whether the launcher is gone, and all with it.
    ended: bool,
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// By itself, with this exit code.
    Code(i32),
    /// By this signal.
    Signal(i32),
    /// It was killed from here.
    Killed,
}

impl Child {
    /// What is in force around it.
    #[must_use]
    pub fn confinement(&self) -> &Confinement {
        // `Launcher::start` gives out no child without.
        static NONE: Confinement = Confinement::NONE;
        self.confinement.as_ref().unwrap_or(&NONE)
    }

    /// Its `TMPDIR`, which is gone with it.
    #[must_use]
    pub fn temporary_folder(&self) -> &Path {
        &self.temporary
    }

    /// What more can be wanted of where it runs; `None` without [`Command::has_door`].
    #[must_use]
    pub fn door(&self) -> Option<Door> {
        self.door.clone()
    }

    fn started(&mut self) -> Result<(), ProcessError> {
        match channel::receive::<Report>(&self.control) {
            Ok(Some((Report::Started(confinement, Place(temporary)), _))) => {
                self.confinement = Some(confinement);
                self.temporary = temporary;
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
                Err(ProcessError::failed("starting the launcher", "it ended without a word"))
            }
            Err(error) => Err(ProcessError::failed("starting the launcher", error)),
        }
    }

    /// Begins to kill it and all that it started.
    pub fn kill(&self) {
        // It may be gone already.
        let _ = self.control.shutdown(std::net::Shutdown::Write);
        let _ = self.control.set_read_timeout(Some(END));
    }

    /// Takes in a report. False once there are no more: everything has ended.
    pub(crate) fn take_report(&mut self) -> bool {
        match channel::receive::<Report>(&self.control) {
            Ok(Some((Report::Ended(ending), _))) => {
                self.ending = Some(ending);
                true
            }
            Ok(Some(_)) => true,
            Ok(None) => false,
            Err(error) => {
                tracing::warn!("the launcher of a command does not answer: {error}");
                // The kernel kills what it holds together.
                let _ = self.launcher.kill();
                false
            }
        }
    }

    /// Waits until it has ended, and all that it started.
    pub fn wait(&mut self) -> Status {
        while !self.ended && self.take_report() {}
        self.reap();
        match self.ending {
            Some(Ending::Code(code)) => Status::Code(code),
            Some(Ending::Signal(signal)) => Status::Signal(signal),
            None => Status::Killed,
        }
    }

    /// Waits until the command has ended by itself, `longest` at most. What it started may live on.
    pub fn ends_within(&mut self, longest: Duration) -> bool {
        let begun = Instant::now();
        while !self.ended && self.ending.is_none() {
            let left = longest.saturating_sub(begun.elapsed());
            let left = Timespec::try_from(left).ok();
            let mut waited = [PollFd::new(&self.control, PollFlags::IN)];
            match poll(&mut waited, left.as_ref()) {
                Ok(0) => return false,
                Ok(_) if !self.take_report() => return true,
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => {
                    tracing::warn!("a command cannot be waited for: {error}");
                    return false;
                }
            }
        }
        true
    }

    fn reap(&mut self) {
        self.ended = true;
        let _ = self.launcher.wait();
        // Not before: it would take the processor from a short command.
        Waiting::prepare(&self.program);
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        if !self.ended {
            self.kill();
            while self.take_report() {}
        }
        self.reap();
    }
}
