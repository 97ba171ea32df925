//! Calls made by the server that runs for the workspace, over its socket.

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
use workspace::connect_live_at;

use crate::back::Asked;
use crate::progress::Progress;

/// How long a server may take to let us in.
const PATIENCE: Duration = Duration::from_secs(10);
/// Messages that the server has not read yet; callers wait beyond that.
const WAITING: usize = 64;

/// A server that has been joined.
pub(crate) struct Joined {
    outgoing: mpsc::Sender<Value>,
    calls: Arc<Calls>,
    next: AtomicU64,
}

#[derive(Default)]
struct Calls {
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    calls: HashMap<u64, Call>,
    has_gone: bool,
    /// It has ended by itself, and has answered every call that it has made.
    has_left: bool,
}

struct Call {
    done: oneshot::Sender<Outcome>,
    progress: Progress,
}

/// What became of a call.
pub(crate) enum Outcome {
    /// Its result, or the contract's error.
    Answered(Result<Value, Value>),
    /// The server has ended, and nothing was done.
    NotMade,
}

impl Joined {
    /// Joins the newest server that has `folder` open; `None` where there is none. One of a folder
    /// around it would let the agent reach more than it was given.
    ///
    /// # Errors
    /// In words, where there is one that does not let us in.
    pub(crate) async fn new(folder: &Path, caller: &Caller) -> Result<Option<Self>, String> {
        let Some(stream) = connect_live_at(folder).ok().flatten() else { return Ok(None) };
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
        // One that is about to end does not answer.
        let Ok(Ok((mut reader, mut writer, answer))) = timeout(PATIENCE, greeted).await else {
            return Ok(None);
        };
        if let Some(error) = answer["error"].as_str() {
            return Err(format!("the server in the editor does not let us in: {error}"));
        }
        let (outgoing, mut to_write) = mpsc::channel::<Value>(WAITING);
        tokio::spawn(async move {
            while let Some(message) = to_write.recv().await {
                if writer.write_all(format!("{message}\n").as_bytes()).await.is_err() {
                    return;
                }
            }
        });
        let calls = Arc::<Calls>::default();
        let answered = calls.clone();
        tokio::spawn(async move {
            let mut line = String::new();
            while matches!(reader.read_line(&mut line).await, Ok(1..)) {
                answered.take(&line);
                line.clear();
            }
            answered.leave();
        });
        Ok(Some(Self { outgoing, calls, next: AtomicU64::new(1) }))
    }

    /// Whether the server has not gone.
    pub(crate) fn is_there(&self) -> bool {
        !self.calls.waiting.lock().has_gone
    }

    /// Has the server make the call. Dropping the future cancels it.
    pub(crate) async fn call(&self, asked: &Asked) -> Outcome {
        let id = self.next.fetch_add(1, Ordering::Relaxed);
        let (sender, done) = oneshot::channel();
        {
            let mut waiting = self.calls.waiting.lock();
            if waiting.has_gone {
                return Outcome::NotMade;
            }
            waiting.calls.insert(id, Call { done: sender, progress: asked.progress.clone() });
        }
        let given_up = GivenUp { joined: self, id };
        let message = json!({ "id": id, "tool": asked.tool, "arguments": asked.arguments });
        let sent = self.outgoing.send(message).await.is_ok();
        let answer = match done.await {
            Ok(outcome) => outcome,
            Err(_) if !sent || self.calls.waiting.lock().has_left => Outcome::NotMade,
            Err(_) => Outcome::Answered(Err(gone())),
        };
        // Not waited for any more: there is nothing to cancel.
        drop(given_up);
        answer
    }
}

impl Calls {
    fn take(&self, line: &str) {
        let Ok(mut said) = serde_json::from_str::<Value>(line) else {
            tracing::warn!("the server in the editor said what is not understood");
            return;
        };
        let mut waiting = self.waiting.lock();
        waiting.has_left |= said["leaving"] == true;
        let Some(id) = said["id"].as_u64() else { return };
        if let Some(message) = said["progress"].as_str() {
            if let Some(call) = waiting.calls.get(&id) {
                call.progress.tell(message);
            }
            return;
        }
        let Some(call) = waiting.calls.remove(&id) else { return };
        let answer = match said["error"].take() {
            Value::Null if said["not_made"] == true => Outcome::NotMade,
            Value::Null => Outcome::Answered(Ok(said["result"].take())),
            error => Outcome::Answered(Err(error)),
        };
        // Who waited may have given up.
        let _ = call.done.send(answer);
    }

    /// The server has gone, and with it all answers.
    fn leave(&self) {
        let mut waiting = self.waiting.lock();
        waiting.has_gone = true;
        waiting.calls.clear();
    }
}

/// Tells the server that nobody waits for a call any more, unless it has been answered.
struct GivenUp<'a> {
    joined: &'a Joined,
    id: u64,
}

impl Drop for GivenUp<'_> {
    fn drop(&mut self) {
        if self.joined.calls.waiting.lock().calls.remove(&self.id).is_some() {
            // Full: it does not read, and will be told by our leaving.
            let _ = self.joined.outgoing.try_send(json!({ "cancel": self.id }));
        }
    }
}

fn gone() -> Value {
    let message = "the server in the editor has ended while the call went on";
    let error = ToolError::new(Code::Unavailable, message);
    error.hint("look whether the call has had its effect, then ask again").data()
}
