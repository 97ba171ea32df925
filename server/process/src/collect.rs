//! Runs a command to its end and captures its output within limits.

use std::fs::File;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

use crate::capture::Capture;
use crate::{Captured, Child, Confinement, ExitStatus};

/// How often the interrupt flag is checked.
const POLL_INTERVAL: Duration = Duration::from_millis(10);
/// How long to read on after all processes have ended.
pub(crate) const OUTPUT_GRACE_PERIOD: Duration = Duration::from_millis(500);

/// An output stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputStream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// Why a command was killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KillReason {
    /// It timed out.
    Timeout,
    /// The interrupt flag was set.
    Interrupt,
}

/// The result of a command.
#[derive(Debug)]
pub struct CommandOutcome {
    /// How it ended.
    pub status: ExitStatus,
    /// Why it was killed, if it was.
    pub stop: Option<KillReason>,
    /// Its standard output.
    pub stdout: Captured,
    /// Its standard error.
    pub stderr: Captured,
    /// How long it ran.
    pub duration: Duration,
    /// The isolation in force around it.
    pub confinement: Confinement,
}

impl Child {
    /// Runs it to its end, at most for `timeout` and until `interrupt` is set. Captures at most
    /// `most` bytes of each stream: the first and the last half. `seen` receives every piece.
    #[must_use]
    pub fn collect(
        mut self,
        most: usize,
        timeout: Option<Duration>,
        interrupt: &AtomicBool,
        seen: &mut dyn FnMut(OutputStream, &[u8]),
    ) -> CommandOutcome {
        let started = Instant::now();
        let deadline = timeout.and_then(|timeout| started.checked_add(timeout));
        let mut pump = Pump::new(&mut self, most);
        let (mut stop, mut ended) = (None, None);
        while ended.is_none() || !pump.is_done() {
            let ready = pump.wait(&self, ended.is_none());
            if ready.control && !self.receive_report() {
                ended = Some(Instant::now());
            }
            pump.pump(&ready, seen);
            if stop.is_none() && ended.is_none() {
                if interrupt.load(Ordering::Relaxed) {
                    stop = Some(KillReason::Interrupt);
                } else if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
                    stop = Some(KillReason::Timeout);
                }
                if stop.is_some() {
                    self.kill();
                }
            }
            if ended.is_some_and(|ended| ended.elapsed() > OUTPUT_GRACE_PERIOD) {
                break;
            }
        }
        CommandOutcome {
            status: self.wait(),
            stop,
            stdout: pump.output.capture.finish(),
            stderr: pump.errors.capture.finish(),
            duration: started.elapsed(),
            confinement: self.confinement().clone(),
        }
    }
}

struct Pump {
    output: OutputSource,
    errors: OutputSource,
    input: Option<(File, Vec<u8>, usize)>,
    buffer: Vec<u8>,
}

struct OutputSource {
    stream: OutputStream,
    file: Option<File>,
    capture: Capture,
}

#[derive(Default)]
struct ReadyStreams {
    control: bool,
    output: bool,
    errors: bool,
    input: bool,
}

impl Pump {
    fn new(child: &mut Child, most: usize) -> Self {
        let source = |stream, file: Option<File>| {
            let file = file.inspect(make_non_blocking);
            OutputSource { stream, file, capture: Capture::new(most) }
        };
        let bytes = std::mem::take(&mut child.bytes);
        Self {
            output: source(OutputStream::Stdout, child.stdout.take()),
            errors: source(OutputStream::Stderr, child.stderr.take()),
            input: child.stdin.take().map(|file| {
                make_non_blocking(&file);
                (file, bytes, 0)
            }),
            buffer: vec![0; 64 << 10],
        }
    }

    fn is_done(&self) -> bool {
        self.output.file.is_none() && self.errors.file.is_none()
    }

    /// Waits until a stream is ready, at most one tick.
    fn wait(&self, child: &Child, control: bool) -> ReadyStreams {
        let readable = |file| PollFd::from_borrowed_fd(file, PollFlags::IN);
        let mut watched = Vec::with_capacity(4);
        let mut markers: Vec<fn(&mut ReadyStreams)> = Vec::with_capacity(4);
        if control {
            watched.push(readable(child.control.as_fd()));
            markers.push(|ready| ready.control = true);
        }
        if let Some(file) = &self.output.file {
            watched.push(readable(file.as_fd()));
            markers.push(|ready| ready.output = true);
        }
        if let Some(file) = &self.errors.file {
            watched.push(readable(file.as_fd()));
            markers.push(|ready| ready.errors = true);
        }
        if let Some((file, ..)) = &self.input {
            watched.push(PollFd::from_borrowed_fd(file.as_fd(), PollFlags::OUT));
            markers.push(|ready| ready.input = true);
        }
        let tick = Timespec { tv_sec: 0, tv_nsec: i64::from(POLL_INTERVAL.subsec_nanos()) };
        let mut ready = ReadyStreams::default();
        // An interrupted poll counts as a tick.
        if poll(&mut watched, Some(&tick)).is_ok() {
            let marked = watched.iter().zip(&markers).filter(|(fd, _)| !fd.revents().is_empty());
            marked.for_each(|(_, mark)| mark(&mut ready));
        }
        ready
    }

    fn pump(&mut self, ready: &ReadyStreams, seen: &mut dyn FnMut(OutputStream, &[u8])) {
        if ready.output {
            self.output.read(&mut self.buffer, seen);
        }
        if ready.errors {
            self.errors.read(&mut self.buffer, seen);
        }
        if ready.input
            && let Some((file, bytes, written)) = &mut self.input
        {
            match file.write(&bytes[*written..]) {
                Ok(count) => *written += count,
                Err(e) if is_retryable(&e) => {}
                // The command has closed its input.
                Err(_) => *written = bytes.len(),
            }
            if *written == bytes.len() {
                self.input = None;
            }
        }
    }
}

impl OutputSource {
    fn read(&mut self, buffer: &mut [u8], seen: &mut dyn FnMut(OutputStream, &[u8])) {
        let Some(file) = &mut self.file else { return };
        match file.read(buffer) {
            Err(e) if is_retryable(&e) => {}
            Ok(0) | Err(_) => self.file = None,
            Ok(count) => {
                self.capture.push(&buffer[..count]);
                seen(self.stream, &buffer[..count]);
            }
        }
    }
}

fn is_retryable(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted)
}

/// Makes our end of a pipe non-blocking; the other end has its own flags.
pub(crate) fn make_non_blocking(file: &File) {
    if let Ok(flags) = fcntl_getfl(file) {
        let _ = fcntl_setfl(file, flags | OFlags::NONBLOCK);
    }
}
