//! Keeps the door to where a command runs: a thread of the inner launcher, behind all its walls.

use std::io;
use std::net::{SocketAddr, TcpStream};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::connections::Connections;
use crate::channel;
use crate::door::{Granted, Wish};
use crate::plan::Plan;

/// How long a connection may take.
const CONNECT: Duration = Duration::from_secs(5);
/// Executes its arguments. Only the shell looks for the program: so the launcher neither forks nor
/// waits by itself, which its reaper would come in between.
const EXECUTES: [&str; 4] = ["/bin/sh", "-c", "exec \"$@\"", "sh"];

/// Opens the door: until the command has ended, what is wanted there is done. The walls are up: what
/// is started, and what is reached, is what the command itself could start and reach.
pub(super) fn open(door: UnixStream, plan: &Plan, connections: Connections) -> io::Result<()> {
    let mut environment = plan.environment.clone();
    let temporary = |path: PathBuf| path.to_string_lossy().into_owned();
    let folders = plan.temporary_folders.iter();
    environment.extend(folders.map(|name| (name.clone(), temporary(plan.temporary.join(name)))));
    environment.push(("TMPDIR".to_owned(), temporary(plan.temporary.clone())));
    let kept = move || {
        while let Ok(Some((wish, descriptors))) = channel::receive::<Wish>(&door) {
            let (granted, with) = grant(wish, descriptors, &environment, &connections);
            let with: Vec<_> = with.iter().map(AsFd::as_fd).collect();
            if channel::send(&door, &granted, &with).is_err() {
                break;
            }
        }
    };
    std::thread::Builder::new().spawn(kept).map(drop)
}

fn grant(
    wish: Wish,
    descriptors: Vec<OwnedFd>,
    environment: &[(String, String)],
    connections: &Connections,
) -> (Granted, Option<OwnedFd>) {
    let failed = |error: io::Error| (Granted::Failed(error.to_string()), None);
    match wish {
        Wish::Connect { port } => {
            let address = SocketAddr::from(([127, 0, 0, 1], port));
            match TcpStream::connect_timeout(&address, CONNECT) {
                Ok(stream) => (Granted::Connected, Some(stream.into())),
                Err(error) => failed(error),
            }
        }
        Wish::Start { program, cwd, environment: different } => {
            let mut streams = descriptors.into_iter().map(Stdio::from);
            let mut next = || streams.next().unwrap_or_else(Stdio::null);
            let mut command = Command::new(EXECUTES[0]);
            command
                .args(&EXECUTES[1..])
                .args(program)
                .current_dir(cwd)
                .env_clear()
                .envs(environment.iter().map(|(name, value)| (name, value)))
                .stdin(next())
                .stdout(next())
                .stderr(next());
            for (name, value) in different {
                match value {
                    Some(value) => command.env(name, value),
                    None => command.env_remove(name),
                };
            }
            match connections.spawn(&mut command) {
                // It is reaped with all others.
                Ok(child) => (Granted::Started(child.id()), None),
                Err(error) => failed(error),
            }
        }
    }
}
