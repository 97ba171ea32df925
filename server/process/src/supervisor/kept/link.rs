//! A supervisor's connection to a keeper.

use std::io;
use std::net::{Shutdown, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::record;
use super::wire::{KeeperAnswer, KeeperRequest};
use crate::TerminalSize;
use crate::channel;
use crate::supervisor::InputError;

/// How long a keeper may take beyond what a request waits for.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(15);

/// The connection; each request has one of its own.
#[derive(Debug)]
pub(in crate::supervisor) struct KeeperLink {
    folder: PathBuf,
    /// The connection that brings the output; none after the end.
    follows: Option<UnixStream>,
}

impl KeeperLink {
    pub(super) fn new(folder: &Path, follows: Option<UnixStream>) -> Self {
        Self { folder: folder.to_owned(), follows }
    }

    pub(in crate::supervisor) fn write(
        &self,
        bytes: &[u8],
        longest: Duration,
    ) -> Result<(), InputError> {
        let milliseconds = milliseconds(longest);
        self.input(&KeeperRequest::Write { bytes: bytes.to_vec(), milliseconds }, longest)
    }

    pub(in crate::supervisor) fn end_input(&self, longest: Duration) -> Result<(), InputError> {
        self.input(&KeeperRequest::EndInput { milliseconds: milliseconds(longest) }, longest)
    }

    pub(in crate::supervisor) fn resize(&self, size: TerminalSize) -> Result<(), InputError> {
        self.input(&KeeperRequest::Resize(size), Duration::ZERO)
    }

    pub(in crate::supervisor) fn signal(&self, signal: i32) -> io::Result<()> {
        done(self.request(&KeeperRequest::Signal(signal), Duration::ZERO)?.0)
    }

    pub(in crate::supervisor) fn kill(&self) {
        // One that is gone has taken the process with it.
        let _ = self.request(&KeeperRequest::Kill, Duration::ZERO);
    }

    pub(in crate::supervisor) fn connect(&self, port: u16) -> io::Result<TcpStream> {
        let (answer, descriptors) =
            self.request(&KeeperRequest::Connect { port }, Duration::ZERO)?;
        done(answer)?;
        let connection = descriptors.into_iter().next();
        connection.map(TcpStream::from).ok_or_else(|| io::Error::other("no connection came"))
    }

    fn input(&self, request: &KeeperRequest, longest: Duration) -> Result<(), InputError> {
        match self.request(request, longest) {
            Ok((KeeperAnswer::Done, _)) => Ok(()),
            Ok((KeeperAnswer::Closed, _)) => Err(InputError::Closed),
            Ok((KeeperAnswer::NotRead { written, total }, _)) => {
                Err(InputError::NotRead { written, total })
            }
            Ok((KeeperAnswer::NoTerminal, _)) => Err(InputError::NoTerminal),
            Ok((KeeperAnswer::Failed(why), _)) => Err(InputError::Failed(why)),
            Err(error) => Err(InputError::Failed(error.to_string())),
        }
    }

    fn request(
        &self,
        request: &KeeperRequest,
        longest: Duration,
    ) -> io::Result<(KeeperAnswer, Vec<std::os::fd::OwnedFd>)> {
        let socket = record::connect(&self.folder)?;
        socket.set_read_timeout(Some(longest + ANSWER_TIMEOUT))?;
        socket.set_write_timeout(Some(ANSWER_TIMEOUT))?;
        channel::send(&socket, request, &[])?;
        channel::receive(&socket)?.ok_or_else(|| io::Error::other("the process has ended"))
    }
}

impl Drop for KeeperLink {
    fn drop(&mut self) {
        // Ends the thread that reads from it.
        self.follows.iter().for_each(|stream| drop(stream.shutdown(Shutdown::Both)));
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn done(answer: KeeperAnswer) -> io::Result<()> {
    match answer {
        KeeperAnswer::Done => Ok(()),
        KeeperAnswer::Failed(why) => Err(io::Error::other(why)),
        other => Err(io::Error::other(format!("{other:?}"))),
    }
}
