//! The launcher: this program, executed again, which confines itself and runs the command.
//!
//! It is two processes. The *outer* one makes the namespaces, starts the inner one in them, and
//! waits until that has ended or the caller is gone; then it ends everything. The *inner* one is
//! the first process of the PID namespace: it arranges the mounts, takes away its own rights,
//! runs the command and reaps. Both are single-threaded until the walls are up, and speak over a
//! socket. Where a *door* is wanted, a thread of the inner one keeps it.

mod connections;
mod doorkeeper;
mod inner;
mod loopback;
mod mounts;
mod namespaces;
mod notify;
mod orphans;
mod outer;
mod raw;
mod remove;
mod system_calls;
mod writes;

use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;

use crate::channel;
use crate::plan::Report;

/// The first argument by which a program knows that it is to be the launcher.
pub const LAUNCHER_ARGUMENT: &str = "__contain";

/// Runs the launcher where `arguments`, without the program's name, ask for it; a program calls
/// this first of all, before it has threads. `None` where they ask for something else.
#[must_use]
pub fn launcher_main(mut arguments: impl Iterator<Item = std::ffi::OsString>) -> Option<ExitCode> {
    if arguments.next()? != LAUNCHER_ARGUMENT {
        return None;
    }
    let socket = std::io::stdin().as_fd().try_clone_to_owned().map(UnixStream::from);
    let Ok(socket) = socket else { return Some(ExitCode::FAILURE) };
    Some(match outer::run(&socket) {
        Ok(()) => ExitCode::SUCCESS,
        Err(refusal) => {
            // Nobody left to tell is no matter.
            let _ = channel::send(&socket, &Report::Refused(refusal), &[]);
            ExitCode::FAILURE
        }
    })
}
