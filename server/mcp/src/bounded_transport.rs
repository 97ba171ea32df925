//! The connection to one client, with backpressure: a client that does not read is not read from.
//!
//! The framework accepts requests as fast as they come and queues every answer. This transport accepts
//! no further request while [`MAX_QUEUED_BYTES`] of answers are queued, and rejects requests beyond
//! [`MAX_OPEN_REQUESTS`]. Notifications (with cancellations) and responses still pass, until a request
//! has to wait.

use std::collections::HashSet;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;
use rmcp::model::{
    ClientNotification, ErrorData, JsonRpcMessage, RequestId, ResourceContents, ServerResult,
};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::sync::Notify;

/// Bytes queued for the client before no further request is accepted.
const MAX_QUEUED_BYTES: usize = 4 << 20;
/// Requests open at a time.
const MAX_OPEN_REQUESTS: usize = 256;
/// Estimated size of a message without a large result, in bytes.
const MESSAGE_SIZE: usize = 1 << 10;
/// Estimated size of the list of tools.
const TOOL_LIST_SIZE: usize = 256 << 10;

type Received = RxJsonRpcMessage<RoleServer>;
type Sent = TxJsonRpcMessage<RoleServer>;

/// A transport that reads no faster than its client does.
pub(crate) struct BoundedTransport<T> {
    inner: T,
    shared: Arc<Shared>,
    /// A received request that waits for capacity.
    waiting_request: Option<Received>,
}

#[derive(Default)]
struct Shared {
    /// Estimated bytes queued: messages are serialized only when written.
    queued_bytes: AtomicUsize,
    /// Requests whose responses are not written yet.
    open: Mutex<HashSet<RequestId>>,
    capacity: Notify,
}

impl Shared {
    fn is_full(&self) -> bool {
        self.queued_bytes.load(Ordering::Relaxed) > MAX_QUEUED_BYTES
    }

    async fn wait_for_capacity(&self) {
        let capacity = self.capacity.notified();
        if self.is_full() {
            capacity.await;
        }
    }
}

/// A queued message. Its bytes count until it is dropped.
struct QueuedMessage {
    shared: Arc<Shared>,
    bytes: usize,
    answers: Option<RequestId>,
}

impl QueuedMessage {
    fn new(shared: &Arc<Shared>, message: &Sent) -> Self {
        let (bytes, answers) = match message {
            JsonRpcMessage::Response(answer) => {
                let bytes = match &answer.result {
                    ServerResult::CallToolResult(result) => {
                        let text = result.content.iter().filter_map(|part| part.as_text());
                        let text: usize = text.map(|text| text.text.len()).sum();
                        let pictures = result.content.iter().filter_map(|part| part.as_image());
                        let pictures: usize = pictures.map(|picture| picture.data.len()).sum();
                        text + pictures + result.structured_content.as_ref().map_or(0, json_size)
                    }
                    ServerResult::ReadResourceResult(result) => {
                        let size = |contents: &ResourceContents| match contents {
                            ResourceContents::TextResourceContents { text, .. } => text.len(),
                            ResourceContents::BlobResourceContents { blob, .. } => blob.len(),
                            _ => 0,
                        };
                        result.contents.iter().map(size).sum()
                    }
                    ServerResult::ListToolsResult(_) => TOOL_LIST_SIZE,
                    _ => 0,
                };
                (bytes, Some(answer.id.clone()))
            }
            JsonRpcMessage::Error(error) => (0, error.id.clone()),
            _ => (0, None),
        };
        let bytes = bytes + MESSAGE_SIZE;
        shared.queued_bytes.fetch_add(bytes, Ordering::Relaxed);
        Self { shared: shared.clone(), bytes, answers }
    }
}

/// The approximate length of JSON, in bytes.
fn json_size(value: &Value) -> usize {
    match value {
        Value::String(text) => text.len() + 2,
        Value::Array(list) => list.iter().map(|item| json_size(item) + 1).sum::<usize>() + 2,
        Value::Object(fields) => {
            fields.iter().map(|(name, field)| name.len() + json_size(field) + 4).sum::<usize>() + 2
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => 4,
    }
}

impl Drop for QueuedMessage {
    fn drop(&mut self) {
        if let Some(id) = &self.answers {
            self.shared.open.lock().remove(id);
        }
        let before = self.shared.queued_bytes.fetch_sub(self.bytes, Ordering::Relaxed);
        if before > MAX_QUEUED_BYTES && before - self.bytes <= MAX_QUEUED_BYTES {
            self.shared.capacity.notify_waiters();
        }
    }
}

impl<T: Transport<RoleServer, Error = io::Error>> BoundedTransport<T> {
    pub(crate) fn new(inner: T) -> Self {
        Self { inner, shared: Arc::default(), waiting_request: None }
    }
}

impl<T: Transport<RoleServer, Error = io::Error>> Transport<RoleServer> for BoundedTransport<T> {
    type Error = io::Error;

    fn send(&mut self, message: Sent) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let queued = QueuedMessage::new(&self.shared, &message);
        let sent = self.inner.send(message);
        async move {
            let sent = sent.await;
            drop(queued);
            sent
        }
    }

    /// Cancel safe: a waiting request is kept in `waiting_request`.
    async fn receive(&mut self) -> Option<Received> {
        loop {
            let message = match self.waiting_request.take() {
                Some(waiting_request) => waiting_request,
                None => self.inner.receive().await?,
            };
            match &message {
                JsonRpcMessage::Request(_) if self.shared.is_full() => {
                    self.waiting_request = Some(message);
                    self.shared.wait_for_capacity().await;
                    continue;
                }
                JsonRpcMessage::Request(request) => {
                    let id = request.id.clone();
                    let is_rejected = {
                        let mut open = self.shared.open.lock();
                        let is_rejected = open.len() >= MAX_OPEN_REQUESTS;
                        if !is_rejected {
                            open.insert(id.clone());
                        }
                        is_rejected
                    };
                    if is_rejected {
                        let why = "too many open requests; wait for the other responses";
                        let error = ErrorData::internal_error(why, None);
                        tokio::spawn(self.send(JsonRpcMessage::error(error, Some(id))));
                        continue;
                    }
                }
                // A cancelled request gets no response.
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
