//! The isolation in force around a command.

use serde::{Deserialize, Serialize};

/// The isolation in force around a command, as the launcher found it after its last step.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Confinement {
    /// How its processes are kept together.
    pub processes: ProcessIsolation,
    /// How its writes are restricted.
    pub filesystem: FilesystemIsolation,
    /// How its network access is restricted.
    pub network: NetworkIsolation,
    /// Whether a seccomp filter refuses dangerous system calls.
    pub system_calls_filtered: bool,
    /// Whether `connect` to Unix sockets is limited to its own processes.
    pub connections_checked: bool,
    /// Limit of its processes and threads; null if the kernel cannot count them for it alone.
    pub process_limit: Option<u32>,
    /// The resource limits in force, except those of open files and core dumps.
    pub limits: Vec<AppliedLimit>,
    /// Absolute paths that are read-only inside the writable folders.
    pub protected: Vec<String>,
}

/// A resource limit in force around a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct AppliedLimit {
    /// What is limited.
    pub resource: LimitedResource,
    /// Seconds, bytes or processes.
    pub value: u64,
    /// What enforces it.
    pub mechanism: LimitMechanism,
    /// Whether each process has the limit for itself, instead of all together.
    pub per_process: bool,
}

/// A limited resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitedResource {
    /// Processor time.
    CpuSeconds,
    /// Memory: what can be written to, or with control groups what is in use.
    MemoryBytes,
    /// Processes and threads.
    Processes,
    /// Share of processor time: 100 is one processor.
    CpuPercent,
}

/// What enforces a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LimitMechanism {
    /// `setrlimit`.
    Rlimit,
    /// The PID namespace (Linux 6.14).
    PidNamespace,
    /// A control group.
    Cgroup,
}

/// How a command's processes are kept together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProcessIsolation {
    /// A PID namespace: the kernel kills all of its processes with the first one.
    Namespace,
    /// A child subreaper, which adopts orphans and kills them.
    Reaper,
}

/// How a command's writes are restricted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FilesystemIsolation {
    /// Only by the user's own permissions.
    Open,
    /// Landlock alone.
    Landlock,
    /// Landlock, and a mount namespace with read-only mounts over protected paths.
    LandlockAndMounts,
}

/// How a command's network access is restricted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NetworkIsolation {
    /// Not at all.
    Open,
    /// A network namespace with its own loopback.
    Namespace,
    /// No network sockets can be created (seccomp).
    NoSockets,
}

impl Confinement {
    /// No isolation.
    pub(crate) const NONE: Self = Self {
        processes: ProcessIsolation::Reaper,
        filesystem: FilesystemIsolation::Open,
        network: NetworkIsolation::Open,
        system_calls_filtered: false,
        connections_checked: false,
        process_limit: None,
        limits: Vec::new(),
        protected: Vec::new(),
    };
}
