//! Batches by HTTP, in protocol version 2025-03-26: each message is served by itself, and their answers
//! are sent as one event stream, in any order.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE, TRANSFER_ENCODING};
use http::request::Parts;
use http::{HeaderValue, Method, Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::{Body as HttpBody, Frame};
use serde_json::Value;
use tokio::sync::mpsc;

use super::http::{Body, status};
use crate::batches::MAX_BATCH;
use crate::line_transport::BATCH_VERSION;

const VERSION_HEADER: &str = "mcp-protocol-version";
const SESSION_HEADER: &str = "mcp-session-id";
const EVENT_STREAM: &str = "text/event-stream";
/// Parts of answers queued for a client.
const MAX_QUEUED: usize = 16;

/// Whether the request may hold a batch: it belongs to a session of the version with batches, which has
/// no header for the version.
pub(super) fn may_be_batch<B>(request: &Request<B>) -> bool {
    let headers = request.headers();
    request.method() == Method::POST
        && headers.contains_key(SESSION_HEADER)
        && headers.get(VERSION_HEADER).is_none_or(|version| version == BATCH_VERSION)
}

/// The messages of a batch. `None` if the body is none.
pub(super) fn messages(body: &Bytes) -> Option<Result<Vec<Bytes>, &'static str>> {
    if body.trim_ascii_start().first() != Some(&b'[') {
        return None;
    }
    let Ok(messages) = serde_json::from_slice::<Vec<Value>>(body) else {
        return Some(Err("this is not JSON\n"));
    };
    if !(1..=MAX_BATCH).contains(&messages.len()) {
        return Some(Err("a batch has 1 to 100 messages\n"));
    }
    if messages.iter().any(|message| message["method"] == "initialize") {
        return Some(Err("`initialize` comes alone, before any batch\n"));
    }
    Some(Ok(messages.into_iter().map(|message| message.to_string().into()).collect()))
}

/// Serves the messages of a batch by `handle`.
pub(super) async fn answer<F>(
    head: &Parts,
    messages: Vec<Bytes>,
    handle: impl Fn(Request<Full<Bytes>>) -> F,
) -> Response<Body>
where
    F: Future<Output = Response<Body>>,
{
    let (sender, parts) = mpsc::channel(MAX_QUEUED);
    let mut has_answers = false;
    for message in messages {
        let mut request = Request::new(Full::from(message));
        *request.uri_mut() = head.uri.clone();
        *request.method_mut() = Method::POST;
        *request.headers_mut() = head.headers.clone();
        for name in [CONTENT_LENGTH, TRANSFER_ENCODING] {
            request.headers_mut().remove(name);
        }
        let response = handle(request).await;
        match response.status() {
            // A notification has no answer.
            StatusCode::ACCEPTED => continue,
            // The session is unknown, or the like. The others fare no better.
            code if !code.is_success() && !has_answers => return response,
            _ => has_answers = true,
        }
        let is_stream = response
            .headers()
            .get(CONTENT_TYPE)
            .is_some_and(|found| found.as_bytes().starts_with(EVENT_STREAM.as_bytes()));
        tokio::spawn(forward(response.into_body(), is_stream, sender.clone()));
    }
    if !has_answers {
        return status(StatusCode::ACCEPTED, "");
    }
    drop(sender);
    let mut response = Response::new(Answers(parts).boxed());
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(EVENT_STREAM));
    response
}

/// Passes the events of one answer on, until it ends or the client is gone.
async fn forward(mut body: Body, is_stream: bool, sender: mpsc::Sender<Bytes>) {
    // Events of several answers must not be mixed.
    let mut event = Vec::new();
    loop {
        let frame = tokio::select! {
            frame = body.frame() => frame,
            () = sender.closed() => return,
        };
        let Some(Ok(frame)) = frame else { break };
        let Ok(data) = frame.into_data() else { continue };
        event.extend_from_slice(&data);
        if is_stream && event.ends_with(b"\n\n") {
            let event = std::mem::take(&mut event);
            if sender.send(event.into()).await.is_err() {
                return;
            }
        }
    }
    if !is_stream && !event.is_empty() {
        let text = String::from_utf8_lossy(&event).replace(['\r', '\n'], " ");
        let _ = sender.send(format!("data: {text}\n\n").into()).await;
    }
}

/// The parts of all answers.
struct Answers(mpsc::Receiver<Bytes>);

impl HttpBody for Answers {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(context).map(|part| part.map(|part| Ok(Frame::data(part))))
    }
}
