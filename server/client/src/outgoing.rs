//! The sending side: messages are queued, and one thread writes them in order.

use std::io::Write;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;

use serde_json::{Value, json};

use crate::error::ClientError;
use crate::inbox::Inbox;

enum Item {
    Bytes(Vec<u8>),
    Close,
}

/// Sends to the server. Calls return at once, even if the server does not read.
#[derive(Clone)]
pub struct Outgoing {
    queue: Sender<Item>,
}

impl Outgoing {
    /// Starts the writer thread. `hang_up` runs after the last write.
    pub(crate) fn start(
        mut writer: impl Write + Send + 'static,
        inbox: Arc<Inbox>,
        hang_up: impl FnOnce() + Send + 'static,
    ) -> Self {
        let (queue, items): (Sender<Item>, Receiver<Item>) = mpsc::channel();
        thread::spawn(move || {
            while let Ok(Item::Bytes(bytes)) = items.recv() {
                if let Err(error) = writer.write_all(&bytes).and_then(|()| writer.flush()) {
                    inbox.close(format!("the server no longer reads: {error}"));
                    break;
                }
            }
            drop(writer);
            hang_up();
        });
        Self { queue }
    }

    /// Sends raw bytes, framed or not.
    ///
    /// # Errors
    /// [`ClientError::Closed`] if the writer has ended.
    pub fn write_raw(&self, bytes: Vec<u8>) -> Result<(), ClientError> {
        self.queue
            .send(Item::Bytes(bytes))
            .map_err(|_| ClientError::Closed { reason: "nothing more can be sent".to_owned() })
    }

    /// Sends one framed message.
    ///
    /// # Errors
    /// As [`write_raw`](Self::write_raw).
    pub fn send(&self, message: &Value) -> Result<(), ClientError> {
        self.write_raw(framing::encode(message.to_string().as_bytes()))
    }

    /// Sends a notification. `Null` parameters are omitted.
    ///
    /// # Errors
    /// As [`write_raw`](Self::write_raw).
    pub fn notify(&self, method: &str, params: Value) -> Result<(), ClientError> {
        self.send(&message(None, method, params))
    }

    /// Responds to the server's request `id` with a result.
    ///
    /// # Errors
    /// As [`write_raw`](Self::write_raw).
    pub fn respond(&self, id: &Value, result: Value) -> Result<(), ClientError> {
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "result": result }))
    }

    /// Responds to the server's request `id` with an error.
    ///
    /// # Errors
    /// As [`write_raw`](Self::write_raw).
    pub fn respond_with_error(
        &self,
        id: &Value,
        code: i64,
        message: &str,
    ) -> Result<(), ClientError> {
        let error = json!({ "code": code, "message": message });
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "error": error }))
    }

    /// Closes the server's input after everything queued has been written.
    pub(crate) fn close(&self) {
        let _ = self.queue.send(Item::Close);
    }
}

/// A request; without `id`, a notification.
pub(crate) fn message(id: Option<i64>, method: &str, params: Value) -> Value {
    let mut message = json!({ "jsonrpc": "2.0", "method": method });
    if let Some(id) = id {
        message["id"] = id.into();
    }
    if !params.is_null() {
        message["params"] = params;
    }
    message
}
