//! Runs programs that outlive the call that started them, but not their [`Supervisor`], unless they are
//! [kept](Keep).
//!
//! Each has a thread that collects its output into a ring of fixed size. Readers follow it by
//! offsets and never delay the program; a slow one learns how many bytes it missed.

mod kept;
mod observers;
mod pump;
mod ready;
mod ring;
mod supervised;
mod watch;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use parking_lot::Mutex;
use thiserror::Error;

use crate::{Command, Input, Launcher, ProcessError};
pub use kept::{KEEPER_ARGUMENT, Keep, KeptRecord, MAX_KEPT, keeper_main, kept_records};
pub use observers::Observation;
pub use ready::{LocalUrl, WaitOutcome, WaitRequest};
pub use ring::{OUTPUT_CAPACITY, OutputPiece};
pub use supervised::{InputError, ProcessStatus, SupervisedProcess};
pub use watch::{Pattern, PatternMatch};

/// Processes at the same time. Each has two launcher processes, a thread and five open files here,
/// which have to stay below common limits of a user's processes and of a process's files.
pub const MAX_PROCESSES: usize = 256;
/// Ended processes whose output is kept.
const MAX_ENDED: usize = 32;
/// Limit for a name, in bytes.
const MAX_NAME_BYTES: usize = 100;
/// How long all processes get to end by themselves when the supervisor stops.
const STOP_GRACE_PERIOD: Duration = Duration::from_millis(500);

/// What to start.
#[derive(Debug)]
pub struct StartRequest {
    /// A name by which people and models know it; must not be that of a running one.
    pub name: Option<String>,
    /// The command, with [`Input::Session`] or [`Input::Terminal`]. It gets a sandbox proxy.
    pub command: Command,
    /// Whether it outlives the supervisor.
    pub keep: Option<Keep>,
}

/// Why a process was not started.
#[derive(Debug, Error)]
pub enum SupervisorError {
    /// The name cannot be used.
    #[error("the name {name:?} {reason}")]
    InvalidName {
        /// The name, cut if it is long.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// A process of this name runs.
    #[error("a process named `{name}` is running already")]
    NameTaken {
        /// The name.
        name: String,
    },
    /// Too many processes run.
    #[error("{MAX_PROCESSES} processes are running, which is the limit")]
    TooMany,
    /// Too many processes are kept.
    #[error("{MAX_KEPT} processes are kept, which is the limit")]
    TooManyKept,
    /// The supervisor has been stopped.
    #[error("the server is shutting down")]
    Stopped,
    /// The command could not be started.
    #[error(transparent)]
    Process(#[from] ProcessError),
}

/// Runs processes, and knows those that have ended lately.
#[derive(Debug, Default)]
pub struct Supervisor {
    state: Mutex<SupervisorState>,
}

#[derive(Debug, Default)]
struct SupervisorState {
    processes: Vec<Arc<SupervisedProcess>>,
    /// Number of the last one.
    last: u64,
    /// Names of those that are being started.
    starting: Vec<Option<String>>,
    is_stopped: bool,
}

impl Supervisor {
    /// Starts a process.
    ///
    /// # Errors
    /// When it does not run; nothing is left then.
    pub fn start(
        &self,
        launcher: &Launcher,
        request: StartRequest,
    ) -> Result<Arc<SupervisedProcess>, SupervisorError> {
        let StartRequest { name, mut command, keep } = request;
        if let Some(name) = &name {
            check_name(name)?;
        }
        if !matches!(command.input, Input::Session | Input::Terminal(_)) {
            let reason = "a supervised command needs a session of its own".to_owned();
            return Err(ProcessError::Invalid { reason }.into());
        }
        command.has_sandbox_proxy = true;
        if let Some(keep) = &keep {
            self.adopt(&keep.folder);
            if self.running_kept() >= MAX_KEPT {
                return Err(SupervisorError::TooManyKept);
            }
        }
        let number = self.reserve(name.as_ref())?;
        // Without the lock: it takes some milliseconds, and other calls read output meanwhile.
        let started = match keep {
            Some(keep) => kept::start(keep, name.clone(), command),
            None => launcher.start(command).and_then(|child| {
                let id = format!("p{number}");
                SupervisedProcess::start(id, name.clone(), SystemTime::now(), child)
            }),
        };
        let mut state = self.state.lock();
        if let Some(at) = state.starting.iter().position(|one| *one == name) {
            state.starting.remove(at);
        }
        let process = started?;
        if state.is_stopped && !process.is_kept() {
            drop(state);
            process.kill();
            process.wait_for_end(Duration::MAX);
            return Err(SupervisorError::Stopped);
        }
        // Another call may have found it in its folder.
        if let Some(known) = state.processes.iter().find(|one| one.id() == process.id()) {
            return Ok(known.clone());
        }
        state.processes.push(process.clone());
        Ok(process)
    }

    /// Finds the kept processes in `folder` that other supervisors have started.
    pub fn adopt(&self, folder: &Path) {
        let known: Vec<String> =
            self.state.lock().processes.iter().map(|one| one.id().to_owned()).collect();
        let adopted = kept::adopt(folder, |id| known.iter().any(|known| known == id));
        let mut state = self.state.lock();
        for process in adopted {
            if !state.processes.iter().any(|one| one.id() == process.id()) {
                state.processes.push(process);
            }
        }
    }

    fn running_kept(&self) -> usize {
        let processes = &self.state.lock().processes;
        processes.iter().filter(|one| one.is_kept() && one.is_running()).count()
    }

    /// Reserves a place and a number.
    fn reserve(&self, name: Option<&String>) -> Result<u64, SupervisorError> {
        let mut state = self.state.lock();
        if state.is_stopped {
            return Err(SupervisorError::Stopped);
        }
        let running: Vec<_> = state.processes.iter().filter(|one| one.is_running()).collect();
        if running.len() + state.starting.len() >= MAX_PROCESSES {
            return Err(SupervisorError::TooMany);
        }
        let is_taken = |name: &&String| {
            running.iter().any(|one| one.name() == Some(name))
                || state.starting.iter().any(|one| one.as_ref() == Some(name))
        };
        if let Some(name) = name.filter(is_taken) {
            return Err(SupervisorError::NameTaken { name: name.clone() });
        }
        // Forget the oldest of those that have ended.
        let is_forgotten = |one: &SupervisedProcess| !one.is_running() && !one.is_kept();
        let ended = state.processes.iter().filter(|one| is_forgotten(one)).count();
        let mut excess = ended.saturating_sub(MAX_ENDED);
        state.processes.retain(|one| {
            let is_excess = excess > 0 && is_forgotten(one);
            excess -= usize::from(is_excess);
            !is_excess
        });
        state.starting.push(name.cloned());
        state.last += 1;
        Ok(state.last)
    }

    /// All running processes and the last that ended, in the order of their starts.
    #[must_use]
    pub fn processes(&self) -> Vec<Arc<SupervisedProcess>> {
        self.state.lock().processes.clone()
    }

    /// The process with this id, or the last one of this name; a running one first.
    #[must_use]
    pub fn find(&self, id: &str) -> Option<Arc<SupervisedProcess>> {
        let state = self.state.lock();
        let by_id = state.processes.iter().find(|one| one.id() == id);
        let named = || state.processes.iter().rev().filter(|one| one.name() == Some(id));
        let by_name = || named().find(|one| one.is_running()).or_else(|| named().next());
        by_id.or_else(by_name).cloned()
    }

    /// Ends all processes but the kept ones, and starts no more.
    pub fn stop(&self) {
        let running: Vec<_> = {
            let mut state = self.state.lock();
            state.is_stopped = true;
            {
                let ours = state.processes.iter().filter(|one| one.is_running() && !one.is_kept());
                ours.cloned().collect()
            }
        };
        for process in &running {
            process.ask_to_end();
        }
        let deadline = Instant::now() + STOP_GRACE_PERIOD;
        for process in &running {
            process.wait_for_end(deadline.saturating_duration_since(Instant::now()));
        }
        running.iter().for_each(|process| process.kill());
        for process in &running {
            process.wait_for_end(Duration::MAX);
        }
    }
}

impl Drop for Supervisor {
    fn drop(&mut self) {
        self.stop();
    }
}

/// Checks whether a process can be called `name`.
///
/// # Errors
/// [`SupervisorError::InvalidName`].
pub fn check_name(name: &str) -> Result<(), SupervisorError> {
    let reason = if name.trim().is_empty() {
        "is empty".to_owned()
    } else if name.len() > MAX_NAME_BYTES {
        format!("is longer than {MAX_NAME_BYTES} bytes")
    } else if name.chars().any(char::is_control) {
        "contains control characters".to_owned()
    } else if name.strip_prefix('p').is_some_and(|rest| rest.parse::<u64>().is_ok())
        || name.strip_prefix('k').is_some_and(|rest| u32::from_str_radix(rest, 16).is_ok())
    {
        "looks like an id".to_owned()
    } else {
        return Ok(());
    };
    Err(SupervisorError::InvalidName { name: name.chars().take(MAX_NAME_BYTES).collect(), reason })
}
