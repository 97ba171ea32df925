//! System calls that the kernel passes to this process to decide and perform, by seccomp user
//! notification.

#![allow(unsafe_code, reason = "each has its own proof")]

use std::io;
use std::mem::{size_of, zeroed};
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::Command;

use seccompiler::{BpfProgram, sock_filter};

/// A system call for which a thread waits.
pub(super) struct Notification {
    pub(super) id: u64,
    /// The thread's id in this process's PID namespace.
    pub(super) thread: i32,
    pub(super) arguments: [u64; 6],
}

/// Makes `command` install `filters`, and a filter that passes each call of `number` to this
/// process. The descriptor for receiving them is sent over `socket` before the program is executed.
pub(super) fn guard(
    command: &mut Command,
    filters: Vec<BpfProgram>,
    number: libc::c_long,
    socket: OwnedFd,
) {
    let notify = notify_on(number);
    let guard = move || {
        match listen(&notify) {
            Ok(listener) => send_descriptor(&socket, Some(&listener))?,
            // This runs inside another such sandbox, whose first process serves the calls.
            Err(error) if error.raw_os_error() == Some(libc::EBUSY) => {
                send_descriptor(&socket, None)?;
            }
            Err(error) => return Err(error),
        }
        apply(&filters)
    };
    // SAFETY: between `fork` and `exec` it makes system calls on what was made before, and
    // allocates
    // nothing unless it fails, when nothing is executed.
    unsafe { command.pre_exec(guard) };
}

/// Makes `command` install `filters`.
pub(super) fn refuse(command: &mut Command, filters: Vec<BpfProgram>) {
    let refuse = move || apply(&filters);
    // SAFETY: as above.
    unsafe { command.pre_exec(refuse) };
}

fn apply(filters: &[BpfProgram]) -> io::Result<()> {
    let failed = |_| io::Error::from_raw_os_error(libc::EPERM);
    filters.iter().try_for_each(|filter| seccompiler::apply_filter(filter).map_err(failed))
}

/// A filter that passes every call of `number` on and allows all others. The other filters refuse
/// call numbers of other architectures.
fn notify_on(number: libc::c_long) -> BpfProgram {
    const LOAD: u16 = 0x20;
    const IF_EQUAL: u16 = 0x15;
    const RETURN: u16 = 0x06;
    const HAND_ON: u32 = 0x7fc0_0000;
    const ALLOW: u32 = 0x7fff_0000;
    let number = u32::try_from(number).unwrap_or(u32::MAX);
    vec![
        sock_filter { code: LOAD, jt: 0, jf: 0, k: 0 },
        sock_filter { code: IF_EQUAL, jt: 0, jf: 1, k: number },
        sock_filter { code: RETURN, jt: 0, jf: 0, k: HAND_ON },
        sock_filter { code: RETURN, jt: 0, jf: 0, k: ALLOW },
    ]
}

/// Installs the filter and returns the descriptor for receiving calls.
fn listen(filter: &BpfProgram) -> io::Result<OwnedFd> {
    let program = libc::sock_fprog {
        len: u16::try_from(filter.len()).unwrap_or(0),
        filter: filter.as_ptr().cast::<libc::sock_filter>().cast_mut(),
    };
    let mut done = -1;
    // With this flag (5.19), only fatal signals interrupt a waiting thread.
    let killable = libc::SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV;
    for flags in [killable, 0] {
        let flags = flags | libc::SECCOMP_FILTER_FLAG_NEW_LISTENER;
        // SAFETY: `program` outlives the call, and points to as many instructions as it says; both
        // structures have the kernel's layout.
        done = unsafe {
            libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, flags, &program)
        };
        if done >= 0 {
            break;
        }
    }
    let number = i32::try_from(done).ok().filter(|number| *number >= 0);
    let number = number.ok_or_else(io::Error::last_os_error)?;
    // SAFETY: the kernel has just given it to us, and nobody else has it.
    Ok(unsafe { OwnedFd::from_raw_fd(number) })
}

fn send_descriptor(socket: &OwnedFd, sent: Option<&OwnedFd>) -> io::Result<()> {
    use std::mem::MaybeUninit;
    use std::os::fd::AsFd;

    use rustix::net::{SendAncillaryBuffer, SendAncillaryMessage, SendFlags, sendmsg};
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    let descriptors = sent.map(|sent| [sent.as_fd()]);
    if let Some(descriptors) = &descriptors {
        control.push(SendAncillaryMessage::ScmRights(descriptors));
    }
    sendmsg(socket, &[io::IoSlice::new(&[0])], &mut control, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// Waits for the next call. `ENOENT` means that the calling thread has ended.
pub(super) fn receive(listener: &OwnedFd) -> io::Result<Notification> {
    // SAFETY: it is made of numbers, and the kernel wants it zeroed.
    let mut notification: libc::seccomp_notif = unsafe { zeroed() };
    // SAFETY: the kernel fills in a structure of this layout, which outlives the call.
    check_result(unsafe {
        libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_RECV, &raw mut notification)
    })?;
    let thread = i32::try_from(notification.pid).unwrap_or(0);
    Ok(Notification { id: notification.id, thread, arguments: notification.data.args })
}

/// Answers a call with 0 or an error.
pub(super) fn respond(listener: &OwnedFd, id: u64, result: io::Result<()>) {
    let errno = result.err().map_or(0, |error| error.raw_os_error().unwrap_or(libc::EIO));
    let answer = libc::seccomp_notif_resp { id, val: 0, error: -errno, flags: 0 };
    // SAFETY: the kernel reads a structure of this layout, which outlives the call. Where the
    // thread is
    // gone, it fails, which is harmless.
    unsafe { libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_SEND, &raw const answer) };
}

/// Whether the thread still waits: only then what was read by its id belongs to it.
pub(super) fn is_still_waiting(listener: &OwnedFd, id: u64) -> bool {
    // _IOW('!', 2, u64)
    const ID_VALID: libc::Ioctl = 0x4008_2102;
    // SAFETY: the kernel reads a number, which outlives the call.
    unsafe { libc::ioctl(listener.as_raw_fd(), ID_VALID, &raw const id) == 0 }
}

/// Replaces descriptor `number` of the waiting thread by `given`.
pub(super) fn replace_descriptor(
    listener: &OwnedFd,
    id: u64,
    given: BorrowedFd<'_>,
    number: u32,
    closes_on_exec: bool,
) -> io::Result<()> {
    let addition = libc::seccomp_notif_addfd {
        id,
        flags: u32::try_from(libc::SECCOMP_ADDFD_FLAG_SETFD).unwrap_or(1),
        srcfd: u32::try_from(given.as_raw_fd()).unwrap_or(u32::MAX),
        newfd: number,
        newfd_flags: if closes_on_exec { libc::O_CLOEXEC.unsigned_abs() } else { 0 },
    };
    // SAFETY: the kernel reads a structure of this layout, which outlives the call.
    check_result(unsafe {
        libc::ioctl(listener.as_raw_fd(), libc::SECCOMP_IOCTL_NOTIF_ADDFD, &raw const addition)
    })
}

/// Reads a thread's memory.
pub(super) fn read_memory(thread: i32, address: u64, into: &mut [u8]) -> io::Result<()> {
    let ours = libc::iovec { iov_base: into.as_mut_ptr().cast(), iov_len: into.len() };
    let address = usize::try_from(address).map_err(|_| io::ErrorKind::InvalidInput)?;
    let theirs = libc::iovec { iov_base: address as *mut libc::c_void, iov_len: into.len() };
    // SAFETY: the kernel writes into `into` as much as it has room for, and checks the other
    // address.
    let read =
        unsafe { libc::process_vm_readv(thread, &raw const ours, 1, &raw const theirs, 1, 0) };
    match usize::try_from(read) {
        Ok(read) if read == into.len() => Ok(()),
        Ok(_) => Err(io::Error::from_raw_os_error(libc::EFAULT)),
        Err(_) => Err(io::Error::last_os_error()),
    }
}

/// Connects `socket` to the address that a program passed.
pub(super) fn connect(socket: BorrowedFd<'_>, address: &[u8]) -> io::Result<()> {
    // Aligned as the kernel's own structure for any address.
    // SAFETY: it is made of numbers.
    let mut storage: libc::sockaddr_storage = unsafe { zeroed() };
    let length = address.len().min(size_of::<libc::sockaddr_storage>());
    // SAFETY: both are as long as `length` at least, and do not overlap.
    unsafe {
        std::ptr::copy_nonoverlapping(address.as_ptr(), (&raw mut storage).cast::<u8>(), length);
    }
    let length = libc::socklen_t::try_from(length).unwrap_or(0);
    // SAFETY: the kernel reads `length` bytes of `storage`.
    check_result(unsafe { libc::connect(socket.as_raw_fd(), (&raw const storage).cast(), length) })
}

/// The process id of the listening peer of `socket`; `None` if it is in another PID namespace.
pub(super) fn peer(socket: BorrowedFd<'_>) -> io::Result<Option<i32>> {
    let mut credentials = libc::ucred { pid: 0, uid: 0, gid: 0 };
    let mut length = libc::socklen_t::try_from(size_of::<libc::ucred>()).unwrap_or(0);
    // SAFETY: the kernel writes `length` bytes at most, which `credentials` has.
    check_result(unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_PEERCRED,
            (&raw mut credentials).cast(),
            &raw mut length,
        )
    })?;
    Ok(Some(credentials.pid).filter(|pid| *pid > 0))
}

fn check_result(result: libc::c_int) -> io::Result<()> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
