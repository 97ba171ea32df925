//! The other side of the protocol: what an editor's debugger user interface asks of a debug adapter,
//! read and answered. What the answers are is not known here.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::AsyncBufRead;
use tokio::sync::mpsc;

use crate::wire;

/// Messages that wait to be written; who reads none of them is given up.
const WAITING: usize = 4_096;

/// A request of a user interface.
#[derive(Debug, Clone, Deserialize)]
pub struct Asked {
    seq: i64,
    /// What is asked for.
    pub command: String,
    /// With what.
    #[serde(default)]
    pub arguments: Value,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Said {
    Request(Asked),
    /// An answer: nothing was asked.
    Response {},
}

/// The next request; `None` at the end.
///
/// # Errors
/// In words, when what comes is no request.
pub async fn next_request(
    reader: &mut (impl AsyncBufRead + Unpin),
) -> Result<Option<Asked>, String> {
    loop {
        let Some(body) = wire::read(reader).await.map_err(|error| error.to_string())? else {
            return Ok(None);
        };
        match serde_json::from_slice(&body) {
            Ok(Said::Request(asked)) => return Ok(Some(asked)),
            Ok(Said::Response {}) => {}
            Err(error) => return Err(format!("it wrote a message that is none: {error}")),
        }
    }
}

/// Says things to a user interface, in order, without waiting for it.
#[derive(Debug, Clone)]
pub struct Voice {
    sequence: Arc<AtomicI64>,
    outgoing: mpsc::Sender<Vec<u8>>,
}

impl Voice {
    /// With where the frames come out that are to be written.
    #[must_use]
    pub fn new() -> (Self, mpsc::Receiver<Vec<u8>>) {
        let (outgoing, frames) = mpsc::channel(WAITING);
        (Self { sequence: Arc::default(), outgoing }, frames)
    }

    /// Answers a request. False once the other side is gone or reads no more.
    #[must_use]
    pub fn answer(&self, asked: &Asked, result: Result<Value, String>) -> bool {
        let (seq, command) = (asked.seq, asked.command.clone());
        let request = wire::Request { seq, command, arguments: Value::Null };
        self.say(&wire::answer(self.next(), &request, result))
    }

    /// Tells of an event. False as with [`Voice::answer`].
    #[must_use]
    pub fn tell(&self, event: &str, body: Value) -> bool {
        let mut message = json!({ "seq": self.next(), "type": "event", "event": event });
        if !body.is_null() {
            message["body"] = body;
        }
        self.say(message.to_string().as_bytes())
    }

    fn next(&self) -> i64 {
        self.sequence.fetch_add(1, Ordering::Relaxed) + 1
    }

    fn say(&self, body: &[u8]) -> bool {
        self.outgoing.try_send(wire::encode(body)).is_ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn requests_are_read_and_answered() {
        let mut bytes = wire::encode(br#"{"seq":1,"type":"response","request_seq":9}"#);
        bytes.extend(wire::encode(br#"{"seq":2,"type":"request","command":"threads"}"#));
        let mut from = &bytes[..];
        let asked = next_request(&mut from).await.unwrap().unwrap();
        assert_eq!((asked.command.as_str(), &asked.arguments), ("threads", &Value::Null));
        assert!(next_request(&mut from).await.unwrap().is_none());
        let (voice, mut frames) = Voice::new();
        assert!(voice.answer(&asked, Err("no".to_owned())) && voice.tell("terminated", json!({})));
        let mut said = Vec::new();
        while let Ok(frame) = frames.try_recv() {
            let text = String::from_utf8(frame).unwrap();
            let body = text.split_once("\r\n\r\n").unwrap().1;
            said.push(serde_json::from_str::<Value>(body).unwrap());
        }
        assert_eq!((&said[0]["request_seq"], &said[0]["success"]), (&json!(2), &json!(false)));
        assert_eq!((&said[1]["event"], &said[1]["seq"]), (&json!("terminated"), &json!(2)));
        let mut odd = &wire::encode(b"{\"type\":\"event\"}")[..];
        assert!(next_request(&mut odd).await.is_err());
    }
}
