//! Requests to the daemon's API: each has a connection of its own, a deadline, and bounds for what it answers.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::header::{CONTENT_TYPE, HOST};
use http::{Method, Request, Response};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Empty, Full};
use hyper::body::Incoming;
use hyper_util::rt::TokioIo;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, UnixStream};
use tokio::runtime::Runtime;

use crate::failure::{Failure, NO_DAEMON};
use crate::limits::{ANSWER_BYTES, ERROR_BYTES, HEAD_BYTES, HEADERS, POLL};

/// How to reach a daemon.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Dial {
    /// The first of these sockets that exists.
    Sockets(Vec<PathBuf>),
    /// These addresses, which policy has allowed.
    Tcp { port: u16, addresses: Vec<IpAddr> },
}

/// What a request sends.
pub(crate) enum Content {
    Nothing,
    Json(Value),
    /// A tar archive.
    Tar(Body),
}

/// The body of a request.
pub(crate) type Body = UnsyncBoxBody<Bytes, io::Error>;

/// Makes requests, and ends them with their call.
pub(crate) struct Client<'c> {
    runtime: Runtime,
    interrupt: &'c AtomicBool,
}

impl<'c> Client<'c> {
    pub(crate) fn new(interrupt: &'c AtomicBool) -> Result<Self, Failure> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| Failure::Broken(format!("no runtime: {error}")))?;
        Ok(Self { runtime, interrupt })
    }

    /// Runs requests until they are done, the call is cancelled, or their time is up.
    pub(crate) fn run<T>(
        &self,
        limit: Duration,
        work: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        // Not biased: a daemon that always has more must not keep the deadline from being looked at.
        self.runtime.block_on(async {
            tokio::select! {
                done = work => done,
                failure = end(self.interrupt, limit) => Err(failure),
            }
        })
    }
}

async fn end(interrupt: &AtomicBool, limit: Duration) -> Failure {
    let end = Instant::now() + limit;
    loop {
        if interrupt.load(Ordering::Relaxed) {
            return Failure::Cancelled;
        }
        if Instant::now() >= end {
            return Failure::Timeout(limit.as_millis());
        }
        tokio::time::sleep(POLL).await;
    }
}

trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

impl Dial {
    async fn connect(&self) -> Result<Box<dyn Stream>, Failure> {
        match self {
            Self::Sockets(paths) => {
                for path in paths {
                    match UnixStream::connect(path).await {
                        Ok(stream) => return Ok(Box::new(stream)),
                        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                        Err(error) => return Err(Failure::of_socket(path, &error)),
                    }
                }
                let names: Vec<_> = paths.iter().map(|path| path.display().to_string()).collect();
                let why = "no such socket".to_owned();
                Err(Failure::NoDaemon { place: names.join(", "), why, hint: NO_DAEMON.to_owned() })
            }
            Self::Tcp { port, addresses } => {
                let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
                for address in addresses {
                    match TcpStream::connect(SocketAddr::new(*address, *port)).await {
                        Ok(stream) => return Ok(Box::new(stream)),
                        Err(error) => last = error,
                    }
                }
                let place = format!("port {port}");
                let hint = "see `containers.host` in the settings".to_owned();
                Err(Failure::NoDaemon { place, why: last.to_string(), hint })
            }
        }
    }

    /// Sends a request; the answer is one that reports success.
    async fn send(
        &self,
        method: Method,
        path: &str,
        content: Content,
    ) -> Result<Response<Incoming>, Failure> {
        let stream = self.connect().await?;
        let mut builder = hyper::client::conn::http1::Builder::new();
        builder.max_headers(HEADERS).max_buf_size(HEAD_BYTES);
        let (mut sender, connection) =
            builder.handshake(TokioIo::new(stream)).await.map_err(|error| broken(&error))?;
        // It ends with the runtime of the call.
        tokio::spawn(connection);
        let request = Request::builder().method(method).uri(path).header(HOST, "docker");
        let empty = || Empty::new().map_err(|never| match never {}).boxed_unsync();
        let request = match content {
            Content::Nothing => request.body(empty()),
            Content::Json(value) => {
                let body = Full::new(Bytes::from(value.to_string()));
                let body = body.map_err(|never| match never {}).boxed_unsync();
                request.header(CONTENT_TYPE, "application/json").body(body)
            }
            Content::Tar(body) => request.header(CONTENT_TYPE, "application/x-tar").body(body),
        };
        let request = request.map_err(|error| Failure::Protocol(error.to_string()))?;
        let response = sender.send_request(request).await.map_err(|error| broken(&error))?;
        let status = response.status().as_u16();
        if status < 400 {
            return Ok(response);
        }
        let text = read(response.into_body(), ERROR_BYTES).await.unwrap_or_default();
        let parsed: Option<Value> = serde_json::from_slice(&text).ok();
        let message =
            parsed.as_ref().and_then(|value| value["message"].as_str()).map(str::to_owned);
        let message = message.unwrap_or_else(|| String::from_utf8_lossy(&text).into_owned());
        let message = if message.trim().is_empty() { format!("HTTP {status}") } else { message };
        Err(Failure::Refused { status, message })
    }

    /// An answer that is JSON.
    pub(crate) async fn json<T: DeserializeOwned>(
        &self,
        method: Method,
        path: &str,
        content: Content,
    ) -> Result<T, Failure> {
        let response = self.send(method, path, content).await?;
        let bytes = read(response.into_body(), ANSWER_BYTES).await?;
        serde_json::from_slice(&bytes).map_err(|error| {
            let path = path.split('?').next().unwrap_or_default();
            Failure::Protocol(format!("its answer to {path} is not what was expected: {error}"))
        })
    }

    /// The answer to `GET`, which is JSON.
    pub(crate) async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, Failure> {
        self.json(Method::GET, path, Content::Nothing).await
    }

    /// A request whose answer says nothing.
    pub(crate) async fn order(
        &self,
        method: Method,
        path: &str,
        content: Content,
    ) -> Result<(), Failure> {
        let response = self.send(method, path, content).await?;
        read(response.into_body(), ANSWER_BYTES).await.map(drop)
    }

    /// Passes an answer on in pieces, until it ends or `piece` breaks. Returns whether it ended.
    pub(crate) async fn stream(
        &self,
        method: Method,
        path: &str,
        content: Content,
        mut piece: impl FnMut(&[u8]) -> Result<ControlFlow<()>, Failure>,
    ) -> Result<bool, Failure> {
        let mut body = self.send(method, path, content).await?.into_body();
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|error| broken(&error))?;
            let Ok(data) = frame.into_data() else { continue };
            if piece(&data)?.is_break() {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// Reads a body whole.
async fn read(mut body: Incoming, limit: usize) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(|error| broken(&error))?.into_data() else { continue };
        if bytes.len() + data.len() > limit {
            return Err(Failure::TooLarge(format!(
                "the daemon's answer is larger than {limit} bytes"
            )));
        }
        bytes.extend_from_slice(&data);
    }
    Ok(bytes)
}

fn broken(error: &hyper::Error) -> Failure {
    let mut why = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(inner) = source {
        why = format!("{why}: {inner}");
        source = inner.source();
    }
    if error.is_user() {
        return Failure::Content(why);
    }
    if error.is_parse() {
        Failure::Protocol(format!("no HTTP: {why}"))
    } else {
        Failure::Broken(why)
    }
}

/// A path of the API with its query.
pub(crate) fn path(path: &str, query: &[(&str, &str)]) -> String {
    if query.is_empty() {
        return path.to_owned();
    }
    let mut encoded = url::form_urlencoded::Serializer::new(format!("{path}?"));
    encoded.extend_pairs(query);
    encoded.finish()
}
