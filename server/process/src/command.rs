//! What to run, and with which isolation.

use std::os::fd::OwnedFd;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// A command to run.
#[derive(Debug)]
pub struct Command {
    /// The program.
    pub program: Program,
    /// The working folder.
    pub cwd: Folder,
    /// Its whole environment; start from [`clean_environment`](crate::clean_environment). `TMPDIR`
    /// is added: a folder of its own, deleted at its end.
    pub environment: Vec<(String, String)>,
    /// Environment variables to point to folders inside `TMPDIR`: caches whose default place is not
    /// writable.
    pub temporary_folders: Vec<String>,
    /// Its standard input.
    pub input: Input,
    /// Its isolation.
    pub isolation: Isolation,
    /// Its resource limits.
    pub limits: Limits,
    /// Whether [`Child::proxy`](crate::Child) is available while it runs.
    pub has_sandbox_proxy: bool,
}

/// The program of a command.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub enum Program {
    /// A line for `/bin/sh -c`.
    Shell(String),
    /// A program, searched on the environment's `PATH`, and its arguments.
    Arguments(Vec<String>),
}

/// A folder as an open handle. In the command's mount namespace it is opened again at `path`, and
/// checked to be the same folder.
#[derive(Debug)]
pub struct Folder {
    /// The handle.
    pub handle: OwnedFd,
    /// Its absolute path.
    pub path: PathBuf,
}

/// The standard input of a command.
#[derive(Debug, Default)]
pub enum Input {
    /// Nothing: `/dev/null`.
    #[default]
    Null,
    /// These bytes, then end of file.
    Bytes(Vec<u8>),
    /// A pipe: [`Child::stdin`](crate::Child).
    Piped,
    /// A pipe, likewise, for a program that runs long: both of its output streams are one pipe,
    /// [`Child::stdout`](crate::Child), which keeps the order of what it writes. It leads a session
    /// of its own, which [`SandboxProxy::signal`](crate::SandboxProxy::signal) reaches.
    Session,
    /// A terminal of this size, [`Child::terminal`](crate::Child), which controls a session of its
    /// own.
    Terminal(TerminalSize),
}

/// The size of a terminal, in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TerminalSize {
    /// Its rows.
    pub rows: u16,
    /// Its columns.
    pub columns: u16,
}

impl Default for TerminalSize {
    fn default() -> Self {
        Self { rows: 24, columns: 80 }
    }
}

/// The isolation of a command. In any case none of its processes outlives it.
#[derive(Debug)]
pub struct Isolation {
    /// Which files it may change.
    pub filesystem: Filesystem,
    /// What it may connect to.
    pub network: Network,
    /// Whether it may trace its own processes, as debuggers do.
    pub may_trace: bool,
    /// Whether it keeps `CAP_SYS_PTRACE`, so that a root user's debugger can attach to any process
    /// of the user. Ignored with a confined filesystem.
    pub may_attach_anywhere: bool,
}

/// Which files a command may change.
#[derive(Debug)]
pub enum Filesystem {
    /// All that the user may change.
    Open,
    /// Files below `writable` except protected ones, and those in its own `TMPDIR`.
    Confined {
        /// Writable folders.
        writable: Vec<Folder>,
        /// What is not writable in them.
        protected: Protected,
    },
}

/// Paths that a command may not change, or not even read, in spite of the writable folders.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Protected {
    /// Read-only files and folders, as absolute paths.
    #[serde(with = "crate::plan::paths")]
    pub paths: Vec<PathBuf>,
    /// Read-only files and folders that cannot be moved either: folders above them cannot be
    /// renamed. Renames between these folders and others fail with `EXDEV`.
    #[serde(with = "crate::plan::paths")]
    pub pinned: Vec<PathBuf>,
    /// Files and folders, anywhere, that cannot be read, as absolute paths.
    #[serde(with = "crate::plan::paths")]
    pub hidden: Vec<PathBuf>,
}

/// What a command may connect to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Network {
    /// Everything.
    Open,
    /// At most itself, over its own loopback.
    None,
}

/// Resource limits of a command.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Limits {
    /// Processes and threads, if the kernel can count them for the command alone.
    pub processes: u32,
    /// Open files per process.
    pub files: u64,
    /// Processor time of each process, in seconds.
    pub cpu_seconds: Option<u64>,
    /// Memory in bytes: of all processes together, with control groups, and that each can write to.
    pub memory_bytes: Option<u64>,
    /// Share of processor time of all processes together, if there are control groups: 100 is one
    /// processor.
    pub cpu_percent: Option<u32>,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            processes: 2_048,
            files: 16_384,
            cpu_seconds: None,
            memory_bytes: None,
            cpu_percent: None,
        }
    }
}

/// The kernel mechanisms to use: all, except in tests of what happens without one.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Mechanisms {
    /// User namespaces, and with them all other namespaces.
    pub user_namespaces: bool,
    /// Mounting in a mount namespace.
    pub mounts: bool,
    /// Landlock.
    pub landlock: bool,
    /// Seccomp filters.
    pub seccomp: bool,
}

impl Default for Mechanisms {
    fn default() -> Self {
        Self { user_namespaces: true, mounts: true, landlock: true, seccomp: true }
    }
}
