//! A workspace without an editor that other clients join: agents of one folder share one server. The first
//! one serves the others as long as it runs; then another takes over.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use live::{BegunCall, CallServer, JoinedCall, ToolsGreeting};
use serde_json::json;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{UnixListener, UnixStream};
use tokio::sync::{Semaphore, watch};
use tokio::time::timeout;
use tools::{CancelGate, HeadlessWorkspace, Host, ToolCall};
use workspace::{ServerSocket, Snapshot};

use crate::editor::HeadlessEditor;

/// Connections at a time; more are closed at once.
const MAX_CONNECTIONS: usize = 16;
/// Longest first line, in bytes.
const MAX_GREETING_BYTES: u64 = 64 << 10;
/// How long the first line may take.
const GREETING_TIMEOUT: Duration = Duration::from_secs(5);
/// How long the end of the connections may take.
const DRAIN_TIMEOUT: Duration = Duration::from_millis(500);

/// Serves joined clients until `stopping` becomes true.
pub(crate) struct SharedWorkspace {
    headless: Arc<HeadlessWorkspace>,
    stopping: watch::Sender<bool>,
    connections: Arc<Semaphore>,
}

impl SharedWorkspace {
    /// Starts to serve clients at `socket`.
    pub(crate) fn start(
        headless: &Arc<HeadlessWorkspace>,
        socket: ServerSocket,
    ) -> io::Result<Arc<Self>> {
        let listener = UnixListener::from_std(socket.listener()?)?;
        let connections = Arc::new(Semaphore::new(MAX_CONNECTIONS));
        let shared = Arc::new(Self {
            headless: headless.clone(),
            stopping: watch::Sender::new(false),
            connections: connections.clone(),
        });
        let (server, mut stopping) = (shared.clone(), shared.stopping.subscribe());
        tokio::spawn(async move {
            // Removes the socket file when this task ends.
            let _kept = socket;
            loop {
                let accepted = tokio::select! {
                    accepted = listener.accept() => accepted,
                    _ = stopping.wait_for(|is_stopping| *is_stopping) => return,
                };
                let Ok((stream, _)) = accepted else {
                    tokio::time::sleep(Duration::from_millis(100)).await;
                    continue;
                };
                let Ok(permit) = connections.clone().try_acquire_owned() else { continue };
                let server = server.clone();
                tokio::spawn(async move {
                    let _permit = permit;
                    if let Err(error) = serve_client(&server, stream).await {
                        tracing::debug!("a joined client failed: {error}");
                    }
                });
            }
        });
        Ok(shared)
    }

    /// Ends the connections. Calls that had no effect are made elsewhere.
    pub(crate) async fn stop(&self) {
        self.stopping.send_replace(true);
        let all = u32::try_from(MAX_CONNECTIONS).unwrap_or(u32::MAX);
        let _ = timeout(DRAIN_TIMEOUT, self.connections.acquire_many(all)).await;
    }
}

async fn serve_client(server: &Arc<SharedWorkspace>, stream: UnixStream) -> io::Result<()> {
    let is_same_user = live::is_same_user(&stream);
    let (reader, mut writer) = stream.into_split();
    let mut reader = BufReader::new(reader);
    let mut line = Vec::new();
    let mut first = (&mut reader).take(MAX_GREETING_BYTES);
    match timeout(GREETING_TIMEOUT, first.read_until(b'\n', &mut line)).await {
        Ok(read) => read?,
        Err(_) => return Err(io::ErrorKind::TimedOut.into()),
    };
    let greeting = match ToolsGreeting::from_line(&line) {
        _ if !is_same_user => {
            Err("only the same user may connect, from outside of sandboxes".to_owned())
        }
        greeting => greeting,
    };
    let answer = match &greeting {
        Ok(_) => json!({ "ok": true, "headless": true }),
        Err(why) => json!({ "error": why }),
    };
    writer.write_all(format!("{answer}\n").as_bytes()).await?;
    match greeting {
        Ok(greeting) => live::serve(server, reader, writer, greeting).await,
        Err(_) => Ok(()),
    }
}

impl CallServer for SharedWorkspace {
    fn begin(self: &Arc<Self>, call: JoinedCall) -> BegunCall {
        let JoinedCall { tool, arguments, caller, approved, client, .. } = call;
        let headless = self.headless.clone();
        let gate = Arc::<CancelGate>::default();
        let call = ToolCall { tool, arguments: arguments.into(), caller, gate: gate.clone() };
        let editor = move |control| HeadlessEditor { client, approved, control };
        BegunCall {
            result: Box::pin(async move {
                headless.watch();
                headless.call(call, editor).await
            }),
            gate,
        }
    }

    fn snapshot(&self) -> Snapshot {
        self.headless.watch();
        self.headless.workspace().snapshot()
    }

    fn stopping(&self) -> watch::Receiver<bool> {
        self.stopping.subscribe()
    }
}
