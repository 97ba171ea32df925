//! The launcher: this program, executed again, which isolates itself and runs the command.
//!
//! It is two processes. The *outer* one creates the namespaces, starts the inner one in them, waits
//! until that ends or the caller closes its socket, and then ends everything. The *inner* one is
//! the first process of the PID namespace: it sets up the mounts, drops its rights, runs the
//! command and reaps. Both are single-threaded until the isolation is in force, and communicate over a
//! socket. If the caller wants a proxy into the sandbox, a thread of the inner one serves it.

mod connections;
mod control_group;
mod inner;
mod loopback;
mod mounts;
mod namespaces;
mod notify;
mod orphans;
mod outer;
mod proxy_server;
mod raw;
mod remove;
mod resource_limits;
mod signals;
mod system_calls;
mod terminal;
mod writes;

use std::fs::File;
use std::io::Read;
use std::os::fd::AsFd;
use std::os::unix::net::UnixStream;
use std::process::ExitCode;

use crate::channel;
use crate::plan::Report;
pub(crate) use outer::mark_inherited_close_on_exec as close_inherited_on_exec;
pub(crate) use raw::{exit, fork};

/// The first argument that makes a program run as the launcher.
pub const LAUNCHER_ARGUMENT: &str = "__contain";

/// What the names of a command's folder and control group begin with.
const NAME_PREFIX: &str = "tandem-";

/// A name that nothing has yet: it is random.
fn unused_name() -> std::io::Result<String> {
    let mut random = [0; 8];
    File::open("/dev/urandom")?.read_exact(&mut random)?;
    Ok(format!("{NAME_PREFIX}{:016x}", u64::from_ne_bytes(random)))
}

/// Runs the launcher if `arguments`, without the program's name, say so; otherwise returns `None`.
/// Call this first in `main`, before any thread is started.
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
            // The caller may be gone.
            let _ = channel::send(&socket, &Report::Refused(refusal), &[]);
            ExitCode::FAILURE
        }
    })
}
