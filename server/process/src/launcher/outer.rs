//! The outer launcher process.

use std::fs;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::DirBuilderExt;
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{
    DumpableBehavior, Pid, PidfdFlags, Resource, Rlimit, Signal, WaitOptions, getpid, kill_process,
    pidfd_open, set_child_subreaper, set_dumpable_behavior, setrlimit, setsid, waitpid,
};
use rustix::thread::set_no_new_privs;

use super::control_group::ControlGroups;
use super::remove::remove_tree;
use super::{inner, namespaces, orphans, raw, unused_name};
use crate::channel;
use crate::plan::{Plan, Refusal};

pub(super) fn run(control: &UnixStream) -> Result<(), Refusal> {
    let failed = |what| move |e: rustix::io::Errno| Refusal::failed(what, e);
    mark_inherited_close_on_exec();
    let received = channel::receive::<Plan>(control);
    let Ok(Some((mut plan, descriptors))) = received else { return Ok(()) };
    set_no_new_privs(true).map_err(failed("giving up privileges"))?;
    // A new session is out of reach of the terminal's signals. It fails for a process group leader.
    let _ = setsid();
    limit(&plan).map_err(failed("limiting resources"))?;
    if plan.writable.is_some() {
        plan.sockets = unix_socket_paths();
    }
    // With the server's own rights; it forks, which it can do once only when in a PID namespace.
    let groups = ControlGroups::make(&plan.limits);
    if plan.mechanisms.user_namespaces {
        plan.in_namespaces = namespaces::enter(plan.network).is_ok();
    }
    set_child_subreaper(Some(getpid())).map_err(failed("becoming a reaper"))?;
    // No other process can read its memory or take its file descriptors.
    set_dumpable_behavior(DumpableBehavior::NotDumpable).map_err(failed("hiding"))?;
    let temporary = TemporaryFolder::make().map_err(|e| Refusal::failed("making TMPDIR", e))?;
    plan.temporary.clone_from(&temporary.path);

    let starting = |e: std::io::Error| Refusal::failed("starting the inner launcher", e);
    let (ours, theirs) = UnixStream::pair().map_err(starting)?;
    let forked = raw::fork().map_err(failed("starting the inner launcher"))?;
    let Some(inner) = forked else {
        // It gets the descriptors again in a message, so drop the inherited ones.
        drop((ours, descriptors));
        raw::exit(i32::from(inner::run(&theirs, plan.in_namespaces, &groups).is_err()));
    };
    drop(theirs);
    // Wait for its message: from then on it dies together with this process.
    let ready = channel::receive::<()>(&ours);
    let handed_on: Vec<BorrowedFd<'_>> =
        descriptors.iter().map(AsFd::as_fd).chain([control.as_fd()]).collect();
    let sent = ready.and_then(|_| channel::send(&ours, &plan, &handed_on));
    drop(handed_on);
    drop(descriptors);
    if let Err(error) = sent {
        end(inner);
        return Err(starting(error));
    }
    wait(control, inner).map_err(failed("waiting"))?;
    end(inner);
    drop(groups);
    Ok(())
}

/// Marks inherited files close-on-exec: those of the server's own parent must not reach a command.
pub(crate) fn mark_inherited_close_on_exec() {
    let numbers = fs::read_dir("/proc/self/fd").into_iter().flatten().flatten();
    let numbers = numbers.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers.filter(|number| *number > 2).for_each(raw::close_on_exec);
}

/// The paths of all Unix sockets in this network namespace.
fn unix_socket_paths() -> Vec<String> {
    let listed = fs::read("/proc/net/unix").unwrap_or_default();
    let listed = String::from_utf8_lossy(&listed);
    // The path is the eighth column, and may contain blanks.
    let paths = listed.lines().filter_map(|line| line.find(" /").map(|at| &line[at + 1..]));
    let mut paths: Vec<_> = paths.map(str::to_owned).collect();
    paths.sort_unstable();
    paths.dedup();
    paths
}

fn limit(plan: &Plan) -> rustix::io::Result<()> {
    let lower = |resource, most: u64| {
        let limit = rustix::process::getrlimit(resource);
        let most = limit.maximum.map_or(most, |maximum| maximum.min(most));
        setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) })
    };
    lower(Resource::Core, 0)?;
    lower(Resource::Nofile, plan.limits.files)
}

/// Waits until the inner process ends, or the caller closes its socket or sends something.
fn wait(control: &UnixStream, inner: Pid) -> rustix::io::Result<()> {
    let inner = pidfd_open(inner, PidfdFlags::empty())?;
    let mut watched = [PollFd::new(control, PollFlags::IN), PollFd::new(&inner, PollFlags::IN)];
    loop {
        match poll(&mut watched, None) {
            Err(rustix::io::Errno::INTR) => {}
            done => return done.map(drop),
        }
    }
}

/// Ends the inner process, its PID namespace, and processes left without one.
fn end(inner: Pid) {
    // It has not been reaped, so its number cannot have been reused.
    let _ = kill_process(inner, Signal::KILL);
    while matches!(waitpid(Some(inner), WaitOptions::empty()), Err(rustix::io::Errno::INTR)) {}
    orphans::kill_all();
}

/// A command's `TMPDIR`, deleted on drop.
struct TemporaryFolder {
    path: PathBuf,
}

impl TemporaryFolder {
    fn make() -> std::io::Result<Self> {
        let path = Path::new("/tmp").join(unused_name()?);
        // Fails if the path exists.
        fs::DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Self { path })
    }
}

impl Drop for TemporaryFolder {
    fn drop(&mut self) {
        let _ = remove_tree(&self.path);
    }
}
