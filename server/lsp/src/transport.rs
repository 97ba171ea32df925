//! Serves one client over one connection.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use futures_util::{FutureExt, SinkExt, StreamExt};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt};
use tokio::task::JoinSet;
use tower_lsp_server::jsonrpc::{Error, ErrorCode, Id, Request, Response};

use crate::backend::Backend;
use crate::framing::{Frame, FrameReader};
use crate::ingress::{Ingress, Taken};
use crate::outbox::Outbox;
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
/// Most bytes of the requests that are answered at a time; more are turned away.
const MOST_REQUESTED: usize = 256 << 20;
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
    let outbox = Outbox::default();
    let (service, socket) = Backend::service(outbox.clone());
    let session = service.inner().session();
    let snapshot = move || session.get().map(|session| session.workspace.snapshot());
    let session = service.inner().session();
    let (mut questions, mut answers) = socket.split();
    let writer = tokio::spawn(write_frames(output, outbox.clone()));
    let questions_out = outbox.clone();
    let forwarder = tokio::spawn(async move {
        while let Some(question) = questions.next().await {
            match question.method() {
                // Of what is wrong with a document, the client needs the newest list only.
                method @ "textDocument/publishDiagnostics" => {
                    let uri = question.params().and_then(|params| params["uri"].as_str());
                    questions_out.post_newest(format!("{method} {uri:?}"), &question);
                }
                // A cancel must come through, as the request did.
                method if question.id().is_some() || method == "$/cancelRequest" => {
                    questions_out.post(&question);
                }
                _ if questions_out.is_full() => {}
                _ => questions_out.post(&question),
            }
        }
    });

    let mut loop_ = Loop {
        ingress: Ingress::new(service, snapshot),
        requests: JoinSet::new(),
        outbox,
        requested: Arc::default(),
        state: State::Fresh,
    };
    let mut frames = FrameReader::new(input);
    // After a bad body, what follows up to the next frame is a part of it.
    let mut after_bad_body = false;
    let ending = loop {
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
            Message::Request(request) => loop_.take(request, body.len()).await,
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
    /// Bytes of the requests in `requests`.
    requested: Arc<AtomicUsize>,
    outbox: Outbox,
    state: State,
}

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
    async fn take(&mut self, request: Request, bytes: usize) {
        while self.requests.try_join_next().is_some() {}
        let method = request.method().to_owned();
        // A client that does not read is not read from either: its next answer would wait, too.
        // Notifications before the request have been taken, and cancels among them.
        if request.id().is_some() && self.outbox.is_full() {
            self.outbox.room().await;
        }
        if let Some(id) = request.id()
            && (self.requests.len() >= MOST_REQUESTS
                || self.requested.load(Ordering::Relaxed).saturating_add(bytes) > MOST_REQUESTED)
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
                let requested = Requested::new(&self.requested, bytes);
                self.requests.spawn(async move {
                    outbox.post(&answer.await);
                    drop(requested);
                });
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

/// Counts the bytes of one request until its answer is posted.
struct Requested(Arc<AtomicUsize>, usize);

impl Requested {
    fn new(all: &Arc<AtomicUsize>, bytes: usize) -> Self {
        all.fetch_add(bytes, Ordering::Relaxed);
        Self(all.clone(), bytes)
    }
}

impl Drop for Requested {
    fn drop(&mut self) {
        self.0.fetch_sub(self.1, Ordering::Relaxed);
    }
}

/// Writes what is posted until the outbox is closed or the client has gone, which closes it.
async fn write_frames<W: AsyncWrite + Unpin>(mut output: W, outbox: Outbox) -> io::Result<()> {
    let written = write_posted(&mut output, &outbox).await;
    outbox.close();
    written
}

async fn write_posted<W: AsyncWrite + Unpin>(output: &mut W, outbox: &Outbox) -> io::Result<()> {
    while let Some(body) = outbox.next().await {
        let mut frame = format!("Content-Length: {}\r\n\r\n", body.len()).into_bytes();
        frame.extend_from_slice(&body);
        output.write_all(&frame).await?;
        outbox.written(body.len());
        if outbox.is_empty() {
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
