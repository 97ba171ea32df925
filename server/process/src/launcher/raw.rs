//! The system calls that have no safe wrapper.

#![allow(unsafe_code, reason = "each has its own proof")]

use std::os::fd::BorrowedFd;

use rustix::io::{Errno, FdFlags, Result, fcntl_setfd};
use rustix::process::Pid;
use rustix::thread::{UnshareFlags, unshare_unsafe};

/// Leaves namespaces for new ones.
pub(super) fn unshare(namespaces: UnshareFlags) -> Result<()> {
    debug_assert!(!namespaces.contains(UnshareFlags::FILES));
    // SAFETY: what makes it unsafe is a table of file descriptors that threads stop sharing, with
    // `FILES`; no caller asks for that, and there is one thread.
    unsafe { unshare_unsafe(namespaces) }
}

/// Starts a process that goes on from here with a copy of everything: `None` in it. A program that is
/// executed anew would be loaded and relocated again, which takes as long as all else of a start.
pub(super) fn fork() -> Result<Option<Pid>> {
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

/// Ends a process that [`fork`] made, without what the one that it was copied from does at its end.
pub(super) fn exit(code: i32) -> ! {
    // SAFETY: it has no preconditions.
    unsafe { libc::_exit(code) }
}

/// Has the file descriptor `number` closed when another program is executed. One that is not open
/// is no matter.
pub(super) fn close_on_exec(number: i32) {
    if number < 0 {
        return;
    }
    // SAFETY: it is not -1, is used for this one call only, and a closed one is answered EBADF.
    let descriptor = unsafe { BorrowedFd::borrow_raw(number) };
    let _ = fcntl_setfd(descriptor, FdFlags::CLOEXEC);
}
