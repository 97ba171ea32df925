//! One supervised process.

use std::fs::File;
use std::io::{ErrorKind, Write};
use std::net::{Shutdown, TcpStream};
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};

use parking_lot::{Condvar, Mutex};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::kept::KeeperLink;
use super::observers::{Observation, Observers};
use super::pump;
use super::ring::{OutputPiece, OutputRing};
use super::watch::{Pattern, PatternMatch, PatternWatch};
use crate::collect::make_non_blocking;
use crate::terminal_size::set_terminal_size;
use crate::{Child, Confinement, ProcessError, SandboxProxy, TerminalSize};

/// The character that ends the input of a terminal.
const END_OF_INPUT: &[u8] = &[4];

/// Whether a process runs, or how it ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ProcessStatus {
    /// It runs.
    Running,
    /// It exited with this code.
    Exited {
        /// The code.
        code: i32,
    },
    /// A signal ended it.
    Signalled {
        /// The signal.
        signal: i32,
    },
    /// The supervisor killed it.
    Killed,
}

/// Why input was not written, or not all of it.
#[derive(Debug, Error)]
pub enum InputError {
    /// The process has ended, or has closed its input.
    #[error("it reads no more input")]
    Closed,
    /// It has not read everything in time.
    #[error("it took {written} of {total} bytes and reads no more at the moment")]
    NotRead {
        /// The bytes it took.
        written: usize,
        /// The bytes of the input.
        total: usize,
    },
    /// It has no terminal.
    #[error("it has no terminal")]
    NoTerminal,
    /// Any other failure.
    #[error("{0}")]
    Failed(String),
}

/// A process of a [`Supervisor`](super::Supervisor).
#[derive(Debug)]
pub struct SupervisedProcess {
    id: String,
    name: Option<String>,
    pid: Option<u32>,
    started: SystemTime,
    begun: Instant,
    confinement: Confinement,
    is_terminal: bool,
    control: Control,
    pub(super) shared: Arc<Shared>,
}

/// How a process is reached.
#[derive(Debug)]
enum Control {
    /// It is a child of this process.
    Own {
        proxy: Option<SandboxProxy>,
        /// The writing end of its input, or its terminal.
        input: Mutex<Option<File>>,
        killer: UnixStream,
    },
    /// Its keeper runs it.
    Kept {
        link: KeeperLink,
        /// What was stored with it.
        note: String,
    },
}

/// What the thread that collects the output shares with the others.
#[derive(Debug, Default)]
pub(super) struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    observers: Observers,
    is_kill_requested: AtomicBool,
}

#[derive(Default)]
struct State {
    ring: OutputRing,
    watches: Vec<(u64, PatternWatch)>,
    last_watch: u64,
    ended: Option<(ProcessStatus, SystemTime)>,
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("State").field("ended", &self.ended).finish_non_exhaustive()
    }
}

impl Shared {
    pub(super) fn push(&self, bytes: &[u8]) {
        let end = self.state.lock().ring.end();
        self.push_at(end, bytes);
    }

    /// Adds output that starts at `offset`; there may be a gap before it.
    pub(super) fn push_at(&self, offset: u64, bytes: &[u8]) {
        let mut state = self.state.lock();
        state.ring.skip_to(offset);
        state.ring.push(bytes);
        state.watches.iter_mut().for_each(|(_, watch)| watch.feed(bytes));
        drop(state);
        self.changed.notify_all();
        self.observers.notify();
    }

    pub(super) fn end(&self, status: ProcessStatus, at: SystemTime) {
        self.state.lock().ended = Some((status, at));
        self.changed.notify_all();
        self.observers.notify();
    }

    pub(super) fn is_kill_requested(&self) -> bool {
        self.is_kill_requested.load(Ordering::Relaxed)
    }
}

/// A pattern that is being waited for; dropping it ends the search.
pub(super) struct Watching<'p> {
    process: &'p SupervisedProcess,
    number: u64,
}

impl Watching<'_> {
    pub(super) fn found(&self) -> Option<PatternMatch> {
        let state = self.process.shared.state.lock();
        let watch = state.watches.iter().find(|(number, _)| *number == self.number);
        watch.and_then(|(_, watch)| watch.found().cloned())
    }
}

impl Drop for Watching<'_> {
    fn drop(&mut self) {
        self.process.shared.state.lock().watches.retain(|(number, _)| *number != self.number);
    }
}

impl SupervisedProcess {
    pub(super) fn start(
        id: String,
        name: Option<String>,
        started: SystemTime,
        mut child: Child,
    ) -> Result<Arc<Self>, ProcessError> {
        let failed = |e: std::io::Error| ProcessError::failed("preparing input and output", e);
        let killer = child.killer().map_err(failed)?;
        let terminal = child.terminal.take();
        let is_terminal = terminal.is_some();
        let (input, output) = match terminal {
            Some(terminal) => (Some(terminal.try_clone().map_err(failed)?), Some(terminal)),
            None => (child.stdin.take(), child.stdout.take()),
        };
        let output = output.ok_or_else(|| ProcessError::failed("preparing output", "no pipe"))?;
        input.iter().for_each(make_non_blocking);
        let shared = Arc::new(Shared::default());
        let process = Self {
            id,
            name,
            pid: child.pid,
            started,
            begun: Instant::now(),
            confinement: child.confinement().clone(),
            is_terminal,
            control: Control::Own {
                proxy: child.sandbox_proxy(),
                input: Mutex::new(input),
                killer,
            },
            shared: shared.clone(),
        };
        pump::spawn(child, output, shared)?;
        Ok(Arc::new(process))
    }

    /// A process that has a keeper; `known` is when it was started, its process id, and whether it has a
    /// terminal.
    pub(super) fn kept(
        id: String,
        name: Option<String>,
        note: String,
        known: (SystemTime, Option<u32>, bool),
        confinement: Confinement,
        link: KeeperLink,
        shared: Arc<Shared>,
    ) -> Arc<Self> {
        let (started, pid, is_terminal) = known;
        let age = started.elapsed().unwrap_or_default();
        let begun = Instant::now().checked_sub(age).unwrap_or_else(Instant::now);
        let control = Control::Kept { link, note };
        Arc::new(Self { id, name, pid, started, begun, confinement, is_terminal, control, shared })
    }

    /// Its id, unique in its supervisor: `p1`.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        self.name.as_deref()
    }

    /// Its process id, if the system reveals it.
    #[must_use]
    pub fn pid(&self) -> Option<u32> {
        self.pid
    }

    /// When it was started.
    #[must_use]
    pub fn started(&self) -> SystemTime {
        self.started
    }

    /// How long it has run, or did run.
    #[must_use]
    pub fn duration(&self) -> Duration {
        let ended = self.shared.state.lock().ended;
        match ended {
            Some((_, at)) => at.duration_since(self.started).unwrap_or_default(),
            None => self.begun.elapsed(),
        }
    }

    /// Whether it has a terminal.
    #[must_use]
    pub fn is_terminal(&self) -> bool {
        self.is_terminal
    }

    /// The isolation in force around it.
    #[must_use]
    pub fn confinement(&self) -> &Confinement {
        &self.confinement
    }

    /// Whether it outlives its supervisor.
    #[must_use]
    pub fn is_kept(&self) -> bool {
        matches!(self.control, Control::Kept { .. })
    }

    /// What was stored with it, if it is kept.
    #[must_use]
    pub fn note(&self) -> Option<&str> {
        match &self.control {
            Control::Own { .. } => None,
            Control::Kept { note, .. } => Some(note),
        }
    }

    /// Connects to a port of its loopback.
    ///
    /// # Errors
    /// When nothing listens there, or it has ended.
    pub fn connect(&self, port: u16) -> std::io::Result<TcpStream> {
        match &self.control {
            Control::Own { proxy, .. } => {
                let proxy = proxy.as_ref();
                proxy.ok_or_else(|| std::io::Error::other("it has no proxy"))?.connect(port)
            }
            Control::Kept { link, .. } => link.connect(port),
        }
    }

    /// How and when it ended, if it did.
    pub(super) fn ended(&self) -> Option<(ProcessStatus, SystemTime)> {
        self.shared.state.lock().ended
    }

    /// Whether it runs, or how it ended.
    #[must_use]
    pub fn status(&self) -> ProcessStatus {
        self.shared.state.lock().ended.map_or(ProcessStatus::Running, |(status, _)| status)
    }

    /// Whether it, or anything it started, runs.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.status() == ProcessStatus::Running
    }

    /// At most `most` bytes of its output from an offset on.
    #[must_use]
    pub fn output(&self, from: u64, most: usize) -> OutputPiece {
        self.shared.state.lock().ring.read(from, most)
    }

    /// The offsets of the first kept byte of its output, and of the end.
    #[must_use]
    pub fn output_range(&self) -> (u64, u64) {
        let state = self.shared.state.lock();
        (state.ring.start(), state.ring.end())
    }

    /// Starts to search its output for a pattern, from an offset on.
    pub(super) fn watch(&self, pattern: Pattern, from: u64) -> Watching<'_> {
        let mut watch = PatternWatch::new(pattern);
        let mut state = self.shared.state.lock();
        watch.feed(&state.ring.read(from, usize::MAX).bytes);
        state.last_watch += 1;
        let number = state.last_watch;
        state.watches.push((number, watch));
        drop(state);
        Watching { process: self, number }
    }

    /// Waits until something changes, at most until `deadline`.
    pub(super) fn wait_for_change(&self, seen: u64, deadline: Instant) {
        let mut state = self.shared.state.lock();
        if state.ended.is_none() && state.ring.end() == seen {
            self.shared.changed.wait_until(&mut state, deadline);
        }
    }

    /// Calls `notify` whenever there is new output, and when it ends, until the result is dropped.
    /// It runs on the thread that collects the output, so it must not block.
    #[must_use]
    pub fn observe(self: &Arc<Self>, notify: impl Fn() + Send + Sync + 'static) -> Observation {
        Observation::new(self.clone(), Box::new(notify))
    }

    pub(super) fn observers(&self) -> &Observers {
        &self.shared.observers
    }

    /// Waits for its end, at most `longest`. False if it runs.
    pub fn wait_for_end(&self, longest: Duration) -> bool {
        let deadline = Instant::now().checked_add(longest);
        let mut state = self.shared.state.lock();
        while state.ended.is_none() {
            match deadline {
                Some(deadline) => {
                    if self.shared.changed.wait_until(&mut state, deadline).timed_out() {
                        return state.ended.is_some();
                    }
                }
                None => self.shared.changed.wait(&mut state),
            }
        }
        true
    }

    /// Writes to its input, at most for `longest`.
    ///
    /// # Errors
    /// When it does not read all of it.
    pub fn write(&self, bytes: &[u8], longest: Duration) -> Result<(), InputError> {
        let input = match &self.control {
            Control::Own { input, .. } => input,
            Control::Kept { link, .. } => return link.write(bytes, longest),
        };
        let deadline = Instant::now() + longest;
        let mut input = input.lock();
        let file = input.as_mut().ok_or(InputError::Closed)?;
        let mut written = 0;
        while written < bytes.len() {
            if !self.is_running() {
                return Err(InputError::Closed);
            }
            match file.write(&bytes[written..]) {
                Ok(count) => written += count,
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) if e.kind() == ErrorKind::WouldBlock => {
                    if Instant::now() >= deadline {
                        return Err(InputError::NotRead { written, total: bytes.len() });
                    }
                    wait_until_writable(file, deadline);
                }
                Err(_) => return Err(InputError::Closed),
            }
        }
        Ok(())
    }

    /// Ends its input: closes the pipe, or sends the terminal's end-of-input character.
    ///
    /// # Errors
    /// When it has ended, or does not read its terminal.
    pub fn end_input(&self, longest: Duration) -> Result<(), InputError> {
        if self.is_terminal {
            return self.write(END_OF_INPUT, longest);
        }
        match &self.control {
            Control::Own { input, .. } => input.lock().take().map(drop).ok_or(InputError::Closed),
            Control::Kept { link, .. } => link.end_input(longest),
        }
    }

    /// Changes the size of its terminal.
    ///
    /// # Errors
    /// When it has none.
    pub fn resize(&self, size: TerminalSize) -> Result<(), InputError> {
        let input = match &self.control {
            Control::Own { input, .. } => input,
            Control::Kept { link, .. } => return link.resize(size),
        };
        let input = input.lock();
        let terminal = input.as_ref().filter(|_| self.is_terminal).ok_or(InputError::NoTerminal)?;
        set_terminal_size(terminal, size).map_err(|e| InputError::Failed(e.to_string()))
    }

    /// Sends a signal to its process group.
    ///
    /// # Errors
    /// When it has ended.
    pub fn signal(&self, signal: i32) -> std::io::Result<()> {
        let has_ended = || std::io::Error::other("it has ended");
        if !self.is_running() {
            return Err(has_ended());
        }
        match &self.control {
            Control::Own { proxy, .. } => proxy.as_ref().ok_or_else(has_ended)?.signal(signal),
            Control::Kept { link, .. } => link.signal(signal),
        }
    }

    /// Asks it to end: SIGTERM, and SIGHUP for what runs in a terminal, as shells ignore the other.
    pub fn ask_to_end(&self) {
        let _ = self.signal(libc::SIGTERM);
        if self.is_terminal {
            let _ = self.signal(libc::SIGHUP);
            // A stopped one notices signals only when it continues.
            let _ = self.signal(libc::SIGCONT);
        }
    }

    /// Asks it to end, and kills it with all that it started if it has not after `grace`. True if it
    /// ended by itself.
    pub fn stop(&self, grace: Duration) -> bool {
        self.ask_to_end();
        let has_ended = self.wait_for_end(grace);
        if !has_ended {
            self.kill();
            self.wait_for_end(Duration::MAX);
        }
        has_ended
    }

    /// Starts to kill it and all that it started.
    pub fn kill(&self) {
        match &self.control {
            Control::Own { killer, .. } => {
                self.shared.is_kill_requested.store(true, Ordering::Relaxed);
                // It may have ended.
                let _ = killer.shutdown(Shutdown::Write);
            }
            Control::Kept { link, .. } => link.kill(),
        }
    }
}

fn wait_until_writable(file: &File, deadline: Instant) {
    let left = deadline.saturating_duration_since(Instant::now());
    // Not longer, so that the end of the process is noticed.
    let left = left.min(Duration::from_millis(100));
    let mut watched = [PollFd::from_borrowed_fd(file.as_fd(), PollFlags::OUT)];
    let _ = poll(&mut watched, Timespec::try_from(left).ok().as_ref());
}
