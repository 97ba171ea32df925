//! Serves the proxy into a command's sandbox: a thread of the inner launcher, inside its isolation.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, TcpListener, TcpStream};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::process::{Pid, Signal, kill_process_group};

use super::connections::Connections;
use crate::channel;
use crate::plan::Plan;
use crate::sandbox_proxy::{ProxyRequest, ProxyResponse};

/// Timeout of a connection.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// The loopback's addresses: a server for `localhost` may listen on either.
const LOOPBACK: [IpAddr; 2] = [IpAddr::V4(Ipv4Addr::LOCALHOST), IpAddr::V6(Ipv6Addr::LOCALHOST)];
/// Executes its arguments through a shell. A missing program then fails in the shell: this process
/// need not fork and wait itself, which would race with its reaper.
const EXEC_SHELL: [&str; 4] = ["/bin/sh", "-c", "exec \"$@\"", "sh"];

/// Answers requests about a running command.
pub(super) struct ProxyServer {
    environment: Vec<(String, String)>,
    connections: Connections,
    /// The process group of the command, if it leads one.
    group: Option<Pid>,
}

impl ProxyServer {
    pub(super) fn new(plan: &Plan, command: Pid, connections: Connections) -> Self {
        let mut environment = plan.environment.clone();
        let temporary = |path: PathBuf| path.to_string_lossy().into_owned();
        let folders = plan.temporary_folders.iter();
        environment
            .extend(folders.map(|name| (name.clone(), temporary(plan.temporary.join(name)))));
        environment.push(("TMPDIR".to_owned(), temporary(plan.temporary.clone())));
        Self { environment, connections, group: plan.own_session.then_some(command) }
    }

    /// Starts serving, until the command has ended. The isolation is in force already: everything
    /// started or connected here is possible to the command itself.
    pub(super) fn serve(self, proxy: UnixStream) -> io::Result<()> {
        let serve_requests = move || {
            while let Ok(Some((request, descriptors))) = channel::receive::<ProxyRequest>(&proxy) {
                let (response, attached) = self.handle(request, descriptors);
                let attached: Vec<_> = attached.iter().map(AsFd::as_fd).collect();
                if channel::send(&proxy, &response, &attached).is_err() {
                    break;
                }
            }
        };
        std::thread::Builder::new().spawn(serve_requests).map(drop)
    }

    fn handle(
        &self,
        request: ProxyRequest,
        descriptors: Vec<OwnedFd>,
    ) -> (ProxyResponse, Option<OwnedFd>) {
        let failed = |error: io::Error| (ProxyResponse::Failed(error.to_string()), None);
        match request {
            ProxyRequest::Connect { port } => match connect(port) {
                Ok(stream) => (ProxyResponse::Connected, Some(stream.into())),
                Err(error) => failed(error),
            },
            ProxyRequest::Listen { port } => match TcpListener::bind((LOOPBACK[0], port)) {
                Ok(listener) => (ProxyResponse::Listening, Some(listener.into())),
                Err(error) => failed(error),
            },
            ProxyRequest::Start { program, cwd, environment } => {
                match self.start(program, cwd, environment, descriptors) {
                    Ok(pid) => (ProxyResponse::Started(pid), None),
                    Err(error) => failed(error),
                }
            }
            ProxyRequest::Signal { signal } => match self.signal(signal) {
                Ok(()) => (ProxyResponse::Signalled, None),
                Err(error) => failed(error),
            },
        }
    }

    fn start(
        &self,
        program: Vec<String>,
        cwd: PathBuf,
        changes: Vec<(String, Option<String>)>,
        descriptors: Vec<OwnedFd>,
    ) -> io::Result<u32> {
        let mut streams = descriptors.into_iter().map(Stdio::from);
        let mut next = || streams.next().unwrap_or_else(Stdio::null);
        let mut command = Command::new(EXEC_SHELL[0]);
        command
            .args(&EXEC_SHELL[1..])
            .args(program)
            .current_dir(cwd)
            .env_clear()
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .stdin(next())
            .stdout(next())
            .stderr(next());
        for (name, value) in changes {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        // It is reaped with all others.
        self.connections.spawn(&mut command).map(|child| child.id())
    }

    fn signal(&self, signal: i32) -> io::Result<()> {
        let unknown = || io::Error::from(io::ErrorKind::InvalidInput);
        let signal = Signal::from_named_raw(signal).ok_or_else(unknown)?;
        let group = self.group.ok_or_else(unknown)?;
        Ok(kill_process_group(group, signal)?)
    }
}

fn connect(port: u16) -> io::Result<TcpStream> {
    let connect =
        |address| TcpStream::connect_timeout(&SocketAddr::new(address, port), CONNECT_TIMEOUT);
    connect(LOOPBACK[0]).or_else(|first| connect(LOOPBACK[1]).map_err(|_| first))
}
