//! The connection to an agent: JSON-RPC 2.0, a message a line, over the pipes of its process.
//!
//! An agent may send anything, in any amount: a line has a limit, and messages that nobody reads hold the
//! agent up instead of filling the memory.

use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::time::Duration;

use parking_lot::Mutex;
use process::Child;
use serde_json::{Value, json};

/// Longest message, in bytes.
const MAX_LINE_BYTES: u64 = 16 << 20;
/// Messages that wait to be handled, and to be sent.
const MAX_INCOMING: usize = 64;
const MAX_OUTGOING: usize = 16;
/// How much of the end of its standard error is kept, in bytes.
const MAX_STDERR_BYTES: usize = 4 << 10;
/// How long its end waits for what is left of its standard error.
const MAX_STDERR_WAIT: Duration = Duration::from_millis(500);

/// A message of the agent.
#[derive(Debug)]
pub(crate) enum Incoming {
    /// A request: its id, method and parameters.
    Request(Value, String, Value),
    /// A notification.
    Notification(String, Value),
    /// The answer to a request of ours.
    Response(u64, Result<Value, Value>),
}

/// Why there is no message.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum NoMessage {
    /// Nothing came in time.
    Timeout,
    /// The agent has closed its output, or sent something else than messages.
    Closed,
}

/// The connection; dropping it kills the agent and everything that it started.
pub(crate) struct Connection {
    child: Child,
    incoming: Receiver<Incoming>,
    outgoing: SyncSender<String>,
    stderr: Arc<Mutex<Vec<u8>>>,
    /// Disconnected when standard error has been read to its end.
    stderr_end: Receiver<()>,
    next_id: u64,
}

impl Connection {
    /// Reads and writes the pipes of a process that was started with [`process::Input::Piped`].
    pub(crate) fn new(mut child: Child) -> Option<Self> {
        let (input, output) = (child.stdin.take()?, child.stdout.take()?);
        let (sender, incoming) = sync_channel(MAX_INCOMING);
        let (outgoing, to_write) = sync_channel::<String>(MAX_OUTGOING);
        let stderr = Arc::<Mutex<Vec<u8>>>::default();
        spawn("agent-output", move || read_messages(output, &sender))?;
        spawn("agent-input", move || write_messages(input, &to_write))?;
        let (end, stderr_end) = sync_channel(0);
        if let (Some(errors), kept) = (child.stderr.take(), stderr.clone()) {
            spawn("agent-errors", move || {
                keep_end(errors, &kept);
                drop(end);
            })?;
        }
        Some(Self { child, incoming, outgoing, stderr, stderr_end, next_id: 1 })
    }

    /// Sends a request and returns its id.
    pub(crate) fn request(&mut self, method: &str, params: &Value) -> Option<u64> {
        let id = self.next_id;
        self.next_id += 1;
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        self.send(&message).then_some(id)
    }

    /// Sends a notification.
    pub(crate) fn notify(&self, method: &str, params: &Value) -> bool {
        self.send(&json!({ "jsonrpc": "2.0", "method": method, "params": params }))
    }

    /// Answers a request.
    pub(crate) fn answer(&self, id: &Value, result: Result<Value, (i64, String)>) -> bool {
        self.send(&match result {
            Ok(result) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
            Err((code, message)) => {
                json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
            }
        })
    }

    /// False if the agent does not read.
    fn send(&self, message: &Value) -> bool {
        self.outgoing.try_send(format!("{message}\n")).is_ok()
    }

    /// The next message.
    pub(crate) fn receive(&self, timeout: Duration) -> Result<Incoming, NoMessage> {
        self.incoming.recv_timeout(timeout).map_err(|error| match error {
            RecvTimeoutError::Timeout => NoMessage::Timeout,
            RecvTimeoutError::Disconnected => NoMessage::Closed,
        })
    }

    /// Whether the agent has ended, or sends what is no message. Drops the messages that wait: outside of a
    /// turn there are none that matter.
    pub(crate) fn has_ended(&self) -> bool {
        // As many as wait at most: an agent that goes on sending is alive.
        for _ in 0..=MAX_INCOMING {
            match self.receive(Duration::ZERO) {
                Ok(_) => {}
                Err(NoMessage::Timeout) => return false,
                Err(NoMessage::Closed) => return true,
            }
        }
        false
    }

    /// Kills the agent. Returns the end of its standard error.
    pub(crate) fn end(mut self) -> String {
        self.child.kill();
        self.child.wait();
        // Its last words may not have been read yet; a process that it has left behind may keep the pipe open.
        let _ = self.stderr_end.recv_timeout(MAX_STDERR_WAIT);
        String::from_utf8_lossy(&self.stderr.lock()).trim().to_owned()
    }
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> Option<()> {
    let thread = std::thread::Builder::new().name(name.to_owned()).spawn(work);
    thread.inspect_err(|error| tracing::error!("cannot start a thread: {error}")).ok().map(drop)
}

fn read_messages(output: File, messages: &SyncSender<Incoming>) {
    let mut output = BufReader::new(output);
    let mut line = Vec::new();
    loop {
        line.clear();
        let read = (&mut output).take(MAX_LINE_BYTES).read_until(b'\n', &mut line);
        if !matches!(read, Ok(1..)) || line.last() != Some(&b'\n') {
            return;
        }
        // Programs print other lines by mistake, such as warnings of their runtime.
        let Some(message) = parse(&line) else { continue };
        if messages.send(message).is_err() {
            return;
        }
    }
}

fn parse(line: &[u8]) -> Option<Incoming> {
    let mut message: Value = serde_json::from_slice(line).ok()?;
    let method = message["method"].as_str().map(str::to_owned);
    let id = message.get("id").filter(|id| !id.is_null()).cloned();
    Some(match (method, id) {
        (Some(method), Some(id)) => Incoming::Request(id, method, message["params"].take()),
        (Some(method), None) => Incoming::Notification(method, message["params"].take()),
        (None, Some(id)) => {
            let result = match message.get("error") {
                Some(error) => Err(error.clone()),
                None => Ok(message["result"].take()),
            };
            Incoming::Response(id.as_u64()?, result)
        }
        (None, None) => return None,
    })
}

fn write_messages(mut input: File, messages: &Receiver<String>) {
    while let Ok(message) = messages.recv() {
        if input.write_all(message.as_bytes()).is_err() {
            return;
        }
    }
}

fn keep_end(mut errors: File, kept: &Mutex<Vec<u8>>) {
    let mut buffer = [0; 4096];
    while let Ok(count @ 1..) = errors.read(&mut buffer) {
        let mut kept = kept.lock();
        kept.extend_from_slice(&buffer[..count]);
        let excess = kept.len().saturating_sub(MAX_STDERR_BYTES);
        kept.drain(..excess);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_told_apart() {
        let parse = |text: &str| parse(text.as_bytes());
        let request = parse(r#"{"id": "a", "method": "m", "params": {"x": 1}}"#);
        assert!(matches!(request, Some(Incoming::Request(_, method, _)) if method == "m"));
        assert!(matches!(parse(r#"{"method": "m"}"#), Some(Incoming::Notification(..))));
        assert!(matches!(parse(r#"{"id": 3, "result": 1}"#), Some(Incoming::Response(3, Ok(_)))));
        assert!(matches!(parse(r#"{"id": 3, "error": {}}"#), Some(Incoming::Response(3, Err(_)))));
        for other in ["", "Warning: x", "[]", "3", r#"{"id": "x", "result": 1}"#] {
            assert!(parse(other).is_none(), "{other}");
        }
    }
}
