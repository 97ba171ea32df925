//! A launcher that is started before it is needed.
//!
//! To load this program takes about as long as everything else that a start consists of. So once a
//! command has been started, the launcher of the next one is, too: it waits for its plan, which it does
//! not know anything of yet, and ends when the socket to it closes, with the server.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};

use parking_lot::Mutex;

use crate::launcher::LAUNCHER_ARGUMENT;

/// A launcher that waits for its plan.
pub(crate) struct Waiting {
    program: PathBuf,
    pub(crate) control: UnixStream,
    pub(crate) process: Child,
}

static SPARE: Mutex<Option<Waiting>> = Mutex::new(None);

impl Waiting {
    /// The one that was started before, or a new one.
    pub(crate) fn take(program: &Path) -> io::Result<Self> {
        let spare = SPARE.lock().take_if(|spare| spare.program == program);
        // It may have been killed from outside.
        let alive =
            spare.and_then(|mut it| matches!(it.process.try_wait(), Ok(None)).then_some(it));
        alive.map_or_else(|| Self::start(program), Ok)
    }

    /// Starts one for the next command, unless there is one.
    pub(crate) fn prepare(program: &Path) {
        let mut spare = SPARE.lock();
        if spare.is_some() {
            return;
        }
        match Self::start(program) {
            Ok(started) => *spare = Some(started),
            // The next command starts its own, or says why it cannot.
            Err(error) => tracing::debug!("no launcher is started in advance: {error}"),
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
