//! Connections: TCP to addresses that were checked, TLS with the host's name, through a proxy if the person
//! has one.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::{Duration, Instant};

use futures_util::stream::{FuturesUnordered, StreamExt};
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::failure::Failure;
use crate::limits::{CONNECT_TIMEOUT, NEXT_ADDRESS_DELAY};
use crate::target::{Endpoint, HostName};

/// A byte stream to a server.
pub(crate) trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// A connection, and how long it took.
pub(crate) struct Connection {
    pub(crate) stream: Box<dyn Stream>,
    /// The address of the server, or of the proxy.
    pub(crate) address: SocketAddr,
    /// Whether the server chose HTTP/2.
    pub(crate) is_http2: bool,
    pub(crate) connect: Duration,
    pub(crate) tls: Option<Duration>,
}

/// Connects to the first of `addresses` that accepts. Each gets a head start over the next (RFC 8305).
pub(crate) async fn tcp(
    endpoint: &Endpoint,
    addresses: &[IpAddr],
    limit: Duration,
) -> Result<TcpStream, Failure> {
    let failed =
        |why: String, refused| Failure::Connect { host: endpoint.to_string(), why, refused };
    let mut attempts = FuturesUnordered::new();
    for (position, address) in (0u32..).zip(addresses) {
        let address = SocketAddr::new(*address, endpoint.port);
        attempts.push(async move {
            // Even an empty sleep takes a millisecond.
            if position > 0 {
                tokio::time::sleep(NEXT_ADDRESS_DELAY * position).await;
            }
            TcpStream::connect(address).await
        });
    }
    let first = async {
        let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
        while let Some(attempt) = attempts.next().await {
            match attempt {
                Ok(stream) => return Ok(stream),
                Err(error) => last = error,
            }
        }
        Err(last)
    };
    match tokio::time::timeout(limit, first).await {
        Ok(Ok(stream)) => {
            // Small requests must not wait for acknowledgements. A failure only costs time.
            let _ = stream.set_nodelay(true);
            Ok(stream)
        }
        Ok(Err(error)) => {
            Err(failed(error.to_string(), error.kind() == io::ErrorKind::ConnectionRefused))
        }
        Err(_) => Err(failed(format!("no answer within {} ms", limit.as_millis()), false)),
    }
}

/// Connects to a server; `tls` if the connection is to be encrypted. With `tunnel`, `endpoint` is a proxy, which
/// is asked for a tunnel to that server.
pub(crate) async fn connect(
    endpoint: &Endpoint,
    addresses: &[IpAddr],
    tls: Option<Tls>,
    tunnel: Option<&Endpoint>,
) -> Result<Connection, Failure> {
    let started = Instant::now();
    let mut stream = tcp(endpoint, addresses, CONNECT_TIMEOUT).await?;
    let address = stream.peer_addr().map_err(|error| Failure::Connect {
        host: endpoint.to_string(),
        why: error.to_string(),
        refused: false,
    })?;
    if let Some(server) = tunnel {
        open_tunnel(&mut stream, endpoint, server).await?;
    }
    let connect = started.elapsed();
    let Some(tls) = tls else {
        let stream = Box::new(stream);
        return Ok(Connection { stream, address, is_http2: false, connect, tls: None });
    };
    let server = tunnel.unwrap_or(endpoint);
    let failed = |why: String| Failure::Tls { host: server.to_string(), why };
    let name = match &server.host {
        HostName::Name(name) => {
            ServerName::try_from(name.clone()).map_err(|error| failed(error.to_string()))?
        }
        HostName::Address(address) => ServerName::from(*address),
    };
    let started = Instant::now();
    let handshake = TlsConnector::from(tls.config).connect(name, stream);
    let stream = tokio::time::timeout(CONNECT_TIMEOUT, handshake)
        .await
        .map_err(|_| failed(format!("no answer within {} ms", CONNECT_TIMEOUT.as_millis())))?
        .map_err(|error| failed(error.to_string()))?;
    let is_http2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
    let tls = Some(started.elapsed());
    Ok(Connection { stream: Box::new(stream), address, is_http2, connect, tls })
}

/// How a connection is encrypted.
pub(crate) struct Tls {
    config: Arc<ClientConfig>,
}

impl Tls {
    /// Offers these protocols, by their ALPN names.
    pub(crate) fn offering(config: &ClientConfig, protocols: &[&[u8]]) -> Self {
        let mut config = config.clone();
        config.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
        Self { config: Arc::new(config) }
    }
}

/// Longest answer of a proxy to a request for a tunnel, in bytes.
const MAX_TUNNEL_ANSWER_BYTES: usize = 8 << 10;

async fn open_tunnel(
    stream: &mut TcpStream,
    proxy: &Endpoint,
    server: &Endpoint,
) -> Result<(), Failure> {
    let failed = |why: String| Failure::Connect { host: proxy.to_string(), why, refused: false };
    let talk = async {
        let request = format!("CONNECT {server} HTTP/1.1\r\nHost: {server}\r\n\r\n");
        stream.write_all(request.as_bytes()).await?;
        // The server speaks only after us, so nothing of it is read here.
        let mut answer = Vec::new();
        while !answer.ends_with(b"\r\n\r\n") {
            if answer.len() >= MAX_TUNNEL_ANSWER_BYTES {
                return Err(io::Error::other("its answer is too long"));
            }
            answer.push(stream.read_u8().await?);
        }
        Ok(answer)
    };
    let answer = tokio::time::timeout(CONNECT_TIMEOUT, talk)
        .await
        .map_err(|_| failed("the proxy did not answer".to_owned()))?
        .map_err(|error| failed(format!("the proxy failed: {error}")))?;
    let line = answer.split(|byte| *byte == b'\r').next().unwrap_or_default();
    let line = String::from_utf8_lossy(line);
    if line.starts_with("HTTP/1.")
        && line.split(' ').nth(1).is_some_and(|code| code.starts_with('2'))
    {
        return Ok(());
    }
    Err(failed(format!("the proxy refused: {line:.200}")))
}
