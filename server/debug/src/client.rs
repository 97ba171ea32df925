//! A connection to an adapter: requests with their responses, events, reverse requests.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::io::{AsyncBufRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until};

use crate::wire::{self, Event, Message, Request, Response};

/// Bytes that an adapter may write before its first response.
const MAX_BYTES_BEFORE_RESPONSE: usize = 1 << 20;
/// Bytes that it may write before its program runs. Afterwards there is no limit: programs write
/// what they like.
const MAX_BYTES_BEFORE_PROGRAM: usize = 32 << 20;
/// Messages queued for the adapter; one that reads none of them is given up.
const QUEUE_CAPACITY: usize = 4_096;
/// How often the interrupt flag is checked.
const INTERRUPT_POLL_INTERVAL: Duration = Duration::from_millis(20);

/// How long to wait for something, and the flag that cancels waiting.
#[derive(Debug, Clone, Copy)]
pub struct WaitLimits<'a> {
    /// Timeout.
    pub timeout: Duration,
    /// Set to cancel.
    pub interrupt: &'a AtomicBool,
}

/// Why there is no response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum RequestFailure {
    /// The adapter responded with an error.
    Refused(String),
    /// The connection is closed.
    Closed,
    /// No response in time.
    Timeout,
    /// The caller's interrupt flag was set.
    Cancelled,
}

/// How a connection ended.
#[derive(Debug)]
pub(crate) enum ConnectionEnd {
    /// The adapter closed it; with an error if that was inside a message.
    Closed(Option<String>),
    /// The adapter, which may still run, broke the protocol.
    Broken(String),
}

/// Receives the adapter's events and reverse requests. Called in wire order; must not block.
pub(crate) trait AdapterListener: Send + Sync + 'static {
    /// Handles an event.
    fn event(&self, event: Event);
    /// Handles a reverse request. `None` if it is answered later with [`Client::answer`].
    fn request(&self, request: Request) -> Option<(Request, Result<Value, String>)>;
    /// Handles the end of the connection. Pending requests fail after this returns.
    fn closed(&self, end: ConnectionEnd) -> impl Future<Output = ()> + Send;
}

/// The sending side of a connection.
#[derive(Clone)]
pub(crate) struct Client(Arc<ClientState>);

struct ClientState {
    outgoing: mpsc::Sender<Vec<u8>>,
    sequence: AtomicI64,
    /// Whether any request has been answered.
    has_answered: AtomicBool,
    /// Whether the program may run.
    is_program_allowed: AtomicBool,
    pending: Mutex<Pending>,
    /// Set to close the connection from this side.
    is_over: watch::Sender<bool>,
}

#[derive(Default)]
struct Pending {
    waiting: HashMap<i64, oneshot::Sender<Response>>,
    is_closed: bool,
}

/// A sent request. If it is dropped, its response is ignored.
pub(crate) struct PendingResponse {
    client: Client,
    seq: i64,
    receiver: oneshot::Receiver<Response>,
}

impl Client {
    /// Starts the reading and writing tasks of a connection.
    pub(crate) fn start(
        mut reader: impl AsyncBufRead + Send + Unpin + 'static,
        mut writer: impl AsyncWrite + Send + Unpin + 'static,
        listener: Arc<impl AdapterListener>,
    ) -> Self {
        let (outgoing, mut queued) = mpsc::channel::<Vec<u8>>(QUEUE_CAPACITY);
        let inner = ClientState {
            outgoing,
            sequence: AtomicI64::new(0),
            has_answered: AtomicBool::new(false),
            is_program_allowed: AtomicBool::new(false),
            pending: Mutex::new(Pending::default()),
            is_over: watch::Sender::new(false),
        };
        let client = Self(Arc::new(inner));
        let mut is_over = client.0.is_over.subscribe();
        tokio::spawn(async move {
            let writes = async {
                while let Some(body) = queued.recv().await {
                    if writer.write_all(&framing::encode(&body)).await.is_err() {
                        break;
                    }
                    let _ = writer.flush().await;
                }
            };
            tokio::select! {
                () = writes => {}
                _ = is_over.wait_for(|is_over| *is_over) => {}
            }
        });
        let reader_client = client.clone();
        let mut is_over = client.0.is_over.subscribe();
        tokio::spawn(async move {
            let mut written = 0;
            let end = loop {
                let read = tokio::select! {
                    biased;
                    _ = is_over.wait_for(|is_over| *is_over) => Ok(None),
                    read = framing::read_async(&mut reader) => read,
                };
                match read {
                    Ok(Some(body)) => {
                        if !reader_client.0.is_program_allowed.load(Ordering::Relaxed) {
                            written += body.len();
                            // An adapter has nothing to write before its first response.
                            let (limit, missing) =
                                match reader_client.0.has_answered.load(Ordering::Relaxed) {
                                    false => (MAX_BYTES_BEFORE_RESPONSE, "did not answer"),
                                    true => (MAX_BYTES_BEFORE_PROGRAM, "did not start the program"),
                                };
                            if written > limit {
                                break ConnectionEnd::Broken(format!(
                                    "it wrote {} KiB and {missing}",
                                    written >> 10
                                ));
                            }
                        }
                        if let Err(fault) = reader_client.handle_message(&body, &*listener) {
                            break ConnectionEnd::Broken(fault);
                        }
                    }
                    Ok(None) => break ConnectionEnd::Closed(None),
                    Err(error) if error.is_end() => {
                        break ConnectionEnd::Closed(Some(error.to_string()));
                    }
                    Err(error) => break ConnectionEnd::Broken(error.to_string()),
                }
            };
            // The listener goes first: a caller that finds the connection closed can then read the
            // reason.
            listener.closed(end).await;
            reader_client.close();
        });
        client
    }

    fn handle_message(&self, body: &[u8], listener: &impl AdapterListener) -> Result<(), String> {
        let message = serde_json::from_slice(body)
            .map_err(|error| format!("it sent an invalid message: {error}"))?;
        match message {
            Message::Event(event) => listener.event(event),
            Message::Response(response) => {
                self.0.has_answered.store(true, Ordering::Relaxed);
                let waiting = self.0.pending.lock().waiting.remove(&response.request_seq);
                match waiting {
                    // The caller may have given up.
                    Some(waiting) => drop(waiting.send(response)),
                    None if response.request_seq > self.0.sequence.load(Ordering::Relaxed) => {
                        let seq = response.request_seq;
                        return Err(format!("it answered request {seq}, which was never made"));
                    }
                    None => tracing::debug!("a response to a request that was given up"),
                }
            }
            Message::Request(request) => {
                if let Some((request, result)) = listener.request(request)
                    && !self.respond(&request, result)
                {
                    return Err("it does not read its input".to_owned());
                }
            }
        }
        Ok(())
    }

    /// Responds to a reverse request. False if the adapter reads no more.
    pub(crate) fn respond(&self, request: &Request, result: Result<Value, String>) -> bool {
        self.0.outgoing.try_send(wire::response(self.next_seq(), request, result)).is_ok()
    }

    /// Lifts the limit of bytes: the program may run from now on.
    pub(crate) fn allow_program_output(&self) {
        self.0.is_program_allowed.store(true, Ordering::Relaxed);
    }

    /// Closes the connection.
    pub(crate) fn close_connection(&self) {
        self.0.is_over.send_replace(true);
    }

    fn next_seq(&self) -> i64 {
        self.0.sequence.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Sends a request.
    pub(crate) fn send(
        &self,
        command: &str,
        arguments: &Value,
    ) -> Result<PendingResponse, RequestFailure> {
        let (sender, receiver) = oneshot::channel();
        // Hold the lock while sending, so that sequence numbers increase on the wire.
        let mut pending = self.0.pending.lock();
        if pending.is_closed {
            return Err(RequestFailure::Closed);
        }
        let seq = self.next_seq();
        let body = wire::request(seq, command, arguments);
        // The queue is full: the adapter has not read for a long time.
        self.0.outgoing.try_send(body).map_err(|_| RequestFailure::Timeout)?;
        pending.waiting.insert(seq, sender);
        Ok(PendingResponse { client: self.clone(), seq, receiver })
    }

    /// Sends a request and waits for the body of its response.
    pub(crate) async fn request(
        &self,
        command: &str,
        arguments: &Value,
        wait: WaitLimits<'_>,
    ) -> Result<Value, RequestFailure> {
        self.send(command, arguments)?.wait(wait).await
    }

    fn close(&self) {
        let mut pending = self.0.pending.lock();
        pending.is_closed = true;
        pending.waiting.clear();
    }
}

impl PendingResponse {
    /// Waits for the body of the response.
    pub(crate) async fn wait(mut self, wait: WaitLimits<'_>) -> Result<Value, RequestFailure> {
        let response =
            wait_bounded(&mut self.receiver, wait).await?.map_err(|_| RequestFailure::Closed)?;
        if response.success {
            Ok(response.body)
        } else {
            Err(RequestFailure::Refused(response.failure()))
        }
    }

    /// Like [`Reply::wait`], but sends `cancel` if waiting ends without a response.
    pub(crate) async fn wait_or_cancel(
        self,
        wait: WaitLimits<'_>,
        can_cancel: bool,
    ) -> Result<Value, RequestFailure> {
        let (client, seq) = (self.client.clone(), self.seq);
        let result = self.wait(wait).await;
        if can_cancel && matches!(result, Err(RequestFailure::Timeout | RequestFailure::Cancelled))
        {
            let _ = client.send("cancel", &json!({ "requestId": seq }));
        }
        result
    }
}

impl Drop for PendingResponse {
    fn drop(&mut self) {
        self.client.0.pending.lock().waiting.remove(&self.seq);
    }
}

/// Waits for `future` until the timeout or the interrupt flag.
pub(crate) async fn wait_bounded<T>(
    future: impl Future<Output = T>,
    wait: WaitLimits<'_>,
) -> Result<T, RequestFailure> {
    let deadline = Instant::now() + wait.timeout;
    let mut tick = interval(INTERRUPT_POLL_INTERVAL);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    tokio::pin!(future);
    loop {
        tokio::select! {
            biased;
            done = &mut future => return Ok(done),
            () = sleep_until(deadline) => return Err(RequestFailure::Timeout),
            _ = tick.tick() => {
                if wait.interrupt.load(Ordering::Relaxed) {
                    return Err(RequestFailure::Cancelled);
                }
            }
        }
    }
}
