//! Tool calls from joined clients: `tandem mcp`, `tandem call`, `tandem patch` and other servers. They
//! see the editor's unsaved text, edit in the editor, and prompt its user for approval.
//!
//! Each line is one message. `{"id": 1, "tool": "…", "arguments": {…}}` calls a tool; `{"cancel": 1}`
//! cancels a call. Responses come in any order: `{"id": 1, "result": {…}}` or `{"id": 1, "error": {…}}`
//! with the contract's error, after any number of `{"id": 1, "progress": "…"}`. A server that shuts down
//! responds `{"id": 1, "not_made": true}` to calls without effects and sends `{"leaving": true}` last.
//! Calls without a response were not made either. Both can be retried elsewhere.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinSet};
use tools::{Caller, Code, ToolError};

use crate::ingress::CancelGate;
use crate::progress::Progress;
use crate::session::Session;
use crate::tool_call::ToolCall;

/// Concurrent calls of one joined client; more are rejected.
const MAX_CALLS: usize = 64;
/// Messages queued for a joined client that does not read. Progress beyond that is dropped.
const MAX_QUEUED_MESSAGES: usize = 256;
/// Longest message in bytes, as for LSP messages.
const MAX_MESSAGE_BYTES: u64 = 64 << 20;
/// Longest client name that is kept, in characters.
const MAX_NAME_CHARS: usize = 80;

/// How a joined client introduces itself.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct JoinedClient {
    /// Its name.
    #[serde(default)]
    client: Option<String>,
    /// The front end it uses.
    via: Via,
    /// Its user approves all its calls (`tandem call --yes`). That grants nothing that they could not do
    /// without this server: only processes of the same user, outside of sandboxes, may connect.
    #[serde(default)]
    approved: bool,
    /// The call was forwarded by another server.
    #[serde(default)]
    passed_on: bool,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Via {
    #[default]
    Cli,
    Mcp,
    /// The LSP client of another server.
    #[serde(rename = "")]
    Client,
}

/// A message from a joined client.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum IncomingMessage {
    Call {
        id: u64,
        tool: String,
        #[serde(default)]
        arguments: Value,
    },
    Cancel {
        cancel: u64,
    },
}

/// A running call.
struct RunningCall {
    task: AbortHandle,
    gate: Arc<CancelGate>,
}

type Calls = Arc<Mutex<HashMap<u64, RunningCall>>>;

impl JoinedClient {
    fn caller(&self) -> Caller {
        let front_end = match self.via {
            Via::Cli => "cli",
            Via::Mcp => "mcp",
            Via::Client => "",
        };
        let named = self.client.as_ref().map(|name| name.chars().take(MAX_NAME_CHARS).collect());
        Caller { front_end, client: named }
    }
}

/// Serves a joined client until it disconnects or the session stops.
pub(super) async fn serve(
    session: Arc<Session>,
    mut reader: BufReader<OwnedReadHalf>,
    mut writer: OwnedWriteHalf,
    joined_client: JoinedClient,
) -> io::Result<()> {
    let (outgoing, mut to_write) = mpsc::channel::<Value>(MAX_QUEUED_MESSAGES);
    let writing = tokio::spawn(async move {
        while let Some(message) = to_write.recv().await {
            if writer.write_all(format!("{message}\n").as_bytes()).await.is_err() {
                return;
            }
        }
    });
    let (caller, approved, is_forwarded) =
        (joined_client.caller(), joined_client.approved, joined_client.passed_on);
    let calls = Calls::default();
    let mut tasks = JoinSet::new();
    let mut stopped = session.shutdown.subscribe();
    let mut line = Vec::new();
    let mut is_stopping = false;
    loop {
        while tasks.try_join_next().is_some() {}
        // The session may have stopped before the subscription.
        if session.is_stopping.load(Ordering::Relaxed) {
            is_stopping = true;
            break;
        }
        let message = tokio::select! {
            message = next_message(&mut reader, &mut line) => message?,
            _ = stopped.changed() => {
                is_stopping = true;
                break;
            }
        };
        match message {
            Some(IncomingMessage::Call { id, tool, arguments }) => {
                let snapshot = session.workspace.snapshot();
                if calls.lock().len() >= MAX_CALLS {
                    let _ = outgoing.send(response(id, Err(too_many_calls()))).await;
                    continue;
                }
                let (gate, to) = (Arc::<CancelGate>::default(), outgoing.clone());
                let progress = Progress::for_joined_client(outgoing.clone(), id);
                let arguments = tools::object(vec![arguments]);
                let (session, caller, running_calls) =
                    (session.clone(), caller.clone(), calls.clone());
                let cancel_gate = gate.clone();
                // The lock keeps the task from removing its entry before it is inserted.
                let mut listed = calls.lock();
                let task = tasks.spawn(async move {
                    let done = match arguments {
                        Ok(arguments) => {
                            let call = ToolCall {
                                tool,
                                arguments,
                                caller,
                                approved,
                                is_forwarded,
                                snapshot,
                                gate,
                                progress,
                            };
                            call.run(&session).await
                        }
                        Err(error) => Err(error),
                    };
                    running_calls.lock().remove(&id);
                    let _ = to.send(response(id, done)).await;
                });
                listed.insert(id, RunningCall { task, gate: cancel_gate });
            }
            Some(IncomingMessage::Cancel { cancel }) => {
                let running = calls.lock().remove(&cancel);
                // A committed call cannot be cancelled. Its own result is sent.
                if let Some(running) = running.filter(|running| running.gate.cancel()) {
                    running.task.abort();
                    let error = ToolError::new(Code::Cancelled, "cancelled");
                    let _ = outgoing.send(response(cancel, Err(error))).await;
                }
            }
            None => break,
        }
    }
    // The joined client is gone, or this server shuts down: cancel the remaining calls.
    let remaining_calls: Vec<(u64, RunningCall)> = calls.lock().drain().collect();
    for (id, running) in remaining_calls {
        if running.gate.cancel() {
            running.task.abort();
            if is_stopping {
                let _ = outgoing.send(json!({ "id": id, "not_made": true })).await;
            }
        }
    }
    while tasks.join_next().await.is_some() {}
    if is_stopping {
        let _ = outgoing.send(json!({ "leaving": true })).await;
    }
    drop(outgoing);
    let _ = writing.await;
    Ok(())
}

fn too_many_calls() -> ToolError {
    let message = format!("too many calls at a time (limit: {MAX_CALLS})");
    ToolError::new(Code::Unavailable, message).hint("wait for one of them to end")
}

fn response(id: u64, done: Result<Value, ToolError>) -> Value {
    match done {
        Ok(result) => json!({ "id": id, "result": result }),
        Err(error) => json!({ "id": id, "error": error.data() }),
    }
}

/// Reads the next message. `None` at the end; an invalid message is an error and ends the connection.
///
/// Cancel safe: a partly read message stays in `line`.
async fn next_message(
    reader: &mut BufReader<OwnedReadHalf>,
    line: &mut Vec<u8>,
) -> io::Result<Option<IncomingMessage>> {
    let remaining = MAX_MESSAGE_BYTES.saturating_sub(line.len() as u64);
    reader.take(remaining).read_until(b'\n', line).await?;
    if line.is_empty() {
        return Ok(None);
    }
    let message = serde_json::from_slice(line);
    line.clear();
    message.map(Some).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}
