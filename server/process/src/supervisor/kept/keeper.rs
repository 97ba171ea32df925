//! The keeper: this program, executed again, which keeps one process.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::setsid;

use super::output_log::OutputLog;
use super::wire::{About, Ended, KeepPlan, KeepReport, KeeperAnswer, KeeperRequest};
use super::{follow, record};
use crate::launcher::{close_inherited_on_exec, exit, fork};
use crate::plan::Refusal;
use crate::spare::SpareLauncher;
use crate::supervisor::InputError;
use crate::supervisor::supervised::SupervisedProcess;
use crate::{Launcher, ProcessError, channel};

/// The first argument that makes a program run as a keeper.
pub const KEEPER_ARGUMENT: &str = "__keep";

/// Connections at a time: a few for each server.
const MAX_CONNECTIONS: usize = 64;
/// How long a connection may be silent before its request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);
/// How long supervisors get to take the end of the output.
const END_TIMEOUT: Duration = Duration::from_secs(30);
/// How often the keeper looks whether the process has ended.
const TICK: Duration = Duration::from_millis(200);
const STACK_SIZE: usize = 256 << 10;
/// Output that is written to the log at once, in bytes.
const LOG_PIECE: usize = 256 << 10;

/// Runs a keeper if `arguments`, without the program's name, say so; otherwise returns `None`. Call this in
/// `main` before any thread is started.
#[must_use]
pub fn keeper_main(mut arguments: impl Iterator<Item = std::ffi::OsString>) -> Option<ExitCode> {
    if arguments.next()? != KEEPER_ARGUMENT {
        return None;
    }
    let control = io::stdin().as_fd().try_clone_to_owned().map(UnixStream::from);
    let Ok(control) = control else { return Some(ExitCode::FAILURE) };
    close_inherited_on_exec();
    // The server waits for its child, and knows nothing of the keeper that goes on.
    match fork() {
        Ok(None) => {
            let _ = setsid();
            let code = i32::from(keep(control).is_err());
            exit(code)
        }
        Ok(Some(_)) => Some(ExitCode::SUCCESS),
        Err(_) => Some(ExitCode::FAILURE),
    }
}

fn keep(control: UnixStream) -> io::Result<()> {
    let Some((plan, descriptors)) = channel::receive::<KeepPlan>(&control)? else { return Ok(()) };
    SpareLauncher::forbid();
    let folder = plan.folder.0.clone();
    let started = start(&plan, descriptors).and_then(|process| {
        let listener = announce(&plan, &process).map_err(|error| {
            process.kill();
            ProcessError::failed("keeping the process", error)
        })?;
        Ok((process, listener))
    });
    match started {
        Ok((process, listener)) => {
            // Whether the server still waits for it or not, the process is kept: others find it.
            let _ = channel::send(&control, &KeepReport::Started, &[]);
            drop(control);
            serve(&process, &listener, folder)
        }
        Err(error) => channel::send(&control, &KeepReport::Refused(error.into()), &[]),
    }
}

fn start(plan: &KeepPlan, handles: Vec<OwnedFd>) -> Result<Arc<SupervisedProcess>, ProcessError> {
    let command = plan.command(handles);
    let command = command.ok_or_else(|| {
        let refusal = Refusal::failed("keeping the process", "folders are missing");
        ProcessError::from(refusal)
    })?;
    let started = SystemTime::now();
    let child = Launcher::current().start(command)?;
    SupervisedProcess::start(plan.id.clone(), plan.name.clone(), started, child)
}

/// Makes the process known.
fn announce(plan: &KeepPlan, process: &SupervisedProcess) -> io::Result<UnixListener> {
    let listener = record::listen(&plan.folder.0)?;
    let about = About {
        id: plan.id.clone(),
        name: plan.name.clone(),
        note: plan.note.clone(),
        started: process.started(),
        pid: process.pid(),
        is_terminal: process.is_terminal(),
        confinement: process.confinement().clone(),
    };
    record::write_about(&plan.folder.0, &about)?;
    Ok(listener)
}

/// Serves supervisors until the process has ended and all of them know.
fn serve(
    process: &Arc<SupervisedProcess>,
    listener: &UnixListener,
    folder: PathBuf,
) -> io::Result<()> {
    let logged = {
        let process = process.clone();
        spawn("output log", move || write_log(&process, &folder))?
    };
    listener.set_nonblocking(true)?;
    let connections = Arc::new(AtomicUsize::new(0));
    let mut ended: Option<Instant> = None;
    loop {
        let mut watched = [PollFd::new(listener, PollFlags::IN)];
        let tick = Timespec { tv_sec: 0, tv_nsec: i64::from(TICK.subsec_nanos()) };
        let _ = poll(&mut watched, Some(&tick));
        if let Ok((stream, _)) = listener.accept() {
            if connections.load(Ordering::Relaxed) < MAX_CONNECTIONS {
                connections.fetch_add(1, Ordering::Relaxed);
                let (process, connections) = (process.clone(), connections.clone());
                let serve = move || {
                    let _ = serve_connection(&process, &stream);
                    connections.fetch_sub(1, Ordering::Relaxed);
                };
                spawn("keeper connection", serve)?;
            }
            continue;
        }
        if logged.is_finished() {
            let since = *ended.get_or_insert_with(Instant::now);
            let is_done = connections.load(Ordering::Relaxed) == 0;
            if is_done || since.elapsed() > END_TIMEOUT {
                return Ok(());
            }
        }
    }
}

fn spawn(
    name: &str,
    work: impl FnOnce() + Send + 'static,
) -> io::Result<std::thread::JoinHandle<()>> {
    std::thread::Builder::new().name(name.to_owned()).stack_size(STACK_SIZE).spawn(work)
}

/// Writes the output, and how the process ended, to its folder.
fn write_log(process: &SupervisedProcess, folder: &std::path::Path) {
    let mut log = OutputLog::new(folder);
    let mut cursor = 0;
    let ended = loop {
        let ended = process.ended();
        let piece = process.output(cursor, LOG_PIECE);
        if !piece.bytes.is_empty() {
            // A full disk does not end the process; its newest output is in memory.
            let _ = log.append(piece.start, &piece.bytes);
            cursor = piece.start + piece.bytes.len() as u64;
        } else if let Some(ended) = ended {
            break ended;
        } else {
            process.wait_for_change(cursor, Instant::now() + Duration::from_secs(60));
        }
    };
    let (status, at) = ended;
    let _ = record::write_ended(folder, &Ended { status, at });
}

fn serve_connection(process: &SupervisedProcess, stream: &UnixStream) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(REQUEST_TIMEOUT))?;
    stream.set_write_timeout(Some(REQUEST_TIMEOUT))?;
    let Some((request, _)) = channel::receive::<KeeperRequest>(stream)? else { return Ok(()) };
    let input = |result: Result<(), InputError>| match result {
        Ok(()) => KeeperAnswer::Done,
        Err(InputError::Closed) => KeeperAnswer::Closed,
        Err(InputError::NotRead { written, total }) => KeeperAnswer::NotRead { written, total },
        Err(InputError::NoTerminal) => KeeperAnswer::NoTerminal,
        Err(InputError::Failed(why)) => KeeperAnswer::Failed(why),
    };
    let answer = match request {
        KeeperRequest::Follow => return follow::send(process, stream),
        KeeperRequest::Write { bytes, milliseconds } => {
            input(process.write(&bytes, Duration::from_millis(milliseconds)))
        }
        KeeperRequest::EndInput { milliseconds } => {
            input(process.end_input(Duration::from_millis(milliseconds)))
        }
        KeeperRequest::Resize(size) => input(process.resize(size)),
        KeeperRequest::Signal(signal) => match process.signal(signal) {
            Ok(()) => KeeperAnswer::Done,
            Err(error) => KeeperAnswer::Failed(error.to_string()),
        },
        KeeperRequest::Kill => {
            process.kill();
            KeeperAnswer::Done
        }
        KeeperRequest::Connect { port } => match process.connect(port) {
            Ok(connection) => {
                return channel::send(stream, &KeeperAnswer::Done, &[connection.as_fd()]);
            }
            Err(error) => KeeperAnswer::Failed(error.to_string()),
        },
    };
    channel::send(stream, &answer, &[])
}
