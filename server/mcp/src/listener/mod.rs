//! Serves many clients, by TCP or by a Unix socket.
//!
//! A TCP port of the loopback interface takes streamable HTTP at `/mcp`, with the token as bearer, and
//! MCP's JSON lines after a first line that is the token. A Unix socket takes JSON lines from processes of
//! the same user. All clients share one workspace.

mod http;
mod http_batch;
mod session_store;

use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncReadExt, BufReader};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream, UnixListener};
use tokio::sync::Semaphore;
use tokio::time::timeout;
use workspace::AccessToken;

use self::http::HttpServer;
use crate::shared_state::Server;
use crate::{Options, Serving, serve_connection};

/// The file of the clients' token in the workspace's folder for secrets.
const TOKEN_FILE: &str = "mcp-token";
/// Connections at a time; more are closed at once.
const MAX_CONNECTIONS: usize = 64;
/// How long a client may take to show its token.
const TOKEN_TIMEOUT: Duration = Duration::from_secs(10);
/// Longest first line, in bytes.
const MAX_TOKEN_LINE: u64 = 4 << 10;
/// The bytes that tell HTTP from a token, which has none of these beginnings.
const HTTP_METHODS: &[&[u8]] =
    &[b"POST ", b"GET ", b"DELE", b"OPTI", b"HEAD", b"PUT ", b"PATC", b"CONN", b"TRAC"];
const SHORTEST_METHOD: usize = 4;

/// Serves clients on a TCP port until the process ends. `ready` gets the address and the token's file.
///
/// # Errors
/// A message, if the folder cannot be opened or the port cannot be had.
pub async fn serve_tcp(
    options: Options,
    address: SocketAddr,
    ready: impl FnOnce(SocketAddr, &Path) + Send + 'static,
) -> Result<(), String> {
    boxed_tcp(options, address, Box::new(ready)).await
}

type Ready = Box<dyn FnOnce(SocketAddr, &Path) + Send>;

fn boxed_tcp(options: Options, address: SocketAddr, ready: Ready) -> Serving {
    Box::pin(serve_clients(options, address, ready))
}

async fn serve_clients(options: Options, address: SocketAddr, ready: Ready) -> Result<(), String> {
    if !address.ip().is_loopback() {
        return Err(format!("{address}: only loopback addresses are served, such as 127.0.0.1"));
    }
    let listener = TcpListener::bind(address).await.map_err(|e| format!("{address}: {e}"))?;
    let address = listener.local_addr().map_err(|e| e.to_string())?;
    let server = Server::new(options)?;
    let secrets = server.secrets_folder()?;
    let token = AccessToken::load_or_create(&secrets, TOKEN_FILE)?;
    ready(address, token.file());
    let http = Arc::new(HttpServer::new(server.clone(), token.clone(), &secrets));
    let connections = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let Some(stream) = accepted(listener.accept().await).await else { continue };
        let Ok(permit) = connections.clone().try_acquire_owned() else { continue };
        let (server, http, token) = (server.clone(), http.clone(), token.clone());
        tokio::spawn(async move {
            let _permit = permit;
            if let Err(error) = serve_tcp_client(stream, &server, &http, &token).await {
                tracing::debug!("a client failed: {error}");
            }
        });
    }
}

/// Serves clients on a Unix socket until the process ends.
///
/// # Errors
/// A message, if the folder cannot be opened.
pub async fn serve_socket(options: Options, listener: UnixListener) -> Result<(), String> {
    boxed_socket(options, listener).await
}

fn boxed_socket(options: Options, listener: UnixListener) -> Serving {
    Box::pin(serve_socket_clients(options, listener))
}

async fn serve_socket_clients(options: Options, listener: UnixListener) -> Result<(), String> {
    let server = Server::new(options)?;
    let connections = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let Some(stream) = accepted(listener.accept().await).await else { continue };
        let Ok(permit) = connections.clone().try_acquire_owned() else { continue };
        if !live::is_same_user(&stream) {
            tracing::warn!("a process of another user or in a sandbox was rejected");
            continue;
        }
        let server = server.clone();
        tokio::spawn(async move {
            let _permit = permit;
            let (input, output) = stream.into_split();
            let served = serve_connection(&server, Box::new(input), Box::new(output)).await;
            if let Err(error) = served {
                tracing::debug!("a client failed: {error}");
            }
        });
    }
}

/// The accepted connection. Waits after an error, such as too many open files.
async fn accepted<S, A>(accepted: io::Result<(S, A)>) -> Option<S> {
    match accepted {
        Ok((stream, _)) => Some(stream),
        Err(error) => {
            tracing::warn!("cannot accept a connection: {error}");
            tokio::time::sleep(Duration::from_millis(100)).await;
            None
        }
    }
}

async fn serve_tcp_client(
    stream: TcpStream,
    server: &Arc<Server>,
    http: &Arc<HttpServer>,
    token: &AccessToken,
) -> Result<(), String> {
    let _ = stream.set_nodelay(true);
    let is_http = timeout(TOKEN_TIMEOUT, is_http(&stream)).await;
    if is_http.map_err(|_| "it sent nothing")?.map_err(|error| error.to_string())? {
        return http.serve(stream).await;
    }
    let (input, output) = stream.into_split();
    serve_lines(server, token, input, output).await
}

/// Whether the first bytes are HTTP's.
async fn is_http(stream: &TcpStream) -> io::Result<bool> {
    let mut first = [0; SHORTEST_METHOD];
    loop {
        let count = stream.peek(&mut first).await?;
        let is_method_so_far =
            |method: &&[u8]| first[..count] == method[..count.min(SHORTEST_METHOD)];
        let may_be = HTTP_METHODS.iter().any(is_method_so_far);
        if count == 0 || !may_be || count == SHORTEST_METHOD {
            return Ok(may_be && count == SHORTEST_METHOD);
        }
        // What was looked at stays readable, so there is nothing to wait for.
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

/// Serves a client that sends its token first.
async fn serve_lines(
    server: &Arc<Server>,
    token: &AccessToken,
    input: OwnedReadHalf,
    output: OwnedWriteHalf,
) -> Result<(), String> {
    let mut input = BufReader::new(input);
    let mut line = Vec::new();
    let mut first = (&mut input).take(MAX_TOKEN_LINE);
    let read = timeout(TOKEN_TIMEOUT, first.read_until(b'\n', &mut line)).await;
    read.map_err(|_| "it did not send the token in time")?.map_err(|error| error.to_string())?;
    if !token.is(line.trim_ascii()) {
        return Err("its first line is not the token".to_owned());
    }
    serve_connection(server, Box::new(input), Box::new(output)).await
}
