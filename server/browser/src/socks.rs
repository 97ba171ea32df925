//! The browser's only way to the network: a SOCKS5 server on the loopback of its sandbox.
//!
//! Everything that the browser sends goes through it, whatever page, worker or WebSocket it belongs to. It gets
//! hosts by name, looks them up itself and connects to addresses that policy has allowed (see [`Gate`]).

use std::io;
use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, oneshot};
use web::{Dialer, Endpoint, HostName};

use crate::gate::Gate;
use crate::limits::{MAX_CONNECTIONS, SHORT_TIMEOUT};

/// The server; it ends when this is dropped.
pub(crate) struct SocksServer {
    _stop: oneshot::Sender<()>,
}

/// Replies of RFC 1928.
const GRANTED: u8 = 0;
const NOT_ALLOWED: u8 = 2;
const UNREACHABLE: u8 = 4;

impl SocksServer {
    /// Starts it on a listener in the browser's sandbox.
    pub(crate) fn start(
        listener: std::net::TcpListener,
        gate: Arc<Gate>,
        dialer: Dialer,
    ) -> io::Result<Self> {
        listener.set_nonblocking(true)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        let (stop, stopped) = oneshot::channel::<()>();
        std::thread::Builder::new().name("browser-network".to_owned()).spawn(move || {
            runtime.block_on(async {
                tokio::select! {
                    ended = accept(listener, gate, dialer) => {
                        if let Err(error) = ended {
                            tracing::warn!("the browser's network: {error}");
                        }
                    }
                    _ = stopped => {}
                }
            });
        })?;
        Ok(Self { _stop: stop })
    }
}

async fn accept(
    listener: std::net::TcpListener,
    gate: Arc<Gate>,
    dialer: Dialer,
) -> io::Result<()> {
    let listener = TcpListener::from_std(listener)?;
    let (dialer, slots) = (Arc::new(dialer), Arc::new(Semaphore::new(MAX_CONNECTIONS)));
    loop {
        let slot = slots.clone().acquire_owned().await.map_err(io::Error::other)?;
        let (client, _) = listener.accept().await?;
        let (gate, dialer) = (gate.clone(), dialer.clone());
        tokio::spawn(async move {
            if let Err(error) = serve(client, &gate, &dialer).await {
                tracing::debug!("a connection of the browser: {error}");
            }
            drop(slot);
        });
    }
}

async fn serve(mut client: TcpStream, gate: &Gate, dialer: &Dialer) -> io::Result<()> {
    client.set_nodelay(true)?;
    let endpoint = tokio::time::timeout(SHORT_TIMEOUT, negotiate(&mut client)).await??;
    let Some(endpoint) = endpoint else { return reply(&mut client, NOT_ALLOWED).await };
    if gate.permit(&[endpoint.effect()]).await.is_err() {
        return reply(&mut client, NOT_ALLOWED).await;
    }
    let route = match dialer.route(&endpoint).await {
        Ok(route) => route,
        Err(why) => {
            gate.record_failure(&endpoint.to_string(), &why);
            return reply(&mut client, UNREACHABLE).await;
        }
    };
    if gate.permit(&route.effects).await.is_err() {
        return reply(&mut client, NOT_ALLOWED).await;
    }
    let ready = async |client: &mut TcpStream| reply(client, GRANTED).await;
    match dialer.serve(&endpoint, route, client, ready).await {
        Ok(()) => Ok(()),
        Err((mut client, why)) => {
            gate.record_failure(&endpoint.to_string(), &why);
            reply(&mut client, UNREACHABLE).await
        }
    }
}

/// Reads a request; `None` if it is not a connection to a host that can be named.
async fn negotiate(client: &mut TcpStream) -> io::Result<Option<Endpoint>> {
    let odd = || io::Error::from(io::ErrorKind::InvalidData);
    let [version, methods] = [client.read_u8().await?, client.read_u8().await?];
    let mut offered = vec![0; methods.into()];
    client.read_exact(&mut offered).await?;
    if version != 5 || !offered.contains(&0) {
        return Err(odd());
    }
    client.write_all(&[5, 0]).await?;
    let mut head = [0; 4];
    client.read_exact(&mut head).await?;
    let host = match head {
        [5, 1, _, 1] => std::net::Ipv4Addr::from(client.read_u32().await?).to_string(),
        [5, 1, _, 4] => std::net::Ipv6Addr::from(client.read_u128().await?).to_string(),
        [5, 1, _, 3] => {
            let mut name = vec![0; client.read_u8().await?.into()];
            client.read_exact(&mut name).await?;
            String::from_utf8(name).map_err(|_| odd())?
        }
        _ => return Ok(None),
    };
    let port = client.read_u16().await?;
    let host = HostName::parse("browser", &host);
    Ok(host.ok().filter(|_| port != 0).map(|host| Endpoint { host, port }))
}

async fn reply(client: &mut TcpStream, code: u8) -> io::Result<()> {
    client.write_all(&[5, code, 0, 1, 0, 0, 0, 0, 0, 0]).await
}
