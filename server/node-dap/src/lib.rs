//! A debug adapter for Node: DAP on one side, Node's inspector on the other.
//!
//! Start with [`serve`]. A session (`session`) is one client with one Node process; `inspector` sends commands to the
//! process and its workers. `maps` leads from generated code to sources and back, `paths` from URLs to files. These
//! two, and `hits`, run nothing and are tested beside their code.
//!
//! Each Node process of the program runs `bootloader.cjs` first, which reports it to the adapter (`launch`).
//! It knows nothing of workspaces, tools or the sandbox around it.

mod attach;
mod hits;
mod inspector;
mod launch;
mod maps;
mod paths;
mod session;
mod wire;
mod work;

use std::io::{self, BufReader};
use std::os::unix::net::UnixListener;
use std::path::PathBuf;

pub use launch::guard;

/// How the adapter runs.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// The Node that runs programs; the one on `PATH` if none is given.
    pub node: Option<PathBuf>,
    /// Listen on this socket, for the sessions of a program and its child processes, instead of standard input and
    /// output. The adapter ends with the first session.
    pub socket: Option<PathBuf>,
    /// Whether the caller ends all processes that are left, as a sandbox does.
    pub is_contained: bool,
}

/// Serves until the client has gone.
///
/// # Errors
/// If there is no socket to listen on.
pub fn serve(options: &Options) -> io::Result<()> {
    let Some(socket) = &options.socket else {
        session::run(BufReader::new(io::stdin()), Box::new(io::stdout()), options);
        return Ok(());
    };
    let listener = UnixListener::bind(socket)?;
    let (first, _) = listener.accept()?;
    let for_children = options.clone();
    std::thread::Builder::new().name("child-sessions".to_owned()).spawn(move || {
        for stream in listener.incoming().flatten() {
            let options = for_children.clone();
            let spawned =
                std::thread::Builder::new().name("child-session".to_owned()).spawn(move || {
                    if let Ok(writer) = stream.try_clone() {
                        session::run(BufReader::new(stream), Box::new(writer), &options);
                    }
                });
            if let Err(error) = spawned {
                tracing::warn!("no thread for a child session: {error}");
            }
        }
    })?;
    let writer = first.try_clone()?;
    session::run(BufReader::new(first), Box::new(writer), options);
    Ok(())
}
