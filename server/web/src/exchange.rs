//! One request and its response on a connection of its own.

use std::time::{Duration, Instant};

use http::header::InvalidHeaderValue;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, Uri, Version};
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper_util::rt::{TokioExecutor, TokioIo};

use crate::body::BodyReader;
use crate::connect::Connection;
use crate::failure::Failure;
use crate::limits::{MAX_RESPONSE_HEADER_BYTES, MAX_RESPONSE_HEADERS};
use crate::target::Target;

/// What is sent.
#[derive(Debug, Clone)]
pub(crate) struct Message {
    pub(crate) method: Method,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

/// How long the parts of a request took.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Timings {
    pub(crate) dns: Option<Duration>,
    pub(crate) connect: Duration,
    pub(crate) tls: Option<Duration>,
    /// From the request's start to the response's headers.
    pub(crate) first_byte: Duration,
}

/// The head of a response, and the body that follows.
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) version: Version,
    pub(crate) headers: HeaderMap,
    body: Incoming,
    pub(crate) first_byte: Duration,
    host: String,
}

/// Gets all of a body that has been read each time that more arrives. False ends the reading.
pub(crate) type Watch<'w> = &'w mut dyn FnMut(&[u8]) -> bool;

/// What was read of a body.
pub(crate) struct ReadBody {
    pub(crate) bytes: Vec<u8>,
    /// Why it is not the whole body.
    pub(crate) cut: Option<Failure>,
}

/// Sends a request. The response's body is read by [`Answer::read`].
pub(crate) async fn send(
    connection: Connection,
    host: &str,
    uri: Uri,
    message: &Message,
) -> Result<Answer, Failure> {
    let is_http2 = connection.is_http2;
    let mut request = Request::new(Full::new(message.body.clone()));
    *request.method_mut() = message.method.clone();
    *request.uri_mut() = uri;
    *request.headers_mut() = message.headers.clone();
    let stream = TokioIo::new(connection.stream);
    let started = Instant::now();
    let failed = |error: hyper::Error| failure(host, &error);
    // The connection's task ends with the runtime of the call.
    let response: Response<Incoming> = if is_http2 {
        request.headers_mut().remove(http::header::HOST);
        *request.version_mut() = Version::HTTP_2;
        let mut builder = hyper::client::conn::http2::Builder::new(TokioExecutor::new());
        builder.max_header_list_size(u32::try_from(MAX_RESPONSE_HEADER_BYTES).unwrap_or(u32::MAX));
        let (mut sender, connection) = builder.handshake(stream).await.map_err(failed)?;
        tokio::spawn(connection);
        sender.send_request(request).await.map_err(failed)?
    } else {
        let mut builder = hyper::client::conn::http1::Builder::new();
        builder.max_headers(MAX_RESPONSE_HEADERS).max_buf_size(MAX_RESPONSE_HEADER_BYTES);
        let (mut sender, connection) = builder.handshake(stream).await.map_err(failed)?;
        tokio::spawn(connection);
        sender.send_request(request).await.map_err(failed)?
    };
    let first_byte = started.elapsed();
    let (head, body) = response.into_parts();
    // HTTP/2 limits the bytes only.
    if head.headers.len() > MAX_RESPONSE_HEADERS {
        return Err(Failure::Headers { host: host.to_owned() });
    }
    let (status, version, headers) = (head.status, head.version, head.headers);
    Ok(Answer { status, version, headers, body, first_byte, host: host.to_owned() })
}

/// The value of `Host` in requests to a target.
pub(crate) fn host_header(target: &Target) -> Result<HeaderValue, InvalidHeaderValue> {
    let host = &target.endpoint.host;
    let host = match target.url.port() {
        Some(port) => format!("{host}:{port}"),
        None => host.to_string(),
    };
    HeaderValue::from_str(&host)
}

/// What a request names of its URL: all of it for a proxy and in HTTP/2.
pub(crate) fn uri(target: &Target, is_whole: bool) -> Result<Uri, String> {
    let url = &target.url;
    let text = if is_whole {
        // The final dot of a host is not part of its name.
        let query = url.query().map(|query| format!("?{query}")).unwrap_or_default();
        let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
        format!("{}://{}{port}{}{query}", url.scheme(), target.endpoint.host, url.path())
    } else {
        match url.query() {
            Some(query) => format!("{}?{query}", url.path()),
            None => url.path().to_owned(),
        }
    };
    text.parse().map_err(|error| format!("{text}: {error}"))
}

pub(crate) fn is_overload(status: StatusCode) -> bool {
    matches!(status.as_u16(), 429 | 502 | 503 | 504)
}

impl Answer {
    /// Reads the body up to `limit` bytes, until `end` is ready or `watch` returns false for what has been read.
    pub(crate) async fn read(
        &mut self,
        limit: usize,
        end: impl Future<Output = Failure>,
        watch: Watch<'_>,
    ) -> Result<ReadBody, Failure> {
        let mut reader = BodyReader::new(&self.headers, limit);
        let mut end = std::pin::pin!(end);
        loop {
            let frame = tokio::select! {
                frame = self.body.frame() => frame,
                failure = &mut end => {
                    return Ok(ReadBody { bytes: reader.part(), cut: Some(failure) });
                }
            };
            match frame {
                None => break,
                Some(Ok(frame)) => {
                    // Trailers are not part of the body.
                    let Ok(data) = frame.into_data() else { continue };
                    let has_room = reader.push(&data)?;
                    if !watch(reader.bytes()) {
                        return Ok(ReadBody { bytes: reader.part(), cut: None });
                    }
                    if !has_room {
                        break;
                    }
                }
                Some(Err(error)) => {
                    let received = reader.received();
                    let why = failure(&self.host, &error).to_string();
                    let cut = Some(Failure::BodyBroken { received, why });
                    return Ok(ReadBody { bytes: reader.part(), cut });
                }
            }
        }
        let (bytes, is_cut) = reader.finish()?;
        Ok(ReadBody { bytes, cut: is_cut.then_some(Failure::TooLarge(limit)) })
    }
}

fn failure(host: &str, error: &hyper::Error) -> Failure {
    let host = host.to_owned();
    let mut why = error.to_string();
    let mut source = std::error::Error::source(error);
    while let Some(inner) = source {
        why = format!("{why}: {inner}");
        source = inner.source();
    }
    if error.is_parse_too_large() {
        return Failure::Headers { host };
    }
    if error.is_parse() {
        return Failure::Protocol { host, why };
    }
    Failure::Broken { host, why }
}
