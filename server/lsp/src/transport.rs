//! Serves one client over one connection.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::{FutureExt, SinkExt, StreamExt};
use serde::Serialize;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tower_lsp_server::jsonrpc::{Error, ErrorCode, Id, Request, Response};

use crate::backend::Backend;
use crate::framing::{Frame, FrameReader};
use crate::ingress::{Ingress, Taken};
use crate::{capabilities, error, live};

/// How a connection ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// `shutdown`, then `exit`.
    Clean,
    /// `exit` or the end of the input without `shutdown`.
    Abrupt,
    /// No message can be found in the input any more; holds why.
    Lost(&'static str),
}

/// Most requests that are answered at a time; more are turned away.
const MOST_REQUESTS: usize = 65_536;
/// Most bytes that wait for a client that does not read, before it is given up.
const MOST_POSTED: usize = 512 << 20;
/// Bytes that wait before our own notifications are dropped.
const MANY_POSTED: usize = 4 << 20;
/// How long answers may take to leave once the client has gone.
const PARTING: Duration = Duration::from_secs(2);

/// Serves until the client leaves.
///
/// # Errors
/// When the input cannot be read.
pub async fn serve<R, W>(input: R, output: W) -> io::Result<Ending>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Unpin + Send + 'static,
{
    let (outbox, posted) = Outbox::new();
    let (service, socket) = Backend::service(outbox.clone());
    let session = service.inner().session();
    let snapshot = move || session.get().map(|session| session.workspace.snapshot());
    let session = service.inner().session();
    let (mut questions, mut answers) = socket.split();
    let writer = tokio::spawn(write_frames(output, posted, outbox.waiting.clone()));
    let questions_out = outbox.clone();
    let forwarder = tokio::spawn(async move {
        while let Some(question) = questions.next().await {
            // What takes a question back must come through, as the question did.
            let can_wait = question.id().is_none() && question.method() != "$/cancelRequest";
            if can_wait && questions_out.is_full() {
                continue;
            }
            questions_out.post(&question);
        }
    });

    let mut loop_ = Loop {
        ingress: Ingress::new(service, snapshot),
        requests: JoinSet::new(),
        outbox,
        state: State::Fresh,
    };
    let mut frames = FrameReader::new(input);
    // After a bad body, what follows up to the next frame is a part of it.
    let mut after_bad_body = false;
    let ending = loop {
        if loop_.outbox.waiting() > MOST_POSTED {
            break Ending::Lost("the client does not read what it is sent");
        }
        let body = match frames.next().await? {
            Frame::Body(body) => body,
            Frame::Skipped(reason) | Frame::BadHeader(reason) => {
                loop_.complain(Id::Null, Error::parse_error(), reason);
                continue;
            }
            Frame::Garbage(reason) => {
                if !after_bad_body {
                    loop_.complain(Id::Null, Error::parse_error(), reason);
                }
                after_bad_body = false;
                continue;
            }
            Frame::End => {
                // What was asked before the end is still answered.
                let answered = async { while loop_.requests.join_next().await.is_some() {} };
                let _ = tokio::time::timeout(PARTING, answered).await;
                break if loop_.state == State::ShutDown { Ending::Clean } else { Ending::Abrupt };
            }
            Frame::Lost(reason) => break Ending::Lost(reason),
        };
        after_bad_body = false;
        match Message::parse(&body) {
            Message::Request(request) if request.method() == "exit" => {
                loop_.ingress.take(request);
                break if loop_.state == State::ShutDown { Ending::Clean } else { Ending::Abrupt };
            }
            Message::Request(request) => loop_.take(request).await,
            Message::Response(response) => {
                let _ = answers.send(response).await;
            }
            Message::Invalid(id) => {
                loop_.complain(id, Error::invalid_request(), "it is no JSON-RPC message");
            }
            Message::Unparseable(reason) => {
                after_bad_body = true;
                loop_.complain(Id::Null, Error::parse_error(), &reason);
            }
        }
    };
    if let Some(session) = session.get() {
        session.stop();
        live::part(session).await;
    }
    loop_.requests.shutdown().await;
    forwarder.abort();
    // Threads that still work for the client that has gone hold the outbox, too.
    loop_.outbox.close();
    drop(loop_);
    let _ = tokio::time::timeout(PARTING, writer).await;
    Ok(ending)
}

struct Loop<S, F> {
    ingress: Ingress<S, F>,
    requests: JoinSet<()>,
    outbox: Outbox,
    state: State,
}

/// What is on its way to the client. Posting never waits: the reader must not wait for the writer.
#[derive(Clone)]
pub(crate) struct Outbox {
    sender: mpsc::UnboundedSender<Vec<u8>>,
    /// Bytes posted and not yet written.
    waiting: Arc<AtomicUsize>,
}

impl Outbox {
    pub(crate) fn new() -> (Self, mpsc::UnboundedReceiver<Vec<u8>>) {
        let (sender, posted) = mpsc::unbounded_channel();
        (Self { sender, waiting: Arc::default() }, posted)
    }

    fn waiting(&self) -> usize {
        self.waiting.load(Ordering::Relaxed)
    }

    /// Whether so much waits that what need not be said is better left out.
    pub(crate) fn is_full(&self) -> bool {
        self.waiting() > MANY_POSTED
    }

    /// Ends the writing, once what was posted before is written.
    fn close(&self) {
        let _ = self.sender.send(END.to_vec());
    }

    pub(crate) fn post(&self, message: &impl Serialize) {
        let Ok(body) = serde_json::to_vec(message) else { return };
        self.waiting.fetch_add(body.len(), Ordering::Relaxed);
        // The writer ends only with the connection.
        let _ = self.sender.send(body);
    }
}

/// What is posted last: no message is empty.
const END: &[u8] = b"";

/// What the client may ask for now.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Fresh,
    Initialized,
    ShutDown,
}

impl<S, F> Loop<S, F>
where
    S: tower_service::Service<Request, Response = Option<Response>>,
    S::Future: Send + 'static,
    F: Fn() -> Option<workspace::Snapshot>,
{
    async fn take(&mut self, request: Request) {
        while self.requests.try_join_next().is_some() {}
        let method = request.method().to_owned();
        if let Some(id) = request.id()
            && self.requests.len() >= MOST_REQUESTS
        {
            let reason = "too many requests are waiting for their answers; try again later";
            self.complain(id.clone(), Error::internal_error(), reason);
            return;
        }
        if let Some(id) = request.id() {
            // The framework says so too, but for methods that it does not know.
            match self.state {
                State::Fresh if method != "initialize" => {
                    let error = Error {
                        code: ErrorCode::ServerError(-32002),
                        message: "Server not initialized".into(),
                        data: None,
                    };
                    return self.post(&Response::from_error(id.clone(), error::with_data(error)));
                }
                State::ShutDown => {
                    let reason = "the server is shutting down";
                    return self.complain(id.clone(), Error::invalid_request(), reason);
                }
                _ => {}
            }
        }
        let Taken::Pending(mut answer) = self.ingress.take(request) else { return };
        match method.as_str() {
            // Nothing may be looked at before it is answered, and it does not take long.
            "initialize" => {
                let answer = answer.await;
                if answer.is_ok() {
                    self.state = State::Initialized;
                }
                self.post(&capabilities::with_unlisted(answer));
            }
            "shutdown" => {
                let answer = answer.await;
                if answer.is_ok() {
                    self.state = State::ShutDown;
                }
                self.post(&answer);
            }
            _ => {
                // Started here, in the order of the wire: writing tools queue up in it.
                if let Some(answer) = (&mut answer).now_or_never() {
                    return self.post(&answer);
                }
                let outbox = self.outbox.clone();
                self.requests.spawn(async move { outbox.post(&answer.await) });
            }
        }
    }

    fn complain(&self, id: Id, error: Error, reason: &str) {
        tracing::warn!("{}: {reason}", error.message);
        let error = Error { message: format!("{}: {reason}", error.message).into(), ..error };
        self.post(&Response::from_error(id, error::with_data(error)));
    }

    fn post(&self, response: &Response) {
        self.outbox.post(response);
    }
}

async fn write_frames<W: AsyncWrite + Unpin>(
    mut output: W,
    mut posted: mpsc::UnboundedReceiver<Vec<u8>>,
    waiting: Arc<AtomicUsize>,
) -> io::Result<()> {
    while let Some(body) = posted.recv().await.filter(|body| body != END) {
        let mut frame = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
        frame.extend_from_slice(&body);
        output.write_all(&frame).await?;
        waiting.fetch_sub(body.len(), Ordering::Relaxed);
        if posted.is_empty() {
            output.flush().await?;
        }
    }
    output.flush().await
}

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
            // Some clients write the absence of parameters as null.
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
            // Only what JSON-RPC knows.
            error.retain(|key, _| matches!(key.as_str(), "code" | "message" | "data"));
            error.entry("message").or_insert(json!(""));
            object.remove("result");
        }
        serde_json::from_value(value).map_or_else(|_| invalid(), Self::Response)
    }
}
