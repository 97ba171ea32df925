//! A DAP server for an editor's own debugger: to watch a session that somebody else started, to take it
//! over, or to start one that others can join.
//!
//! Read-only requests are forwarded to the session's adapter. Requests that affect the program run as
//! tools, with the same policy and audit log as for an agent.

mod breakpoints;
mod events;
mod requests;
mod tool_call;

use std::sync::Arc;

use ::debug::{ClientRequest, Connection, DebugEvent, Session as Debugged, next_request};
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncWriteExt, BufReader};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::broadcast::error::RecvError;
use tokio::sync::{Semaphore, mpsc};

use self::breakpoints::SentBreakpoints;
use crate::session::Session;

/// Queued requests.
const MAX_QUEUED_REQUESTS: usize = 256;
/// Concurrent requests to the adapter.
const MAX_ADAPTER_REQUESTS: usize = 32;

/// How a DAP client introduces itself.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DapGreeting {
    /// The session to join. Without one, the client launches its own.
    #[serde(default)]
    session: Option<u64>,
    /// Whether to control the session, not only watch it.
    #[serde(default)]
    full: bool,
}

/// Checks whether the request is allowed. Taking a session over needs the user's approval.
pub(crate) async fn check_access(
    session: &Arc<Session>,
    greeting: &DapGreeting,
) -> Result<(), String> {
    let Some(id) = greeting.session else { return Ok(()) };
    if find_session(session, id).is_none() {
        return Err(format!("no debug session {id}; `debug_sessions` lists them"));
    }
    if greeting.full { tool_call::take_over(session, id).await } else { Ok(()) }
}

/// The session with this id.
fn find_session(session: &Session, id: u64) -> Option<Arc<Debugged>> {
    let all = debug_tools::debugger(session.tools()).sessions();
    all.into_iter().find(|one| one.id() == id)
}

/// One DAP connection, and its session.
struct DapConnection {
    client: Arc<Session>,
    outgoing: Connection,
    debugged: Option<Arc<Debugged>>,
    /// Whether it may control the program.
    may_control: bool,
    /// The `launch` request, pending until `configurationDone`.
    launch: Option<ClientRequest>,
    /// Whether it started the session, which then ends with the connection.
    owns_session: bool,
    /// Whether it has received the session's state.
    is_attached: bool,
    /// The output cursor.
    cursor: u64,
    /// The thread that last stopped.
    thread: i64,
    breakpoints: SentBreakpoints,
    adapter_permits: Arc<Semaphore>,
}

/// Whether to continue serving.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Flow {
    Continue,
    /// The connection or the session has ended.
    Stop,
}

pub(crate) async fn serve(
    client: Arc<Session>,
    mut reader: BufReader<OwnedReadHalf>,
    mut writer: OwnedWriteHalf,
    greeting: DapGreeting,
) {
    let (outgoing, mut frames) = Connection::new();
    let writing = tokio::spawn(async move {
        while let Some(frame) = frames.recv().await {
            if writer.write_all(&frame).await.is_err() {
                return;
            }
        }
    });
    let (sender, mut requests) = mpsc::channel(MAX_QUEUED_REQUESTS);
    let reading = tokio::spawn(async move {
        while let Ok(Some(request)) = next_request(&mut reader).await {
            if sender.send(request).await.is_err() {
                return;
            }
        }
    });
    let debugged = greeting.session.and_then(|id| find_session(&client, id));
    let mut stopped = client.shutdown.subscribe();
    let mut events = debug_tools::debugger(client.tools()).subscribe();
    let mut connection = DapConnection {
        may_control: greeting.full || greeting.session.is_none(),
        client,
        outgoing,
        debugged,
        launch: None,
        owns_session: false,
        is_attached: false,
        cursor: 0,
        thread: 0,
        breakpoints: SentBreakpoints::default(),
        adapter_permits: Arc::new(Semaphore::new(MAX_ADAPTER_REQUESTS)),
    };
    let mut flow = Flow::Continue;
    while flow == Flow::Continue {
        flow = tokio::select! {
            biased;
            request = requests.recv() => match request {
                Some(request) => connection.handle_request(request).await,
                None => Flow::Stop,
            },
            event = events.recv(), if connection.is_attached => match event {
                Ok(event) => connection.handle_event(&event),
                // Missed events: send the current state.
                Err(RecvError::Lagged(_)) => connection.send_state(),
                Err(RecvError::Closed) => Flow::Stop,
            },
            _ = stopped.changed() => Flow::Stop,
        };
    }
    reading.abort();
    connection.close().await;
    // The last messages are still written.
    drop(connection);
    let _ = tokio::time::timeout(std::time::Duration::from_secs(2), writing).await;
}

impl DapConnection {
    /// Ends the session if this connection started it.
    async fn close(&mut self) {
        if let (true, Some(session)) = (self.owns_session, self.debugged.take()) {
            let _ = tool_call::call(&self.client, "debug_stop", json!({ "session": session.id() }))
                .await;
        }
    }

    fn respond(&self, request: &ClientRequest, result: Result<Value, String>) -> Flow {
        if self.outgoing.respond(request, result) { Flow::Continue } else { Flow::Stop }
    }

    fn send_event(&self, event: &str, body: Value) -> Flow {
        if self.outgoing.send_event(event, body) { Flow::Continue } else { Flow::Stop }
    }

    /// Sends the session's current state.
    fn send_state(&mut self) -> Flow {
        let Some(session) = self.debugged.clone() else { return Flow::Continue };
        self.send_output(&session);
        self.send_breakpoint_changes(&session);
        self.send_phase(&session)
    }

    fn handle_event(&mut self, event: &DebugEvent) -> Flow {
        let Some(session) = self.debugged.clone() else { return Flow::Continue };
        let session_id = session.id();
        match event {
            DebugEvent::Stopped { session: id, stop, .. } if *id == session_id => {
                self.send_stop(stop)
            }
            DebugEvent::Continued { session: id } if *id == session_id => self.send_continued(),
            DebugEvent::Output { session: id, .. } if *id == session_id => {
                self.send_output(&session)
            }
            DebugEvent::Exited { session: id, ending } if *id == session_id => {
                self.send_output(&session);
                self.send_end(ending)
            }
            DebugEvent::Breakpoints => self.send_breakpoint_changes(&session),
            _ => Flow::Continue,
        }
    }
}
