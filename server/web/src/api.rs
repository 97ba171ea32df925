//! Requests of other families to servers that the person configured.

use std::time::Duration;

use http::header::LOCATION;
use http::{HeaderMap, Method};
use tools::{Code, Context, ToolError};

use crate::client::{Client, HttpVersion, Options};
use crate::exchange::Message;
use crate::target::Target;

/// A request that does no harm when it is sent twice.
pub struct ApiRequest<'r> {
    /// Where it goes. Redirects are not followed: its key is for this host.
    pub target: &'r Target,
    /// GET or POST.
    pub method: Method,
    /// Headers in addition to those that every request has.
    pub headers: HeaderMap,
    /// The body.
    pub body: Vec<u8>,
    /// Time for all attempts and the whole answer.
    pub timeout: Duration,
    /// Attempts after the first, if the connection fails or the server is overloaded or fails.
    pub retries: u32,
    /// Bytes of the answer's body to read.
    pub max_bytes: usize,
}

/// An answer.
pub struct ApiReply {
    /// The status code.
    pub status: u16,
    /// Its headers.
    pub headers: HeaderMap,
    /// The body, decompressed, as far as it was read.
    pub body: Vec<u8>,
    /// Why the body is not whole, although all of it was wanted.
    pub cut: Option<(Code, String)>,
}

impl ApiReply {
    /// Where a redirect leads.
    #[must_use]
    pub fn location(&self) -> Option<&str> {
        self.headers.get(LOCATION)?.to_str().ok()
    }
}

/// Makes a request for a call whose effects include that of its host. `watch` gets all of the body that has been
/// read each time that more arrives, and ends the reading with false.
///
/// # Errors
/// If there is no answer. Any status is an answer.
pub fn call_api(
    context: &Context<'_>,
    tool: &'static str,
    request: ApiRequest<'_>,
    watch: &mut dyn FnMut(&[u8]) -> bool,
) -> Result<ApiReply, ToolError> {
    let options = Options {
        timeout: request.timeout,
        follows_redirects: false,
        retries: Some(request.retries),
        is_repeatable: true,
        version: HttpVersion::Negotiated,
        uses_cookies: false,
        body_limit: request.max_bytes,
    };
    let ApiRequest { target, method, headers, body, timeout, .. } = request;
    let message = Message { method, headers, body: body.into() };
    let mut client = Client::new(context, tool, target.endpoint.effect(), timeout)?;
    let reply = client.fetch_watched(target.clone(), message, &options, watch)?;
    let cut = reply.cut.map(|failure| {
        let message = failure.to_string();
        (failure.of(tool).code, message)
    });
    Ok(ApiReply { status: reply.status.as_u16(), headers: reply.headers, body: reply.body, cut })
}
