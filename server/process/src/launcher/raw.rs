//! The system calls that have no safe wrapper.

#![allow(unsafe_code, reason = "each has its own proof")]

use std::os::fd::BorrowedFd;

use rustix::io::{FdFlags, Result, fcntl_setfd};
use rustix::thread::{UnshareFlags, unshare_unsafe};

/// Leaves namespaces for new ones.
pub(super) fn unshare(namespaces: UnshareFlags) -> Result<()> {
    debug_assert!(!namespaces.contains(UnshareFlags::FILES));
    // SAFETY: what makes it unsafe is a table of file descriptors that threads stop sharing, with
    // `FILES`; no caller asks for that, and there is one thread.
    unsafe { unshare_unsafe(namespaces) }
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
