//! Whom a command may connect to by a Unix socket: its own processes only.
//!
//! A command that connects to a daemon's socket can make the daemon act outside the sandbox. Landlock and
//! mounts do not cover sockets that are created later, or in folders that the command may write to. So this
//! process makes each `connect` for the command. For a Unix socket it connects a new socket, checks that the
//! peer is in the same PID namespace, and then replaces the command's descriptor with it. The kernel records
//! the peer at `listen`, so it cannot change afterwards. Datagrams, which need no connection,
//! are refused where sockets are made (`system_calls`).

use std::ffi::{CStr, OsStr};
use std::fs;
use std::io;
use std::os::fd::{AsFd, AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::{Child, Command};
use std::sync::Arc;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::fs::{Mode, OFlags, fcntl_getfl, open, openat};
use rustix::io::Errno;
use rustix::net::sockopt::{socket_domain, socket_type};
use rustix::net::{AddressFamily, SocketFlags, socket_with};
use rustix::process::{Pid, PidfdFlags, PidfdGetfdFlags, pidfd_getfd, pidfd_open};
use seccompiler::BpfProgram;

use super::notify::{self, Notification};
use crate::channel;

/// Longest address, as in the kernel.
const LONGEST_ADDRESS: usize = 128;

/// What is done for every process of a command that the launcher starts.
#[derive(Clone)]
pub(super) struct Connections {
    filters: Vec<BpfProgram>,
    are_made_here: bool,
}

/// The connections of a process that is about to be started.
struct Guarded(UnixStream);

impl Connections {
    /// `filters` are what is refused to the command beside, but not to this process, which needs it;
    /// `are_made_here` says whether connections are looked at.
    pub(super) fn new(filters: Vec<BpfProgram>, are_made_here: bool) -> Self {
        Self { filters, are_made_here }
    }

    /// Starts `command`. All that it becomes waits for this process when it connects to something.
    pub(super) fn spawn(&self, command: &mut Command) -> io::Result<Child> {
        if !self.are_made_here {
            notify::refuse(command, self.filters.clone());
            return command.spawn();
        }
        let (ours, theirs) = UnixStream::pair()?;
        notify::guard(command, self.filters.clone(), libc::SYS_connect, OwnedFd::from(theirs));
        let child = command.spawn()?;
        Guarded(ours).serve()?;
        Ok(child)
    }
}

impl Guarded {
    /// Makes the connections of the command, which has been started, until it has ended.
    fn serve(self) -> io::Result<()> {
        // None comes where another sandbox around this one does the same.
        let Some(received) = channel::receive_descriptor(&self.0)? else { return Ok(()) };
        let listener = Arc::new(received);
        let serve = move || {
            while let Ok(()) = wait(&listener) {
                let Ok(call) = notify::receive(&listener) else { continue };
                let id = call.id;
                let for_it = listener.clone();
                // One that takes long must not hold up the others.
                let started = std::thread::Builder::new().spawn(move || {
                    let result = connect(&for_it, &call);
                    notify::respond(&for_it, id, result);
                });
                if started.is_err() {
                    notify::respond(&listener, id, Err(Errno::AGAIN.into()));
                }
            }
        };
        std::thread::Builder::new().spawn(serve).map(drop)
    }
}

/// Waits for a call; an error when nobody is left who could make one.
fn wait(listener: &OwnedFd) -> io::Result<()> {
    loop {
        let mut watched = [PollFd::new(listener, PollFlags::IN)];
        match poll(&mut watched, None) {
            Err(Errno::INTR) => continue,
            done => done?,
        };
        let seen = watched[0].revents();
        if seen.contains(PollFlags::IN) {
            return Ok(());
        }
        if seen.intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL) {
            return Err(io::ErrorKind::BrokenPipe.into());
        }
    }
}

/// Makes the connection that a command waits for.
fn connect(listener: &OwnedFd, call: &Notification) -> io::Result<()> {
    let [descriptor, address, length, ..] = call.arguments;
    // As the kernel does: it takes 32 bits of both.
    let (descriptor, length) = (descriptor as u32, length as u32 as usize);
    if length > LONGEST_ADDRESS {
        return Err(Errno::INVAL.into());
    }
    let theirs = descriptor_of(call.thread, descriptor)?;
    let mut bytes = vec![0; length];
    if length > 0 {
        notify::read_memory(call.thread, address, &mut bytes)?;
    }
    let here = if is_relative(&bytes) { Some(folder_of(call.thread)?) } else { None };
    let closes_on_exec = closes_on_exec(call.thread, descriptor);
    if !notify::still_waits(listener, call.id) {
        return Err(Errno::SRCH.into());
    }
    if socket_domain(&theirs)? != AddressFamily::UNIX {
        return notify::connect(theirs.as_fd(), &bytes);
    }
    let Some(name) = name_in(&bytes) else {
        // What is no address of a Unix socket reaches nobody, and the kernel says why.
        return notify::connect(theirs.as_fd(), &bytes);
    };
    let ours = socket_with(
        AddressFamily::UNIX,
        socket_type(&theirs)?,
        SocketFlags::CLOEXEC
            | if fcntl_getfl(&theirs)?.contains(OFlags::NONBLOCK) {
                SocketFlags::NONBLOCK
            } else {
                SocketFlags::empty()
            },
        None,
    )?;
    match name {
        Name::Abstract => notify::connect(ours.as_fd(), &bytes)?,
        Name::Path(path) => {
            let flags = OFlags::PATH | OFlags::CLOEXEC;
            let found = match &here {
                Some(folder) => openat(folder, path, flags, Mode::empty())?,
                None => open(path, flags, Mode::empty())?,
            };
            let place = format!("/proc/self/fd/{}\0", found.as_raw_fd());
            let family = u16::try_from(libc::AF_UNIX).unwrap_or(1).to_ne_bytes();
            notify::connect(ours.as_fd(), &[&family[..], place.as_bytes()].concat())?;
        }
    }
    // Of another PID namespace's process there is no number here.
    if notify::peer(ours.as_fd())?.is_none() {
        return Err(Errno::ACCESS.into());
    }
    notify::replace_descriptor(listener, call.id, ours.as_fd(), descriptor, closes_on_exec)
}

/// Where a Unix socket is.
enum Name<'a> {
    Path(&'a Path),
    /// In no file system.
    Abstract,
}

fn name_in(address: &[u8]) -> Option<Name<'_>> {
    let (family, name) = address.split_first_chunk::<2>()?;
    if i32::from(u16::from_ne_bytes(*family)) != libc::AF_UNIX {
        return None;
    }
    match name.first()? {
        0 => Some(Name::Abstract),
        _ => {
            let name = CStr::from_bytes_until_nul(name).map_or(name, CStr::to_bytes);
            Some(Name::Path(Path::new(OsStr::from_bytes(name))))
        }
    }
}

fn is_relative(address: &[u8]) -> bool {
    matches!(name_in(address), Some(Name::Path(path)) if path.is_relative())
}

/// A copy of a thread's descriptor.
fn descriptor_of(thread: i32, number: u32) -> io::Result<OwnedFd> {
    let number = i32::try_from(number).map_err(|_| Errno::BADF)?;
    let process = Pid::from_raw(thread).ok_or(Errno::SRCH)?;
    // `PIDFD_THREAD`, where the kernel has it (6.9); else by the process.
    let by_thread = PidfdFlags::from_bits_retain(libc::O_EXCL.unsigned_abs());
    let handle = pidfd_open(process, by_thread).or_else(|_| {
        let status = fs::read_to_string(format!("/proc/{thread}/status"));
        let status = status.unwrap_or_default();
        let group = status.lines().find_map(|line| line.strip_prefix("Tgid:"));
        let group = group.and_then(|number| Pid::from_raw(number.trim().parse().ok()?));
        pidfd_open(group.unwrap_or(process), PidfdFlags::empty())
    })?;
    Ok(pidfd_getfd(handle, number, PidfdGetfdFlags::empty())?)
}

/// The folder that a thread is in.
fn folder_of(thread: i32) -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    Ok(open(format!("/proc/{thread}/cwd"), flags, Mode::empty())?)
}

fn closes_on_exec(thread: i32, number: u32) -> bool {
    let listed = fs::read_to_string(format!("/proc/{thread}/fdinfo/{number}")).unwrap_or_default();
    let flags = listed.lines().find_map(|line| line.strip_prefix("flags:"));
    let flags = flags.and_then(|octal| i32::from_str_radix(octal.trim(), 8).ok());
    flags.is_none_or(|flags| flags & libc::O_CLOEXEC != 0)
}
