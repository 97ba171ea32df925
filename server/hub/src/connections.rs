//! Serves connections of a listener on this machine until the server stops.

use std::net::TcpListener;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpStream;
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;

/// How long the loop rests after the system has refused to accept a connection, as without free file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// How many connections there may be, and what becomes of them at the end.
#[derive(Debug, Clone, Copy)]
pub struct ConnectionLimits {
    /// Connections at a time. Further ones are closed at once.
    pub connections: usize,
    /// How long the open ones may take to end when the server stops.
    pub stop_timeout: Duration,
}

/// Ready when the server stops.
pub async fn stopped(stopping: &mut watch::Receiver<bool>) {
    // A server that is gone has stopped.
    let _ = stopping.wait_for(|stop| *stop).await;
}

/// Runs `serve` for each connection, as tasks of the current runtime, until `stopping` says so. `name` is that of the
/// server in the log. The listener must not block.
///
/// # Errors
/// If the runtime cannot use the listener.
pub async fn serve_connections<Served>(
    name: &str,
    listener: TcpListener,
    limits: ConnectionLimits,
    mut stopping: watch::Receiver<bool>,
    serve: impl Fn(TcpStream) -> Served,
) -> std::io::Result<()>
where
    Served: Future<Output = ()> + Send + 'static,
{
    let listener = tokio::net::TcpListener::from_std(listener)?;
    let permits = Arc::new(Semaphore::new(limits.connections));
    let mut connections = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            () = stopped(&mut stopping) => break,
            // What has ended is forgotten.
            Some(_) = connections.join_next() => continue,
        };
        match accepted {
            Ok((stream, _)) => {
                let Ok(permit) = permits.clone().try_acquire_owned() else { continue };
                let _ = stream.set_nodelay(true);
                let served = serve(stream);
                connections.spawn(async move {
                    let _permit = permit;
                    served.await;
                });
            }
            Err(error) => {
                tracing::warn!("{name} cannot accept a connection: {error}");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
    drop(listener);
    let ended = async { while connections.join_next().await.is_some() {} };
    let _ = tokio::time::timeout(limits.stop_timeout, ended).await;
    Ok(())
}
