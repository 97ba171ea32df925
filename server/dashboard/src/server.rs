//! Listens, and serves connections until the session stops.

use std::convert::Infallible;
use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use hub::connections::{ConnectionLimits, serve_connections, stopped};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use parking_lot::Mutex;
use tokio::net::TcpStream;
use tokio::sync::watch;
use tools::FamilyState;
use workspace::AccessToken;

use crate::limits::{HEADER_TIMEOUT, MAX_CONNECTIONS, MAX_HEADER_BYTES, STOP_TIMEOUT};
use crate::routes;
use crate::shared::Shared;

/// The dashboard of a session, if it has been started.
#[derive(Default, Clone)]
pub(crate) struct DashboardState(Arc<Mutex<Option<Running>>>);

struct Running {
    listening: Listening,
    stop: watch::Sender<bool>,
}

/// Where a dashboard listens.
#[derive(Debug, Clone)]
pub(crate) struct Listening {
    pub(crate) address: SocketAddr,
    pub(crate) token_file: PathBuf,
}

impl FamilyState for DashboardState {
    fn stop(&self) {
        if let Some(running) = &*self.0.lock() {
            running.stop.send_replace(true);
        }
    }
}

impl DashboardState {
    /// Where it listens, if it does.
    pub(crate) fn listening(&self) -> Option<Listening> {
        self.0.lock().as_ref().map(|running| running.listening.clone())
    }

    /// Listens, unless it does already: then there is no socket to serve.
    ///
    /// # Errors
    /// If the address cannot be had.
    pub(crate) fn listen(
        &self,
        address: SocketAddr,
        token: &AccessToken,
    ) -> std::io::Result<(Listening, Option<Socket>)> {
        let mut state = self.0.lock();
        if let Some(running) = &*state {
            return Ok((running.listening.clone(), None));
        }
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let listening =
            Listening { address: listener.local_addr()?, token_file: token.file().to_owned() };
        let (stop, stopping) = watch::channel(false);
        *state = Some(Running { listening: listening.clone(), stop });
        Ok((listening, Some(Socket { listener: Some(listener), stopping, state: self.clone() })))
    }
}

/// A socket that listens. Dropping it ends the dashboard.
pub(crate) struct Socket {
    listener: Option<TcpListener>,
    stopping: watch::Receiver<bool>,
    state: DashboardState,
}

impl Drop for Socket {
    fn drop(&mut self) {
        self.listener = None;
        *self.state.0.lock() = None;
    }
}

impl Socket {
    /// Serves pages on this thread until the session stops.
    ///
    /// # Errors
    /// If there is no runtime, or the listener cannot be used.
    pub(crate) fn serve(mut self, shared: Shared) -> std::io::Result<()> {
        let Some(listener) = self.listener.take() else { return Ok(()) };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let served = runtime.block_on(serve(listener, Arc::new(shared), self.stopping.clone()));
        // Calls that wait for a person do not keep the server.
        runtime.shutdown_timeout(Duration::ZERO);
        served
    }
}

async fn serve(
    listener: TcpListener,
    shared: Arc<Shared>,
    stopping: watch::Receiver<bool>,
) -> std::io::Result<()> {
    let limits = ConnectionLimits { connections: MAX_CONNECTIONS, stop_timeout: STOP_TIMEOUT };
    let serve = |stream| serve_connection(stream, shared.clone(), stopping.clone());
    serve_connections("the dashboard", listener, limits, stopping.clone(), serve).await
}

async fn serve_connection(stream: TcpStream, shared: Arc<Shared>, stopping: watch::Receiver<bool>) {
    let mut ended = stopping.clone();
    let service = service_fn(move |request| {
        let (shared, stopping) = (shared.clone(), stopping.clone());
        async move { Ok::<_, Infallible>(routes::answer(request, shared, stopping).await) }
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(HEADER_TIMEOUT);
    http.max_buf_size(MAX_HEADER_BYTES);
    let connection = http.serve_connection(TokioIo::new(stream), service);
    tokio::select! {
        served = connection => {
            if let Err(error) = served {
                tracing::debug!("a connection of the dashboard failed: {error}");
            }
        }
        () = stopped(&mut ended) => {}
    }
}
