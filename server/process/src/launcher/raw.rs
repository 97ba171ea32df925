//! System calls without a safe wrapper.

#![allow(unsafe_code, reason = "each has its own proof")]

use std::os::fd::BorrowedFd;

use rustix::io::{Errno, FdFlags, Result, fcntl_setfd};
use rustix::process::Pid;
use rustix::thread::{UnshareFlags, unshare_unsafe};

/// Moves this process into new namespaces.
pub(super) fn unshare(namespaces: UnshareFlags) -> Result<()> {
    debug_assert!(!namespaces.contains(UnshareFlags::FILES));
    // SAFETY: what makes it unsafe is a table of file descriptors that threads stop sharing, with
    // `FILES`; no caller asks for that, and there is one thread.
    unsafe { unshare_unsafe(namespaces) }
}

/// Forks; `None` in the child. Executing the program again would load and relocate it again, which
/// takes as long as the rest of a start.
pub(crate) fn fork() -> Result<Option<Pid>> {
    // SAFETY: there is one thread, so nothing is copied that another thread was changing.
    let forked = unsafe { libc::fork() };
    match forked {
        0 => Ok(None),
        pid => Pid::from_raw(pid).filter(|_| pid > 0).map(Some).ok_or_else(last_error),
    }
}

fn last_error() -> Errno {
    Errno::from_io_error(&std::io::Error::last_os_error()).unwrap_or(Errno::IO)
}

/// Exits a forked process without running the parent's exit handlers.
pub(crate) fn exit(code: i32) -> ! {
    // SAFETY: it has no preconditions.
    unsafe { libc::_exit(code) }
}

/// Sets close-on-exec on the file descriptor `number`, if it is open.
pub(super) fn close_on_exec(number: i32) {
    if number < 0 {
        return;
    }
    // SAFETY: it is not -1, is used for this one call only, and a closed one is answered EBADF.
    let descriptor = unsafe { BorrowedFd::borrow_raw(number) };
    let _ = fcntl_setfd(descriptor, FdFlags::CLOEXEC);
}
