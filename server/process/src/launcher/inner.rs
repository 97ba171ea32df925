//! The inner process of the launcher: the first one of its PID namespace.

use std::fs;
use std::io::ErrorKind;
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::fs::{Mode, OFlags, fstat, open};
use rustix::process::{
    DumpableBehavior, Pid, Signal, WaitOptions, fchdir, set_dumpable_behavior,
    set_parent_process_death_signal, setsid, wait,
};

use super::connections::Connections;
use super::{doorkeeper, loopback, mounts, namespaces, system_calls, writes};
use crate::channel;
use crate::plan::{Ending, FIXED_DESCRIPTORS, Place, Plan, Refusal, Report};
use crate::{Confinement, FilesystemWall, Network, NetworkWall, ProcessWall};

/// Runs in a forked copy of the outer process, which sends what is still missing over `outer`.
pub(super) fn run(outer: &UnixStream, in_namespaces: bool) -> Result<(), Refusal> {
    let failed = |what| move |e: rustix::io::Errno| Refusal::failed(what, e);
    set_parent_process_death_signal(Some(Signal::KILL)).map_err(failed("tying to the launcher"))?;
    if in_namespaces {
        namespaces::keep_needed_rights().map_err(failed("giving up rights"))?;
    }
    // Nobody in the namespace looks at its memory or takes its file descriptors. Rights that change undo it.
    set_dumpable_behavior(DumpableBehavior::NotDumpable).map_err(failed("hiding"))?;
    let _ = channel::send(outer, &(), &[]);
    let received = channel::receive::<Plan>(outer);
    let Ok(Some((plan, mut descriptors))) = received else { return Ok(()) };
    if descriptors.len() < FIXED_DESCRIPTORS + 1 + usize::from(plan.has_door) {
        return Ok(());
    }
    let Some(control) = descriptors.pop().map(UnixStream::from) else { return Ok(()) };
    // From here on the caller is told, over its own socket.
    let told = match contained(&plan, descriptors, &control) {
        Ok(ending) => Report::Ended(ending),
        Err(refusal) => Report::Refused(refusal),
    };
    let _ = channel::send(&control, &told, &[]);
    Ok(())
}

fn contained(
    plan: &Plan,
    mut descriptors: Vec<OwnedFd>,
    control: &UnixStream,
) -> Result<Ending, Refusal> {
    let failed = |what| move |e: rustix::io::Errno| Refusal::failed(what, e);
    let unavailable = |missing: &str| Refusal::Unavailable(missing.to_owned());
    let door = if plan.has_door { descriptors.pop().map(UnixStream::from) } else { None };
    let mut folders = descriptors.split_off(FIXED_DESCRIPTORS - 1);
    let _ = setsid();

    let network = match (plan.network, plan.in_namespaces) {
        (Network::Open, _) => NetworkWall::Open,
        (Network::None, true) => NetworkWall::Namespace,
        (Network::None, false) if plan.mechanisms.seccomp => NetworkWall::NoSockets,
        (Network::None, false) => {
            return Err(unavailable("user namespaces, to cut off the network"));
        }
    };
    if network == NetworkWall::Namespace {
        // Without it, there is no network at all.
        let _ = loopback::bring_up();
    }

    let is_confined = plan.writable.is_some();
    let mounts = if plan.in_namespaces && plan.mechanisms.mounts {
        mounts::arrange(plan, is_confined)?
    } else {
        None
    };
    let process_limit = mounts.as_ref().and_then(|_| limit_processes(plan.limits.processes));

    if is_confined && mounts.is_some() {
        let roots = plan.writable.iter().flatten().map(|folder| folder.path.as_path());
        let writable: Vec<_> = roots.chain([plan.temporary.as_path()]).collect();
        mounts::read_only_but(&writable)?;
    }

    // Folders by their handles: those of before lead around the new mounts.
    let handles = folders.split_off(1);
    let cwd = folders.remove(0);
    let mut writable = Vec::new();
    for (folder, handle) in plan.writable.iter().flatten().zip(handles) {
        let opened = if mounts.is_some() { reopened(&folder.path, handle)? } else { handle };
        writable.push((folder.path.as_path(), opened));
    }
    let mut protected = Vec::new();
    if is_confined {
        protected = mounts::protected(&plan.protected, &writable);
        match &mounts {
            Some(_) => {
                mounts::pin(&plan.protected.pinned, &writable)?;
                mounts::protect(&protected)?;
                mounts::hide(&plan.protected.hidden)?;
            }
            None if !plan.protected.hidden.is_empty() => {
                return Err(unavailable("mount namespaces, to hide what may not be read"));
            }
            None if protected.is_empty() => {}
            None => {
                return Err(Refusal::Unavailable(format!(
                    "mount namespaces, to protect {}",
                    protected[0].display()
                )));
            }
        }
    }
    // Only now: it may be below one of the mounts.
    let cwd = if mounts.is_some() { reopened(&plan.cwd, cwd)? } else { cwd };
    fchdir(&cwd).map_err(failed("entering the folder"))?;
    drop(cwd);

    let filesystem = if is_confined {
        if !plan.mechanisms.landlock {
            return Err(unavailable("Landlock (Linux 6.2 or newer), to keep writes inside"));
        }
        writes::confine(&writable, &plan.temporary, mounts.as_ref(), plan.in_namespaces)?;
        if mounts.is_some() { FilesystemWall::LandlockAndMounts } else { FilesystemWall::Landlock }
    } else {
        FilesystemWall::Open
    };
    drop(writable);
    // What is confined holds nothing.
    namespaces::drop_rights(plan.may_hold && !is_confined).map_err(failed("giving up rights"))?;
    let filtered = is_confined || network == NetworkWall::NoSockets;
    if filtered {
        if !plan.mechanisms.seccomp {
            return Err(unavailable("seccomp, to refuse dangerous system calls"));
        }
        let unix = !is_confined || mounts.is_some();
        system_calls::filter(network, unix)?;
    }
    let mut refused = Vec::new();
    if filtered && !plan.may_trace {
        refused.push(system_calls::tracing()?);
    }
    let connections = Connections::new(refused, is_confined && mounts.is_some());

    let confinement = Confinement {
        processes: if plan.in_namespaces { ProcessWall::Namespace } else { ProcessWall::Reaper },
        filesystem,
        network,
        system_calls_filtered: filtered,
        connections_checked: is_confined && mounts.is_some(),
        process_limit,
        protected: protected.iter().map(|p| p.to_string_lossy().into_owned()).collect(),
    };
    let pid = start(plan, descriptors, &connections)?;
    if let Some(door) = door {
        doorkeeper::open(door, plan, connections)
            .map_err(|e| Refusal::failed("opening the door", e))?;
    }
    let _ =
        channel::send(control, &Report::Started(confinement, Place(plan.temporary.clone())), &[]);
    reap_until(pid).map_err(failed("waiting"))
}

fn start(
    plan: &Plan,
    descriptors: Vec<OwnedFd>,
    connections: &Connections,
) -> Result<Pid, Refusal> {
    let mut descriptors = descriptors.into_iter().map(Stdio::from);
    let mut next = || descriptors.next().unwrap_or_else(Stdio::null);
    let program = plan.program.first().map_or("", String::as_str);
    let mut command = Command::new(program);
    command
        .args(plan.program.iter().skip(1))
        .env_clear()
        .envs(plan.environment.iter().map(|(name, value)| (name, value)))
        .envs(plan.temporary_folders.iter().map(|name| (name, plan.temporary.join(name))))
        .env("TMPDIR", &plan.temporary)
        .stdin(next())
        .stdout(next())
        .stderr(next());
    match connections.spawn(&mut command) {
        Ok(child) => Ok(Pid::from_child(&child)),
        Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::PermissionDenied) => {
            Err(Refusal::NoProgram(program.to_owned()))
        }
        Err(e) => Err(Refusal::failed("starting the command", e)),
    }
}

/// Reaps whatever ends, until the command itself has.
fn reap_until(command: Pid) -> rustix::io::Result<Ending> {
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if pid == command => {
                if let Some(code) = status.exit_status() {
                    return Ok(Ending::Code(code));
                }
                if let Some(signal) = status.terminating_signal() {
                    return Ok(Ending::Signal(signal));
                }
            }
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
    }
}

/// The most processes of this PID namespace, where the kernel counts them (Linux 6.14).
fn limit_processes(most: u32) -> Option<u32> {
    // Numbers below 300 are used once only.
    let most = most.max(512);
    fs::write("/proc/sys/kernel/pid_max", most.to_string()).ok()?;
    let told = fs::read_to_string("/proc/sys/kernel/pid_max").ok()?;
    (told.trim() == most.to_string()).then_some(most)
}

/// The folder at `path` as it is seen from here: the same as `before`, which is closed, as it leads
/// around the mounts.
fn reopened(path: &Path, before: OwnedFd) -> Result<OwnedFd, Refusal> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let now = open(path, flags, Mode::empty())
        .map_err(|_| Refusal::FolderChanged(path.to_string_lossy().into_owned()))?;
    same(path, &now, &before)?;
    Ok(now)
}

fn same(path: &Path, now: &OwnedFd, before: &OwnedFd) -> Result<(), Refusal> {
    let id = |fd: &OwnedFd| fstat(fd).map(|stat| (stat.st_dev, stat.st_ino));
    match (id(now), id(before)) {
        (Ok(now), Ok(before)) if now == before => Ok(()),
        _ => Err(Refusal::FolderChanged(path.to_string_lossy().into_owned())),
    }
}
