//! Connections to servers: checked addresses, limited time and limited messages.

use std::io::{self, Read, Write};
use std::net::{IpAddr, SocketAddr, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use rustls::pki_types::ServerName;
use rustls::{ClientConfig, ClientConnection, StreamOwned};

use crate::failure::Failure;
use crate::limits::POLL;

/// Where a server is.
#[derive(Clone)]
pub(crate) enum Address {
    /// These addresses, which policy has allowed.
    Tcp { host: String, port: u16, addresses: Vec<IpAddr> },
    /// A Unix socket that the person named.
    Socket(PathBuf),
}

/// How to connect.
#[derive(Clone)]
pub(crate) struct Dial {
    pub(crate) address: Address,
    /// With what it is encrypted.
    pub(crate) tls: Option<Arc<ClientConfig>>,
}

/// What ends the waits of a connection: its call, or a time.
#[derive(Clone, Default)]
pub(crate) struct Stop {
    ended: Arc<AtomicBool>,
    end: Option<Instant>,
}

impl Stop {
    /// Ends them after this time.
    pub(crate) fn after(limit: Duration) -> Self {
        Self { end: Some(Instant::now() + limit), ..Self::default() }
    }

    /// Ends them now.
    pub(crate) fn set(&self) {
        self.ended.store(true, Ordering::Relaxed);
    }

    pub(crate) fn is_set(&self) -> bool {
        self.ended.load(Ordering::Relaxed) || self.end.is_some_and(|end| end <= Instant::now())
    }
}

/// The bytes of a connection.
trait Bytes: Read + Write + Send {}
impl<T: Read + Write + Send> Bytes for T {}

/// A connection whose reads end when the call does.
pub(crate) struct Wire {
    stream: Box<dyn Bytes>,
}

impl Dial {
    /// Connects, unencrypted for now: servers change to TLS after a few messages.
    pub(crate) fn connect(&self, limit: Duration, stop: &Stop) -> Result<Plain, Failure> {
        let end = Instant::now() + limit;
        match &self.address {
            Address::Socket(path) => {
                let stream = UnixStream::connect(path).map_err(|error| {
                    Failure::Connect(format!("no connection to {}: {error}", path.display()))
                })?;
                stream.set_read_timeout(Some(POLL)).map_err(broken)?;
                stream.set_write_timeout(Some(POLL)).map_err(broken)?;
                Ok(Plain { stream: Stopping { inner: Box::new(stream), stop: stop.clone() } })
            }
            Address::Tcp { host, port, addresses } => {
                let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
                for address in addresses {
                    let left = end.saturating_duration_since(Instant::now());
                    if left.is_zero() || stop.is_set() {
                        break;
                    }
                    match TcpStream::connect_timeout(&SocketAddr::new(*address, *port), left) {
                        Ok(stream) => {
                            // Small messages must not wait. A failure only costs time.
                            let _ = stream.set_nodelay(true);
                            stream.set_read_timeout(Some(POLL)).map_err(broken)?;
                            stream.set_write_timeout(Some(POLL)).map_err(broken)?;
                            let inner = Box::new(stream);
                            return Ok(Plain { stream: Stopping { inner, stop: stop.clone() } });
                        }
                        Err(error) => last = error,
                    }
                }
                Err(Failure::Connect(format!("no connection to {host}:{port}: {last}")))
            }
        }
    }
}

/// A connection before TLS.
pub(crate) struct Plain {
    stream: Stopping,
}

impl Plain {
    /// The connection as it is.
    pub(crate) fn plain(self) -> Wire {
        Wire { stream: Box::new(self.stream) }
    }

    /// The connection, encrypted if that is wanted.
    pub(crate) fn secured(mut self, dial: &Dial) -> Result<Wire, Failure> {
        let (Some(config), Address::Tcp { host, .. }) = (&dial.tls, &dial.address) else {
            return Ok(self.plain());
        };
        let failed = |why: String| Failure::Connect(format!("no TLS with {host}: {why}"));
        let bare = host.trim_start_matches('[').trim_end_matches(']').to_owned();
        let name = ServerName::try_from(bare).map_err(|error| failed(error.to_string()))?;
        let mut session = ClientConnection::new(config.clone(), name)
            .map_err(|error| failed(error.to_string()))?;
        while session.is_handshaking() {
            session.complete_io(&mut self.stream).map_err(|error| failed(error.to_string()))?;
        }
        Ok(Wire { stream: Box::new(StreamOwned::new(session, self.stream)) })
    }

    pub(crate) fn read_exact(&mut self, bytes: &mut [u8]) -> Result<(), Failure> {
        self.stream.read_exact(bytes).map_err(broken)
    }

    pub(crate) fn write_all(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.stream.write_all(bytes).map_err(broken)
    }
}

/// A socket that waits until there is something, or until it is to stop.
struct Stopping {
    inner: Box<dyn Bytes>,
    stop: Stop,
}

impl Stopping {
    fn wait<T>(&mut self, mut act: impl FnMut(&mut dyn Bytes) -> io::Result<T>) -> io::Result<T> {
        loop {
            if self.stop.is_set() {
                return Err(io::Error::other(STOPPED));
            }
            match act(&mut *self.inner) {
                Err(error)
                    if matches!(
                        error.kind(),
                        io::ErrorKind::WouldBlock
                            | io::ErrorKind::TimedOut
                            | io::ErrorKind::Interrupted
                    ) => {}
                result => return result,
            }
        }
    }
}

/// The error of a connection that was stopped.
const STOPPED: &str = "the call has ended";

impl Read for Stopping {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.wait(|inner| inner.read(buffer))
    }
}

impl Write for Stopping {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        self.wait(|inner| inner.write(buffer))
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}

impl Wire {
    /// Reads what there is, at least one byte.
    pub(crate) fn read_some(&mut self, buffer: &mut [u8]) -> Result<usize, Failure> {
        match self.stream.read(buffer).map_err(broken)? {
            0 => Err(broken(io::ErrorKind::UnexpectedEof.into())),
            count => Ok(count),
        }
    }

    pub(crate) fn write_all(&mut self, bytes: &[u8]) -> Result<(), Failure> {
        self.stream.write_all(bytes).and_then(|()| self.stream.flush()).map_err(broken)
    }
}

fn broken(error: io::Error) -> Failure {
    if error.to_string().contains(STOPPED) {
        return Failure::Cancelled;
    }
    Failure::Connect(format!("the connection broke off: {error}"))
}
