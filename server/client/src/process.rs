//! A server process: its pipes, its stderr and its exit.

use std::io::Read;
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::error::ClientError;

/// Most bytes of stderr that are kept.
const MAX_STDERR: usize = 1 << 20;

#[derive(Default)]
struct Captured {
    bytes: Vec<u8>,
    ended: bool,
}

/// A child process with captured stderr. Killed when dropped.
pub struct Process {
    child: Mutex<Child>,
    stderr: Arc<(Mutex<Captured>, Condvar)>,
}

impl Process {
    /// Starts `command` without stdin and stdout, for example a server that listens on a socket.
    ///
    /// # Errors
    /// [`ClientError::Spawn`] if the program cannot be started.
    pub fn spawn(command: &mut Command) -> Result<Self, ClientError> {
        command.stdin(Stdio::null()).stdout(Stdio::null());
        Ok(Self::start(command)?.0)
    }

    /// Starts `command` with pipes for stdin and stdout.
    pub(crate) fn spawn_piped(
        command: &mut Command,
    ) -> Result<(Self, ChildStdin, ChildStdout), ClientError> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        match Self::start(command)? {
            (process, Some(stdin), Some(stdout)) => Ok((process, stdin, stdout)),
            _ => Err(ClientError::Closed { reason: "the process came without pipes".to_owned() }),
        }
    }

    fn start(
        command: &mut Command,
    ) -> Result<(Self, Option<ChildStdin>, Option<ChildStdout>), ClientError> {
        let mut child =
            command.stderr(Stdio::piped()).spawn().map_err(|source| ClientError::Spawn {
                program: command.get_program().to_string_lossy().into_owned(),
                source,
            })?;
        let (stdin, stdout) = (child.stdin.take(), child.stdout.take());
        let stderr = Arc::new((Mutex::new(Captured::default()), Condvar::new()));
        if let Some(pipe) = child.stderr.take() {
            let stderr = Arc::clone(&stderr);
            thread::spawn(move || capture(pipe, &stderr));
        }
        Ok((Self { child: Mutex::new(child), stderr }, stdin, stdout))
    }

    /// The process id.
    pub fn id(&self) -> u32 {
        self.child.lock().unwrap_or_else(PoisonError::into_inner).id()
    }

    /// The exit status, if the process has ended.
    pub fn exit_status(&self) -> Option<ExitStatus> {
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        child.try_wait().ok().flatten()
    }

    /// Waits for the process to exit.
    ///
    /// # Errors
    /// [`ClientError::Timeout`] if it still runs after `timeout`.
    pub fn wait_exit(&self, timeout: Duration) -> Result<ExitStatus, ClientError> {
        let deadline = Instant::now() + timeout;
        loop {
            if let Some(status) = self.exit_status() {
                return Ok(status);
            }
            if Instant::now() >= deadline {
                let what = "end of the server's process".to_owned();
                return Err(ClientError::Timeout { what, after: timeout });
            }
            thread::sleep(Duration::from_millis(2));
        }
    }

    /// The stderr output so far; complete once the process has exited.
    pub fn stderr(&self) -> String {
        let ended = self.exit_status().is_some();
        let (captured, changed) = &*self.stderr;
        let mut captured = captured.lock().unwrap_or_else(PoisonError::into_inner);
        if ended {
            // A grandchild may hold the pipe open, so this wait is bounded.
            captured = changed
                .wait_timeout_while(captured, Duration::from_secs(1), |captured| !captured.ended)
                .unwrap_or_else(PoisonError::into_inner)
                .0;
        }
        String::from_utf8_lossy(&captured.bytes).into_owned()
    }

    /// Kills the process and waits until it is gone.
    pub fn kill(&self) {
        let mut child = self.child.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = child.kill();
        let _ = child.wait();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

fn capture(mut pipe: ChildStderr, stderr: &(Mutex<Captured>, Condvar)) {
    let mut chunk = [0; 4096];
    // Read to the end even when no more is kept: a full pipe would block the server.
    while let Ok(read @ 1..) = pipe.read(&mut chunk) {
        let mut captured = stderr.0.lock().unwrap_or_else(PoisonError::into_inner);
        let remaining = MAX_STDERR.saturating_sub(captured.bytes.len());
        captured.bytes.extend_from_slice(&chunk[..read.min(remaining)]);
    }
    stderr.0.lock().unwrap_or_else(PoisonError::into_inner).ended = true;
    stderr.1.notify_all();
}
