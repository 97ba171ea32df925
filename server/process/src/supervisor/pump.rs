//! The thread that collects a process's output until its end.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::os::fd::AsFd;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::supervised::{ProcessStatus, Shared};
use crate::child::END_TIMEOUT;
use crate::collect::{OUTPUT_GRACE_PERIOD, make_non_blocking};
use crate::{Child, ExitStatus, ProcessError};

/// Bytes that are read at once: what the pipe holds.
const READ_SIZE: usize = 256 << 10;
/// The stack of the thread, which calls nothing deep: there may be hundreds.
const STACK_SIZE: usize = 256 << 10;
/// How often a request to kill the process is noticed.
const TICK: Duration = Duration::from_millis(200);

/// Starts the thread.
pub(super) fn spawn(
    mut child: Child,
    output: File,
    shared: Arc<Shared>,
) -> Result<(), ProcessError> {
    make_non_blocking(&output);
    let pump = move || {
        child.prepare_next();
        collect(&mut child, output, &shared);
        let status = match child.wait() {
            ExitStatus::Code(code) => ProcessStatus::Exited { code },
            ExitStatus::Signal(signal) => ProcessStatus::Signalled { signal },
            ExitStatus::Killed => ProcessStatus::Killed,
        };
        // The launcher has been reaped, and everything with it.
        drop(child);
        shared.end(status, SystemTime::now());
    };
    std::thread::Builder::new()
        .name("process output".to_owned())
        .stack_size(STACK_SIZE)
        .spawn(pump)
        .map(drop)
        .map_err(|e| ProcessError::failed("starting a thread for the output", e))
}

/// Reads the output until it ends and the launcher has reported that nothing is left.
fn collect(child: &mut Child, output: File, shared: &Shared) {
    let mut output = Some(output);
    let mut buffer = vec![0; READ_SIZE];
    let mut ended: Option<Instant> = None;
    let mut killed: Option<Instant> = None;
    while ended.is_none() || output.is_some() {
        let readiness = wait(child, output.as_ref(), ended.is_some());
        if readiness.output
            && let Some(file) = &mut output
        {
            match file.read(&mut buffer) {
                Err(e) if matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => {}
                // A terminal without programs is an I/O error.
                Ok(0) | Err(_) => output = None,
                Ok(count) => shared.push(&buffer[..count]),
            }
        }
        if readiness.control && !child.receive_report() {
            ended = Some(Instant::now());
        }
        if ended.is_none() && shared.is_kill_requested() {
            let since = *killed.get_or_insert_with(Instant::now);
            if since.elapsed() > END_TIMEOUT {
                child.kill_launcher();
            }
        }
        // Another process may have been given the pipe.
        if ended.is_some_and(|ended| ended.elapsed() > OUTPUT_GRACE_PERIOD) {
            break;
        }
    }
}

struct Readiness {
    control: bool,
    output: bool,
}

fn wait(child: &Child, output: Option<&File>, has_ended: bool) -> Readiness {
    let mut watched = Vec::with_capacity(2);
    let control = (!has_ended).then(|| child.control.as_fd());
    let output = output.map(AsFd::as_fd);
    for source in [control, output].into_iter().flatten() {
        watched.push(PollFd::from_borrowed_fd(source, PollFlags::IN));
    }
    let tick = Timespec { tv_sec: 0, tv_nsec: i64::from(TICK.subsec_nanos()) };
    let mut is_ready = if poll(&mut watched, Some(&tick)).is_ok() {
        watched.iter().map(|one| !one.revents().is_empty()).collect::<Vec<_>>().into_iter()
    } else {
        // Interrupted: as a tick.
        Vec::new().into_iter()
    };
    let mut next = |is_watched| is_watched && is_ready.next().unwrap_or(false);
    Readiness { control: next(control.is_some()), output: next(output.is_some()) }
}
