//! A door to where a command runs: from outside the only way in.

use std::io;
use std::net::TcpStream;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::channel;

/// How long what is wanted may take.
const LONGEST: Duration = Duration::from_secs(10);

/// A door to where a command runs: behind the same walls, among the same processes, on the same
/// loopback. The launcher keeps it; nothing that runs there can get at it. Every call waits for its
/// answer, a few seconds at most, and one is answered at a time.
#[derive(Debug, Clone)]
pub struct Door(Arc<Mutex<UnixStream>>);

/// One more program where a command runs. It has the command's environment, with changes, and ends
/// with the command at the latest.
#[derive(Debug)]
pub struct Guest {
    /// The program, looked up on its `PATH`, and its arguments.
    pub program: Vec<String>,
    /// The folder, by its path as it is seen there.
    pub cwd: PathBuf,
    /// What is different in its environment; `None` takes a variable away.
    pub environment: Vec<(String, Option<String>)>,
    /// What it reads.
    pub stdin: OwnedFd,
    /// What its output goes to.
    pub stdout: OwnedFd,
    /// What its errors go to.
    pub stderr: OwnedFd,
}

/// What is wanted of the launcher. With [`Wish::Start`] come standard input, output and error.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Wish {
    Connect { port: u16 },
    Start { program: Vec<String>, cwd: PathBuf, environment: Vec<(String, Option<String>)> },
}

/// What came of it: with [`Granted::Connected`] comes the connection.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Granted {
    Connected,
    Started(u32),
    Failed(String),
}

impl Door {
    pub(crate) fn new(socket: UnixStream) -> Self {
        Self(Arc::new(Mutex::new(socket)))
    }

    /// A connection to a port of the loopback there.
    ///
    /// # Errors
    /// Where nobody listens, or the command has ended.
    pub fn connect(&self, port: u16) -> io::Result<TcpStream> {
        match self.ask(&Wish::Connect { port }, &[])? {
            (Granted::Connected, mut descriptors) if descriptors.len() == 1 => {
                Ok(TcpStream::from(descriptors.remove(0)))
            }
            (Granted::Failed(why), _) => Err(io::Error::other(why)),
            _ => Err(confused()),
        }
    }

    /// Starts one more program there, and gives its number, as it is seen there.
    ///
    /// # Errors
    /// Where it does not start, or the command has ended. A program that is not found is found
    /// missing by the shell that executes it: it ends with 127.
    pub fn start(&self, guest: Guest) -> io::Result<u32> {
        let Guest { program, cwd, environment, stdin, stdout, stderr } = guest;
        let wish = Wish::Start { program, cwd, environment };
        match self.ask(&wish, &[stdin, stdout, stderr])? {
            (Granted::Started(pid), _) => Ok(pid),
            (Granted::Failed(why), _) => Err(io::Error::other(why)),
            _ => Err(confused()),
        }
    }

    fn ask(&self, wish: &Wish, with: &[OwnedFd]) -> io::Result<(Granted, Vec<OwnedFd>)> {
        let socket = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        socket.set_read_timeout(Some(LONGEST))?;
        socket.set_write_timeout(Some(LONGEST))?;
        let with: Vec<_> = with.iter().map(AsFd::as_fd).collect();
        let answered = channel::send(&socket, wish, &with).and_then(|()| channel::receive(&socket));
        let gone = || io::Error::other("what ran there has ended");
        match answered {
            Ok(answer) => answer.ok_or_else(gone),
            Err(error) => {
                // A late answer would be taken for that of the next call.
                let _ = socket.shutdown(std::net::Shutdown::Both);
                Err(error)
            }
        }
    }
}

fn confused() -> io::Error {
    io::Error::other("the launcher answered something else")
}
