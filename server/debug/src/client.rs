//! One connection to an adapter: requests and their answers, events, requests of the adapter.

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

/// Bytes that an adapter may write before it answers anything.
const MOST_UNANSWERED: usize = 1 << 20;
/// Bytes that it may write before its program runs: after that, programs write what they like.
const MOST_BEFORE_PROGRAM: usize = 32 << 20;
/// Messages that wait to be written; an adapter that reads none of them is given up.
const WAITING: usize = 4_096;
/// How often the interrupt flag is looked at.
const TICK: Duration = Duration::from_millis(20);

/// How long an answer is waited for, and who may not want it any more.
#[derive(Clone, Copy)]
pub(crate) struct Wait<'a> {
    pub(crate) longest: Duration,
    pub(crate) interrupt: &'a AtomicBool,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The adapter said no.
    Refused(String),
    /// The connection is over.
    Closed,
    /// It took too long.
    Timeout,
    /// Nobody wants it any more.
    Cancelled,
}

/// How a connection ended.
#[derive(Debug)]
pub(crate) enum End {
    /// The adapter closed it, in the middle of a message if there is a fault.
    Closed(Option<String>),
    /// The adapter, which may live on, broke the protocol.
    Broken(String),
}

/// Who hears what the adapter says by itself. Called in wire order; must not wait.
pub(crate) trait Listener: Send + Sync + 'static {
    /// Something came about.
    fn event(&self, event: Event);
    /// The adapter wants something. `None` where that is answered later, by [`Client::answer`].
    fn request(&self, request: Request) -> Option<(Request, Result<Value, String>)>;
    /// The connection is over: by itself, or because of what the adapter did. What still waits for
    /// an answer is told after that.
    fn closed(&self, end: End) -> impl Future<Output = ()> + Send;
}

/// The sending side of a connection.
#[derive(Clone)]
pub(crate) struct Client(Arc<Inner>);

struct Inner {
    outgoing: mpsc::Sender<Vec<u8>>,
    sequence: AtomicI64,
    /// Whether any request was answered.
    has_answered: AtomicBool,
    /// Whether its program may run.
    has_program: AtomicBool,
    pending: Mutex<Pending>,
    /// Set to end the connection from this side.
    is_over: watch::Sender<bool>,
}

#[derive(Default)]
struct Pending {
    waiting: HashMap<i64, oneshot::Sender<Response>>,
    is_closed: bool,
}

/// A request that was sent. Dropped, its answer is not waited for.
pub(crate) struct Reply {
    client: Client,
    seq: i64,
    receiver: oneshot::Receiver<Response>,
}

impl Client {
    /// Begins to speak over a connection.
    pub(crate) fn start(
        mut reader: impl AsyncBufRead + Send + Unpin + 'static,
        mut writer: impl AsyncWrite + Send + Unpin + 'static,
        listener: Arc<impl Listener>,
    ) -> Self {
        let (outgoing, mut to_write) = mpsc::channel::<Vec<u8>>(WAITING);
        let inner = Inner {
            outgoing,
            sequence: AtomicI64::new(0),
            has_answered: AtomicBool::new(false),
            has_program: AtomicBool::new(false),
            pending: Mutex::new(Pending::default()),
            is_over: watch::Sender::new(false),
        };
        let client = Self(Arc::new(inner));
        let mut is_over = client.0.is_over.subscribe();
        tokio::spawn(async move {
            let writes = async {
                while let Some(body) = to_write.recv().await {
                    if writer.write_all(&wire::encode(&body)).await.is_err() {
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
        let own = client.clone();
        let mut is_over = client.0.is_over.subscribe();
        tokio::spawn(async move {
            let mut written = 0;
            let end = loop {
                let read = tokio::select! {
                    biased;
                    _ = is_over.wait_for(|is_over| *is_over) => Ok(None),
                    read = wire::read(&mut reader) => read,
                };
                match read {
                    Ok(Some(body)) => {
                        if !own.0.has_program.load(Ordering::Relaxed) {
                            written += body.len();
                            // An adapter says nothing before its answer to the first request.
                            let (most, missing) = match own.0.has_answered.load(Ordering::Relaxed) {
                                false => (MOST_UNANSWERED, "did not answer"),
                                true => (MOST_BEFORE_PROGRAM, "did not start the program"),
                            };
                            if written > most {
                                break End::Broken(format!(
                                    "it wrote {} KiB and {missing}",
                                    written >> 10
                                ));
                            }
                        }
                        if let Err(fault) = own.take(&body, &*listener) {
                            break End::Broken(fault);
                        }
                    }
                    Ok(None) => break End::Closed(None),
                    Err(error) if error.is_end() => break End::Closed(Some(error.to_string())),
                    Err(error) => break End::Broken(error.to_string()),
                }
            };
            // First the listener: whoever finds the connection closed can then tell why.
            listener.closed(end).await;
            own.close();
        });
        client
    }

    fn take(&self, body: &[u8], listener: &impl Listener) -> Result<(), String> {
        let message = serde_json::from_slice(body)
            .map_err(|error| format!("it wrote a message that is none: {error}"))?;
        match message {
            Message::Event(event) => listener.event(event),
            Message::Response(response) => {
                self.0.has_answered.store(true, Ordering::Relaxed);
                let waiting = self.0.pending.lock().waiting.remove(&response.request_seq);
                match waiting {
                    // Who waited may have given up.
                    Some(waiting) => drop(waiting.send(response)),
                    None if response.request_seq > self.0.sequence.load(Ordering::Relaxed) => {
                        let seq = response.request_seq;
                        return Err(format!("it answered request {seq}, which was never made"));
                    }
                    None => tracing::debug!("an answer that nobody waits for any more"),
                }
            }
            Message::Request(request) => {
                if let Some((request, result)) = listener.request(request)
                    && !self.answer(&request, result)
                {
                    return Err("it does not read what it is sent".to_owned());
                }
            }
        }
        Ok(())
    }

    /// Answers what the adapter wanted. False where it reads no more.
    pub(crate) fn answer(&self, request: &Request, result: Result<Value, String>) -> bool {
        self.0.outgoing.try_send(wire::answer(self.next(), request, result)).is_ok()
    }

    /// From now on its program may run, and write as much as it likes.
    pub(crate) fn may_run_program(&self) {
        self.0.has_program.store(true, Ordering::Relaxed);
    }

    /// Ends the connection, whatever the other side does.
    pub(crate) fn hang_up(&self) {
        self.0.is_over.send_replace(true);
    }

    fn next(&self) -> i64 {
        self.0.sequence.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Sends a request, whose answer may be waited for.
    pub(crate) fn send(&self, command: &str, arguments: &Value) -> Result<Reply, Failure> {
        let (sender, receiver) = oneshot::channel();
        // One at a time, so that numbers go up on the wire.
        let mut pending = self.0.pending.lock();
        if pending.is_closed {
            return Err(Failure::Closed);
        }
        let seq = self.next();
        let body = wire::request(seq, command, arguments);
        // Full: it has not read for long.
        self.0.outgoing.try_send(body).map_err(|_| Failure::Timeout)?;
        pending.waiting.insert(seq, sender);
        Ok(Reply { client: self.clone(), seq, receiver })
    }

    /// Sends a request and waits for its answer's body.
    pub(crate) async fn request(
        &self,
        command: &str,
        arguments: &Value,
        wait: Wait<'_>,
    ) -> Result<Value, Failure> {
        self.send(command, arguments)?.wait(wait).await
    }

    fn close(&self) {
        let mut pending = self.0.pending.lock();
        pending.is_closed = true;
        pending.waiting.clear();
    }
}

impl Reply {
    /// The answer's body.
    pub(crate) async fn wait(mut self, wait: Wait<'_>) -> Result<Value, Failure> {
        let response = bounded(&mut self.receiver, wait).await?.map_err(|_| Failure::Closed)?;
        if response.success { Ok(response.body) } else { Err(Failure::Refused(response.failure())) }
    }

    /// Tells the adapter that the answer is not wanted any more, if it can be told.
    pub(crate) async fn wait_or_cancel(
        self,
        wait: Wait<'_>,
        can_cancel: bool,
    ) -> Result<Value, Failure> {
        let (client, seq) = (self.client.clone(), self.seq);
        let result = self.wait(wait).await;
        if can_cancel && matches!(result, Err(Failure::Timeout | Failure::Cancelled)) {
            let _ = client.send("cancel", &json!({ "requestId": seq }));
        }
        result
    }
}

impl Drop for Reply {
    fn drop(&mut self) {
        self.client.0.pending.lock().waiting.remove(&self.seq);
    }
}

/// What `future` gives, unless it takes too long or nobody wants it any more.
pub(crate) async fn bounded<T>(
    future: impl Future<Output = T>,
    wait: Wait<'_>,
) -> Result<T, Failure> {
    let deadline = Instant::now() + wait.longest;
    let mut tick = interval(TICK);
    tick.set_missed_tick_behavior(MissedTickBehavior::Delay);
    tokio::pin!(future);
    loop {
        tokio::select! {
            biased;
            done = &mut future => return Ok(done),
            () = sleep_until(deadline) => return Err(Failure::Timeout),
            _ = tick.tick() => {
                if wait.interrupt.load(Ordering::Relaxed) {
                    return Err(Failure::Cancelled);
                }
            }
        }
    }
}
