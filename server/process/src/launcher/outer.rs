//! The outer process of the launcher.

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

use super::remove::remove_tree;
use super::{inner, namespaces, orphans, raw};
use crate::channel;
use crate::plan::{Plan, Refusal};

pub(super) fn run(control: &UnixStream) -> Result<(), Refusal> {
    let failed = |what| move |e: rustix::io::Errno| Refusal::failed(what, e);
    close_inherited();
    let received = channel::receive::<Plan>(control);
    let Ok(Some((mut plan, descriptors))) = received else { return Ok(()) };
    set_no_new_privs(true).map_err(failed("giving up privileges"))?;
    // Out of reach of the terminal's signals; it fails for who leads a group already.
    let _ = setsid();
    limit(&plan).map_err(failed("limiting resources"))?;
    if plan.writable.is_some() {
        plan.sockets = sockets();
    }
    if plan.mechanisms.user_namespaces {
        plan.in_namespaces = namespaces::enter(plan.network).is_ok();
    }
    set_child_subreaper(Some(getpid())).map_err(failed("becoming a reaper"))?;
    // Nobody looks at its memory or takes its file descriptors.
    set_dumpable_behavior(DumpableBehavior::NotDumpable).map_err(failed("hiding"))?;
    let temporary = Temporary::make().map_err(|e| Refusal::failed("making TMPDIR", e))?;
    plan.temporary.clone_from(&temporary.path);

    let starting = |e: std::io::Error| Refusal::failed("starting the inner launcher", e);
    let (ours, theirs) = UnixStream::pair().map_err(starting)?;
    let forked = raw::fork().map_err(failed("starting the inner launcher"))?;
    let Some(inner) = forked else {
        // What it holds it is sent again, so that it holds nothing else.
        drop((ours, descriptors));
        raw::exit(i32::from(inner::run(&theirs, plan.in_namespaces).is_err()));
    };
    drop(theirs);
    // From its word on, its death follows from ours.
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
    Ok(())
}

/// Files that whoever started the server left open are none of a command's business.
fn close_inherited() {
    let numbers = fs::read_dir("/proc/self/fd").into_iter().flatten().flatten();
    let numbers = numbers.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    numbers.filter(|number| *number > 2).for_each(raw::close_on_exec);
}

/// The places of all Unix sockets of this network namespace that have one.
fn sockets() -> Vec<String> {
    let listed = fs::read("/proc/net/unix").unwrap_or_default();
    let listed = String::from_utf8_lossy(&listed);
    // The place is the eighth column, and may hold blanks.
    let places = listed.lines().filter_map(|line| line.find(" /").map(|at| &line[at + 1..]));
    let mut places: Vec<_> = places.map(str::to_owned).collect();
    places.sort_unstable();
    places.dedup();
    places
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

/// Waits until the inner process has ended, or the caller is gone or says so.
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

/// Ends the inner process, with it its namespace, and whatever is left without one.
fn end(inner: Pid) {
    // It is not reaped yet, so its number is still its own.
    let _ = kill_process(inner, Signal::KILL);
    while matches!(waitpid(Some(inner), WaitOptions::empty()), Err(rustix::io::Errno::INTR)) {}
    orphans::end_all();
}

/// A folder for a command's temporary files, gone with this value.
struct Temporary {
    path: PathBuf,
}

impl Temporary {
    fn make() -> std::io::Result<Self> {
        let mut random = [0; 8];
        std::io::Read::read_exact(&mut fs::File::open("/dev/urandom")?, &mut random)?;
        let name = format!("tandem-{:016x}", u64::from_ne_bytes(random));
        let path = Path::new("/tmp").join(name);
        // It fails where something is there already.
        fs::DirBuilder::new().mode(0o700).create(&path)?;
        Ok(Self { path })
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        let _ = remove_tree(&self.path);
    }
}
