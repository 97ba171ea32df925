//! The proxy into a running command's sandbox: connects to its loopback, listens there, starts programs in it.

use std::io;
use std::net::{TcpListener, TcpStream};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::channel;

/// Timeout of a request.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(10);

/// A proxy into the sandbox of a running command: its isolation, PID namespace and loopback. The
/// launcher runs it, and the command cannot reach it. Calls block for a few seconds at most and are
/// served one at a time.
#[derive(Debug, Clone)]
pub struct SandboxProxy(Arc<Mutex<UnixStream>>);

/// One more program to run in a command's sandbox. It gets the command's environment with changes,
/// and ends with the command at the latest.
#[derive(Debug)]
pub struct ExtraProgram {
    /// The program, searched on its `PATH`, and its arguments.
    pub program: Vec<String>,
    /// The working folder, as a path inside the sandbox.
    pub cwd: PathBuf,
    /// Changes of the environment; `None` removes a variable.
    pub environment: Vec<(String, Option<String>)>,
    /// Standard input.
    pub stdin: OwnedFd,
    /// Standard output.
    pub stdout: OwnedFd,
    /// Standard error.
    pub stderr: OwnedFd,
}

/// A request to the launcher. [`ProxyRequest::Start`] comes with standard input, output and error.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum ProxyRequest {
    Connect { port: u16 },
    Listen { port: u16 },
    Start { program: Vec<String>, cwd: PathBuf, environment: Vec<(String, Option<String>)> },
    Signal { signal: i32 },
}

/// The launcher's response. [`ProxyResponse::Connected`] comes with the connection,
/// [`ProxyResponse::Listening`] with the listener.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum ProxyResponse {
    Connected,
    Listening,
    Started(u32),
    Signalled,
    Failed(String),
}

impl SandboxProxy {
    pub(crate) fn new(socket: UnixStream) -> Self {
        Self(Arc::new(Mutex::new(socket)))
    }

    /// Connects to a port of the sandbox's loopback, IPv4 or IPv6.
    ///
    /// # Errors
    /// When nothing listens there, or the command has ended.
    pub fn connect(&self, port: u16) -> io::Result<TcpStream> {
        match self.send_request(&ProxyRequest::Connect { port }, &[])? {
            (ProxyResponse::Connected, mut descriptors) if descriptors.len() == 1 => {
                Ok(TcpStream::from(descriptors.remove(0)))
            }
            (ProxyResponse::Failed(why), _) => Err(io::Error::other(why)),
            _ => Err(unexpected_response()),
        }
    }

    /// Listens on a port of the sandbox's loopback: connections that the command makes there are
    /// accepted here. The command must have a network of its own.
    ///
    /// # Errors
    /// When the port is taken, or the command has ended.
    pub fn listen(&self, port: u16) -> io::Result<TcpListener> {
        match self.send_request(&ProxyRequest::Listen { port }, &[])? {
            (ProxyResponse::Listening, mut descriptors) if descriptors.len() == 1 => {
                Ok(TcpListener::from(descriptors.remove(0)))
            }
            (ProxyResponse::Failed(why), _) => Err(io::Error::other(why)),
            _ => Err(unexpected_response()),
        }
    }

    /// Starts a program in the sandbox and returns its process id there.
    ///
    /// # Errors
    /// When it does not start, or the command has ended. A missing program is noticed only by the
    /// shell that executes it: it exits with 127.
    pub fn start(&self, program_to_start: ExtraProgram) -> io::Result<u32> {
        let ExtraProgram { program, cwd, environment, stdin, stdout, stderr } = program_to_start;
        let request = ProxyRequest::Start { program, cwd, environment };
        match self.send_request(&request, &[stdin, stdout, stderr])? {
            (ProxyResponse::Started(pid), _) => Ok(pid),
            (ProxyResponse::Failed(why), _) => Err(io::Error::other(why)),
            _ => Err(unexpected_response()),
        }
    }

    /// Sends a signal to the command's process group. The command must have a session of its own.
    ///
    /// # Errors
    /// When the command or its group has ended.
    pub fn signal(&self, signal: i32) -> io::Result<()> {
        match self.send_request(&ProxyRequest::Signal { signal }, &[])? {
            (ProxyResponse::Signalled, _) => Ok(()),
            (ProxyResponse::Failed(why), _) => Err(io::Error::other(why)),
            _ => Err(unexpected_response()),
        }
    }

    /// Sends SIGINT to the command's process group: most programs finish what they are at and end.
    ///
    /// # Errors
    /// As [`SandboxProxy::signal`].
    pub fn interrupt(&self) -> io::Result<()> {
        self.signal(libc::SIGINT)
    }

    fn send_request(
        &self,
        request: &ProxyRequest,
        descriptors: &[OwnedFd],
    ) -> io::Result<(ProxyResponse, Vec<OwnedFd>)> {
        let socket = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        socket.set_read_timeout(Some(REQUEST_TIMEOUT))?;
        socket.set_write_timeout(Some(REQUEST_TIMEOUT))?;
        let descriptors: Vec<_> = descriptors.iter().map(AsFd::as_fd).collect();
        let received =
            channel::send(&socket, request, &descriptors).and_then(|()| channel::receive(&socket));
        let ended = || io::Error::other("the command has ended");
        match received {
            Ok(response) => response.ok_or_else(ended),
            Err(error) => {
                // A late response would be taken for that of the next call.
                let _ = socket.shutdown(std::net::Shutdown::Both);
                Err(error)
            }
        }
    }
}

fn unexpected_response() -> io::Error {
    io::Error::other("unexpected response of the launcher")
}
