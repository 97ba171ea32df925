//! What is to be run, and how confined.

use std::os::fd::OwnedFd;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

/// A command.
#[derive(Debug)]
pub struct Command {
    /// What is run.
    pub program: Program,
    /// The folder it is run in.
    pub cwd: Folder,
    /// Its whole environment; start from [`clean_environment`](crate::clean_environment). `TMPDIR`
    /// is added: a folder of its own, gone with it.
    pub environment: Vec<(String, String)>,
    /// Variables that are to name folders of its own inside `TMPDIR`: caches that may not be where
    /// they are by default.
    pub temporary_folders: Vec<String>,
    /// What it reads.
    pub input: Input,
    /// What it is kept from.
    pub isolation: Isolation,
    /// What it may use up.
    pub limits: Limits,
    /// Whether more is wanted of where it runs, while it does: [`Child::door`](crate::Child).
    pub has_door: bool,
}

/// What is run.
#[derive(Debug, Clone)]
pub enum Program {
    /// A line for `/bin/sh -c`.
    Shell(String),
    /// A program, looked up on the environment's `PATH`, and its arguments.
    Arguments(Vec<String>),
}

/// A folder, by its handle. The path is where a fresh view of the file system finds it; it is
/// checked to be the same folder.
#[derive(Debug)]
pub struct Folder {
    /// The handle.
    pub handle: OwnedFd,
    /// Its absolute path.
    pub path: PathBuf,
}

/// What a command reads on its standard input.
#[derive(Debug, Default)]
pub enum Input {
    /// Nothing: `/dev/null`.
    #[default]
    Null,
    /// These bytes, then the end.
    Bytes(Vec<u8>),
    /// What is written to [`Child::stdin`](crate::Child).
    Piped,
}

/// What a command is kept from. Its processes are always contained: none outlives it.
#[derive(Debug)]
pub struct Isolation {
    /// Which files it may change.
    pub filesystem: Filesystem,
    /// Whom it may talk to.
    pub network: Network,
    /// Whether it may trace its own processes, as debuggers do.
    pub may_trace: bool,
    /// Whether it may take hold of any process of this user's, whatever rights that has: a root
    /// user's debugger is left the one right of all that it needs for it. Nothing where it is confined.
    pub may_hold: bool,
}

/// Which files a command may change.
#[derive(Debug)]
pub enum Filesystem {
    /// Those that the user may.
    Open,
    /// Those below `writable`, but for what is protected there, and those in its own `TMPDIR`.
    Confined {
        /// Folders that may be written to.
        writable: Vec<Folder>,
        /// What may not be, even there.
        protected: Protected,
    },
}

/// What a command may not change, or not even read, in spite of the writable folders.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct Protected {
    /// Files and folders by absolute path.
    #[serde(with = "crate::plan::paths")]
    pub paths: Vec<PathBuf>,
    /// Files and folders by absolute path that can not be put elsewhere either: the folders above them
    /// cannot be renamed. Renames between these folders and others fail with `EXDEV`.
    #[serde(with = "crate::plan::paths")]
    pub pinned: Vec<PathBuf>,
    /// Files and folders by absolute path, anywhere, that cannot be read.
    #[serde(with = "crate::plan::paths")]
    pub hidden: Vec<PathBuf>,
}

/// Whom a command may talk to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Network {
    /// Anybody.
    Open,
    /// Itself at most.
    None,
}

/// What a command may use up.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Limits {
    /// Processes and threads at a time, where the kernel can count them for one command alone.
    pub processes: u32,
    /// Open files of each process.
    pub files: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self { processes: 2_048, files: 16_384 }
    }
}

/// The kernel's means that may be used: all of them, but where a test takes one away to see what
/// happens without it.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct Mechanisms {
    /// User namespaces, and with them all others.
    pub user_namespaces: bool,
    /// Mounting in a mount namespace.
    pub mounts: bool,
    /// Landlock.
    pub landlock: bool,
    /// Filters of system calls.
    pub seccomp: bool,
}

impl Default for Mechanisms {
    fn default() -> Self {
        Self { user_namespaces: true, mounts: true, landlock: true, seccomp: true }
    }
}
