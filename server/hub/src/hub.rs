//! The hub of a session: a thread that listens and serves its clients.

use std::convert::Infallible;
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use bytes::Bytes;
use http::header::CONNECTION;
use http::{HeaderValue, Request, Response};
use http_body_util::{Either, Empty, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use parking_lot::Mutex;
use tokio::net::TcpStream;
use tokio::sync::watch;
use tools::{Code, FamilyState, ToolError};
use workspace::AccessToken;

use crate::connections::{ConnectionLimits, serve_connections, stopped};
use crate::limits::{HEADER_TIMEOUT, MAX_CLIENTS, MAX_HEADER_BYTES, STOP_TIMEOUT};
use crate::shared::Shared;
use crate::subscriptions::Sources;
use crate::{client, gate};

/// The hub of a session, if it has been started.
#[derive(Default)]
pub(crate) struct HubState(Mutex<Option<Hub>>);

impl FamilyState for HubState {
    fn stop(&self) {
        // Outside the lock, because it waits for the thread.
        let hub = self.0.lock().take();
        drop(hub);
    }
}

/// Where a hub listens.
#[derive(Debug, Clone)]
pub(crate) struct Listening {
    pub(crate) address: SocketAddr,
    pub(crate) token_file: PathBuf,
}

/// What a hub does at the moment.
#[derive(Debug, Default)]
pub(crate) struct Statistics {
    pub(crate) listening: Option<Listening>,
    pub(crate) clients: usize,
    pub(crate) channels: usize,
    pub(crate) slow_clients: u64,
}

/// A hub that listens, until it is dropped.
struct Hub {
    listening: Listening,
    shared: Arc<Shared>,
    stop: watch::Sender<bool>,
    thread: Option<JoinHandle<()>>,
}

impl HubState {
    /// Where the hub listens, if it does.
    pub(crate) fn listening(&self) -> Option<Listening> {
        self.0.lock().as_ref().map(|hub| hub.listening.clone())
    }

    /// Starts the hub, unless it listens already. True if it did not.
    pub(crate) fn start(
        &self,
        tool: &str,
        address: SocketAddr,
        token: AccessToken,
        sources: Sources,
    ) -> Result<(Listening, bool), ToolError> {
        let mut state = self.0.lock();
        if let Some(hub) = &*state {
            return Ok((hub.listening.clone(), false));
        }
        let hub = Hub::start(address, token, sources).map_err(|error| {
            let (code, hint) = match error.kind() {
                std::io::ErrorKind::AddrInUse => {
                    (Code::Conflict, "choose another port, or 0 for any free one")
                }
                _ => (Code::Io, "choose another port"),
            };
            ToolError::new(code, format!("{tool}: {address}: {error}")).hint(hint)
        })?;
        let listening = hub.listening.clone();
        *state = Some(hub);
        Ok((listening, true))
    }

    pub(crate) fn statistics(&self) -> Statistics {
        let state = self.0.lock();
        let Some(hub) = &*state else { return Statistics::default() };
        Statistics {
            listening: Some(hub.listening.clone()),
            clients: hub.shared.clients.load(Ordering::Relaxed),
            channels: hub.shared.counts.len(),
            slow_clients: hub.shared.slow_clients.load(Ordering::Relaxed),
        }
    }
}

impl Hub {
    fn start(address: SocketAddr, token: AccessToken, sources: Sources) -> std::io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let listening =
            Listening { address: listener.local_addr()?, token_file: token.file().to_owned() };
        let shared = Arc::new(Shared {
            token,
            sources: Arc::new(sources),
            counts: Arc::default(),
            clients: AtomicUsize::new(0),
            slow_clients: AtomicU64::new(0),
        });
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (stop, stopping) = watch::channel(false);
        let served = shared.clone();
        let serve = move || {
            if let Err(error) = runtime.block_on(serve(listener, served, stopping)) {
                tracing::error!("the WebSocket hub has ended: {error}");
            }
            // Clients that have not taken their last message do not keep the server.
            runtime.shutdown_timeout(Duration::ZERO);
        };
        let thread = std::thread::Builder::new().name("websocket hub".to_owned()).spawn(serve)?;
        Ok(Self { listening, shared, stop, thread: Some(thread) })
    }
}

impl Drop for Hub {
    fn drop(&mut self) {
        self.stop.send_replace(true);
        if let Some(thread) = self.thread.take() {
            // It ends within `STOP_TIMEOUT`.
            let _ = thread.join();
        }
    }
}

/// Serves clients until the hub stops.
async fn serve(
    listener: TcpListener,
    shared: Arc<Shared>,
    stopping: watch::Receiver<bool>,
) -> std::io::Result<()> {
    let limits = ConnectionLimits { connections: MAX_CLIENTS, stop_timeout: STOP_TIMEOUT };
    let serve = |stream| serve_connection(stream, shared.clone(), stopping.clone());
    serve_connections("the WebSocket hub", listener, limits, stopping.clone(), serve).await
}

/// Serves one connection: one HTTP request, which becomes a WebSocket connection.
async fn serve_connection(stream: TcpStream, shared: Arc<Shared>, stopping: watch::Receiver<bool>) {
    let (upgraded, mut upgrades) = tokio::sync::mpsc::channel(1);
    let gate = shared.clone();
    let service = service_fn(move |request| {
        let response = answer(request, &gate, &upgraded);
        async move { Ok::<_, Infallible>(response) }
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEADER_TIMEOUT);
    http.max_buf_size(MAX_HEADER_BYTES);
    let connection = http.serve_connection(TokioIo::new(stream), service).with_upgrades();
    let mut ended = stopping.clone();
    tokio::select! {
        served = connection => {
            if let Err(error) = served {
                tracing::debug!("a WebSocket client failed: {error}");
                return;
            }
        }
        () = stopped(&mut ended) => return,
    }
    let Ok(upgrade) = upgrades.try_recv() else { return };
    match upgrade.await {
        Ok(upgraded) => client::serve(TokioIo::new(upgraded), shared, stopping).await,
        Err(error) => tracing::debug!("a WebSocket client failed: {error}"),
    }
}

type Body = Either<Full<Bytes>, Empty<Bytes>>;

fn answer(
    mut request: Request<Incoming>,
    shared: &Shared,
    upgraded: &tokio::sync::mpsc::Sender<hyper::upgrade::OnUpgrade>,
) -> Response<Body> {
    match gate::check(&request, &shared.token) {
        Ok(response) => {
            // There is one request a connection, so there is room.
            let _ = upgraded.try_send(hyper::upgrade::on(&mut request));
            response.map(|()| Either::Right(Empty::new()))
        }
        Err((status, why)) => {
            let mut response = Response::new(Either::Left(Full::from(why)));
            *response.status_mut() = status;
            // A refused client does not keep its place.
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
            response
        }
    }
}
