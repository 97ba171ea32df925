//! Others of the same person who join this server while it runs: over a Unix socket of the workspace.
//!
//! Who connects says in one line of JSON what for, `{"face": "dap", …}`, and is answered by one:
//! `{"ok": true, "client": "…"}`, with the name of the editor, or `{"error": "…"}`. Then the face's own protocol begins. Only processes of the same
//! user are heard, and none from within a sandbox.

mod guest;
mod peers;

use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

pub(crate) use peers::{Peers, pass_on, place};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::time::timeout;
use workspace::{LiveSocket, is_in_our_namespaces};

use crate::debug::face;
use crate::session::Session;

/// Connections at a time.
pub(crate) const CONNECTIONS: u32 = 16;
/// How long a server that ends waits for its connections to hear of it.
const PARTING: Duration = Duration::from_millis(500);
/// Most workspace folders that have a socket.
const FOLDERS: usize = 8;
/// Longest first line, in bytes.
const LONGEST: u64 = 64 << 10;
/// How long it may take to come.
const PATIENCE: Duration = Duration::from_secs(5);

/// What somebody connects for.
#[derive(Debug, Deserialize)]
#[serde(tag = "face", rename_all = "snake_case")]
enum Greeting {
    /// A debugger's user interface.
    Dap(face::Wanted),
    /// An agent or a shell that calls tools, or a server that passes a call on.
    Tools(guest::Guest),
    /// A server that wants to know what is open here of what a call is about.
    Having {
        #[serde(default)]
        arguments: Value,
    },
}

/// Can be reached from now on, until the session ends. Where that cannot be, the server works without.
pub(crate) fn start(session: &Arc<Session>) {
    for root in session.workspace.snapshot().roots().iter().take(FOLDERS) {
        let bound = LiveSocket::bind(root.path());
        let listening = bound.and_then(|socket| Ok((socket.listener()?, socket)));
        match listening {
            Ok((listener, socket)) => listen(session, listener, socket),
            Err(error) => tracing::warn!("others cannot join this server: {error}"),
        }
    }
}

/// Waits until those who have joined know that the session has stopped, or [`PARTING`] is over.
pub(crate) async fn part(session: &Session) {
    let _ = timeout(PARTING, session.connections.acquire_many(CONNECTIONS)).await;
}

fn listen(session: &Arc<Session>, listener: std::os::unix::net::UnixListener, socket: LiveSocket) {
    let weak = Arc::downgrade(session);
    let mut stopped = session.live_until.subscribe();
    session.runtime.spawn(async move {
        // Gone from its folder with this task.
        let _kept = socket;
        let Ok(listener) = UnixListener::from_std(listener) else { return };
        loop {
            let stream = tokio::select! {
                accepted = listener.accept() => accepted,
                _ = stopped.changed() => return,
            };
            let Ok((stream, _)) = stream else { continue };
            let Some(session) = weak.upgrade() else { return };
            if session.stop.load(Ordering::Relaxed) {
                return;
            }
            // More than that are turned away at once.
            let Ok(place) = session.connections.clone().try_acquire_owned() else { continue };
            tokio::spawn(async move {
                let _place = place;
                if let Err(error) = welcome(session, stream).await {
                    tracing::debug!("who joined has gone: {error}");
                }
            });
        }
    });
}

/// Whether the other side is a process of the same user, outside of any sandbox.
fn is_ours(stream: &UnixStream) -> bool {
    let Ok(peer) = stream.peer_cred() else { return false };
    let process = peer.pid().and_then(|pid| u32::try_from(pid).ok());
    peer.uid() == workspace::user() && process.is_some_and(is_in_our_namespaces)
}

async fn welcome(session: Arc<Session>, stream: UnixStream) -> io::Result<()> {
    let is_ours = is_ours(&stream);
    let (reader, mut writer) = stream.into_split();
    let mut reader = BufReader::new(reader);
    let mut line = Vec::new();
    let mut first = (&mut reader).take(LONGEST);
    let read = first.read_until(b'\n', &mut line);
    let greeting = match timeout(PATIENCE, read).await {
        Ok(read) => read.map(|_| serde_json::from_slice::<Greeting>(&line))?,
        Err(_) => return Err(io::ErrorKind::TimedOut.into()),
    };
    let welcome = format!("{}\n", json!({ "ok": true, "client": session.client_name }));
    let refused = match greeting {
        _ if !is_ours => {
            Some("this server is joined by its own user only, outside of sandboxes".into())
        }
        Err(error) => Some(format!("what you want is not understood: {error}")),
        Ok(Greeting::Dap(wanted)) => match face::admitted(&session, &wanted).await {
            Ok(()) => {
                writer.write_all(welcome.as_bytes()).await?;
                face::serve(session, reader, writer, wanted).await;
                return Ok(());
            }
            Err(why) => Some(why),
        },
        Ok(Greeting::Having { arguments }) => {
            let snapshot = session.workspace.snapshot();
            let found = session.pool.call(move || peers::having(&snapshot, &arguments)).await;
            let having = found.map_err(|_| io::Error::other("it failed inside"))?;
            let client = &session.client_name;
            let answer = json!({ "ok": true, "client": client, "having": having });
            return writer.write_all(format!("{answer}\n").as_bytes()).await;
        }
        Ok(Greeting::Tools(guest)) => {
            writer.write_all(welcome.as_bytes()).await?;
            return guest::serve(session, reader, writer, guest).await;
        }
    };
    let answer = json!({ "error": refused });
    writer.write_all(format!("{answer}\n").as_bytes()).await
}
