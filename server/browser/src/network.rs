//! `browser_network`: the requests of the page.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};
use web::{push, push_page, push_rest};

use crate::call::Call;
use crate::limits::{ACTION_TIMEOUT, MAX_VALUE_BYTES};
use crate::page::{Request, clip};

pub(crate) struct BrowserNetwork;

/// Requests of a result unless the caller sets another limit.
const DEFAULT_LIMIT: usize = 100;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// Only requests whose URL contains this.
    #[serde(default)]
    filter: Option<String>,
    /// Only failed ones, and those with a status of 400 or more.
    #[serde(default)]
    failed: bool,
    /// Return at most this many, the newest; 100 by default.
    #[serde(default)]
    limit: Option<usize>,
    /// The `id` of a request: return the body of its response.
    #[serde(default)]
    body: Option<String>,
}

#[derive(Default, Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The requests, oldest first.
    requests: Vec<PageRequest>,
    /// Whether some are left out.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// The body of a response, as text: data from outside.
    #[serde(skip_serializing_if = "Option::is_none")]
    body: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct PageRequest {
    id: String,
    method: String,
    url: String,
    /// `Document`, `Script`, `Fetch`, `WebSocket`, …
    #[serde(rename = "type")]
    kind: String,
    /// Status of the response.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    #[serde(skip_serializing_if = "String::is_empty")]
    mime_type: String,
    /// Bytes received.
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
    /// How long it took, in milliseconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    time_ms: Option<f64>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl Tool for BrowserNetwork {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "browser_network";
    const ALIASES: &'static [&'static str] = &["browser_network_requests"];
    const DESCRIPTION: &'static str = "List the requests that the open page has made: method, URL, status, type, size and \
        error of each. `body` returns the response of one.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Network];
    const IDEMPOTENT: bool = true;
    const VERBOSE_FIELDS: &'static [&'static str] = &["requests[].mime_type"];

    fn text(result: &Value) -> Option<String> {
        let mut lines = String::new();
        for request in result["requests"].as_array().into_iter().flatten() {
            let field = |name: &str| request[name].as_str().unwrap_or_default().to_owned();
            let mut line =
                format!("{} {} {} {}", field("id"), field("method"), field("url"), field("type"));
            for (name, unit) in [("status", ""), ("size", " B"), ("time_ms", " ms")] {
                if let Some(value) = request.get(name).filter(|value| value.is_number()) {
                    line.push_str(&format!(" {value}{unit}"));
                }
            }
            if let Some(error) = request["error"].as_str() {
                line.push_str(&format!(" failed: {error}"));
            }
            push(&mut lines, line);
        }
        let mut text = String::new();
        if let Some(body) = result["body"].as_str() {
            push_page(&mut text, body);
        } else if lines.is_empty() {
            push(&mut text, "no requests");
        } else {
            push_page(&mut text, &lines);
        }
        push_rest(&mut text, result);
        text.truncate(text.trim_end().len());
        Some(text)
    }

    fn effects(context: &Context<'_>, _: &Params) -> Result<Vec<Effect>, ToolError> {
        Ok(crate::effects::of_action(context, Self::NAME))
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let call = Call::on_page(context, Self::NAME, None, ACTION_TIMEOUT)?;
        if let Some(id) = &params.body {
            return body(&call, id);
        }
        let limit = params.limit.unwrap_or(DEFAULT_LIMIT);
        let is_wanted = |request: &&Request| {
            params.filter.as_ref().is_none_or(|part| request.url.contains(part))
                && (!params.failed
                    || request.failure.is_some()
                    || request.status.is_some_and(|status| status >= 400))
        };
        Ok(call.browser.pages.with(|pages| {
            let Some(page) = pages.page(&call.session) else { return Output::default() };
            let found: Vec<&Request> = page.requests.entries.iter().filter(is_wanted).collect();
            let shown = found.iter().skip(found.len().saturating_sub(limit));
            Output {
                requests: shown.map(|request| listed(request)).collect(),
                truncated: found.len() > limit || page.requests.dropped > 0,
                ..Output::default()
            }
        }))
    }
}

fn listed(request: &Request) -> PageRequest {
    let time = request.ended.map(|ended| ((ended - request.started) * 1e4).round() / 10.0);
    PageRequest {
        id: request.id.clone(),
        method: request.method.clone(),
        url: request.url.clone(),
        kind: request.kind.clone(),
        status: request.status,
        mime_type: request.mime_type.clone(),
        size: request.size,
        time_ms: time,
        error: request.failure.clone(),
    }
}

fn body(call: &Call<'_>, id: &str) -> Result<Output, ToolError> {
    let answer =
        call.send("Network.getResponseBody", json!({ "requestId": id })).map_err(|error| {
            match error {
                cdp::CdpError::Refused { message, .. } => ToolError::new(
                    Code::NoMatch,
                    format!("{}: no body of `{id:.60}` is kept: {message:.200}", call.tool),
                )
                .hint("bodies are kept until the page is left"),
                error => call.failed(&error),
            }
        })?;
    let text = answer["body"].as_str().unwrap_or_default().to_owned();
    if answer["base64Encoded"] == true {
        let size = STANDARD.decode(&text).map_or(0, |bytes| bytes.len());
        let note = Some(format!("the body is not text; it has {size} bytes"));
        return Ok(Output { note, ..Output::default() });
    }
    let truncated = text.len() > MAX_VALUE_BYTES;
    Ok(Output { body: Some(clip(text, MAX_VALUE_BYTES)), truncated, ..Output::default() })
}
