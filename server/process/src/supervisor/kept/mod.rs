//! Processes that outlive their supervisor.
//!
//! Each has a *keeper*: this program, executed again, which runs the process as any supervisor would,
//! writes its output to a log of fixed size, and serves the supervisors that come and go over a Unix
//! socket. Everything is in a folder of the process: its description, the socket, the log, and how it
//! ended. If the keeper is killed, the process ends with it, as with any supervisor.

mod follow;
mod keeper;
mod link;
mod output_log;
mod record;
mod start;
mod wire;

pub use keeper::{KEEPER_ARGUMENT, keeper_main};
pub(super) use link::KeeperLink;
pub use record::{KeptRecord, kept_records};
pub(super) use start::{adopt, start};

use std::path::PathBuf;

/// That a process shall outlive its supervisor.
#[derive(Debug, Clone)]
pub struct Keep {
    /// The folder for the folders of kept processes, which is the user's alone.
    pub folder: PathBuf,
    /// What is stored with the process, for the server that finds it again.
    pub note: String,
}

/// Kept processes at the same time in one folder.
pub const MAX_KEPT: usize = 32;
