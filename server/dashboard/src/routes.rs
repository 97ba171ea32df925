//! Answers requests: the page's files, its events, its calls, and its answers to approval requests.

use std::convert::Infallible;
use std::sync::Arc;

use bytes::Bytes;
use futures_util::stream::unfold;
use http::{HeaderMap, Method, Request, Response, StatusCode};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, Limited, StreamBody};
use hyper::body::{Frame, Incoming};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::timeout;
use workspace::ApprovalDecision;

use crate::events::Events;
use crate::gate::{Refusal, check_place, check_token};
use crate::limits::{BODY_TIMEOUT, MAX_BODY_BYTES};
use crate::page;
use crate::shared::Shared;

pub(crate) type Body = UnsyncBoxBody<Bytes, Infallible>;

const JSON: &str = "application/json";
const TEXT: &str = "text/plain; charset=utf-8";

/// Answers a request.
pub(crate) async fn answer(
    request: Request<Incoming>,
    shared: Arc<Shared>,
    stopping: watch::Receiver<bool>,
) -> Response<Body> {
    match answered(request, shared, stopping).await {
        Ok(response) => response,
        Err((status, why)) => respond(status, TEXT, why.into()),
    }
}

async fn answered(
    request: Request<Incoming>,
    shared: Arc<Shared>,
    stopping: watch::Receiver<bool>,
) -> Result<Response<Body>, Refusal> {
    check_place(request.headers())?;
    let path = request.uri().path();
    if let Some((bytes, content_type)) = page::file(path) {
        return match *request.method() {
            Method::GET => Ok(respond(StatusCode::OK, content_type, bytes)),
            _ => Err((StatusCode::METHOD_NOT_ALLOWED, "GET it\n")),
        };
    }
    let route = (request.method().clone(), path.to_owned());
    let is_known = ["/api/events", "/api/call", "/api/approval"].contains(&route.1.as_str());
    if !is_known {
        return Err((StatusCode::NOT_FOUND, "there is no such page\n"));
    }
    check_token(request.headers(), &shared.token)?;
    match (&route.0, route.1.as_str()) {
        (&Method::GET, "/api/events") => Ok(events(&shared, stopping)),
        (&Method::POST, "/api/call") => {
            let request = body(request).await?;
            Ok(json_response(&shared.calls.clone().call(&request).await))
        }
        (&Method::POST, "/api/approval") => {
            let request = body(request).await?;
            approval(&shared, &request)
        }
        _ => Err((StatusCode::METHOD_NOT_ALLOWED, "another method\n")),
    }
}

/// A person's answer to an approval request.
fn approval(shared: &Shared, request: &Value) -> Result<Response<Body>, Refusal> {
    let id = request["id"].as_str().and_then(|id| id.parse::<u64>().ok());
    let name = request["decision"].as_str();
    let decision = ApprovalDecision::ALL.iter().find(|one| Some(one.name()) == name);
    let (Some(id), Some(decision)) = (id, decision) else {
        return Err((StatusCode::BAD_REQUEST, "`id` and `decision` are needed\n"));
    };
    let taken = shared.approvals.answer(id, *decision);
    Ok(json_response(&json!({ "result": { "taken": taken } })))
}

fn events(shared: &Arc<Shared>, stopping: watch::Receiver<bool>) -> Response<Body> {
    let events =
        Events::new(&shared.sources, &shared.calls.snapshot(), || shared.approvals.pending());
    let stream = unfold((events, stopping), |(mut events, mut stopping)| async {
        let line = tokio::select! {
            line = events.next() => line,
            _ = stopping.wait_for(|stop| *stop) => None,
        };
        line.map(|line| (Ok::<_, Infallible>(Frame::data(line)), (events, stopping)))
    });
    let mut response = Response::new(StreamBody::new(stream).boxed_unsync());
    page::set_headers(response.headers_mut(), "application/x-ndjson");
    response
}

/// The JSON of a request.
async fn body(request: Request<Incoming>) -> Result<Value, Refusal> {
    if !is_json(request.headers()) {
        return Err((StatusCode::UNSUPPORTED_MEDIA_TYPE, "send application/json\n"));
    }
    let read = timeout(BODY_TIMEOUT, Limited::new(request.into_body(), MAX_BODY_BYTES).collect());
    let bytes = match read.await {
        Ok(Ok(read)) => read.to_bytes(),
        Ok(Err(_)) => return Err((StatusCode::PAYLOAD_TOO_LARGE, "the request is too long\n")),
        Err(_) => return Err((StatusCode::REQUEST_TIMEOUT, "the request took too long\n")),
    };
    serde_json::from_slice(&bytes).map_err(|_| (StatusCode::BAD_REQUEST, "this is not JSON\n"))
}

/// Requests of this type are sent by no form, and by no other page without asking first.
fn is_json(headers: &HeaderMap) -> bool {
    headers.get(http::header::CONTENT_TYPE).is_some_and(|named| named.as_bytes() == JSON.as_bytes())
}

fn json_response(value: &Value) -> Response<Body> {
    respond(StatusCode::OK, JSON, value.to_string().into())
}

fn respond(status: StatusCode, content_type: &'static str, bytes: Bytes) -> Response<Body> {
    let mut response = Response::new(Full::new(bytes).boxed_unsync());
    *response.status_mut() = status;
    page::set_headers(response.headers_mut(), content_type);
    response
}
