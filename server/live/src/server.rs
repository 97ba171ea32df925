//! The tool calls of one client, in the server.
//!
//! A server that shuts down answers calls that have had no effects by [`Answer::NotMade`] and sends
//! [`Answer::Leaving`] last. Calls without an answer were not made either. Both can be retried elsewhere.

use std::collections::HashMap;
use std::io;
use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Map, Value};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::UnixStream;
use tokio::net::unix::{OwnedReadHalf, OwnedWriteHalf};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::task::{AbortHandle, JoinSet};
use tokio::time::timeout;
use tools::{Caller, CancelGate, Code, ToolError};
use workspace::{
    ApprovalDecision, ApprovalRequest, NoAnswer, Snapshot, effective_user_id, is_in_our_namespaces,
};

use crate::greeting::short_name;
use crate::{Answer, BoxFuture, CallClient, Message, ToolsGreeting};

/// Concurrent calls of one client; more are rejected.
const MAX_CALLS: usize = 64;
/// Messages queued for a client that does not read. Progress beyond that is dropped.
const MAX_QUEUED_MESSAGES: usize = 256;
/// Files of one request for stamps.
const MAX_STAMPED_FILES: usize = 256;
/// Longest message in bytes, as for LSP messages.
const MAX_MESSAGE_BYTES: u64 = 64 << 20;

/// What calls run in.
pub trait CallServer: Send + Sync + 'static {
    /// Begins a call. It sees the workspace as it is now.
    fn begin(self: &Arc<Self>, call: JoinedCall) -> BegunCall;

    /// The workspace as it is now.
    fn snapshot(&self) -> Snapshot;

    /// Becomes true when the server shuts down.
    fn stopping(&self) -> watch::Receiver<bool>;
}

/// A call of a joined client.
pub struct JoinedCall {
    /// The tool's name.
    pub tool: String,
    /// Its parameters.
    pub arguments: Map<String, Value>,
    /// The caller.
    pub caller: Caller,
    /// Whether the client's person has approved the call already.
    pub approved: bool,
    /// Whether another server forwarded it.
    pub is_forwarded: bool,
    /// The way back to the client.
    pub client: JoinedClient,
}

/// A call that runs once `result` is awaited.
pub struct BegunCall {
    /// Its result.
    pub result: BoxFuture<Result<Value, ToolError>>,
    /// Cancels it, and knows whether it may have had effects.
    pub gate: Arc<CancelGate>,
}

/// The client of one call.
#[derive(Clone)]
pub struct JoinedClient {
    id: u64,
    outgoing: mpsc::Sender<Answer>,
    decisions: Decisions,
}

/// Where the decisions on running calls go: titles, or why there is none.
type Decisions = Arc<Mutex<HashMap<u64, oneshot::Sender<Result<String, NoAnswer>>>>>;

impl JoinedClient {
    /// Reports progress. False if the client does not read.
    #[must_use]
    pub fn try_progress(&self, message: &str) -> bool {
        self.outgoing.try_send(Answer::Progress(self.id, message.to_owned())).is_ok()
    }
}

impl CallClient for JoinedClient {
    fn progress(&self, message: &str) {
        // A client that does not read misses it.
        let _ = self.try_progress(message);
    }

    fn ask(&self, request: ApprovalRequest) -> BoxFuture<Result<ApprovalDecision, NoAnswer>> {
        let (sender, decision) = oneshot::channel();
        self.decisions.lock().insert(self.id, sender);
        let (id, outgoing) = (self.id, self.outgoing.clone());
        Box::pin(async move {
            let asked = Answer::Ask(id, (&request).into());
            outgoing.send(asked).await.map_err(|_| NoAnswer::Nobody)?;
            let answered = timeout(request.timeout, decision).await;
            let title = answered.map_err(|_| NoAnswer::Unanswered)?;
            let title = title.unwrap_or(Err(NoAnswer::Unanswered))?;
            Ok(request.decision(Some(&title)))
        })
    }
}

/// A running call.
struct RunningCall {
    tool: String,
    task: AbortHandle,
    gate: Arc<CancelGate>,
}

type Calls = Arc<Mutex<HashMap<u64, RunningCall>>>;

/// Whether the peer is a process of the same user, outside of any sandbox.
#[must_use]
pub fn is_same_user(stream: &UnixStream) -> bool {
    let Ok(peer) = stream.peer_cred() else { return false };
    let process = peer.pid().and_then(|pid| u32::try_from(pid).ok());
    peer.uid() == effective_user_id() && process.is_some_and(is_in_our_namespaces)
}

/// Serves a client until it disconnects or the server stops.
///
/// # Errors
/// If it sends something else than messages.
pub async fn serve<S: CallServer>(
    server: &Arc<S>,
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
    let (calls, decisions) = (Calls::default(), Decisions::default());
    let mut tasks = JoinSet::new();
    let mut stopping = server.stopping();
    let mut line = Vec::new();
    let mut is_stopping = false;
    loop {
        while tasks.try_join_next().is_some() {}
        let message = tokio::select! {
            // The server may have stopped before.
            biased;
            _ = stopping.wait_for(|is_stopping| *is_stopping) => {
                is_stopping = true;
                break;
            }
            message = next_message(&mut reader, &mut line) => message?,
        };
        match message {
            Some(Message::Call { id, tool, arguments, client, trace }) => {
                if calls.lock().len() >= MAX_CALLS {
                    let _ = outgoing.send(Answer::done(id, Err(too_many_calls()))).await;
                    continue;
                }
                let (to, decisions) = (outgoing.clone(), decisions.clone());
                let arguments = match tools::object(vec![arguments]) {
                    Ok(arguments) => arguments,
                    Err(error) => {
                        let _ = outgoing.send(Answer::done(id, Err(error))).await;
                        continue;
                    }
                };
                let joined = JoinedClient { id, outgoing: outgoing.clone(), decisions };
                let mut caller = caller.clone();
                caller.client = client.as_deref().map(short_name).or(caller.client);
                caller.trace = trace.as_deref().and_then(Caller::parse_trace);
                let name = tool.clone();
                let call =
                    JoinedCall { tool, arguments, caller, approved, is_forwarded, client: joined };
                let BegunCall { result, gate } = server.begin(call);
                let running_calls = calls.clone();
                // The lock keeps the task from removing its entry before it is inserted.
                let mut listed = calls.lock();
                let task = tasks.spawn(async move {
                    let done = result.await;
                    running_calls.lock().remove(&id);
                    let _ = to.send(Answer::done(id, done)).await;
                });
                listed.insert(id, RunningCall { tool: name, task, gate });
            }
            Some(Message::Stamps { stamps, mut files }) => {
                files.truncate(MAX_STAMPED_FILES);
                let (snapshot, to) = (server.snapshot(), outgoing.clone());
                // In order: a client has one such request open at a time.
                let found = tokio::task::spawn_blocking(move || snapshot.stamps(&files)).await;
                let _ = to.send(Answer::Stamps(stamps, found.unwrap_or_default())).await;
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
            Some(Message::Decide { decide, decision, nobody }) => {
                let waiting = decisions.lock().remove(&decide);
                if let Some(waiting) = waiting {
                    let why = if nobody { NoAnswer::Nobody } else { NoAnswer::Unanswered };
                    // The call has ended if its receiver is gone.
                    let _ = waiting.send(decision.ok_or(why));
                }
            }
            None => break,
        }
    }
    // The client is gone, or this server shuts down: cancel the remaining calls.
    let remaining_calls: Vec<(u64, RunningCall)> = calls.lock().drain().collect();
    for (id, running) in remaining_calls {
        if running.gate.cancel() {
            running.task.abort();
            if is_stopping {
                let answer = if running.gate.may_have_effects() {
                    Answer::done(id, Err(ended_error(&running.tool, "the server")))
                } else {
                    Answer::NotMade(id)
                };
                let _ = outgoing.send(answer).await;
            }
        }
    }
    while tasks.join_next().await.is_some() {}
    if is_stopping {
        let _ = outgoing.send(Answer::Leaving).await;
    }
    drop((outgoing, decisions));
    let _ = writing.await;
    Ok(())
}

/// The error of a call that may have had effects when its server ended.
pub(crate) fn ended_error(tool: &str, server: &str) -> ToolError {
    let message = format!("{tool}: {server} ended during the call");
    ToolError::new(Code::Unavailable, message)
        .hint("check whether the call took effect before you try again")
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
