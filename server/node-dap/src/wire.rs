//! DAP messages on the adapter's side.

use std::io::Write;
use std::sync::atomic::{AtomicI64, Ordering};

use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::{Value, json};

/// A message from the client.
#[derive(Debug, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum ClientMessage {
    Request(Request),
    Response(Response),
}

/// A request.
#[derive(Debug, Deserialize)]
pub(crate) struct Request {
    pub(crate) seq: i64,
    pub(crate) command: String,
    #[serde(default)]
    pub(crate) arguments: Value,
}

/// The response to a reverse request.
#[derive(Debug, Deserialize)]
pub(crate) struct Response {
    pub(crate) request_seq: i64,
    #[serde(default)]
    pub(crate) success: bool,
    #[serde(default)]
    pub(crate) message: Option<String>,
}

/// Writes to the client, from any thread.
pub(crate) struct Client {
    seq: AtomicI64,
    output: Mutex<Box<dyn Write + Send>>,
}

impl Client {
    pub(crate) fn new(output: Box<dyn Write + Send>) -> Self {
        Self { seq: AtomicI64::new(0), output: Mutex::new(output) }
    }

    fn send(&self, mut message: Value) -> i64 {
        let mut output = self.output.lock();
        let seq = self.seq.fetch_add(1, Ordering::Relaxed) + 1;
        message["seq"] = seq.into();
        // A client that has gone is noticed by its reader.
        let frame = framing::encode(message.to_string().as_bytes());
        let _ = output.write_all(&frame).and_then(|()| output.flush());
        seq
    }

    pub(crate) fn event(&self, event: &str, body: Value) {
        self.send(json!({ "type": "event", "event": event, "body": body }));
    }

    pub(crate) fn output(&self, category: &str, text: &str) {
        if !text.is_empty() {
            self.event("output", json!({ "category": category, "output": text }));
        }
    }

    /// Sends a reverse request and returns its number.
    pub(crate) fn request(&self, command: &str, arguments: Value) -> i64 {
        self.send(json!({ "type": "request", "command": command, "arguments": arguments }))
    }

    pub(crate) fn respond(&self, request: &Request, result: Result<Value, String>) {
        let mut message = json!({
            "type": "response", "request_seq": request.seq, "command": request.command,
            "success": result.is_ok(),
        });
        match result {
            Ok(body) => message["body"] = body,
            Err(why) => {
                message["body"] = json!({ "error": { "id": 1, "format": why, "showUser": true } });
                message["message"] = why.into();
            }
        }
        self.send(message);
    }
}
