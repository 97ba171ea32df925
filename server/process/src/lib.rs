//! Child processes that cannot outlive, outgrow or escape what they were started for.
//!
//! A [`Command`] says what to run, in which folder, with which environment and under which
//! [`Isolation`]; a [`Launcher`] starts it as a [`Child`]. The launcher is this same program,
//! executed again (see [`launcher_main`]): it confines itself step by step with the kernel's own
//! means (namespaces, Landlock, seccomp) and only then runs the command, so nothing runs
//! unconfined in between, and the calling program needs no code between `fork` and `exec`. What
//! was asked for and cannot be had is [`ProcessError::Unavailable`]; there is no weaker second try.
//!
//! All of it is Linux. Another system needs a launcher of its own (the walls before the command,
//! the reaper of what it leaves behind) and pipes for [`Child`]; what it cannot wall off has to be
//! [`ProcessError::Unavailable`] there too.
//!
//! It knows nothing of workspaces, tools or protocols.

mod capture;
mod channel;
mod child;
mod collect;
mod command;
mod confinement;
mod door;
mod environment;
mod error;
mod held;
mod launcher;
mod plan;
mod spare;

pub use capture::Captured;
pub use child::{Child, Launcher, Status};
pub use collect::{Outcome, Stop, Stream};
pub use command::{
    Command, Filesystem, Folder, Input, Isolation, Limits, Mechanisms, Network, Program, Protected,
};
pub use confinement::{Confinement, FilesystemWall, NetworkWall, ProcessWall};
pub use door::{Door, Guest};
pub use environment::{clean_environment, find_program, has_program};
pub use error::ProcessError;
pub use held::Held;
pub use launcher::{LAUNCHER_ARGUMENT, launcher_main};
