//! What supervisors and keepers send each other.

use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};

use crate::plan::{PathMessage, Refusal};
use crate::supervisor::ProcessStatus;
use crate::{
    Command, Confinement, Filesystem, Folder, Input, Isolation, Limits, Network, ProcessError,
    Program, Protected, TerminalSize,
};

/// What a keeper shall run. Sent with file descriptors: the process's folder, the working folder, and the
/// writable folders.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct KeepPlan {
    pub(super) id: String,
    pub(super) name: Option<String>,
    pub(super) note: String,
    pub(super) folder: PathMessage,
    pub(super) program: Program,
    pub(super) cwd: PathMessage,
    pub(super) environment: Vec<(String, String)>,
    pub(super) temporary_folders: Vec<String>,
    pub(super) terminal: Option<TerminalSize>,
    pub(super) writable: Option<Vec<PathMessage>>,
    pub(super) protected: Protected,
    pub(super) network: Network,
    pub(super) may_trace: bool,
    pub(super) limits: Limits,
}

/// The answer to a plan.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum KeepReport {
    Started,
    Refused(Refusal),
}

impl KeepPlan {
    /// Splits a command into the plan and the handles of its folders.
    pub(super) fn new(
        id: String,
        name: Option<String>,
        note: String,
        folder: PathBuf,
        command: Command,
    ) -> (Self, Vec<std::os::fd::OwnedFd>) {
        let terminal = match command.input {
            Input::Terminal(size) => Some(size),
            Input::Null | Input::Bytes(_) | Input::Piped | Input::Session => None,
        };
        let mut handles = vec![command.cwd.handle];
        let (writable, protected) = match command.isolation.filesystem {
            Filesystem::Open => (None, Protected::default()),
            Filesystem::Confined { writable, protected } => {
                let paths = writable.into_iter().map(|folder| {
                    handles.push(folder.handle);
                    PathMessage(folder.path)
                });
                (Some(paths.collect()), protected)
            }
        };
        let plan = Self {
            id,
            name,
            note,
            folder: PathMessage(folder),
            program: command.program,
            cwd: PathMessage(command.cwd.path),
            environment: command.environment,
            temporary_folders: command.temporary_folders,
            terminal,
            writable,
            protected,
            network: command.isolation.network,
            may_trace: command.isolation.may_trace,
            limits: command.limits,
        };
        (plan, handles)
    }

    /// The command again, with the handles of its folders. `None` if handles are missing.
    pub(super) fn command(&self, handles: Vec<std::os::fd::OwnedFd>) -> Option<Command> {
        let mut handles = handles.into_iter();
        let mut folder =
            |path: &PathMessage| Some(Folder { handle: handles.next()?, path: path.0.clone() });
        let cwd = folder(&self.cwd)?;
        let filesystem = match &self.writable {
            None => Filesystem::Open,
            Some(paths) => Filesystem::Confined {
                writable: paths.iter().map(folder).collect::<Option<_>>()?,
                protected: self.protected.clone(),
            },
        };
        Some(Command {
            program: self.program.clone(),
            cwd,
            environment: self.environment.clone(),
            temporary_folders: self.temporary_folders.clone(),
            input: self.terminal.map_or(Input::Session, Input::Terminal),
            isolation: Isolation {
                filesystem,
                network: self.network,
                may_trace: self.may_trace,
                may_attach_anywhere: false,
            },
            limits: self.limits,
            has_sandbox_proxy: true,
        })
    }
}

/// An error as a report, and back.
impl From<ProcessError> for Refusal {
    fn from(error: ProcessError) -> Self {
        match error {
            ProcessError::Unavailable { missing } => Self::Unavailable(missing),
            ProcessError::NoProgram { program } => Self::NoProgram(program),
            ProcessError::FolderChanged { path } => Self::FolderChanged(path),
            ProcessError::Invalid { reason } => Self::failed("starting the command", reason),
            ProcessError::Failed { action, message } => Self::Failed { action, message },
        }
    }
}

impl From<Refusal> for ProcessError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Unavailable(missing) => Self::Unavailable { missing },
            Refusal::NoProgram(program) => Self::NoProgram { program },
            Refusal::FolderChanged(path) => Self::FolderChanged { path },
            Refusal::Failed { action, message } => Self::Failed { action, message },
        }
    }
}

/// What is known of a kept process from its start on.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct About {
    pub(super) id: String,
    pub(super) name: Option<String>,
    pub(super) note: String,
    pub(super) started: SystemTime,
    pub(super) pid: Option<u32>,
    pub(super) is_terminal: bool,
    pub(super) confinement: Confinement,
}

/// How and when it ended.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct Ended {
    pub(super) status: ProcessStatus,
    pub(super) at: SystemTime,
}

/// A request to a keeper. Only [`KeeperRequest::Follow`] is answered by frames.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum KeeperRequest {
    /// The output from the oldest kept byte on, and the end.
    Follow,
    Write {
        bytes: Vec<u8>,
        milliseconds: u64,
    },
    EndInput {
        milliseconds: u64,
    },
    Resize(TerminalSize),
    Signal(i32),
    Kill,
    Connect {
        port: u16,
    },
}

/// A keeper's answer. [`KeeperAnswer::Done`] to `Connect` comes with the connection.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum KeeperAnswer {
    Done,
    Closed,
    NotRead { written: usize, total: usize },
    NoTerminal,
    Failed(String),
}

/// A part of what follows [`KeeperRequest::Follow`].
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Frame {
    /// Output from this offset on.
    Output(u64, Vec<u8>),
    /// The output that was there when the connection was made is complete.
    CaughtUp,
    /// How it ended, as JSON.
    Ended(Vec<u8>),
}

const OUTPUT: u8 = 0;
const ENDED: u8 = 1;
const CAUGHT_UP: u8 = 2;
/// Largest frame, in bytes.
pub(super) const MAX_FRAME: usize = 256 << 10;

impl Frame {
    pub(super) fn write(&self, to: &mut impl Write) -> io::Result<()> {
        let (kind, offset, bytes) = match self {
            Self::Output(offset, bytes) => (OUTPUT, *offset, &bytes[..]),
            Self::CaughtUp => (CAUGHT_UP, 0, &[][..]),
            Self::Ended(bytes) => (ENDED, 0, &bytes[..]),
        };
        let length = u32::try_from(bytes.len()).map_err(io::Error::other)?;
        let mut head = [kind; 13];
        head[1..9].copy_from_slice(&offset.to_le_bytes());
        head[9..].copy_from_slice(&length.to_le_bytes());
        to.write_all(&head)?;
        to.write_all(bytes)
    }

    pub(super) fn read(from: &mut impl Read) -> io::Result<Self> {
        let mut head = [0; 13];
        from.read_exact(&mut head)?;
        let [kind, rest @ ..] = head;
        let (offset, length) = rest.split_at(8);
        let offset = u64::from_le_bytes(offset.try_into().map_err(io::Error::other)?);
        let length = u32::from_le_bytes(length.try_into().map_err(io::Error::other)?) as usize;
        if length > MAX_FRAME {
            return Err(io::Error::other("the frame is too large"));
        }
        let mut bytes = vec![0; length];
        from.read_exact(&mut bytes)?;
        match kind {
            OUTPUT => Ok(Self::Output(offset, bytes)),
            CAUGHT_UP => Ok(Self::CaughtUp),
            ENDED => Ok(Self::Ended(bytes)),
            _ => Err(io::Error::other("a frame of no known kind")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_survive_and_are_bounded() {
        let mut sent = Vec::new();
        let output = Frame::Output(7, b"out\xff".to_vec());
        let frames = [output, Frame::CaughtUp, Frame::Ended(b"{}".to_vec())];
        frames.iter().for_each(|frame| frame.write(&mut sent).unwrap());
        let mut from = &sent[..];
        for frame in frames {
            assert_eq!(Frame::read(&mut from).unwrap(), frame);
        }
        assert!(Frame::read(&mut from).is_err());
        let mut large = [OUTPUT; 13];
        large[9..].copy_from_slice(&u32::MAX.to_le_bytes());
        assert!(Frame::read(&mut &large[..]).is_err());
    }
}
