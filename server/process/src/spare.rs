//! A launcher that is started before it is needed.
//!
//! Loading this program takes about as long as all other steps of a start. So when a command ends,
//! the launcher for the next one is started. It knows nothing yet and waits for its plan; it exits
//! when its socket closes, at the latest with the server.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;

use crate::launcher::LAUNCHER_ARGUMENT;

/// A launcher waiting for its plan.
pub(crate) struct SpareLauncher {
    program: PathBuf,
    pub(crate) control: UnixStream,
    pub(crate) process: Child,
}

static FORBIDDEN: AtomicBool = AtomicBool::new(false);
static SPARE: Mutex<Option<SpareLauncher>> = Mutex::new(None);

impl SpareLauncher {
    /// The waiting launcher, or a new one.
    pub(crate) fn take_or_start(program: &Path) -> io::Result<Self> {
        let spare = SPARE.lock().take_if(|spare| spare.program == program);
        // It may have been killed from outside.
        let alive =
            spare.and_then(|mut it| matches!(it.process.try_wait(), Ok(None)).then_some(it));
        alive.map_or_else(|| Self::start(program), Ok)
    }

    /// Starts no launchers in advance from now on: this process starts one command only.
    pub(crate) fn forbid() {
        FORBIDDEN.store(true, Ordering::Relaxed);
    }

    /// Starts a launcher for the next command, unless one is waiting.
    pub(crate) fn prepare(program: &Path) {
        if FORBIDDEN.load(Ordering::Relaxed) {
            return;
        }
        let mut spare = SPARE.lock();
        if spare.is_some() {
            return;
        }
        match Self::start(program) {
            Ok(started) => *spare = Some(started),
            // The next command starts its own launcher, or reports why it cannot.
            Err(error) => tracing::debug!("cannot start a launcher in advance: {error}"),
        }
    }

    fn start(program: &Path) -> io::Result<Self> {
        let (control, theirs) = UnixStream::pair()?;
        let process = std::process::Command::new(program)
            .arg0("tandem")
            .arg(LAUNCHER_ARGUMENT)
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        Ok(Self { program: program.to_owned(), control, process })
    }
}
