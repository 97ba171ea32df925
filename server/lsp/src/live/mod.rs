//! The live socket: a Unix socket of the workspace, by which other processes of the same user join this
//! server while it runs.
//!
//! Its clients, and the start of a connection, are in the crate [`live`](::live). Processes of other users
//! and of sandboxes are rejected.

mod joined_client;
mod peers;

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use ::live::ToolsGreeting;
pub(crate) use peers::{Peers, choose_peer, forward_call};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::time::timeout;
use workspace::ServerSocket;

use crate::debug::dap_server;
use crate::session::Session;

/// Concurrent connections.
pub(crate) const MAX_CONNECTIONS: u32 = 16;
/// How long a stopping server waits for its connections to close.
const DRAIN_TIMEOUT: Duration = Duration::from_millis(500);
/// Most workspace folders that get a socket.
const MAX_FOLDERS: usize = 8;
/// Longest first line, in bytes.
const MAX_GREETING_BYTES: u64 = 64 << 10;
/// How long the first line may take.
const GREETING_TIMEOUT: Duration = Duration::from_secs(5);

/// The first line of a connection.
#[derive(Debug, Deserialize)]
#[serde(tag = "face", rename_all = "snake_case")]
enum Greeting {
    /// A debugger's user interface, speaking DAP.
    Dap(dap_server::DapGreeting),
    /// A client that calls tools, or a server that forwards a call.
    Tools(ToolsGreeting),
    /// A server that queries which of a call's files are open here.
    #[serde(rename = "having")]
    OpenDocuments {
        #[serde(default)]
        arguments: Value,
    },
}

/// Listens until the session ends. If the socket cannot be created, the server works without it.
pub(crate) fn start(session: &Arc<Session>) {
    for root in session.workspace.snapshot().roots().iter().take(MAX_FOLDERS) {
        let bound = ServerSocket::bind(root.path());
        let listening = bound.and_then(|socket| Ok((socket.listener()?, socket)));
        match listening {
            Ok((listener, socket)) => listen(session, listener, socket),
            Err(error) => tracing::warn!("cannot listen for other clients: {error}"),
        }
    }
}

/// Waits until all connections are closed, for at most [`DRAIN_TIMEOUT`].
pub(crate) async fn drain_connections(session: &Session) {
    let _ = timeout(DRAIN_TIMEOUT, session.connection_permits.acquire_many(MAX_CONNECTIONS)).await;
}

fn listen(
    session: &Arc<Session>,
    listener: std::os::unix::net::UnixListener,
    socket: ServerSocket,
) {
    let weak = Arc::downgrade(session);
    let mut stopped = session.shutdown.subscribe();
    session.runtime.spawn(async move {
        // Removes the socket file when this task ends.
        let _kept = socket;
        let Ok(listener) = UnixListener::from_std(listener) else { return };
        loop {
            let stream = tokio::select! {
                accepted = listener.accept() => accepted,
                _ = stopped.changed() => return,
            };
            let Ok((stream, _)) = stream else { continue };
            let Some(session) = weak.upgrade() else { return };
            if session.is_stopping.load(Ordering::Relaxed) {
                return;
            }
            // Connections over the limit are closed at once.
            let Ok(permit) = session.connection_permits.clone().try_acquire_owned() else {
                continue;
            };
            tokio::spawn(async move {
                let _permit = permit;
                if let Err(error) = handle_connection(session, stream).await {
                    tracing::debug!("a joined client failed: {error}");
                }
            });
        }
    });
}

async fn handle_connection(session: Arc<Session>, stream: UnixStream) -> io::Result<()> {
    let is_same_user = ::live::is_same_user(&stream);
    let (reader, mut writer) = stream.into_split();
    let mut reader = BufReader::new(reader);
    let mut line = Vec::new();
    let mut first = (&mut reader).take(MAX_GREETING_BYTES);
    let read = first.read_until(b'\n', &mut line);
    let greeting = match timeout(GREETING_TIMEOUT, read).await {
        Ok(read) => read.map(|_| serde_json::from_slice::<Greeting>(&line))?,
        Err(_) => return Err(io::ErrorKind::TimedOut.into()),
    };
    let welcome = format!("{}\n", json!({ "ok": true, "client": session.client_name }));
    let rejection = match greeting {
        _ if !is_same_user => {
            Some("only the same user may connect, from outside of sandboxes".into())
        }
        Err(error) => Some(format!("invalid request: {error}")),
        Ok(Greeting::Dap(greeting)) => match dap_server::check_access(&session, &greeting).await {
            Ok(()) => {
                writer.write_all(welcome.as_bytes()).await?;
                dap_server::serve(session, reader, writer, greeting).await;
                return Ok(());
            }
            Err(why) => Some(why),
        },
        Ok(Greeting::OpenDocuments { arguments }) => {
            let snapshot = session.workspace.snapshot();
            let found = session
                .threads
                .run_blocking(move || peers::open_documents(&snapshot, &arguments))
                .await;
            let open = found.map_err(|_| io::Error::other("internal error"))?;
            let client = &session.client_name;
            let answer = json!({ "ok": true, "client": client, "having": open });
            return writer.write_all(format!("{answer}\n").as_bytes()).await;
        }
        Ok(Greeting::Tools(greeting)) => {
            writer.write_all(welcome.as_bytes()).await?;
            return ::live::serve(&session, reader, writer, greeting).await;
        }
    };
    let answer = json!({ "error": rejection });
    writer.write_all(format!("{answer}\n").as_bytes()).await
}
