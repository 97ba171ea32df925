//! Limits a command's Unix socket connections to its own processes.
//!
//! A command that connects to a daemon's socket can make the daemon act outside the sandbox.
//! Landlock and
//! mounts do not cover sockets that are created later, or in folders that the command may write to.
//! So this
//! process makes each `connect` for the command. For a Unix socket it connects a new socket, checks
//! that the
//! peer is in the same PID namespace, and then replaces the command's descriptor with it. The
//! kernel records
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

/// Size limit of an address, as in the kernel.
const MAX_ADDRESS_SIZE: usize = 128;

/// Applies filters to every process that the launcher starts, and checks its connections.
#[derive(Clone)]
pub(super) struct Connections {
    filters: Vec<BpfProgram>,
    are_checked: bool,
}

/// A process that is about to be started, whose connections are checked.
struct GuardedProcess(UnixStream);

impl Connections {
    /// `filters` restrict the command but not this process, which needs those calls;
    /// `are_checked` says whether connections are checked.
    pub(super) fn new(filters: Vec<BpfProgram>, are_checked: bool) -> Self {
        Self { filters, are_checked }
    }

    /// Starts `command`. Every `connect` of it and its children waits for this process.
    pub(super) fn spawn(&self, command: &mut Command) -> io::Result<Child> {
        if !self.are_checked {
            notify::refuse(command, self.filters.clone());
            return command.spawn();
        }
        let (our_socket, their_socket) = UnixStream::pair()?;
        notify::guard(
            command,
            self.filters.clone(),
            libc::SYS_connect,
            OwnedFd::from(their_socket),
        );
        let child = command.spawn()?;
        GuardedProcess(our_socket).serve()?;
        Ok(child)
    }
}

impl GuardedProcess {
    /// Serves the command's connections until it has ended.
    fn serve(self) -> io::Result<()> {
        // None comes if an outer sandbox of the same kind serves them already.
        let Some(received) = channel::receive_descriptor(&self.0)? else { return Ok(()) };
        let listener = Arc::new(received);
        let serve = move || {
            while let Ok(()) = wait(&listener) {
                let Ok(call) = notify::receive(&listener) else { continue };
                let id = call.id;
                let call_listener = listener.clone();
                // A slow connection must not delay others.
                let started = std::thread::Builder::new().spawn(move || {
                    let result = connect(&call_listener, &call);
                    notify::respond(&call_listener, id, result);
                });
                if started.is_err() {
                    notify::respond(&listener, id, Err(Errno::AGAIN.into()));
                }
            }
        };
        std::thread::Builder::new().spawn(serve).map(drop)
    }
}

/// Waits for a call; an error if no process is left that could make one.
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

/// Makes the connection for the command.
fn connect(listener: &OwnedFd, call: &Notification) -> io::Result<()> {
    let [descriptor, address, length, ..] = call.arguments;
    // Like the kernel, use only 32 bits of both.
    let (descriptor, length) = (descriptor as u32, length as u32 as usize);
    if length > MAX_ADDRESS_SIZE {
        return Err(Errno::INVAL.into());
    }
    let their_socket = descriptor_of(call.thread, descriptor)?;
    let mut bytes = vec![0; length];
    if length > 0 {
        notify::read_memory(call.thread, address, &mut bytes)?;
    }
    let folder = if is_relative(&bytes) { Some(folder_of(call.thread)?) } else { None };
    let closes_on_exec = closes_on_exec(call.thread, descriptor);
    if !notify::is_still_waiting(listener, call.id) {
        return Err(Errno::SRCH.into());
    }
    if socket_domain(&their_socket)? != AddressFamily::UNIX {
        return notify::connect(their_socket.as_fd(), &bytes);
    }
    let Some(name) = socket_name(&bytes) else {
        // Not a Unix address: the kernel reports the error.
        return notify::connect(their_socket.as_fd(), &bytes);
    };
    let our_socket = socket_with(
        AddressFamily::UNIX,
        socket_type(&their_socket)?,
        SocketFlags::CLOEXEC
            | if fcntl_getfl(&their_socket)?.contains(OFlags::NONBLOCK) {
                SocketFlags::NONBLOCK
            } else {
                SocketFlags::empty()
            },
        None,
    )?;
    match name {
        SocketAddress::Abstract => notify::connect(our_socket.as_fd(), &bytes)?,
        SocketAddress::Path(path) => {
            let flags = OFlags::PATH | OFlags::CLOEXEC;
            let found = match &folder {
                Some(folder) => openat(folder, path, flags, Mode::empty())?,
                None => open(path, flags, Mode::empty())?,
            };
            let socket_path = format!("/proc/self/fd/{}\0", found.as_raw_fd());
            let family = u16::try_from(libc::AF_UNIX).unwrap_or(1).to_ne_bytes();
            notify::connect(our_socket.as_fd(), &[&family[..], socket_path.as_bytes()].concat())?;
        }
    }
    // A peer of another PID namespace has no process id here.
    if notify::peer(our_socket.as_fd())?.is_none() {
        return Err(Errno::ACCESS.into());
    }
    notify::replace_descriptor(listener, call.id, our_socket.as_fd(), descriptor, closes_on_exec)
}

/// The address of a Unix socket.
enum SocketAddress<'a> {
    Path(&'a Path),
    /// Not in the file system.
    Abstract,
}

fn socket_name(address: &[u8]) -> Option<SocketAddress<'_>> {
    let (family, name) = address.split_first_chunk::<2>()?;
    if i32::from(u16::from_ne_bytes(*family)) != libc::AF_UNIX {
        return None;
    }
    match name.first()? {
        0 => Some(SocketAddress::Abstract),
        _ => {
            let name = CStr::from_bytes_until_nul(name).map_or(name, CStr::to_bytes);
            Some(SocketAddress::Path(Path::new(OsStr::from_bytes(name))))
        }
    }
}

fn is_relative(address: &[u8]) -> bool {
    matches!(socket_name(address), Some(SocketAddress::Path(path)) if path.is_relative())
}

/// Duplicates a descriptor of a thread.
fn descriptor_of(thread: i32, number: u32) -> io::Result<OwnedFd> {
    let number = i32::try_from(number).map_err(|_| Errno::BADF)?;
    let process = Pid::from_raw(thread).ok_or(Errno::SRCH)?;
    // By `PIDFD_THREAD` if the kernel has it (6.9), otherwise by its process.
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

/// A thread's working folder.
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
