//! The signals of a command: how it starts with them, and whom it may send them to.

#![allow(unsafe_code, reason = "each has its own proof")]

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Makes `command` start with the default action for every signal.
///
/// A program inherits signals that are ignored. Shells start background jobs with SIGINT ignored, and
/// `nohup` does so with SIGHUP: without this, Ctrl-C in a terminal would do nothing if the server was
/// started like that.
pub(super) fn reset(command: &mut Command) {
    let reset = || {
        for signal in 1..=libc::SIGRTMAX() {
            // SIGKILL, SIGSTOP and the C library's own signals refuse, and cannot be ignored.
            // SAFETY: no handler of ours is installed, so that none is lost; the call is
            // async-signal-safe.
            unsafe { libc::signal(signal, libc::SIG_DFL) };
        }
        Ok(())
    };
    // SAFETY: it makes system calls only.
    unsafe { command.pre_exec(reset) };
}

/// Makes `command` apply Landlock rules that keep its signals to itself and what it starts.
pub(super) fn keep_inside(command: &mut Command, rules: OwnedFd) {
    let apply = move || {
        // SAFETY: the kernel reads the number of an open descriptor, and flags of which none is set.
        let done = unsafe { libc::syscall(libc::SYS_landlock_restrict_self, rules.as_raw_fd(), 0) };
        if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    };
    // SAFETY: it makes a system call only.
    unsafe { command.pre_exec(apply) };
}
