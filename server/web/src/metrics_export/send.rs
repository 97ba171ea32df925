//! Requests to a collector: OTLP over HTTP as binary protobuf.

use std::time::Duration;

use http::header::{CONTENT_LENGTH, CONTENT_TYPE, HOST, HeaderName, USER_AGENT};
use http::{HeaderMap, HeaderValue, Method, StatusCode};
use hyper::body::Bytes;
use prost::Message as _;
use tools::{MetricEvent, NetworkSettings, OtlpSettings};

use super::messages::{logs, metrics};
use crate::connect::Tls;
use crate::dialer::Dialer;
use crate::exchange::{Message, host_header, is_overload, send as exchange, uri};
use crate::failure::Failure;
use crate::limits::FIRST_BACKOFF;
use crate::system;
use crate::target::Target;

/// What errors name.
const EXPORT: &str = "metrics.otlp";
/// Time for one request.
const TIMEOUT: Duration = Duration::from_secs(10);
const ATTEMPTS: u32 = 4;
/// What is read of an answer, in bytes; it says what was refused.
const MAX_ANSWER_BYTES: usize = 4 << 10;

/// Sends a batch as logs and as metrics.
///
/// # Errors
/// Says what the collector did not take.
pub(super) fn send(
    events: &[MetricEvent],
    collector: &OtlpSettings,
    network: &NetworkSettings,
) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| format!("no network runtime: {error}"))?;
    let requests = [
        ("v1/logs", logs(events).encode_to_vec()),
        ("v1/metrics", metrics(events).encode_to_vec()),
    ];
    runtime.block_on(async {
        for (path, body) in requests {
            let url = format!("{}/{path}", collector.url.trim_end_matches('/'));
            let target = Target::parse(EXPORT, &url).map_err(|error| error.to_string())?;
            let message = message(&target, collector, body)?;
            with_retries(&target, &message, network)
                .await
                .map_err(|why| format!("{path}: {why}"))?;
        }
        Ok(())
    })
}

async fn with_retries(
    target: &Target,
    message: &Message,
    network: &NetworkSettings,
) -> Result<(), String> {
    let mut backoff = FIRST_BACKOFF;
    let mut attempt = 1;
    loop {
        let answer = tokio::time::timeout(TIMEOUT, post(target, message, network)).await;
        let why = match answer {
            Ok(Ok(status)) if status.is_success() => return Ok(()),
            Ok(Ok(status)) if !is_overload(status) => return Err(format!("answered {status}")),
            Ok(Ok(status)) => format!("answered {status}"),
            Ok(Err(why)) => why,
            Err(_) => format!("no answer within {} s", TIMEOUT.as_secs()),
        };
        if attempt == ATTEMPTS {
            return Err(why);
        }
        tokio::time::sleep(backoff).await;
        backoff *= 2;
        attempt += 1;
    }
}

async fn post(
    target: &Target,
    message: &Message,
    network: &NetworkSettings,
) -> Result<StatusCode, String> {
    let tls = if target.is_https() {
        Some(Tls::offering(&*system::tls()?, &[b"http/1.1"]))
    } else {
        None
    };
    let dialer = Dialer::new(EXPORT, network).map_err(|error| error.to_string())?;
    // The person named the collector in the settings, so its address needs no approval.
    let route = dialer.route(&target.endpoint).await?;
    let failed = |failure: Failure| failure.to_string();
    let connection = route.connect(&target.endpoint, tls).await.map_err(failed)?;
    let host = target.endpoint.to_string();
    let mut answer =
        exchange(connection, &host, uri(target, false)?, message).await.map_err(failed)?;
    // The connection is closed afterwards, so the rest of a long answer does not matter.
    let _ = answer.read(MAX_ANSWER_BYTES, std::future::pending(), &mut |_| true).await;
    Ok(answer.status)
}

fn message(target: &Target, collector: &OtlpSettings, body: Vec<u8>) -> Result<Message, String> {
    let mut headers = HeaderMap::new();
    for (name, value) in &collector.headers {
        let bad = || format!("{EXPORT}.headers: `{name:.60}` is no header");
        let name = HeaderName::try_from(name).map_err(|_| bad())?;
        headers.insert(name, HeaderValue::from_str(value).map_err(|_| bad())?);
    }
    headers.insert(HOST, host_header(target).map_err(|error| error.to_string())?);
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/x-protobuf"));
    headers.insert(CONTENT_LENGTH, HeaderValue::from(body.len()));
    let agent = concat!("tandem/", env!("CARGO_PKG_VERSION"));
    headers.insert(USER_AGENT, HeaderValue::from_static(agent));
    Ok(Message { method: Method::POST, headers, body: Bytes::from(body) })
}
