//! Serves one client over one connection.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use framing::{Frame, FrameReader};
use futures_util::{FutureExt, SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::task::JoinSet;
use tower_lsp_server::jsonrpc::{Error, ErrorCode, Id, Request, Response};

use crate::backend::Backend;
use crate::ingress::{Dispatched, Ingress};
use crate::outbox::Outbox;
use crate::{capabilities, error, live};

/// How a connection ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConnectionEnd {
    /// `shutdown`, then `exit`.
    Clean,
    /// `exit` or the end of input without `shutdown`.
    Abrupt,
    /// No further message can be found in the input, and why.
    Lost(&'static str),
}

/// Requests in flight; more are rejected.
const MAX_REQUESTS_IN_FLIGHT: usize = 65_536;
/// Bytes of the requests in flight; more are rejected.
const MAX_BYTES_IN_FLIGHT: usize = 256 << 20;
/// How long pending responses may take after the client's last message.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(2);

/// Serves one client until it disconnects.
///
/// # Errors
/// If the input cannot be read.
pub async fn serve(
    input: impl AsyncRead + Unpin + 'static,
    output: impl AsyncWrite + Unpin + Send + 'static,
) -> io::Result<ConnectionEnd> {
    boxed(Box::new(input), Box::new(output)).await
}

type Input = Box<dyn AsyncRead + Unpin>;
type Output = Box<dyn AsyncWrite + Unpin + Send>;

/// Neither generic nor `async`, so that the server is compiled once and in this crate, not in its callers for
/// every kind of connection.
fn boxed(input: Input, output: Output) -> Pin<Box<dyn Future<Output = io::Result<ConnectionEnd>>>> {
    Box::pin(serve_connection(input, output))
}

async fn serve_connection(input: Input, output: Output) -> io::Result<ConnectionEnd> {
    let outbox = Outbox::default();
    let (service, socket) = Backend::service(outbox.clone());
    let session = service.inner().session_cell();
    let snapshot = move || session.get().map(|session| session.workspace.snapshot());
    let session = service.inner().session_cell();
    let (mut client_requests, mut answers) = socket.split();
    let writer = tokio::spawn(write_frames(output, outbox.clone()));
    let requests_out = outbox.clone();
    let forwarder = tokio::spawn(async move {
        while let Some(request) = client_requests.next().await {
            match request.method() {
                // Only the newest diagnostics of a document matter.
                method @ "textDocument/publishDiagnostics" => {
                    let uri = request.params().and_then(|params| params["uri"].as_str());
                    requests_out.post_newest(format!("{method} {uri:?}"), &request);
                }
                // A cancellation must arrive, as its request did.
                method if request.id().is_some() || method == "$/cancelRequest" => {
                    requests_out.post(&request);
                }
                _ if requests_out.is_full() => {}
                _ => requests_out.post(&request),
            }
        }
    });

    let mut messages = MessageLoop {
        ingress: Ingress::new(service, snapshot),
        requests: JoinSet::new(),
        outbox,
        in_flight_bytes: Arc::default(),
        state: LifecycleState::Uninitialized,
    };
    let mut frames = FrameReader::new(input);
    // After an unparseable body, garbage up to the next frame is part of it.
    let mut after_bad_body = false;
    let end = loop {
        let body = match frames.next().await? {
            Frame::Body(body) => body,
            Frame::Skipped(reason) => {
                messages.post_error(Id::Null, Error::parse_error(), reason);
                continue;
            }
            Frame::BadHeader(reason) => {
                messages.post_error(Id::Null, Error::parse_error(), &reason.to_string());
                continue;
            }
            Frame::Garbage(reason) => {
                if !after_bad_body {
                    messages.post_error(Id::Null, Error::parse_error(), &reason.to_string());
                }
                after_bad_body = false;
                continue;
            }
            Frame::End => {
                // Requests received before the end of input are still answered.
                let answered = async { while messages.requests.join_next().await.is_some() {} };
                let _ = tokio::time::timeout(DRAIN_TIMEOUT, answered).await;
                break if messages.state == LifecycleState::ShutDown {
                    ConnectionEnd::Clean
                } else {
                    ConnectionEnd::Abrupt
                };
            }
            Frame::Lost(reason) => break ConnectionEnd::Lost(reason),
        };
        after_bad_body = false;
        match Message::parse(&body) {
            Message::Request(request) if request.method() == "exit" => {
                messages.ingress.dispatch(request);
                break if messages.state == LifecycleState::ShutDown {
                    ConnectionEnd::Clean
                } else {
                    ConnectionEnd::Abrupt
                };
            }
            Message::Request(request) => messages.handle(request, body.len()).await,
            Message::Response(response) => {
                let _ = answers.send(response).await;
            }
            Message::Invalid(id) => {
                messages.post_error(id, Error::invalid_request(), "not a JSON-RPC message");
            }
            Message::Unparseable(reason) => {
                after_bad_body = true;
                messages.post_error(Id::Null, Error::parse_error(), &reason);
            }
        }
    };
    if let Some(session) = session.get() {
        session.stop();
        live::drain_connections(session).await;
    }
    messages.requests.shutdown().await;
    forwarder.abort();
    // Threads still running hold the outbox, too.
    messages.outbox.close();
    drop(messages);
    let _ = tokio::time::timeout(DRAIN_TIMEOUT, writer).await;
    Ok(end)
}

/// The state of the loop that reads messages.
struct MessageLoop<S, F> {
    ingress: Ingress<S, F>,
    requests: JoinSet<()>,
    /// Bytes of the requests in flight.
    in_flight_bytes: Arc<AtomicUsize>,
    outbox: Outbox,
    state: LifecycleState,
}

/// The lifecycle state, which decides what requests are allowed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LifecycleState {
    Uninitialized,
    Initialized,
    ShutDown,
}

impl<S, F> MessageLoop<S, F>
where
    S: tower_service::Service<Request, Response = Option<Response>>,
    S::Future: Send + 'static,
    F: Fn() -> Option<workspace::Snapshot>,
{
    /// Handles one request or notification; responses are posted when they are ready.
    async fn handle(&mut self, request: Request, bytes: usize) {
        while self.requests.try_join_next().is_some() {}
        let method = request.method().to_owned();
        // Backpressure: while the client does not read responses, accept no more requests.
        // Notifications and cancellations before this request have been processed.
        if request.id().is_some() && self.outbox.is_full() {
            self.outbox.wait_for_capacity().await;
        }
        if let Some(id) = request.id()
            && (self.requests.len() >= MAX_REQUESTS_IN_FLIGHT
                || self.in_flight_bytes.load(Ordering::Relaxed).saturating_add(bytes)
                    > MAX_BYTES_IN_FLIGHT)
        {
            let reason = "too many requests in flight; try again later";
            self.post_error(id.clone(), Error::internal_error(), reason);
            return;
        }
        if let Some(id) = request.id() {
            // The framework checks this too, except for methods that it does not know.
            match self.state {
                LifecycleState::Uninitialized if method != "initialize" => {
                    let error = Error {
                        code: ErrorCode::ServerError(-32002),
                        message: "Server not initialized".into(),
                        data: None,
                    };
                    return self.post(&Response::from_error(id.clone(), error::with_data(error)));
                }
                LifecycleState::ShutDown => {
                    let reason = "the server is shutting down";
                    return self.post_error(id.clone(), Error::invalid_request(), reason);
                }
                _ => {}
            }
        }
        let Dispatched::Pending(mut answer) = self.ingress.dispatch(request) else { return };
        match method.as_str() {
            // Awaited inline: no other message may be handled before it.
            "initialize" => {
                let answer = answer.await;
                if answer.is_ok() {
                    self.state = LifecycleState::Initialized;
                }
                self.post(&capabilities::add_untyped_capabilities(answer));
            }
            "shutdown" => {
                let answer = answer.await;
                if answer.is_ok() {
                    self.state = LifecycleState::ShutDown;
                }
                self.post(&answer);
            }
            _ => {
                // Polled once here, in wire order, so that writing tools queue for the write lock in order.
                if let Some(answer) = (&mut answer).now_or_never() {
                    return self.post(&answer);
                }
                let outbox = self.outbox.clone();
                let guard = InFlightGuard::new(&self.in_flight_bytes, bytes);
                self.requests.spawn(async move {
                    outbox.post(&answer.await);
                    drop(guard);
                });
            }
        }
    }

    fn post_error(&self, id: Id, error: Error, reason: &str) {
        tracing::warn!("{}: {reason}", error.message);
        let error = Error { message: format!("{}: {reason}", error.message).into(), ..error };
        self.post(&Response::from_error(id, error::with_data(error)));
    }

    fn post(&self, response: &Response) {
        self.outbox.post(response);
    }
}

/// Counts a request's bytes until its response is posted.
struct InFlightGuard(Arc<AtomicUsize>, usize);

impl InFlightGuard {
    fn new(all: &Arc<AtomicUsize>, bytes: usize) -> Self {
        all.fetch_add(bytes, Ordering::Relaxed);
        Self(all.clone(), bytes)
    }
}

impl Drop for InFlightGuard {
    fn drop(&mut self) {
        self.0.fetch_sub(self.1, Ordering::Relaxed);
    }
}

/// Writes queued messages until the outbox is closed or the client is gone. Closes the outbox.
async fn write_frames(mut output: Output, outbox: Outbox) -> io::Result<()> {
    let written = write_posted(&mut output, &outbox).await;
    outbox.close();
    written
}

async fn write_posted(output: &mut Output, outbox: &Outbox) -> io::Result<()> {
    while let Some(body) = outbox.next().await {
        output.write_all(&framing::encode(&body)).await?;
        outbox.mark_written(body.len());
        if outbox.is_empty() {
            output.flush().await?;
        }
    }
    output.flush().await
}

/// A parsed message body.
enum Message {
    Request(Request),
    Response(Response),
    Invalid(Id),
    Unparseable(String),
}

impl Message {
    fn parse(body: &[u8]) -> Self {
        let mut value: Value = match serde_json::from_slice(body) {
            Ok(value) => value,
            Err(e) => return Self::Unparseable(e.to_string()),
        };
        let id = value.get("id").cloned().and_then(|id| serde_json::from_value(id).ok());
        let invalid = || Self::Invalid(id.clone().unwrap_or_default());
        let Some(object) = value.as_object_mut() else { return invalid() };
        if object.contains_key("method") {
            // Some clients write absent parameters as null.
            if object.get("params").is_some_and(Value::is_null) {
                object.remove("params");
            }
            let params = object.get_mut("params").and_then(Value::as_object_mut);
            if let Some(params) = params.filter(|p| p.get("arguments").is_some_and(Value::is_null))
            {
                params.remove("arguments");
            }
            return serde_json::from_value(value).map_or_else(|_| invalid(), Self::Request);
        }
        if !object.contains_key("error") {
            object.entry("result").or_insert(Value::Null);
        } else if let Some(error) = object.get_mut("error").and_then(Value::as_object_mut) {
            // JSON-RPC allows no other fields.
            error.retain(|key, _| matches!(key.as_str(), "code" | "message" | "data"));
            error.entry("message").or_insert(json!(""));
            object.remove("result");
        }
        serde_json::from_value(value).map_or_else(|_| invalid(), Self::Response)
    }
}
