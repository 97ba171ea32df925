//! What was really in force around a command.

use serde::{Deserialize, Serialize};

/// What was really in force around a command, as the launcher found it after the last step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confinement {
    /// What keeps its processes together.
    pub processes: ProcessWall,
    /// What keeps its writes inside.
    pub filesystem: FilesystemWall,
    /// What keeps it off the network.
    pub network: NetworkWall,
    /// Whether dangerous system calls are refused.
    pub system_calls_filtered: bool,
    /// Whether connections to Unix sockets are made for it, and only to its own processes.
    pub connections_checked: bool,
    /// Most processes and threads at a time; null where nothing counts them for it alone.
    pub process_limit: Option<u32>,
    /// What is read-only inside the writable folders, by absolute path.
    pub protected: Vec<String>,
}

/// What keeps the processes of a command together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProcessWall {
    /// A PID namespace: the kernel kills all that is in it with its first process.
    Namespace,
    /// A reaper that all orphans come to, and that kills them.
    Reaper,
}

/// What keeps the writes of a command inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FilesystemWall {
    /// Nothing but the user's own permissions.
    Open,
    /// Landlock alone.
    Landlock,
    /// Landlock, and a mount namespace with read-only mounts over what is protected.
    LandlockAndMounts,
}

/// What keeps a command off the network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NetworkWall {
    /// Nothing.
    Open,
    /// A network namespace with a loopback of its own.
    Namespace,
    /// It cannot make sockets of any network.
    NoSockets,
}

impl Confinement {
    /// Nothing at all.
    pub(crate) const NONE: Self = Self {
        processes: ProcessWall::Reaper,
        filesystem: FilesystemWall::Open,
        network: NetworkWall::Open,
        system_calls_filtered: false,
        connections_checked: false,
        process_limit: None,
        protected: Vec::new(),
    };
}
