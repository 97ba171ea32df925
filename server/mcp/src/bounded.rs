//! The connection to one client, bounded: a client that does not read is not read from.
//!
//! The framework takes in requests as fast as they come and keeps every answer until it is written.
//! Here no further request is taken in while [`FULL`] bytes of answers wait, and only [`MOST_OPEN`] requests
//! are open at a time; the others are refused. Notifications, cancels among them, and answers of the client
//! are taken in until a request has to wait.

use std::collections::HashSet;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;
use rmcp::model::{ClientNotification, ErrorData, JsonRpcMessage, RequestId, ServerResult};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use tokio::sync::Notify;

/// Bytes that wait for the client before no further request is taken in.
const FULL: usize = 4 << 20;
/// Requests that are open at a time.
const MOST_OPEN: usize = 256;
/// What a message without a large result counts for, in bytes.
const SMALL: usize = 1 << 10;
/// What the list of the tools counts for.
const LIST: usize = 256 << 10;

type Received = RxJsonRpcMessage<RoleServer>;
type Sent = TxJsonRpcMessage<RoleServer>;

/// A connection that takes in no more than its client reads.
pub(crate) struct Bounded<T> {
    inner: T,
    shared: Arc<Shared>,
    /// A request that waits for room.
    held: Option<Received>,
}

#[derive(Default)]
struct Shared {
    /// Bytes that are to be written, estimated: messages are serialized only when they are written.
    waiting: AtomicUsize,
    /// The requests whose answers are not written yet.
    open: Mutex<HashSet<RequestId>>,
    room: Notify,
}

impl Shared {
    fn is_full(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) > FULL
    }

    async fn room(&self) {
        let room = self.room.notified();
        if self.is_full() {
            room.await;
        }
    }
}

/// A message in the queue; its bytes count until it is dropped.
struct Posted {
    shared: Arc<Shared>,
    bytes: usize,
    answers: Option<RequestId>,
}

impl Posted {
    fn new(shared: &Arc<Shared>, message: &Sent) -> Self {
        let (bytes, answers) = match message {
            JsonRpcMessage::Response(answer) => {
                let bytes = match &answer.result {
                    ServerResult::CallToolResult(result) => {
                        let text = result.content.iter().filter_map(|part| part.as_text());
                        // Once as text and once as structure.
                        2 * text.map(|text| text.text.len()).sum::<usize>()
                    }
                    ServerResult::ListToolsResult(_) => LIST,
                    _ => 0,
                };
                (bytes, Some(answer.id.clone()))
            }
            JsonRpcMessage::Error(error) => (0, error.id.clone()),
            _ => (0, None),
        };
        let bytes = bytes + SMALL;
        shared.waiting.fetch_add(bytes, Ordering::Relaxed);
        Self { shared: shared.clone(), bytes, answers }
    }
}

impl Drop for Posted {
    fn drop(&mut self) {
        if let Some(id) = &self.answers {
            self.shared.open.lock().remove(id);
        }
        let before = self.shared.waiting.fetch_sub(self.bytes, Ordering::Relaxed);
        if before > FULL && before - self.bytes <= FULL {
            self.shared.room.notify_waiters();
        }
    }
}

impl<T: Transport<RoleServer, Error = io::Error>> Bounded<T> {
    pub(crate) fn new(inner: T) -> Self {
        Self { inner, shared: Arc::default(), held: None }
    }
}

impl<T: Transport<RoleServer, Error = io::Error>> Transport<RoleServer> for Bounded<T> {
    type Error = io::Error;

    fn send(&mut self, message: Sent) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let posted = Posted::new(&self.shared, &message);
        let sent = self.inner.send(message);
        async move {
            let sent = sent.await;
            drop(posted);
            sent
        }
    }

    /// Loses nothing when it is dropped: what waits is held.
    async fn receive(&mut self) -> Option<Received> {
        loop {
            let message = match self.held.take() {
                Some(held) => held,
                None => self.inner.receive().await?,
            };
            match &message {
                JsonRpcMessage::Request(_) if self.shared.is_full() => {
                    self.held = Some(message);
                    self.shared.room().await;
                    continue;
                }
                JsonRpcMessage::Request(request) => {
                    let id = request.id.clone();
                    let is_refused = {
                        let mut open = self.shared.open.lock();
                        let is_refused = open.len() >= MOST_OPEN;
                        if !is_refused {
                            open.insert(id.clone());
                        }
                        is_refused
                    };
                    if is_refused {
                        let why = "too many requests are open; wait for the answers to the others";
                        let error = ErrorData::internal_error(why, None);
                        tokio::spawn(self.send(JsonRpcMessage::error(error, Some(id))));
                        continue;
                    }
                }
                // A cancelled request gets no answer.
                JsonRpcMessage::Notification(notification) => {
                    if let ClientNotification::CancelledNotification(cancelled) =
                        &notification.notification
                        && let Some(id) = &cancelled.params.request_id
                    {
                        self.shared.open.lock().remove(id);
                    }
                }
                _ => {}
            }
            return Some(message);
        }
    }

    fn close(&mut self) -> impl Future<Output = io::Result<()>> + Send {
        self.inner.close()
    }
}
