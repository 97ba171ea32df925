//! Tool calls in the live server of an editor, over its socket.

use std::collections::HashMap;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;
use tools::{Caller, Code, ToolError};
use workspace::connect_to_server_at;

use crate::call_router::ToolRequest;
use crate::progress::Progress;

/// How long a server may take to accept the connection.
const GREETING_TIMEOUT: Duration = Duration::from_secs(10);
/// Messages queued to the server; callers wait beyond that.
const MAX_QUEUED_MESSAGES: usize = 64;

/// A connection to a live server.
pub(crate) struct LiveServer {
    outgoing: mpsc::Sender<Value>,
    connection: Arc<Connection>,
    next_id: AtomicU64,
}

/// The state shared with the reader task.
#[derive(Default)]
struct Connection {
    pending: Mutex<PendingCalls>,
}

#[derive(Default)]
struct PendingCalls {
    calls: HashMap<u64, PendingCall>,
    is_closed: bool,
    /// It has shut down and answered every call that it made.
    has_shut_down: bool,
}

struct PendingCall {
    done: oneshot::Sender<CallOutcome>,
    progress: Progress,
}

/// The outcome of a call.
pub(crate) enum CallOutcome {
    /// The result, or the contract's error.
    Answered(Result<Value, Value>),
    /// The server has ended and nothing was done.
    NotMade,
}

impl LiveServer {
    /// Connects to the newest server that has exactly `folder` open; `None` if there is none. A server of a
    /// parent folder is not used, as the agent could reach more than it was given.
    ///
    /// # Errors
    /// A message, if the server rejects the connection.
    pub(crate) async fn connect(folder: &Path, caller: &Caller) -> Result<Option<Self>, String> {
        let Some(stream) = connect_to_server_at(folder).ok().flatten() else { return Ok(None) };
        let stream = stream.set_nonblocking(true).and_then(|()| UnixStream::from_std(stream));
        let greeted = async {
            let (reader, mut writer) = stream?.into_split();
            let greeting = json!({ "face": "tools", "via": "mcp", "client": caller.client });
            writer.write_all(format!("{greeting}\n").as_bytes()).await?;
            let mut reader = BufReader::new(reader);
            let mut line = String::new();
            reader.read_line(&mut line).await?;
            let answer: Value = serde_json::from_str(&line).map_err(io::Error::other)?;
            Ok::<_, io::Error>((reader, writer, answer))
        };
        // A server that is shutting down does not answer.
        let Ok(Ok((mut reader, mut writer, answer))) = timeout(GREETING_TIMEOUT, greeted).await
        else {
            return Ok(None);
        };
        if let Some(error) = answer["error"].as_str() {
            return Err(format!("the editor's server rejected the connection: {error}"));
        }
        let (outgoing, mut to_write) = mpsc::channel::<Value>(MAX_QUEUED_MESSAGES);
        tokio::spawn(async move {
            while let Some(message) = to_write.recv().await {
                if writer.write_all(format!("{message}\n").as_bytes()).await.is_err() {
                    return;
                }
            }
        });
        let connection = Arc::<Connection>::default();
        let reader_side = connection.clone();
        tokio::spawn(async move {
            let mut line = String::new();
            while matches!(reader.read_line(&mut line).await, Ok(1..)) {
                reader_side.handle_message(&line);
                line.clear();
            }
            reader_side.close();
        });
        Ok(Some(Self { outgoing, connection, next_id: AtomicU64::new(1) }))
    }

    /// Whether the connection is open.
    pub(crate) fn is_connected(&self) -> bool {
        !self.connection.pending.lock().is_closed
    }

    /// Runs the call in the server. Dropping the future cancels it.
    pub(crate) async fn call(&self, request: &ToolRequest) -> CallOutcome {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let (sender, done) = oneshot::channel();
        {
            let mut pending = self.connection.pending.lock();
            if pending.is_closed {
                return CallOutcome::NotMade;
            }
            pending
                .calls
                .insert(id, PendingCall { done: sender, progress: request.progress.clone() });
        }
        let cancel_guard = CancelOnDrop { server: self, id };
        let message = json!({ "id": id, "tool": request.tool, "arguments": request.arguments });
        let sent = self.outgoing.send(message).await.is_ok();
        let answer = match done.await {
            Ok(outcome) => outcome,
            Err(_) if !sent || self.connection.pending.lock().has_shut_down => CallOutcome::NotMade,
            Err(_) => CallOutcome::Answered(Err(ended_error())),
        };
        // Answered, so there is nothing to cancel.
        drop(cancel_guard);
        answer
    }
}

impl Connection {
    fn handle_message(&self, line: &str) {
        let Ok(mut incoming) = serde_json::from_str::<Value>(line) else {
            tracing::warn!("invalid message from the editor's server");
            return;
        };
        let mut pending = self.pending.lock();
        pending.has_shut_down |= incoming["leaving"] == true;
        let Some(id) = incoming["id"].as_u64() else { return };
        if let Some(message) = incoming["progress"].as_str() {
            if let Some(call) = pending.calls.get(&id) {
                call.progress.report(message);
            }
            return;
        }
        let Some(call) = pending.calls.remove(&id) else { return };
        let answer = match incoming["error"].take() {
            Value::Null if incoming["not_made"] == true => CallOutcome::NotMade,
            Value::Null => CallOutcome::Answered(Ok(incoming["result"].take())),
            error => CallOutcome::Answered(Err(error)),
        };
        // The receiver is gone if the call was cancelled.
        let _ = call.done.send(answer);
    }

    /// Marks the connection as closed and drops all pending calls.
    fn close(&self) {
        let mut pending = self.pending.lock();
        pending.is_closed = true;
        pending.calls.clear();
    }
}

/// Cancels a call when dropped, unless it was answered.
struct CancelOnDrop<'a> {
    server: &'a LiveServer,
    id: u64,
}

impl Drop for CancelOnDrop<'_> {
    fn drop(&mut self) {
        if self.server.connection.pending.lock().calls.remove(&self.id).is_some() {
            // If the queue is full, closing the connection cancels the call, too.
            let _ = self.server.outgoing.try_send(json!({ "cancel": self.id }));
        }
    }
}

fn ended_error() -> Value {
    let message = "the editor's server ended during the call";
    let error = ToolError::new(Code::Unavailable, message);
    error.hint("check whether the call took effect before you try again").data()
}
