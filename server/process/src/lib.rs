//! Child processes that cannot outlive, outgrow or escape their command.
//!
//! Start with [`Command`] (program, folder, environment, [`Isolation`]), [`Launcher`], which starts
//! it, and the running [`Child`]. The launcher is this same program, executed again (see
//! [`launcher_main`]): it confines itself step by step with namespaces, Landlock and seccomp and
//! only
//! then runs the command. So nothing runs unconfined in between, and the calling program needs no
//! code between `fork` and `exec`. If requested isolation is missing, starting fails with
//! [`ProcessError::Unavailable`]; there is no weaker fallback.
//!
//! All of it is Linux. Another system needs a launcher of its own (the isolation, and the reaper of
//! leftover processes) and pipes for [`Child`]; isolation that it lacks must be
//! [`ProcessError::Unavailable`] there too.
//!
//! [`Supervisor`] runs programs that outlive the call that started them: dev servers, interpreters. Kept
//! ones outlive it, too: a *keeper* (see [`keeper_main`]) runs them.
//!
//! It knows nothing of workspaces, tools or protocols.

mod attached_process;
mod capture;
mod channel;
mod child;
mod collect;
mod command;
mod confinement;
mod environment;
mod error;
mod launcher;
mod machine;
mod machine_facts;
mod own_usage;
mod plan;
mod sandbox_proxy;
mod spare;
mod supervisor;
mod terminal_size;

pub use attached_process::AttachedProcess;
pub use capture::Captured;
pub use child::{Child, ExitStatus, Launcher, invalid_variable};
pub use collect::{CommandOutcome, KillReason, OutputStream};
pub use command::{
    Command, Filesystem, Folder, Input, Isolation, Limits, Mechanisms, Network, Program, Protected,
    TerminalSize,
};
pub use confinement::{
    AppliedLimit, Confinement, FilesystemIsolation, LimitMechanism, LimitedResource,
    NetworkIsolation, ProcessIsolation,
};
pub use environment::{clean_environment, find_program, has_program};
pub use error::ProcessError;
pub use launcher::{LAUNCHER_ARGUMENT, launcher_main};
pub use machine::{MachineProcess, machine_processes, signal_process};
pub use machine_facts::{DiskSpace, MachineFacts};
pub use own_usage::{OwnUsage, own_usage};
pub use sandbox_proxy::{ExtraProgram, SandboxProxy};
pub use supervisor::{
    InputError, KEEPER_ARGUMENT, Keep, KeptRecord, LocalUrl, MAX_KEPT, MAX_PROCESSES,
    OUTPUT_CAPACITY, Observation, OutputPiece, Pattern, PatternMatch, ProcessStatus, StartRequest,
    SupervisedProcess, Supervisor, SupervisorError, WaitOutcome, WaitRequest, check_name,
    keeper_main, kept_records,
};
