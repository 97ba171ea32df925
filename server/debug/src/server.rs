//! The server side of DAP: reads requests of an editor's debugger UI and sends responses and
//! events. It does not know what they contain.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::AsyncBufRead;
use tokio::sync::mpsc;

use crate::wire;

/// Messages queued for one client; a client that reads none is disconnected.
const QUEUE_CAPACITY: usize = 4_096;

/// A request of a debugger UI.
#[derive(Debug, Clone, Deserialize)]
pub struct ClientRequest {
    seq: i64,
    /// The command's name.
    pub command: String,
    /// Its arguments.
    #[serde(default)]
    pub arguments: Value,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum ClientMessage {
    Request(ClientRequest),
    /// A response: ignored, as this side sends no requests.
    Response {},
}

/// Reads the next request; `None` at the end of the stream.
///
/// # Errors
/// When the input is no valid DAP request; a message for people.
pub async fn next_request(
    reader: &mut (impl AsyncBufRead + Unpin),
) -> Result<Option<ClientRequest>, String> {
    loop {
        let Some(body) = framing::read_async(reader).await.map_err(|error| error.to_string())?
        else {
            return Ok(None);
        };
        match serde_json::from_slice(&body) {
            Ok(ClientMessage::Request(request)) => return Ok(Some(request)),
            Ok(ClientMessage::Response {}) => {}
            Err(error) => return Err(format!("it sent an invalid message: {error}")),
        }
    }
}

/// Sends responses and events to a debugger UI in order, without blocking.
#[derive(Debug, Clone)]
pub struct Connection {
    sequence: Arc<AtomicI64>,
    outgoing: mpsc::Sender<Vec<u8>>,
}

impl Connection {
    /// A connection, and the receiver of its encoded frames.
    #[must_use]
    pub fn new() -> (Self, mpsc::Receiver<Vec<u8>>) {
        let (outgoing, frames) = mpsc::channel(QUEUE_CAPACITY);
        (Self { sequence: Arc::default(), outgoing }, frames)
    }

    /// Responds to a request. False if the client is gone or reads no more.
    #[must_use]
    pub fn respond(&self, request: &ClientRequest, result: Result<Value, String>) -> bool {
        let (seq, command) = (request.seq, request.command.clone());
        let header = wire::Request { seq, command, arguments: Value::Null };
        self.send(&wire::response(self.next_seq(), &header, result))
    }

    /// Sends an event. False as for [`Voice::answer`].
    #[must_use]
    pub fn send_event(&self, event: &str, body: Value) -> bool {
        let mut message = json!({ "seq": self.next_seq(), "type": "event", "event": event });
        if !body.is_null() {
            message["body"] = body;
        }
        self.send(message.to_string().as_bytes())
    }

    fn next_seq(&self) -> i64 {
        self.sequence.fetch_add(1, Ordering::Relaxed) + 1
    }

    fn send(&self, body: &[u8]) -> bool {
        self.outgoing.try_send(framing::encode(body)).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn requests_are_read_and_responded_to() {
        let mut bytes = framing::encode(br#"{"seq":1,"type":"response","request_seq":9}"#);
        bytes.extend(framing::encode(br#"{"seq":2,"type":"request","command":"threads"}"#));
        let mut input = &bytes[..];
        let request = next_request(&mut input).await.unwrap().unwrap();
        assert_eq!((request.command.as_str(), &request.arguments), ("threads", &Value::Null));
        assert!(next_request(&mut input).await.unwrap().is_none());
        let (connection, mut frames) = Connection::new();
        assert!(
            connection.respond(&request, Err("no".to_owned()))
                && connection.send_event("terminated", json!({}))
        );
        let mut sent = Vec::new();
        while let Ok(frame) = frames.try_recv() {
            let text = String::from_utf8(frame).unwrap();
            let body = text.split_once("\r\n\r\n").unwrap().1;
            sent.push(serde_json::from_str::<Value>(body).unwrap());
        }
        assert_eq!((&sent[0]["request_seq"], &sent[0]["success"]), (&json!(2), &json!(false)));
        assert_eq!((&sent[1]["event"], &sent[1]["seq"]), (&json!("terminated"), &json!(2)));
        let mut odd = &framing::encode(b"{\"type\":\"event\"}")[..];
        assert!(next_request(&mut odd).await.is_err());
    }
}
