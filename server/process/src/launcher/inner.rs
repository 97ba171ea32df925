//! The inner launcher process: the first one of its PID namespace.

use std::fs;
use std::io::ErrorKind;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::fs::{Mode, OFlags, fstat, open};
use rustix::process::{
    DumpableBehavior, Pid, PidfdFlags, Signal, WaitOptions, fchdir, pidfd_open,
    set_dumpable_behavior, set_parent_process_death_signal, setsid, wait,
};

use super::connections::Connections;
use super::control_group::ControlGroups;
use super::proxy_server::ProxyServer;
use super::resource_limits::ResourceLimits;
use super::terminal::{Terminal, lead_session};
use super::{loopback, mounts, namespaces, signals, system_calls, writes};
use crate::channel;
use crate::plan::{Attached, CommandEnd, FIXED_DESCRIPTORS, PathMessage, Plan, Refusal, Report};
use crate::{
    AppliedLimit, Confinement, FilesystemIsolation, Network, NetworkIsolation, ProcessIsolation,
};

/// Runs in a forked copy of the outer process, which sends the plan over `outer`.
pub(super) fn run(
    outer: &UnixStream,
    in_namespaces: bool,
    groups: &ControlGroups,
) -> Result<(), Refusal> {
    let failed = |what| move |e: rustix::io::Errno| Refusal::failed(what, e);
    set_parent_process_death_signal(Some(Signal::KILL)).map_err(failed("tying to the launcher"))?;
    if in_namespaces {
        namespaces::keep_needed_rights().map_err(failed("giving up rights"))?;
    }
    // No other process in the namespace can read its memory or take its file descriptors. Changing
    // capabilities resets this.
    set_dumpable_behavior(DumpableBehavior::NotDumpable).map_err(failed("hiding"))?;
    let _ = channel::send(outer, &(), &[]);
    let received = channel::receive::<Plan>(outer);
    let Ok(Some((plan, mut descriptors))) = received else { return Ok(()) };
    if descriptors.len() < FIXED_DESCRIPTORS + 1 + usize::from(plan.has_door) {
        return Ok(());
    }
    let Some(control) = descriptors.pop().map(UnixStream::from) else { return Ok(()) };
    // From here on, reports go to the caller over its own socket.
    let report = match run_confined(&plan, descriptors, &control, groups) {
        Ok(ending) => Report::Ended(ending),
        Err(refusal) => Report::Refused(refusal),
    };
    let _ = channel::send(&control, &report, &[]);
    Ok(())
}

fn run_confined(
    plan: &Plan,
    mut descriptors: Vec<OwnedFd>,
    control: &UnixStream,
    groups: &ControlGroups,
) -> Result<CommandEnd, Refusal> {
    let failed = |what| move |e: rustix::io::Errno| Refusal::failed(what, e);
    let unavailable = |missing: &str| Refusal::Unavailable(missing.to_owned());
    let proxy = if plan.has_door { descriptors.pop().map(UnixStream::from) } else { None };
    let mut folders = descriptors.split_off(FIXED_DESCRIPTORS - 1);
    let _ = setsid();

    let network = match (plan.network, plan.in_namespaces) {
        (Network::Open, _) => NetworkIsolation::Open,
        (Network::None, true) => NetworkIsolation::Namespace,
        (Network::None, false) if plan.mechanisms.seccomp => NetworkIsolation::NoSockets,
        (Network::None, false) => {
            return Err(unavailable("user namespaces, to cut off the network"));
        }
    };
    if network == NetworkIsolation::Namespace {
        // If that fails, there is no loopback either.
        let _ = loopback::bring_up();
    }

    let is_confined = plan.writable.is_some();
    let mounts = if plan.in_namespaces && plan.mechanisms.mounts {
        mounts::set_up(plan, is_confined)?
    } else {
        None
    };
    // In the command's own `/dev/pts`, before Landlock would restrict it.
    let terminal = plan.terminal.map(Terminal::open).transpose();
    let terminal = terminal.map_err(failed("opening a terminal"))?;
    let process_limit = mounts.as_ref().and_then(|_| limit_processes(plan.limits.processes));

    if is_confined && mounts.is_some() {
        let roots = plan.writable.iter().flatten().map(|folder| folder.path.as_path());
        let writable: Vec<_> = roots.chain([plan.temporary.as_path()]).collect();
        mounts::make_all_read_only_except(&writable)?;
    }

    // Open the folders again: the old handles bypass the new mounts.
    let handles = folders.split_off(1);
    let cwd = folders.remove(0);
    let mut writable = Vec::new();
    for (folder, handle) in plan.writable.iter().flatten().zip(handles) {
        let opened = if mounts.is_some() { reopen(&folder.path, handle)? } else { handle };
        writable.push((folder.path.as_path(), opened));
    }
    let mut protected = Vec::new();
    if is_confined {
        protected = mounts::protected_paths(&plan.protected, &writable);
        match &mounts {
            Some(_) => {
                mounts::pin(&plan.protected.pinned, &writable)?;
                mounts::make_protected_read_only(&protected)?;
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
    // Only now, as it may be below one of the mounts.
    let cwd = if mounts.is_some() { reopen(&plan.cwd, cwd)? } else { cwd };
    fchdir(&cwd).map_err(failed("entering the folder"))?;
    drop(cwd);

    let filesystem = if is_confined {
        if !plan.mechanisms.landlock {
            return Err(unavailable("Landlock (Linux 6.2 or newer), to keep writes inside"));
        }
        writes::confine(&writable, &plan.temporary, mounts.as_ref(), plan.in_namespaces)?;
        if mounts.is_some() {
            FilesystemIsolation::LandlockAndMounts
        } else {
            FilesystemIsolation::Landlock
        }
    } else {
        FilesystemIsolation::Open
    };
    drop(writable);
    // The first process of a PID namespace cannot be killed from inside of it.
    let signal_rules =
        (is_confined && !plan.in_namespaces).then(writes::signal_rules).transpose()?;
    // A confined command never keeps the capability.
    namespaces::drop_rights(plan.may_hold && !is_confined).map_err(failed("giving up rights"))?;
    let filtered = is_confined || network == NetworkIsolation::NoSockets;
    if filtered {
        if !plan.mechanisms.seccomp {
            return Err(unavailable("seccomp, to refuse dangerous system calls"));
        }
        let unix = !is_confined || mounts.is_some();
        system_calls::filter(network, unix)?;
    }
    let mut command_filters = Vec::new();
    if filtered && !plan.may_trace {
        command_filters.push(system_calls::tracing_filter()?);
    }
    let connections = Connections::new(command_filters, is_confined && mounts.is_some());

    let limits = ResourceLimits::new(plan, groups, process_limit)
        .map_err(|e| Refusal::failed("limiting resources", e))?;
    let settings = Settings { limits, signal_rules };
    let started = start(plan, descriptors, terminal.as_ref(), settings, &connections)?;
    let StartedCommand { pid, process, limits } = started;
    let confinement = Confinement {
        processes: if plan.in_namespaces {
            ProcessIsolation::Namespace
        } else {
            ProcessIsolation::Reaper
        },
        filesystem,
        network,
        system_calls_filtered: filtered,
        connections_checked: is_confined && mounts.is_some(),
        process_limit,
        limits,
        protected: protected.iter().map(|p| p.to_string_lossy().into_owned()).collect(),
    };
    if let Some(proxy) = proxy {
        ProxyServer::new(plan, pid, connections)
            .serve(proxy)
            .map_err(|e| Refusal::failed("starting the proxy", e))?;
    }
    let attached = Attached { process: process.is_some(), terminal: terminal.is_some() };
    let control_end = terminal.as_ref().map(|terminal| &terminal.control);
    let descriptors: Vec<_> =
        process.as_ref().into_iter().chain(control_end).map(AsFd::as_fd).collect();
    let report = Report::Started(confinement, PathMessage(plan.temporary.clone()), attached);
    let _ = channel::send(control, &report, &descriptors);
    drop(descriptors);
    // Otherwise the terminal would never end for its owner.
    drop((process, terminal));
    reap_until(pid).map_err(failed("waiting"))
}

/// What a command starts with that the plan does not say.
struct Settings {
    limits: ResourceLimits,
    signal_rules: Option<OwnedFd>,
}

/// The command, after its start.
struct StartedCommand {
    pid: Pid,
    /// A pidfd, for one with a session of its own.
    process: Option<OwnedFd>,
    limits: Vec<AppliedLimit>,
}

fn start(
    plan: &Plan,
    descriptors: Vec<OwnedFd>,
    terminal: Option<&Terminal>,
    settings: Settings,
    connections: &Connections,
) -> Result<StartedCommand, Refusal> {
    let mut descriptors = descriptors.into_iter().map(Stdio::from);
    let mut next = || match terminal.map(|terminal| terminal.device.try_clone()) {
        Some(device) => device.map_or_else(|_| Stdio::null(), Stdio::from),
        None => descriptors.next().unwrap_or_else(Stdio::null),
    };
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
    signals::reset(&mut command);
    if plan.own_session {
        lead_session(&mut command, terminal);
    }
    if let Some(rules) = settings.signal_rules {
        signals::keep_inside(&mut command, rules);
    }
    let limits = settings.limits.apply(&mut command);
    match connections.spawn(&mut command) {
        Ok(child) => {
            let pid = Pid::from_child(&child);
            // It has not been reaped yet.
            let process =
                plan.own_session.then(|| pidfd_open(pid, PidfdFlags::empty()).ok()).flatten();
            Ok(StartedCommand { pid, process, limits })
        }
        Err(e) if matches!(e.kind(), ErrorKind::NotFound | ErrorKind::PermissionDenied) => {
            Err(Refusal::NoProgram(program.to_owned()))
        }
        Err(e) => Err(Refusal::failed("starting the command", e)),
    }
}

/// Reaps all processes until the command itself has ended.
fn reap_until(command: Pid) -> rustix::io::Result<CommandEnd> {
    loop {
        match wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if pid == command => {
                if let Some(code) = status.exit_status() {
                    return Ok(CommandEnd::Code(code));
                }
                if let Some(signal) = status.terminating_signal() {
                    return Ok(CommandEnd::Signal(signal));
                }
            }
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(errno) => return Err(errno),
        }
    }
}

/// Limits the processes of this PID namespace, if the kernel supports that (Linux 6.14).
fn limit_processes(most: u32) -> Option<u32> {
    // Process ids below 300 are not reused.
    let most = most.max(512);
    fs::write("/proc/sys/kernel/pid_max", most.to_string()).ok()?;
    let actual = fs::read_to_string("/proc/sys/kernel/pid_max").ok()?;
    (actual.trim() == most.to_string()).then_some(most)
}

/// Opens the folder at `path` in the new mount namespace. It must be the same as `before`, which
/// bypasses the mounts and is closed.
fn reopen(path: &Path, before: OwnedFd) -> Result<OwnedFd, Refusal> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let now = open(path, flags, Mode::empty())
        .map_err(|_| Refusal::FolderChanged(path.to_string_lossy().into_owned()))?;
    expect_same_folder(path, &now, &before)?;
    Ok(now)
}

fn expect_same_folder(path: &Path, now: &OwnedFd, before: &OwnedFd) -> Result<(), Refusal> {
    let id = |fd: &OwnedFd| fstat(fd).map(|stat| (stat.st_dev, stat.st_ino));
    match (id(now), id(before)) {
        (Ok(now), Ok(before)) if now == before => Ok(()),
        _ => Err(Refusal::FolderChanged(path.to_string_lossy().into_owned())),
    }
}
