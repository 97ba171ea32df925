//! A connection: commands from any thread, one thread that reads.

use std::collections::HashMap;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel};
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::Mutex;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::{CdpError, Stop};
use crate::transport::{Reader, Transport, Writer};

/// How often a wait checks whether it should stop. A response ends it at once.
const CHECK_INTERVAL: Duration = Duration::from_millis(5);

/// The id of a session: a target that the browser has attached to this connection.
pub type SessionId = Arc<str>;

/// What a caller does while it waits for a response.
pub trait Waiting {
    /// Called every few milliseconds.
    ///
    /// # Errors
    /// If waiting should stop.
    fn check(&self) -> Result<(), Stop>;
}

/// An event.
#[derive(Debug)]
pub struct Event {
    /// The session that it belongs to; `None` for the browser.
    pub session: Option<SessionId>,
    /// Its name: `Page.loadEventFired`.
    pub method: String,
    /// Its parameters.
    pub params: Value,
}

/// Gets events on the thread that reads. It must not wait for responses; it may send with
/// [`Connection::notify`]. `None` when the connection has ended.
type Handler = Box<dyn Fn(&Connection, Option<Event>) + Send>;

/// A connection to a browser or a JavaScript engine. Clones are the same connection; it is closed by
/// [`Connection::close`], or with its last clone.
#[derive(Clone)]
pub struct Connection(Arc<Shared>);

struct Shared {
    writer: Mutex<(u64, Box<dyn Writer>)>,
    waiting: Mutex<Pending>,
}

struct Pending {
    /// Commands whose responses somebody waits for.
    commands: HashMap<u64, SyncSender<Result<Value, Refusal>>>,
    /// Why no more responses will come.
    closed: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Command<'a, P> {
    id: u64,
    method: &'a str,
    params: P,
    #[serde(skip_serializing_if = "Option::is_none")]
    session_id: Option<&'a str>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Message {
    id: Option<u64>,
    method: Option<String>,
    #[serde(default)]
    params: Value,
    result: Option<Value>,
    error: Option<Refusal>,
    session_id: Option<String>,
}

#[derive(Deserialize)]
struct Refusal {
    #[serde(default)]
    code: i64,
    #[serde(default)]
    message: String,
}

impl Connection {
    /// Starts the thread that reads.
    ///
    /// # Errors
    /// If there is no thread for it.
    pub fn start(
        transport: Transport,
        handler: impl Fn(&Self, Option<Event>) + Send + 'static,
    ) -> std::io::Result<Self> {
        let Transport { writer, reader } = transport;
        let shared = Arc::new(Shared {
            writer: Mutex::new((0, writer)),
            waiting: Mutex::new(Pending { commands: HashMap::new(), closed: None }),
        });
        let weak = Arc::downgrade(&shared);
        let handler: Handler = Box::new(handler);
        std::thread::Builder::new()
            .name("cdp-reader".to_owned())
            .spawn(move || read(reader, &weak, &handler))?;
        Ok(Self(shared))
    }

    /// Sends a command and waits for its response.
    ///
    /// # Errors
    /// If it is refused, if the response is not an `R`, or if waiting ends.
    pub fn call<R: DeserializeOwned>(
        &self,
        session: Option<&str>,
        method: &str,
        params: impl Serialize,
        waiting: &dyn Waiting,
    ) -> Result<R, CdpError> {
        let result = self.call_raw(session, method, params, waiting)?;
        serde_json::from_value(result).map_err(|error| CdpError::Unexpected {
            method: method.to_owned(),
            why: error.to_string(),
        })
    }

    fn call_raw(
        &self,
        session: Option<&str>,
        method: &str,
        params: impl Serialize,
        waiting: &dyn Waiting,
    ) -> Result<Value, CdpError> {
        let (sender, response) = sync_channel(1);
        let id = self.send(session, method, params, Some(sender))?;
        let received = wait(&response, waiting);
        if received.is_err() {
            self.0.waiting.lock().commands.remove(&id);
        }
        match received {
            Ok(Ok(result)) => Ok(result),
            Ok(Err(Refusal { code, message })) => {
                Err(CdpError::Refused { method: method.to_owned(), code, message })
            }
            Err(Some(stop)) => Err(CdpError::Stopped { method: method.to_owned(), stop }),
            Err(None) => Err(CdpError::Closed(self.closed().unwrap_or_default())),
        }
    }

    /// Sends a command whose response nobody waits for.
    pub fn notify(&self, session: Option<&str>, method: &str, params: impl Serialize) {
        if let Err(error) = self.send(session, method, params, None) {
            tracing::debug!("{method}: {error}");
        }
    }

    fn send(
        &self,
        session_id: Option<&str>,
        method: &str,
        params: impl Serialize,
        sender: Option<SyncSender<Result<Value, Refusal>>>,
    ) -> Result<u64, CdpError> {
        let mut writer = self.0.writer.lock();
        writer.0 += 1;
        let id = writer.0;
        let command = Command { id, method, params, session_id };
        let message = serde_json::to_string(&command).map_err(|error| CdpError::Unexpected {
            method: method.to_owned(),
            why: error.to_string(),
        })?;
        if let Some(sender) = sender {
            let mut waiting = self.0.waiting.lock();
            if let Some(why) = &waiting.closed {
                return Err(CdpError::Closed(why.clone()));
            }
            waiting.commands.insert(id, sender);
        }
        writer.1.send(&message).map_err(|error| {
            self.0.waiting.lock().commands.remove(&id);
            CdpError::Closed(error.to_string())
        })?;
        Ok(id)
    }

    /// Why the connection has ended; `None` while it works.
    #[must_use]
    pub fn closed(&self) -> Option<String> {
        self.0.waiting.lock().closed.clone()
    }

    /// Ends the connection.
    pub fn close(&self) {
        self.0.writer.lock().1.close();
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.writer.get_mut().1.close();
    }
}

/// Waits for a response. `Err(None)` if none will come.
fn wait<T>(response: &Receiver<T>, waiting: &dyn Waiting) -> Result<T, Option<Stop>> {
    loop {
        match response.recv_timeout(CHECK_INTERVAL) {
            Ok(response) => return Ok(response),
            Err(RecvTimeoutError::Disconnected) => return Err(None),
            Err(RecvTimeoutError::Timeout) => waiting.check().map_err(Some)?,
        }
    }
}

fn read(mut reader: Box<dyn Reader>, shared: &Weak<Shared>, handler: &Handler) {
    let why = loop {
        let bytes = match reader.receive() {
            Ok(Some(bytes)) => bytes,
            Ok(None) => break "the other side closed it".to_owned(),
            Err(error) => break error.to_string(),
        };
        let Some(shared) = shared.upgrade() else { return };
        match serde_json::from_slice(&bytes) {
            Ok(message) => dispatch(&Connection(shared), message, handler),
            // One odd message must not end the others.
            Err(error) => tracing::warn!("a message that is none: {error}"),
        }
    };
    let Some(shared) = shared.upgrade() else { return };
    let mut waiting = shared.waiting.lock();
    waiting.closed = Some(why);
    // Dropping the senders wakes all who wait.
    waiting.commands.clear();
    drop(waiting);
    handler(&Connection(shared), None);
}

fn dispatch(connection: &Connection, message: Message, handler: &Handler) {
    if let Some(id) = message.id {
        let sender = connection.0.waiting.lock().commands.remove(&id);
        let Some(sender) = sender else {
            if let Some(refusal) = message.error {
                tracing::debug!("command {id}: {}", refusal.message);
            }
            return;
        };
        let response = match message.error {
            Some(refusal) => Err(refusal),
            None => Ok(message.result.unwrap_or(Value::Null)),
        };
        // The caller may have stopped waiting.
        let _ = sender.send(response);
    } else if let Some(method) = message.method {
        handler(
            connection,
            Some(Event {
                session: message.session_id.map(SessionId::from),
                method,
                params: message.params,
            }),
        );
    }
}
