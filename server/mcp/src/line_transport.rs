//! One message a line, and in protocol version 2025-03-26 batches.
//!
//! The SDK has a transport for lines, but none of its types can hold a batch, and it does not answer a
//! request that it cannot parse.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use rmcp::model::{
    ClientNotification, ClientRequest, ErrorData, JsonRpcMessage, RequestId, ServerResult,
};
use rmcp::service::{RoleServer, RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::Semaphore;

use crate::MAX_MESSAGE_BYTES;
use crate::batches::{Batches, MAX_BATCH};
use crate::sent_tools::SentTools;

/// The only version with batches.
pub(crate) const BATCH_VERSION: &str = "2025-03-26";
/// Errors and empty batches that wait for the client to read.
const MAX_UNWRITTEN: usize = 64;
const UTF8_BOM: &[u8] = b"\xEF\xBB\xBF";

type Received = RxJsonRpcMessage<RoleServer>;
type Sent = TxJsonRpcMessage<RoleServer>;

/// A client that sends and gets lines.
pub(crate) struct LineTransport<R, W> {
    read: BufReader<R>,
    /// The part of the next line that was read.
    line: Vec<u8>,
    /// Whether the rest of a line that is too long is being skipped.
    is_skipping: bool,
    /// The messages of a batch that were not delivered yet.
    received: VecDeque<Received>,
    output: Arc<Output<W>>,
    /// Limits the lines that wait for the client to read, beside the SDK's answers.
    unwritten: Arc<Semaphore>,
}

/// What the tasks that send share.
struct Output<W> {
    write: tokio::sync::Mutex<Option<W>>,
    batches: Mutex<Batches>,
    tools: Mutex<SentTools>,
    has_batches: AtomicBool,
}

impl<W: AsyncWrite + Unpin> Output<W> {
    async fn write(&self, mut line: Vec<u8>) -> io::Result<()> {
        line.push(b'\n');
        let mut write = self.write.lock().await;
        let write = write.as_mut().ok_or(io::ErrorKind::NotConnected)?;
        write.write_all(&line).await?;
        write.flush().await
    }

    async fn send(&self, message: &Sent) -> io::Result<()> {
        let line = match message {
            JsonRpcMessage::Response(answer) => match &answer.result {
                ServerResult::ListToolsResult(list) => {
                    self.tools.lock().response(&answer.id, list)?
                }
                _ => serde_json::to_vec(message)?,
            },
            _ => serde_json::to_vec(message)?,
        };
        let id = match message {
            JsonRpcMessage::Response(answer) => {
                if let ServerResult::InitializeResult(result) = &answer.result {
                    let has_batches = result.protocol_version.as_str() == BATCH_VERSION;
                    self.has_batches.store(has_batches, Ordering::Relaxed);
                }
                Some(&answer.id)
            }
            JsonRpcMessage::Error(error) => error.id.as_ref(),
            _ => None,
        };
        let line = match id {
            Some(id) => self.batches.lock().answer(id, line),
            None => Some(line),
        };
        match line {
            Some(line) => self.write(line).await,
            // It waits for the other answers of its batch.
            None => Ok(()),
        }
    }
}

/// The result of reading up to the end of a line.
enum LineRead {
    Whole,
    TooLong,
    End,
}

impl<R, W> LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(crate) fn new(read: R, write: W) -> Self {
        Self {
            read: BufReader::new(read),
            line: Vec::new(),
            is_skipping: false,
            received: VecDeque::new(),
            output: Arc::new(Output {
                write: tokio::sync::Mutex::new(Some(write)),
                batches: Mutex::default(),
                tools: Mutex::default(),
                has_batches: false.into(),
            }),
            unwritten: Arc::new(Semaphore::new(MAX_UNWRITTEN)),
        }
    }

    /// Cancel safe: nothing is awaited between taking bytes and keeping them.
    async fn read_line(&mut self) -> io::Result<LineRead> {
        loop {
            let available = self.read.fill_buf().await?;
            if available.is_empty() {
                return Ok(LineRead::End);
            }
            let end = available.iter().position(|byte| *byte == b'\n');
            let taken = end.map_or(available.len(), |end| end + 1);
            let is_too_long = self.line.len() + taken > MAX_MESSAGE_BYTES;
            if !self.is_skipping && !is_too_long {
                self.line.extend_from_slice(&available[..taken]);
            }
            self.read.consume(taken);
            match (end.is_some(), self.is_skipping || is_too_long) {
                (true, false) => return Ok(LineRead::Whole),
                (false, false) => {}
                (is_end, true) => {
                    let is_first = !std::mem::replace(&mut self.is_skipping, !is_end);
                    self.line = Vec::new();
                    if is_first {
                        return Ok(LineRead::TooLong);
                    }
                }
            }
        }
    }

    /// Sends an error without waiting for the client to read it.
    fn refuse(&self, error: ErrorData, id: Option<RequestId>) {
        let error: Sent = JsonRpcMessage::error(error, id);
        match serde_json::to_vec(&error) {
            Ok(line) => self.write_soon(line),
            Err(error) => tracing::error!("an error cannot be written: {error}"),
        }
    }

    /// Writes a line without waiting for the client to read it. A line of the client's has one at most.
    fn write_soon(&self, line: Vec<u8>) {
        let (output, permit) = (self.output.clone(), self.unwritten.clone().try_acquire_owned());
        tokio::spawn(async move {
            let _permit = permit;
            output.write(line).await
        });
    }

    /// Takes the line as a message or a batch.
    fn take_line(&mut self) {
        let mut line = std::mem::take(&mut self.line);
        let text = line.strip_prefix(UTF8_BOM).unwrap_or(&line).trim_ascii();
        if text.first() == Some(&b'[') {
            self.take_batch(text);
        } else if !text.is_empty() {
            match serde_json::from_slice(text) {
                Ok(message) => self.received.push_back(message),
                Err(_) => match serde_json::from_slice::<Value>(text) {
                    Ok(message) => self.refuse_shape(&message),
                    // Without an id, and an error may be answered by an error.
                    Err(error) => tracing::debug!("ignored a line that is not JSON: {error}"),
                },
            }
        }
        line.clear();
        self.line = line;
    }

    /// Answers JSON that is no message of the protocol. A notification gets no answer.
    fn refuse_shape(&self, message: &Value) {
        if let Some((error, id)) = shape_error(message) {
            self.refuse(error, id);
        }
    }

    fn take_batch(&mut self, text: &[u8]) {
        let refused = |why: String| ErrorData::invalid_request(why, None);
        if !self.output.has_batches.load(Ordering::Relaxed) {
            let why = format!("batches are for protocol version {BATCH_VERSION}");
            return self.refuse(refused(why), None);
        }
        let messages: Vec<Value> = match serde_json::from_slice(text) {
            Ok(messages) => messages,
            Err(error) => {
                tracing::debug!("ignored a line that is not JSON: {error}");
                return;
            }
        };
        if !(1..=MAX_BATCH).contains(&messages.len()) {
            let why = format!("a batch has 1 to {MAX_BATCH} messages");
            return self.refuse(refused(why), None);
        }
        let mut errors = Vec::new();
        let mut accepted = Vec::new();
        for message in messages {
            let refused = shape_error(&message);
            match serde_json::from_value::<Received>(message) {
                Ok(JsonRpcMessage::Request(request)) if is_initialize(&request.request) => {
                    let why = "`initialize` comes alone, before any batch";
                    let error = ErrorData::invalid_request(why, None);
                    errors.push((error, Some(request.id)));
                }
                Ok(message) => accepted.push(message),
                Err(_) => errors.extend(refused),
            }
        }
        let requests = accepted.iter().filter_map(|message| match message {
            JsonRpcMessage::Request(request) => Some(request.id.clone()),
            _ => None,
        });
        match self.output.batches.lock().begin(requests.collect(), errors) {
            Ok(line) => {
                self.received.extend(accepted);
                if let Some(line) = line {
                    self.write_soon(line);
                }
            }
            Err(why) => self.refuse(refused(why.to_owned()), None),
        }
    }

    /// A cancelled request gets no answer, so its batch must not wait for it.
    fn note_cancellation(&self, message: &Received) {
        if let JsonRpcMessage::Notification(notification) = message
            && let ClientNotification::CancelledNotification(cancelled) = &notification.notification
            && let Some(id) = &cancelled.params.request_id
        {
            let line = self.output.batches.lock().cancel(id);
            if let Some(line) = line {
                self.write_soon(line);
            }
        }
    }
}

fn is_initialize(request: &ClientRequest) -> bool {
    matches!(request, ClientRequest::InitializeRequest(_))
}

/// The error for JSON that is no message of the protocol, and the id to answer. `None` if it is a
/// notification.
fn shape_error(message: &Value) -> Option<(ErrorData, Option<RequestId>)> {
    let Some(fields) = message.as_object() else {
        return Some((ErrorData::invalid_request("a message is an object", None), None));
    };
    let (id, method) = (fields.get("id"), fields.get("method").and_then(Value::as_str));
    let id = id.and_then(|id| serde_json::from_value(id.clone()).ok());
    match method {
        Some(_) if !fields.contains_key("id") => None,
        Some(method) if id.is_some() => {
            let why = format!("the parameters of `{method:.60}` have another form");
            Some((ErrorData::invalid_params(why, None), id))
        }
        _ => Some((ErrorData::invalid_request("this is no JSON-RPC 2.0 message", None), id)),
    }
}

impl<R, W> Transport<RoleServer> for LineTransport<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(&mut self, message: Sent) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let output = self.output.clone();
        async move { output.send(&message).await }
    }

    async fn receive(&mut self) -> Option<Received> {
        loop {
            if let Some(message) = self.received.pop_front() {
                self.note_cancellation(&message);
                return Some(message);
            }
            // A client that does not read is not read from. The semaphore is never closed.
            drop(self.unwritten.acquire().await);
            match self.read_line().await {
                Ok(LineRead::Whole) => self.take_line(),
                Ok(LineRead::TooLong) => {
                    let why = format!("a message has at most {MAX_MESSAGE_BYTES} bytes");
                    self.refuse(ErrorData::invalid_request(why, None), None);
                }
                // A last line without an end may be half a message.
                Ok(LineRead::End) => return None,
                Err(error) => {
                    tracing::debug!("cannot read from the client: {error}");
                    return None;
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        *self.output.write.lock().await = None;
        Ok(())
    }
}
