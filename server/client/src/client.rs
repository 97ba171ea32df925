//! The client: sends requests, matches responses, and answers the server's requests.

use std::io::{BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::os::unix::net::UnixStream;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, SyncSender, TrySendError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::error::ClientError;
use crate::inbox::{Inbox, Reply};
use crate::outgoing::{self, Outgoing};
use crate::process::Process;

/// How long a request waits for its response by default.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);
/// Queued requests of the server; more are rejected.
const MAX_QUEUED_REQUESTS: usize = 1_000;

/// A request from the server.
#[derive(Clone, Debug)]
pub struct ServerRequest {
    /// The id for the response.
    pub id: Value,
    /// The method.
    pub method: String,
    /// Its parameters, or `Null`.
    pub params: Value,
}

/// A handler's answer to a [`ServerRequest`].
#[derive(Clone, Debug)]
pub enum Answer {
    /// Respond with this result.
    Result(Value),
    /// Respond with an error of this code and message.
    Error(i64, String),
    /// Respond as a client without a handler: `workspace/applyEdit` is not applied,
    /// `workspace/configuration` gets an array of nulls; registrations, progress and messages get null;
    /// anything else gets "method not found".
    Default,
    /// The handler responds through [`Outgoing`], or not at all.
    Handled,
}

type Handler = Box<dyn FnMut(&ServerRequest, &Outgoing) -> Answer + Send>;

/// A connection to a language server. Dropping it closes the connection and kills the process.
pub struct Client {
    outgoing: Outgoing,
    inbox: Arc<Inbox>,
    handler: Arc<Mutex<Handler>>,
    next_id: AtomicI64,
    timeout: Duration,
    process: Option<Process>,
}

impl Client {
    /// Starts a server and connects to its stdin and stdout.
    ///
    /// # Errors
    /// [`ClientError::Spawn`] if the program cannot be started.
    pub fn spawn(command: &mut Command) -> Result<Self, ClientError> {
        let (process, stdin, stdout) = Process::spawn_piped(command)?;
        let mut client = Self::start(stdout, stdin, || ());
        client.process = Some(process);
        Ok(client)
    }

    /// Connects to a server on a TCP socket, retrying until `timeout`.
    ///
    /// # Errors
    /// [`ClientError::Connect`] with the last error.
    pub fn connect_tcp(address: SocketAddr, timeout: Duration) -> Result<Self, ClientError> {
        let stream = retry(&address.to_string(), timeout, || TcpStream::connect(address))?;
        // Without this, delayed acknowledgements cost 40 ms per request.
        let (reader, hang_up) = stream
            .set_nodelay(true)
            .and_then(|()| Ok((stream.try_clone()?, stream.try_clone()?)))
            .map_err(|source| ClientError::Io { what: "cannot share a TCP socket", source })?;
        Ok(Self::start(reader, stream, move || drop(hang_up.shutdown(Shutdown::Write))))
    }

    /// Connects to a server on a Unix socket, retrying until `timeout`.
    ///
    /// # Errors
    /// [`ClientError::Connect`] with the last error.
    pub fn connect_unix(path: &Path, timeout: Duration) -> Result<Self, ClientError> {
        let stream = retry(&path.display().to_string(), timeout, || UnixStream::connect(path))?;
        let (reader, hang_up) = stream
            .try_clone()
            .and_then(|reader| Ok((reader, stream.try_clone()?)))
            .map_err(|source| ClientError::Io { what: "cannot share a Unix socket", source })?;
        Ok(Self::start(reader, stream, move || drop(hang_up.shutdown(Shutdown::Write))))
    }

    fn start(
        reader: impl Read + Send + 'static,
        writer: impl Write + Send + 'static,
        hang_up: impl FnOnce() + Send + 'static,
    ) -> Self {
        let inbox = Arc::new(Inbox::default());
        let outgoing = Outgoing::start(writer, Arc::clone(&inbox), hang_up);
        let handler: Arc<Mutex<Handler>> = Arc::new(Mutex::new(Box::new(|_, _| Answer::Default)));
        // Handlers run on their own thread, so that a slow one never stops the reader.
        let (requests_in, requests) = mpsc::sync_channel(MAX_QUEUED_REQUESTS);
        let (answers, by) = (outgoing.clone(), Arc::clone(&handler));
        thread::spawn(move || answer_all(&requests, &by, &answers));
        let (to, refusals) = (Arc::clone(&inbox), outgoing.clone());
        thread::spawn(move || {
            let reason = read_all(reader, &to, &requests_in, &refusals);
            to.close(reason);
        });
        Self {
            outgoing,
            inbox,
            handler,
            next_id: AtomicI64::new(1),
            timeout: DEFAULT_TIMEOUT,
            process: None,
        }
    }

    /// Sets how long [`request`](Self::request) waits (default: 30 s).
    pub fn set_timeout(&mut self, timeout: Duration) {
        self.timeout = timeout;
    }

    /// Sets the handler of the server's requests. It runs on a thread of the client, one request at a
    /// time, in order of arrival.
    pub fn on_request(
        &self,
        handler: impl FnMut(&ServerRequest, &Outgoing) -> Answer + Send + 'static,
    ) {
        *self.handler.lock().unwrap_or_else(PoisonError::into_inner) = Box::new(handler);
    }

    /// The sending side, which can be shared between threads.
    pub fn outgoing(&self) -> &Outgoing {
        &self.outgoing
    }

    /// The server's process, if this client started it.
    pub fn process(&self) -> Option<&Process> {
        self.process.as_ref()
    }

    /// Sends a request and waits for its response.
    ///
    /// # Errors
    /// [`ClientError::Refused`] with the server's error, [`ClientError::Timeout`],
    /// [`ClientError::Closed`].
    pub fn request(&self, method: &str, params: Value) -> Result<Value, ClientError> {
        self.start_request(method, params)?.wait(self.timeout)
    }

    /// Sends a request. The returned handle waits for its response.
    ///
    /// # Errors
    /// [`ClientError::Closed`].
    pub fn start_request(
        &self,
        method: &str,
        params: Value,
    ) -> Result<PendingResponse, ClientError> {
        let pending = self.expect_response(method)?;
        self.outgoing.send(&outgoing::message(Some(pending.id), method, params))?;
        Ok(pending)
    }

    /// Allocates a request id and expects a response to it, for a request sent by `write_raw`.
    ///
    /// # Errors
    /// [`ClientError::Closed`].
    pub fn expect_response(&self, method: &str) -> Result<PendingResponse, ClientError> {
        let id = self.next_id.fetch_add(1, Ordering::Relaxed);
        let (sender, reply) = mpsc::sync_channel(1);
        self.inbox.expect(id, sender)?;
        Ok(PendingResponse { id, method: method.to_owned(), reply, inbox: Arc::clone(&self.inbox) })
    }

    /// Cancels a request.
    ///
    /// # Errors
    /// [`ClientError::Closed`].
    pub fn cancel(&self, id: i64) -> Result<(), ClientError> {
        self.notify("$/cancelRequest", json!({ "id": id }))
    }

    /// Sends a notification. `Null` parameters are omitted.
    ///
    /// # Errors
    /// [`ClientError::Closed`].
    pub fn notify(&self, method: &str, params: Value) -> Result<(), ClientError> {
        self.outgoing.notify(method, params)
    }

    /// Sends raw bytes, framed or not.
    ///
    /// # Errors
    /// [`ClientError::Closed`].
    pub fn write_raw(&self, bytes: impl Into<Vec<u8>>) -> Result<(), ClientError> {
        self.outgoing.write_raw(bytes.into())
    }

    /// Takes the first unread message that `wanted` accepts, or waits for one up to `timeout`.
    ///
    /// Messages are complete JSON-RPC objects: notifications, and responses that match no request of this
    /// client, for example with a null id. `what` names the message in a timeout error.
    ///
    /// # Errors
    /// [`ClientError::Timeout`], [`ClientError::Closed`].
    pub fn wait_for(
        &self,
        what: &str,
        timeout: Duration,
        wanted: impl FnMut(&Value) -> bool,
    ) -> Result<Value, ClientError> {
        self.inbox.wait_for(what, timeout, wanted)
    }

    /// Takes the parameters of the first unread notification of `method` that `wanted` accepts.
    ///
    /// # Errors
    /// [`ClientError::Timeout`], [`ClientError::Closed`].
    pub fn wait_for_notification(
        &self,
        method: &str,
        timeout: Duration,
        mut wanted: impl FnMut(&Value) -> bool,
    ) -> Result<Value, ClientError> {
        let mut message = self.wait_for(method, timeout, |message| {
            message["method"] == method && wanted(&message["params"])
        })?;
        Ok(message["params"].take())
    }

    /// Takes all unread messages. Only the newest 10,000 (256 MiB) are kept.
    pub fn take_unread(&self) -> Vec<Value> {
        self.inbox.drain()
    }

    /// Why the connection ended, if it did.
    pub fn close_reason(&self) -> Option<String> {
        self.inbox.closed()
    }

    /// Closes the server's input after everything queued has been written.
    pub fn close_input(&self) {
        self.outgoing.close();
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        self.outgoing.close();
    }
}

/// A pending request. If dropped, its response is kept with the unread messages.
pub struct PendingResponse {
    /// The request's id.
    pub id: i64,
    method: String,
    reply: Receiver<Reply>,
    inbox: Arc<Inbox>,
}

impl PendingResponse {
    /// Waits for the response.
    ///
    /// # Errors
    /// [`ClientError::Refused`] with the server's error, [`ClientError::Timeout`],
    /// [`ClientError::Closed`].
    pub fn wait(self, timeout: Duration) -> Result<Value, ClientError> {
        match self.reply.recv_timeout(timeout) {
            Ok(Ok(result)) => Ok(result),
            Ok(Err(error)) => Err(ClientError::ErrorResponse {
                method: self.method.clone(),
                error: Box::new(error),
            }),
            Err(RecvTimeoutError::Timeout) => {
                let what = format!("answer to {}", self.method);
                Err(ClientError::Timeout { what, after: timeout })
            }
            Err(RecvTimeoutError::Disconnected) => {
                let reason = self.inbox.closed().unwrap_or_default();
                Err(ClientError::Closed { reason })
            }
        }
    }
}

impl Drop for PendingResponse {
    fn drop(&mut self) {
        self.inbox.forget(self.id);
    }
}

/// Parses a message as a request.
fn server_request(message: &Value) -> Option<ServerRequest> {
    let id = message.get("id").filter(|id| !id.is_null())?;
    let method = message.get("method")?.as_str()?.to_owned();
    Some(ServerRequest { id: id.clone(), method, params: message["params"].clone() })
}

/// Reads until the connection ends. Returns why it ended.
fn read_all(
    reader: impl Read,
    to: &Inbox,
    requests_in: &SyncSender<ServerRequest>,
    refusals: &Outgoing,
) -> String {
    let mut reader = BufReader::with_capacity(64 << 10, reader);
    loop {
        let body = match framing::read(&mut reader) {
            Ok(Some(body)) => body,
            Ok(None) => return "the server ended its output".to_owned(),
            Err(error) => return format!("the server broke the protocol: {error}"),
        };
        let message: Value = match serde_json::from_slice(&body) {
            Ok(message) => message,
            Err(error) => return format!("the server sent a body that is not JSON: {error}"),
        };
        let Some(request) = server_request(&message) else {
            to.receive(body.len(), message);
            continue;
        };
        // Waiting for space would stop the reader, and with it all responses.
        let _ = match requests_in.try_send(request) {
            Ok(()) => Ok(()),
            Err(TrySendError::Full(request)) => refusals.respond_with_error(
                &request.id,
                -32803,
                "too many requests are queued in this client",
            ),
            Err(TrySendError::Disconnected(request)) => {
                refusals.respond_with_error(&request.id, -32603, "this client's handler has failed")
            }
        };
    }
}

fn answer_all(requests: &Receiver<ServerRequest>, by: &Mutex<Handler>, to: &Outgoing) {
    while let Ok(request) = requests.recv() {
        let mut answer = by.lock().unwrap_or_else(PoisonError::into_inner)(&request, to);
        if matches!(answer, Answer::Default) {
            answer = default_answer(&request);
        }
        // If the server is gone, the reader reports that.
        let _ = match answer {
            Answer::Result(result) => to.respond(&request.id, result),
            Answer::Error(code, message) => to.respond_with_error(&request.id, code, &message),
            Answer::Default | Answer::Handled => Ok(()),
        };
    }
}

fn default_answer(request: &ServerRequest) -> Answer {
    Answer::Result(match request.method.as_str() {
        "workspace/applyEdit" => {
            json!({ "applied": false, "failureReason": "this client does not apply edits" })
        }
        "workspace/configuration" => {
            let items = request.params["items"].as_array().map_or(0, Vec::len);
            Value::Array(vec![Value::Null; items])
        }
        "client/registerCapability"
        | "client/unregisterCapability"
        | "window/workDoneProgress/create"
        | "window/showMessageRequest" => Value::Null,
        method => return Answer::Error(-32601, format!("this client does not support {method}")),
    })
}

/// Calls `connect` until it succeeds or `timeout` has passed.
fn retry<T>(
    address: &str,
    timeout: Duration,
    connect: impl Fn() -> std::io::Result<T>,
) -> Result<T, ClientError> {
    let deadline = Instant::now() + timeout;
    loop {
        match connect() {
            Ok(stream) => return Ok(stream),
            Err(source) if Instant::now() >= deadline => {
                return Err(ClientError::Connect { address: address.to_owned(), source });
            }
            Err(_) => thread::sleep(Duration::from_millis(5)),
        }
    }
}
