//! Serves the proxy into a command's sandbox: a thread of the inner launcher, inside its isolation.

use std::io;
use std::net::{SocketAddr, TcpStream};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::connections::Connections;
use crate::channel;
use crate::plan::Plan;
use crate::sandbox_proxy::{ProxyRequest, ProxyResponse};

/// Timeout of a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Executes its arguments through a shell. A missing program then fails in the shell: this process
/// need not fork and wait itself, which would race with its reaper.
const EXEC_SHELL: [&str; 4] = ["/bin/sh", "-c", "exec \"$@\"", "sh"];

/// Starts serving, until the command has ended. The isolation is in force already: everything
/// started or connected here is possible to the command itself.
pub(super) fn serve(proxy: UnixStream, plan: &Plan, connections: Connections) -> io::Result<()> {
    let mut environment = plan.environment.clone();
    let temporary = |path: PathBuf| path.to_string_lossy().into_owned();
    let folders = plan.temporary_folders.iter();
    environment.extend(folders.map(|name| (name.clone(), temporary(plan.temporary.join(name)))));
    environment.push(("TMPDIR".to_owned(), temporary(plan.temporary.clone())));
    let serve_requests = move || {
        while let Ok(Some((request, descriptors))) = channel::receive::<ProxyRequest>(&proxy) {
            let (response, attached) = handle(request, descriptors, &environment, &connections);
            let attached: Vec<_> = attached.iter().map(AsFd::as_fd).collect();
            if channel::send(&proxy, &response, &attached).is_err() {
                break;
            }
        }
    };
    std::thread::Builder::new().spawn(serve_requests).map(drop)
}

fn handle(
    request: ProxyRequest,
    descriptors: Vec<OwnedFd>,
    environment: &[(String, String)],
    connections: &Connections,
) -> (ProxyResponse, Option<OwnedFd>) {
    let failed = |error: io::Error| (ProxyResponse::Failed(error.to_string()), None);
    match request {
        ProxyRequest::Connect { port } => {
            let address = SocketAddr::from(([127, 0, 0, 1], port));
            match TcpStream::connect_timeout(&address, CONNECT_TIMEOUT) {
                Ok(stream) => (ProxyResponse::Connected, Some(stream.into())),
                Err(error) => failed(error),
            }
        }
        ProxyRequest::Start { program, cwd, environment: changes } => {
            let mut streams = descriptors.into_iter().map(Stdio::from);
            let mut next = || streams.next().unwrap_or_else(Stdio::null);
            let mut command = Command::new(EXEC_SHELL[0]);
            command
                .args(&EXEC_SHELL[1..])
                .args(program)
                .current_dir(cwd)
                .env_clear()
                .envs(environment.iter().map(|(name, value)| (name, value)))
                .stdin(next())
                .stdout(next())
                .stderr(next());
            for (name, value) in changes {
                match value {
                    Some(value) => command.env(name, value),
                    None => command.env_remove(name),
                };
            }
            match connections.spawn(&mut command) {
                // It is reaped with all others.
                Ok(child) => (ProxyResponse::Started(child.id()), None),
                Err(error) => failed(error),
            }
        }
    }
}
