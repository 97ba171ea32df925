//! Concurrent tool calls over one connection.

use std::collections::HashMap;
use std::os::unix::net::UnixStream;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;
use tools::Caller;
use workspace::{ApprovalDecision, ApprovalRequest, NoAnswer, WorkspaceStamps};

use crate::server::ended_error;
use crate::{Answer, ConnectError, Greeted, Message, ToolsGreeting, greet};

/// How long the answer to a request for stamps may take.
const STAMPS_TIMEOUT: Duration = Duration::from_secs(5);
/// Messages queued to the server; callers wait beyond that.
const MAX_QUEUED_MESSAGES: usize = 64;

/// A connection for tool calls.
#[derive(Debug)]
pub struct Connection {
    outgoing: mpsc::Sender<Message>,
    calls: Arc<Calls>,
    next_id: AtomicU64,
    client: Option<String>,
    has_editor: bool,
}

/// The state shared with the task that reads.
#[derive(Debug, Default)]
struct Calls(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    pending: HashMap<u64, PendingCall>,
    stamps: HashMap<u64, oneshot::Sender<WorkspaceStamps>>,
    is_closed: bool,
    /// It has shut down and answered every call that it made.
    has_shut_down: bool,
}

/// What a call needs from its client.
pub trait CallClient: Send + Sync + 'static {
    /// Reports progress.
    fn progress(&self, _message: &str) {}

    /// Asks the person for approval.
    fn ask(&self, _request: ApprovalRequest) -> BoxFuture<Result<ApprovalDecision, NoAnswer>> {
        Box::pin(async { Err(NoAnswer::Nobody) })
    }
}

/// A client that shows no progress and cannot ask.
impl CallClient for () {}

/// A future of unknown type.
pub type BoxFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

struct PendingCall {
    done: oneshot::Sender<CallOutcome>,
    client: Arc<dyn CallClient>,
}

impl std::fmt::Debug for PendingCall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PendingCall")
    }
}

/// The outcome of a call.
#[derive(Debug)]
pub enum CallOutcome {
    /// The result, or the contract's error.
    Answered(Result<Value, Value>),
    /// The server has ended and nothing was done.
    NotMade,
}

impl Connection {
    /// Starts a connection over `stream`. The server may take `limit` to accept it.
    ///
    /// # Errors
    /// If the server ends first or rejects the connection.
    pub async fn start(
        stream: UnixStream,
        greeting: &ToolsGreeting,
        limit: Duration,
    ) -> Result<Self, ConnectError> {
        let greeted = greet(stream, &greeting.to_line(), limit).await?;
        let client = greeted.client().map(str::to_owned);
        let has_editor = greeted.has_editor();
        let Greeted { mut reader, mut writer, .. } = greeted;
        let (outgoing, mut to_write) = mpsc::channel::<Message>(MAX_QUEUED_MESSAGES);
        tokio::spawn(async move {
            while let Some(message) = to_write.recv().await {
                let line = format!("{}\n", message.to_line());
                if writer.write_all(line.as_bytes()).await.is_err() {
                    return;
                }
            }
        });
        let calls = Arc::<Calls>::default();
        let (reader_side, decisions) = (calls.clone(), outgoing.downgrade());
        tokio::spawn(async move {
            let mut line = String::new();
            while matches!(reader.read_line(&mut line).await, Ok(1..)) {
                reader_side.handle(&line, &decisions);
                line.clear();
            }
            reader_side.close();
        });
        Ok(Self { outgoing, calls, next_id: AtomicU64::new(1), client, has_editor })
    }

    /// The name of the server's editor.
    #[must_use]
    pub fn client(&self) -> Option<&str> {
        self.client.as_deref()
    }

    /// Whether an editor is behind the server.
    #[must_use]
    pub fn has_editor(&self) -> bool {
        self.has_editor
    }

    /// Whether the connection is open.
    #[must_use]
    pub fn is_open(&self) -> bool {
        !self.calls.0.lock().is_closed
    }

    /// Runs a call in the server. Dropping the future cancels it. The front end is that of the greeting.
    pub async fn call(
        &self,
        caller: &Caller,
        tool: &str,
        arguments: &Value,
        client: impl CallClient,
    ) -> CallOutcome {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let (sender, done) = oneshot::channel();
        {
            let mut state = self.calls.0.lock();
            if state.is_closed {
                return CallOutcome::NotMade;
            }
            let pending = PendingCall { done: sender, client: Arc::new(client) };
            state.pending.insert(id, pending);
        }
        let cancel_guard = CancelOnDrop { connection: self, id };
        let (tool_name, arguments) = (tool.to_owned(), arguments.clone());
        let Caller { client, trace, .. } = caller.clone();
        let message = Message::Call { id, tool: tool_name, arguments, client, trace };
        let sent = self.outgoing.send(message).await.is_ok();
        let outcome = match done.await {
            Ok(outcome) => outcome,
            Err(_) if !sent || self.calls.0.lock().has_shut_down => CallOutcome::NotMade,
            Err(_) => CallOutcome::Answered(Err(self.ended_error(tool))),
        };
        // Answered, so there is nothing to cancel.
        drop(cancel_guard);
        outcome
    }

    /// The stamps of the workspace and of `files`. `None` if the server does not answer.
    pub async fn stamps(&self, files: Vec<String>) -> Option<WorkspaceStamps> {
        let stamps = self.next_id.fetch_add(1, Ordering::Relaxed);
        let (sender, answered) = oneshot::channel();
        {
            let mut state = self.calls.0.lock();
            if state.is_closed {
                return None;
            }
            state.stamps.insert(stamps, sender);
        }
        let answer = async {
            self.outgoing.send(Message::Stamps { stamps, files }).await.ok()?;
            answered.await.ok()
        };
        let answer = timeout(STAMPS_TIMEOUT, answer).await.ok().flatten();
        self.calls.0.lock().stamps.remove(&stamps);
        answer
    }

    fn ended_error(&self, tool: &str) -> Value {
        let server = self.client.as_deref().unwrap_or("an editor");
        ended_error(tool, &format!("the server of {server}")).data()
    }
}

impl Calls {
    fn handle(&self, line: &str, decisions: &mpsc::WeakSender<Message>) {
        let Some(answer) = Answer::from_line(line) else {
            tracing::warn!("invalid message from the server");
            return;
        };
        let mut state = self.0.lock();
        let (id, outcome) = match answer {
            Answer::Leaving => {
                state.has_shut_down = true;
                return;
            }
            Answer::Progress(id, message) => {
                let client = state.pending.get(&id).map(|call| call.client.clone());
                drop(state);
                if let Some(client) = client {
                    client.progress(&message);
                }
                return;
            }
            Answer::Ask(id, question) => {
                let Some(client) = state.pending.get(&id).map(|call| call.client.clone()) else {
                    return;
                };
                let decisions = decisions.clone();
                tokio::spawn(async move {
                    let decided = client.ask(question.into()).await;
                    drop(client);
                    let nobody = decided == Err(NoAnswer::Nobody);
                    let decision = decided.ok().map(|decision| decision.title().to_owned());
                    if let Some(outgoing) = decisions.upgrade() {
                        let message = Message::Decide { decide: id, decision, nobody };
                        let _ = outgoing.send(message).await;
                    }
                });
                return;
            }
            Answer::Stamps(id, stamps) => {
                // The receiver is gone if it waited too long.
                if let Some(waiting) = state.stamps.remove(&id) {
                    let _ = waiting.send(stamps);
                }
                return;
            }
            Answer::Done(id, done) => (id, CallOutcome::Answered(done)),
            Answer::NotMade(id) => (id, CallOutcome::NotMade),
        };
        if let Some(PendingCall { done, client }) = state.pending.remove(&id) {
            // No progress follows the response.
            drop(client);
            // The receiver is gone if the call was cancelled.
            let _ = done.send(outcome);
        }
    }

    /// Marks the connection as closed and drops all pending calls.
    fn close(&self) {
        let mut state = self.0.lock();
        state.is_closed = true;
        state.pending.clear();
        state.stamps.clear();
    }
}

/// Cancels a call when dropped, unless it was answered.
struct CancelOnDrop<'a> {
    connection: &'a Connection,
    id: u64,
}

impl Drop for CancelOnDrop<'_> {
    fn drop(&mut self) {
        if self.connection.calls.0.lock().pending.remove(&self.id).is_some() {
            // If the queue is full, closing the connection cancels the call, too.
            let _ = self.connection.outgoing.try_send(Message::Cancel { cancel: self.id });
        }
    }
}
