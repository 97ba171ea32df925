//! How messages travel: NUL-terminated over a pair of pipes, or as messages of a WebSocket.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use thiserror::Error;
use tungstenite::client::client_with_config;
use tungstenite::protocol::{Role, WebSocketConfig};
use tungstenite::{Message, WebSocket};

/// Size of one message, in bytes: a screenshot of the largest page, or a body, as base64.
const MAX_MESSAGE_BYTES: usize = 256 << 20;
/// Time for the handshake of a WebSocket.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);

/// The connection could not be made.
#[derive(Debug, Error)]
#[error("{0}")]
pub struct TransportError(String);

/// Two directions of messages.
pub struct Transport {
    pub(crate) writer: Box<dyn Writer>,
    pub(crate) reader: Box<dyn Reader>,
}

/// Writes messages.
pub(crate) trait Writer: Send {
    fn send(&mut self, message: &str) -> io::Result<()>;
    /// Ends the connection in both directions.
    fn close(&mut self);
}

/// Reads messages; `None` at the end.
pub(crate) trait Reader: Send {
    fn receive(&mut self) -> io::Result<Option<Vec<u8>>>;
}

impl Transport {
    /// Messages over pipes: `writer` leads to the browser, `reader` from it.
    #[must_use]
    pub fn pipes(writer: File, reader: File) -> Self {
        Self {
            writer: Box::new(PipeWriter(Some(writer))),
            reader: Box::new(PipeReader(BufReader::with_capacity(256 << 10, reader))),
        }
    }

    /// Messages over a WebSocket: `url` is `ws://…`, and `stream` is connected to its host.
    ///
    /// # Errors
    /// If the server does not accept the handshake.
    pub fn web_socket(url: &str, stream: TcpStream) -> Result<Self, TransportError> {
        let failed = |error: &dyn std::fmt::Display| TransportError(error.to_string());
        let limit = Some(HANDSHAKE_TIMEOUT);
        stream
            .set_read_timeout(limit)
            .and_then(|()| stream.set_nodelay(true))
            .map_err(|error| failed(&error))?;
        let (socket, _) =
            client_with_config(url, stream, Some(config())).map_err(|e| failed(&e))?;
        let stream = socket.get_ref();
        stream.set_read_timeout(None).map_err(|error| failed(&error))?;
        let for_writing = stream.try_clone().map_err(|error| failed(&error))?;
        Ok(Self {
            writer: Box::new(SocketWriter(WebSocket::from_raw_socket(
                for_writing,
                Role::Client,
                Some(config()),
            ))),
            reader: Box::new(SocketReader(socket)),
        })
    }
}

fn config() -> WebSocketConfig {
    WebSocketConfig::default()
        .max_message_size(Some(MAX_MESSAGE_BYTES))
        .max_frame_size(Some(MAX_MESSAGE_BYTES))
}

struct PipeWriter(Option<File>);

impl Writer for PipeWriter {
    fn send(&mut self, message: &str) -> io::Result<()> {
        let pipe = self.0.as_mut().ok_or(io::ErrorKind::BrokenPipe)?;
        let mut bytes = Vec::with_capacity(message.len() + 1);
        bytes.extend_from_slice(message.as_bytes());
        bytes.push(0);
        pipe.write_all(&bytes)
    }

    fn close(&mut self) {
        // The browser ends when it reads the end of its pipe.
        self.0 = None;
    }
}

struct PipeReader(BufReader<File>);

impl Reader for PipeReader {
    fn receive(&mut self) -> io::Result<Option<Vec<u8>>> {
        let mut message = Vec::new();
        let limit = u64::try_from(MAX_MESSAGE_BYTES).unwrap_or(u64::MAX);
        let read = (&mut self.0).take(limit).read_until(0, &mut message)?;
        if read == 0 {
            return Ok(None);
        }
        if message.pop() != Some(0) {
            return Err(io::Error::other("a message is too long, or is cut off"));
        }
        Ok(Some(message))
    }
}

struct SocketWriter(WebSocket<TcpStream>);

impl Writer for SocketWriter {
    fn send(&mut self, message: &str) -> io::Result<()> {
        self.0.send(Message::text(message)).map_err(io::Error::other)
    }

    fn close(&mut self) {
        // The reader ends with it.
        let _ = self.0.get_ref().shutdown(std::net::Shutdown::Both);
    }
}

struct SocketReader(WebSocket<TcpStream>);

impl Reader for SocketReader {
    fn receive(&mut self) -> io::Result<Option<Vec<u8>>> {
        loop {
            // Node writes an answer and its events one by one without `TCP_NODELAY`: each waits until the one
            // before is acknowledged, which Linux puts off by 40 ms. It forgets this option by itself.
            let _ = rustix::net::sockopt::set_tcp_quickack(self.0.get_ref(), true);
            match self.0.read() {
                Ok(Message::Text(text)) => return Ok(Some(text.as_bytes().to_vec())),
                Ok(Message::Close(_)) => {
                    // Sends the reply that the other side waits for.
                    let _ = self.0.flush();
                    return Ok(None);
                }
                Ok(_) => {}
                Err(tungstenite::Error::ConnectionClosed | tungstenite::Error::AlreadyClosed) => {
                    return Ok(None);
                }
                Err(error) => return Err(io::Error::other(error)),
            }
        }
    }
}
