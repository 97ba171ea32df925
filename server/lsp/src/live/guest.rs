//! Tools, called by others than the client: an agent in a terminal, a shell. They see the client's
//! unsaved text, and what they change changes in the editor, where the person is asked for leave.
//!
//! Each line is one message. `{"id": 1, "tool": "…", "arguments": {…}}` calls; `{"cancel": 1}` gives a
//! call up. Answers come in any order: `{"id": 1, "result": {…}}` or `{"id": 1, "error": {…}}` with the
//! contract's error, and before them any number of `{"id": 1, "progress": "…"}`. A server that ends answers
//! `{"id": 1, "not_made": true}` to calls that have changed nothing, and sends `{"leaving": true}` last: calls
//! without an answer were not made either, and can be made elsewhere.

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

use crate::ingress::Gate;
use crate::progress::Progress;
use crate::session::Session;
use crate::tool_call::ToolCall;

/// Calls of one guest at a time; more are refused.
const CALLS: usize = 64;
/// Messages to a guest that does not read; progress beyond that is left out.
const WAITING: usize = 256;
/// Longest message, in bytes: as long as a client's.
const LONGEST: u64 = 64 << 20;
/// Longest name of a client that is kept, in characters.
const NAME: usize = 80;

/// What a guest says of itself.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Guest {
    /// What it calls itself.
    #[serde(default)]
    client: Option<String>,
    /// What it came in through.
    via: Via,
    /// The person at the other end approves whatever its calls would ask about (`tandem call --yes`). No more
    /// than they could do without this server: only their own processes, outside of sandboxes, connect.
    #[serde(default)]
    approved: bool,
    /// Another server has the call from its own guest or client.
    #[serde(default)]
    passed_on: bool,
}

#[derive(Debug, Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Via {
    #[default]
    Cli,
    Mcp,
    /// The client of another server.
    #[serde(rename = "")]
    Client,
}

/// What a guest says.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Said {
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

/// A call that goes on.
struct Going {
    task: AbortHandle,
    gate: Arc<Gate>,
}

type Calls = Arc<Mutex<HashMap<u64, Going>>>;

impl Guest {
    fn caller(&self) -> Caller {
        let front_end = match self.via {
            Via::Cli => "cli",
            Via::Mcp => "mcp",
            Via::Client => "",
        };
        let named = self.client.as_ref().map(|name| name.chars().take(NAME).collect());
        Caller { front_end, client: named }
    }
}

/// Serves a guest until it leaves, or the client does.
pub(super) async fn serve(
    session: Arc<Session>,
    mut reader: BufReader<OwnedReadHalf>,
    mut writer: OwnedWriteHalf,
    guest: Guest,
) -> io::Result<()> {
    let (outgoing, mut to_write) = mpsc::channel::<Value>(WAITING);
    let writing = tokio::spawn(async move {
        while let Some(message) = to_write.recv().await {
            if writer.write_all(format!("{message}\n").as_bytes()).await.is_err() {
                return;
            }
        }
    });
    let (caller, approved, is_passed_on) = (guest.caller(), guest.approved, guest.passed_on);
    let calls = Calls::default();
    let mut tasks = JoinSet::new();
    let mut stopped = session.live_until.subscribe();
    let mut line = Vec::new();
    let mut is_leaving = false;
    loop {
        while tasks.try_join_next().is_some() {}
        // It may have stopped before this has subscribed.
        if session.stop.load(Ordering::Relaxed) {
            is_leaving = true;
            break;
        }
        let said = tokio::select! {
            said = next(&mut reader, &mut line) => said?,
            _ = stopped.changed() => {
                is_leaving = true;
                break;
            }
        };
        match said {
            Some(Said::Call { id, tool, arguments }) => {
                let snapshot = session.workspace.snapshot();
                if calls.lock().len() >= CALLS {
                    let _ = outgoing.send(answer(id, Err(too_many()))).await;
                    continue;
                }
                let (gate, to) = (Arc::<Gate>::default(), outgoing.clone());
                let progress = Progress::to_guest(outgoing.clone(), id);
                let arguments = tools::object(vec![arguments]);
                let (session, caller, own) = (session.clone(), caller.clone(), calls.clone());
                let held = gate.clone();
                // Its task ends only after it is listed.
                let mut listed = calls.lock();
                let task = tasks.spawn(async move {
                    let done = match arguments {
                        Ok(arguments) => {
                            let call = ToolCall {
                                tool,
                                arguments,
                                caller,
                                approved,
                                is_passed_on,
                                snapshot,
                                gate,
                                progress,
                            };
                            call.run(&session).await
                        }
                        Err(error) => Err(error),
                    };
                    own.lock().remove(&id);
                    let _ = to.send(answer(id, done)).await;
                });
                listed.insert(id, Going { task, gate: held });
            }
            Some(Said::Cancel { cancel }) => {
                let going = calls.lock().remove(&cancel);
                // Too late for one that has begun to change things: its own result is answered.
                if let Some(going) = going.filter(|going| going.gate.cancel()) {
                    going.task.abort();
                    let error = ToolError::new(Code::Cancelled, "cancelled");
                    let _ = outgoing.send(answer(cancel, Err(error))).await;
                }
            }
            None => break,
        }
    }
    // Nobody waits for the others any more, or this server ends before them.
    let left: Vec<(u64, Going)> = calls.lock().drain().collect();
    for (id, going) in left {
        if going.gate.cancel() {
            going.task.abort();
            if is_leaving {
                let _ = outgoing.send(json!({ "id": id, "not_made": true })).await;
            }
        }
    }
    while tasks.join_next().await.is_some() {}
    if is_leaving {
        let _ = outgoing.send(json!({ "leaving": true })).await;
    }
    drop(outgoing);
    let _ = writing.await;
    Ok(())
}

fn too_many() -> ToolError {
    let message = format!("{CALLS} calls go on at once, and this is one more");
    ToolError::new(Code::Unavailable, message).hint("wait for one of them to end")
}

fn answer(id: u64, done: Result<Value, ToolError>) -> Value {
    match done {
        Ok(result) => json!({ "id": id, "result": result }),
        Err(error) => json!({ "id": id, "error": error.data() }),
    }
}

/// The next message; `None` when there are no more. What is not understood ends the visit.
///
/// Given up between two messages, it loses nothing: what has been read stays in `line`.
async fn next(
    reader: &mut BufReader<OwnedReadHalf>,
    line: &mut Vec<u8>,
) -> io::Result<Option<Said>> {
    let room = LONGEST.saturating_sub(line.len() as u64);
    reader.take(room).read_until(b'\n', line).await?;
    if line.is_empty() {
        return Ok(None);
    }
    let said = serde_json::from_slice(line);
    line.clear();
    said.map(Some).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}
