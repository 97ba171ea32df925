//! Tool calls from joined clients: `tandem mcp`, `tandem call`, `tandem patch` and other servers. They
//! see the editor's unsaved text, edit in the editor, and prompt its user for approval.
//!
//! A server that shuts down answers calls without effects by [`Answer::NotMade`] and sends
//! [`Answer::Leaving`] last. Calls without an answer were not made either. Both can be retried elsewhere.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use live::{Answer, Message, ToolsGreeting};
use parking_lot::Mutex;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinSet};
use tools::{Code, ToolError};

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

/// A running call.
struct RunningCall {
    task: AbortHandle,
    gate: Arc<CancelGate>,
}

type Calls = Arc<Mutex<HashMap<u64, RunningCall>>>;

/// Serves a joined client until it disconnects or the session stops.
pub(super) async fn serve(
    session: Arc<Session>,
    mut reader: BufReader<OwnedReadHalf>,
    mut writer: OwnedWriteHalf,
    greeting: ToolsGreeting,
) -> io::Result<()> {
    let (outgoing, mut to_write) = mpsc::channel::<Answer>(MAX_QUEUED_MESSAGES);
    let writing = tokio::spawn(async move {
        while let Some(message) = to_write.recv().await {
            if writer.write_all(format!("{}\n", message.to_line()).as_bytes()).await.is_err() {
                return;
            }
        }
    });
    let caller = greeting.caller();
    let ToolsGreeting { approved, is_forwarded, .. } = greeting;
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
            Some(Message::Call { id, tool, arguments }) => {
                let snapshot = session.workspace.snapshot();
                if calls.lock().len() >= MAX_CALLS {
                    let _ = outgoing.send(Answer::done(id, Err(too_many_calls()))).await;
                    continue;
                }
                let (gate, to) = (Arc::<CancelGate>::default(), outgoing.clone());
                let progress = Arc::new(Progress::for_joined_client(outgoing.clone(), id));
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
                    let _ = to.send(Answer::done(id, done)).await;
                });
                listed.insert(id, RunningCall { task, gate: cancel_gate });
            }
            Some(Message::Cancel { cancel }) => {
                let running = calls.lock().remove(&cancel);
                // A committed call cannot be cancelled. Its own result is sent.
                if let Some(running) = running.filter(|running| running.gate.cancel()) {
                    running.task.abort();
                    let error = ToolError::new(Code::Cancelled, "cancelled");
                    let _ = outgoing.send(Answer::done(cancel, Err(error))).await;
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
                let _ = outgoing.send(Answer::NotMade(id)).await;
            }
        }
    }
    while tasks.join_next().await.is_some() {}
    if is_stopping {
        let _ = outgoing.send(Answer::Leaving).await;
    }
    drop(outgoing);
    let _ = writing.await;
    Ok(())
}

fn too_many_calls() -> ToolError {
    let message = format!("too many calls at a time (limit: {MAX_CALLS})");
    ToolError::new(Code::Unavailable, message).hint("wait for one of them to end")
}

/// Reads the next message. `None` at the end; an invalid message is an error and ends the connection.
///
/// Cancel safe: a partly read message stays in `line`.
async fn next_message(
    reader: &mut BufReader<OwnedReadHalf>,
    line: &mut Vec<u8>,
) -> io::Result<Option<Message>> {
    let remaining = MAX_MESSAGE_BYTES.saturating_sub(line.len() as u64);
    reader.take(remaining).read_until(b'\n', line).await?;
    if line.is_empty() {
        return Ok(None);
    }
    let message = serde_json::from_slice(line);
    line.clear();
    message.map(Some).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}
