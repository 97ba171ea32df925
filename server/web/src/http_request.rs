//! `http_request`: one HTTP request.

use std::collections::BTreeMap;
use std::time::Duration;

use http::{HeaderMap, StatusCode, Version};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tools::{
    Code, Context, Effect, EffectKind, StoredFile, Tool, ToolError, storage_effect, storage_path,
    store_bytes,
};

use crate::body;
use crate::client::{Client, HttpVersion, Options, Reply};
use crate::exchange::{Message, Timings};
use crate::limits::{
    DEFAULT_TIMEOUT, MAX_READ_BODY_BYTES, MAX_RETRIES, MAX_SHOWN_BODY_BYTES, MAX_STORED_BODY_BYTES,
    MAX_TIMEOUT,
};
use crate::request_body::{Given, Part};
use crate::request_headers;
use crate::result_text;
use crate::state::NetworkState;
use crate::target::Target;

pub(crate) struct HttpRequest;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The URL, with http:// or https://.
    url: String,
    /// The method.
    #[serde(default = "get")]
    method: String,
    /// Request headers.
    #[serde(default)]
    headers: BTreeMap<String, String>,
    /// Request body.
    #[serde(default)]
    body: Option<String>,
    /// A JSON body, instead.
    #[serde(default)]
    #[schemars(schema_with = "json_body")]
    json: Option<Value>,
    /// Fields of a form, instead.
    #[serde(default)]
    form: BTreeMap<String, String>,
    /// Parts of a multipart form, instead.
    #[serde(default)]
    multipart: Vec<Part>,
    /// A file of the workspace as the body, instead.
    #[serde(default)]
    body_path: Option<String>,
    /// Store the response's body in this file instead of returning it.
    #[serde(default)]
    save_to: Option<String>,
    /// Replace that file if it exists.
    #[serde(default)]
    overwrite: bool,
    /// Time for the whole request in milliseconds, at most 600,000; 30,000 by default.
    #[serde(default)]
    timeout_ms: Option<u64>,
    /// Follow redirects, at most 10. Each new host needs approval.
    #[serde(default = "yes")]
    follow_redirects: bool,
    /// Attempts after the first for GET, HEAD, OPTIONS, PUT and DELETE, at most 5, also if the server is
    /// overloaded (429, 502, 503, 504). By default 2, and only if the connection fails.
    #[serde(default)]
    retries: Option<u32>,
    /// By default HTTP/2 if a TLS server offers it.
    #[serde(default)]
    http_version: Version_,
    /// Send and keep the session's cookies.
    #[serde(default = "yes")]
    cookies: bool,
    /// `next_cursor` of a response, for more of its body. Nothing is requested.
    #[serde(default)]
    cursor: Option<String>,
}

/// The parameter `http_version`.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
enum Version_ {
    /// By negotiation.
    #[default]
    #[serde(rename = "auto")]
    Auto,
    #[serde(rename = "1.1")]
    Http1,
    #[serde(rename = "2")]
    Http2,
}

fn get() -> String {
    "GET".to_owned()
}

fn yes() -> bool {
    true
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Status code.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    /// The URL that answered, if redirects led to another.
    #[serde(skip_serializing_if = "Option::is_none")]
    final_url: Option<String>,
    /// The redirects that were followed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    redirects: Vec<Redirect>,
    /// Response headers, names in lower case. Several values of one name are joined by `, `, cookies by
    /// line ends.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    headers: BTreeMap<String, String>,
    /// The body as text; null if it is not text, or was stored.
    body: Option<String>,
    /// Size of the body in bytes, decompressed.
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<usize>,
    /// The file in which the body was stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    saved: Option<StoredFile>,
    /// Whether `body` ends before the response's body does.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
    /// Pass as `cursor` to continue.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
    /// What is odd about the body.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    /// Attempts, if more than one.
    #[serde(skip_serializing_if = "Option::is_none")]
    attempts: Option<u32>,
    /// `HTTP/1.1` or `HTTP/2`.
    #[serde(skip_serializing_if = "Option::is_none")]
    http_version: Option<&'static str>,
    /// The address that was connected to.
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<String>,
    /// How long it took.
    #[serde(skip_serializing_if = "Option::is_none")]
    timings: Option<TimingsOutput>,
    /// Id of the action in the history, if a file was stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    action: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Redirect {
    /// Status code.
    status: u16,
    /// Where it led.
    url: String,
}

/// Times in milliseconds.
#[derive(Serialize, JsonSchema)]
pub(crate) struct TimingsOutput {
    /// The lookup of the name, if there was one.
    #[serde(skip_serializing_if = "Option::is_none")]
    dns_ms: Option<f64>,
    /// The connection.
    connect_ms: f64,
    /// The TLS handshake.
    #[serde(skip_serializing_if = "Option::is_none")]
    tls_ms: Option<f64>,
    /// From sending the request to the response's headers.
    first_byte_ms: f64,
    /// Everything, redirects and attempts included, without waiting for approval.
    total_ms: f64,
}

impl TimingsOutput {
    fn new(timings: &Timings, total: Duration) -> Self {
        let ms = |time: Duration| (time.as_secs_f64() * 100_000.0).round() / 100.0;
        Self {
            dns_ms: timings.dns.map(ms),
            connect_ms: ms(timings.connect),
            tls_ms: timings.tls.map(ms),
            first_byte_ms: ms(timings.first_byte),
            total_ms: ms(total),
        }
    }
}

/// The time for a call.
pub(crate) fn timeout(tool: &str, milliseconds: Option<u64>) -> Result<Duration, ToolError> {
    let time = milliseconds.map_or(DEFAULT_TIMEOUT, Duration::from_millis);
    if time.is_zero() || time > MAX_TIMEOUT {
        let message = format!("{tool}: `timeout_ms` must be from 1 to {}", MAX_TIMEOUT.as_millis());
        return Err(ToolError::new(Code::InvalidParams, message));
    }
    Ok(time)
}

impl Params {
    fn given(&self) -> Given<'_> {
        Given {
            tool: HttpRequest::NAME,
            body: self.body.as_deref(),
            json: self.json.as_ref(),
            form: &self.form,
            multipart: &self.multipart,
            path: self.body_path.as_deref(),
        }
    }

    /// Checks all parameters, and parses the URL and the headers.
    fn check(&self) -> Result<(Target, HeaderMap), ToolError> {
        let tool = HttpRequest::NAME;
        let target = Target::parse(tool, &self.url)?;
        request_headers::method(tool, &self.method)?;
        let headers = request_headers::parse(tool, &self.headers)?;
        self.given().check()?;
        timeout(tool, self.timeout_ms)?;
        if self.retries.is_some_and(|retries| retries > MAX_RETRIES) {
            let message = format!("{tool}: `retries` must be at most {MAX_RETRIES}");
            return Err(ToolError::new(Code::InvalidParams, message));
        }
        Ok((target, headers))
    }

    /// The request as a person sees it.
    fn shown(&self, target: &Target) -> String {
        let mut shown = format!("{} {}\n", self.method.to_uppercase(), target.url);
        for (name, value) in &self.headers {
            shown.push_str(&format!("{name}: {value}\n"));
        }
        let body = self.given().shown();
        if body.len() > MAX_SHOWN_BODY_BYTES {
            let end = body.floor_char_boundary(MAX_SHOWN_BODY_BYTES);
            shown.push_str(&body[..end]);
            // The start of this line makes policy offer single approvals only.
            shown.push_str(&format!("\n[left out: {} bytes]", body.len() - end));
        } else {
            shown.push_str(&body);
        }
        shown.trim_end().to_owned()
    }
}

/// The schema of any JSON value. Some clients reject a schema without a type, and lists of types.
fn json_body(_: &mut SchemaGenerator) -> Schema {
    let kinds = ["object", "array", "string", "number", "boolean"];
    json_schema!({ "anyOf": kinds.map(|kind| json!({ "type": kind })) })
}

impl Tool for HttpRequest {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "http_request";
    const DESCRIPTION: &'static str = "Send an HTTP request and return status, headers and body; \
        `save_to` stores the body as a file. Any status is a result. Each host needs approval. Prefer \
        `web_fetch` to read a page.";
    const EFFECTS: &'static [EffectKind] =
        &[EffectKind::Network, EffectKind::Read, EffectKind::Write];
    const LOCKS_LATE: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[
        ("uri", "url"),
        ("data", "body"),
        ("timeout", "timeout_ms"),
        ("output_path", "save_to"),
        ("max_retries", "retries"),
    ];
    const VERBOSE_FIELDS: &'static [&'static str] = &["http_version", "address", "timings"];

    fn text(result: &Value) -> Option<String> {
        Some(result_text::response(result))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let (target, _) = params.check()?;
        if params.cursor.is_some() {
            return Ok(Vec::new());
        }
        let mut effects = vec![target.endpoint.effect().with_detail(params.shown(&target))];
        effects.extend(params.given().effects(context)?);
        let path = params.save_to.as_deref();
        effects.extend(storage_effect(context, Self::NAME, path, params.overwrite)?);
        Ok(effects)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let tool = Self::NAME;
        let state = context.session.family::<NetworkState>();
        let (target, mut headers) = params.check()?;
        if let Some(cursor) = &params.cursor {
            let page = state.next_page(tool, target.url.as_str(), cursor)?;
            return Ok(Output {
                body: Some(page.text),
                truncated: page.next_cursor.is_some(),
                next_cursor: page.next_cursor,
                ..Output::empty()
            });
        }
        let body = params.given().read(context)?;
        if let Some(kind) = body.content_type {
            headers.entry(http::header::CONTENT_TYPE).or_insert(kind);
        }
        let message = Message {
            method: request_headers::method(tool, &params.method)?,
            headers,
            body: body.bytes,
        };
        let options = Options {
            timeout: timeout(tool, params.timeout_ms)?,
            follows_redirects: params.follow_redirects,
            retries: params.retries,
            is_repeatable: false,
            version: match params.http_version {
                Version_::Auto => HttpVersion::Negotiated,
                Version_::Http1 => HttpVersion::Http1,
                Version_::Http2 => HttpVersion::Http2,
            },
            uses_cookies: params.cookies,
            body_limit: if params.save_to.is_some() {
                MAX_STORED_BODY_BYTES
            } else {
                MAX_READ_BODY_BYTES
            },
        };
        let effect = target.endpoint.effect();
        let mut client = Client::new(context, tool, effect, options.timeout)?;
        let what = target.url.to_string();
        let reply = client.fetch(target, message, &options)?;
        drop(client);
        match &params.save_to {
            None => Ok(Output::read(state, &what, reply)),
            Some(path) => {
                let path = storage_path(context, tool, path, params.overwrite)?;
                Output::stored(context, &path, params.overwrite, reply)
            }
        }
    }
}

impl Output {
    fn empty() -> Self {
        Self {
            status: None,
            final_url: None,
            redirects: Vec::new(),
            headers: BTreeMap::new(),
            body: None,
            size: None,
            saved: None,
            truncated: false,
            next_cursor: None,
            note: None,
            attempts: None,
            http_version: None,
            address: None,
            timings: None,
            action: None,
        }
    }

    /// All but the body.
    fn head(reply: &Reply) -> Self {
        let redirects = reply.redirects.iter();
        let redirects =
            redirects.map(|(status, url)| Redirect { status: *status, url: url.clone() }).collect();
        Self {
            status: Some(reply.status.as_u16()),
            final_url: (!reply.redirects.is_empty()).then(|| reply.target.url.to_string()),
            redirects,
            headers: header_texts(&reply.headers),
            size: Some(reply.body.len()),
            attempts: (reply.attempts as usize > 1 + reply.redirects.len())
                .then_some(reply.attempts),
            http_version: Some(if reply.version == Version::HTTP_2 {
                "HTTP/2"
            } else {
                "HTTP/1.1"
            }),
            address: Some(reply.address.to_string()),
            timings: Some(TimingsOutput::new(&reply.timings, reply.total)),
            ..Self::empty()
        }
    }

    fn read(state: &NetworkState, what: &str, reply: Reply) -> Self {
        let head = Self::head(&reply);
        let cut = reply.cut.map(|failure| format!("the body is not whole: {failure}"));
        if reply.body.is_empty() {
            return Self { body: Some(String::new()), truncated: cut.is_some(), note: cut, ..head };
        }
        match body::text(&reply.headers, &reply.body) {
            Some(text) => {
                let page = state.first_page(what, &text);
                Self {
                    body: Some(page.text),
                    truncated: page.next_cursor.is_some() || cut.is_some(),
                    next_cursor: page.next_cursor,
                    note: cut,
                    ..head
                }
            }
            None => {
                let note = "the body is not text; `save_to` stores it".to_owned();
                let note = cut.map_or(note.clone(), |cut| format!("{note}; {cut}"));
                Self { note: Some(note), ..head }
            }
        }
    }

    fn stored(
        context: &Context<'_>,
        path: &workspace::FilePath,
        overwrite: bool,
        reply: Reply,
    ) -> Result<Self, ToolError> {
        let tool = HttpRequest::NAME;
        if let Some(failure) = reply.cut {
            return Err(failure.of(tool));
        }
        let head = Self::head(&reply);
        if !is_worth_storing(reply.status) {
            let note = "nothing was stored, because the status is an error".to_owned();
            let text = body::text(&reply.headers, &reply.body);
            let text = text.map(|text| text.chars().take(2_000).collect());
            return Ok(Self { body: text, note: Some(note), ..head });
        }
        let saved = store_bytes(context, tool, path, reply.body, overwrite)?;
        Ok(Self { action: saved.action.clone(), saved: Some(saved), ..head })
    }
}

/// Whether the body is what was asked for, not an explanation why it is not.
pub(crate) fn is_worth_storing(status: StatusCode) -> bool {
    !status.is_client_error() && !status.is_server_error()
}

/// Headers as texts.
fn header_texts(headers: &HeaderMap) -> BTreeMap<String, String> {
    let mut texts: BTreeMap<String, String> = BTreeMap::new();
    for (name, value) in headers {
        let value = String::from_utf8_lossy(value.as_bytes());
        let separator = if name == http::header::SET_COOKIE { "\n" } else { ", " };
        texts
            .entry(name.as_str().to_owned())
            .and_modify(|text| {
                text.push_str(separator);
                text.push_str(&value);
            })
            .or_insert_with(|| value.into_owned());
    }
    texts
}
