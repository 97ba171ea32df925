//! Requests: names are looked up, policy decides on every host and address, redirects are followed, failures
//! are retried.
//!
//! A person may be asked in between, which blocks the thread. So the steps alternate: each network step runs to
//! its end on a runtime of this call, each decision is made outside of it. Time that a person takes does not
//! count. Dropping the runtime closes all connections, so nothing outlives the call.

use std::net::{IpAddr, SocketAddr};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use hickory_resolver::TokioResolver;
use http::header::{
    ACCEPT, ACCEPT_ENCODING, ACCEPT_LANGUAGE, CONTENT_LENGTH, CONTENT_TYPE, COOKIE, HOST, LOCATION,
    RETRY_AFTER, USER_AGENT,
};
use http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode, Version};
use serde_json::json;
use tokio::runtime::Runtime;
use tools::{
    Code, Context, Effect, NetworkSettings, Target as EffectTarget, ToolError, approve_more,
};

use crate::address::AddressKind;
use crate::connect::{Tls, connect};
use crate::exchange::{Answer, Message, Timings, Watch, host_header, is_overload, send, uri};
use crate::failure::Failure;
use crate::limits::{FIRST_BACKOFF, INTERRUPT_INTERVAL, MAX_BACKOFF, MAX_REDIRECTS};
use crate::resolve::{addresses, resolver};
use crate::state::NetworkState;
use crate::system;
use crate::target::{Endpoint, Target};

/// How a request is made.
#[derive(Debug, Clone)]
pub(crate) struct Options {
    pub(crate) timeout: Duration,
    pub(crate) follows_redirects: bool,
    /// Attempts after the first, also when the server says that it is overloaded; `None`: two, when the
    /// connection fails.
    pub(crate) retries: Option<u32>,
    /// Whether the request does no harm when it is sent twice, whatever its method. Then any failure of the
    /// server (5xx) is worth another attempt, too.
    pub(crate) is_repeatable: bool,
    pub(crate) version: HttpVersion,
    pub(crate) uses_cookies: bool,
    /// Bytes of the body to read.
    pub(crate) body_limit: usize,
}

/// Which HTTP is spoken.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum HttpVersion {
    /// HTTP/2 if a TLS server offers it.
    #[default]
    Negotiated,
    Http1,
    /// HTTP/2, also without TLS (prior knowledge).
    Http2,
}

/// A response.
pub(crate) struct Reply {
    pub(crate) target: Target,
    pub(crate) status: StatusCode,
    pub(crate) version: Version,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
    /// Why the body is not whole.
    pub(crate) cut: Option<Failure>,
    /// The redirects that led to it: status and URL of each.
    pub(crate) redirects: Vec<(u16, String)>,
    pub(crate) attempts: u32,
    pub(crate) address: SocketAddr,
    pub(crate) timings: Timings,
    /// Time of all steps, without that of approvals.
    pub(crate) total: Duration,
}

/// Makes the requests of one call.
pub(crate) struct Client<'a> {
    context: &'a Context<'a>,
    tool: &'static str,
    runtime: Runtime,
    resolver: Option<TokioResolver>,
    settings: NetworkSettings,
    /// Targets that policy has allowed.
    granted: Vec<EffectTarget>,
    timeout: Duration,
    spent: Duration,
}

/// Attempts after the first when the connection fails.
const DEFAULT_RETRIES: u32 = 2;

impl<'a> Client<'a> {
    /// A client for a call whose effects, on which policy has decided, include `granted`.
    pub(crate) fn new(
        context: &'a Context<'a>,
        tool: &'static str,
        granted: Effect,
        timeout: Duration,
    ) -> Result<Self, ToolError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| {
            ToolError::new(Code::Io, format!("{tool}: no network runtime: {error}"))
        })?;
        let settings = context.session.policy.network_settings();
        let granted = vec![granted.target];
        let (resolver, spent) = (None, Duration::ZERO);
        Ok(Self { context, tool, runtime, resolver, settings, granted, timeout, spent })
    }

    /// Makes a request and reads the response.
    pub(crate) fn fetch(
        &mut self,
        target: Target,
        message: Message,
        options: &Options,
    ) -> Result<Reply, ToolError> {
        self.fetch_watched(target, message, options, &mut |_| true)
    }

    /// Makes a request and reads the response as far as `watch` wants it.
    pub(crate) fn fetch_watched(
        &mut self,
        target: Target,
        message: Message,
        options: &Options,
        watch: Watch<'_>,
    ) -> Result<Reply, ToolError> {
        let (mut target, mut message) = (target, message);
        let mut redirects: Vec<(u16, String)> = Vec::new();
        let mut attempts = 0;
        loop {
            let hop = self.hop(&target, &message, options, &mut attempts)?;
            let Hop { mut answer, address, timings } = hop;
            if options.uses_cookies {
                self.state().store_cookies(&target.url, &answer.headers);
            }
            let location = answer.headers.get(LOCATION).cloned();
            let location =
                location.filter(|_| is_redirect(answer.status) && options.follows_redirects);
            if let Some(location) = location {
                if redirects.len() >= MAX_REDIRECTS {
                    let message = format!("{}: more than {MAX_REDIRECTS} redirects", self.tool);
                    return Err(ToolError::new(Code::Unsupported, message)
                        .hint("`follow_redirects: false` returns the first one"));
                }
                let location = location.to_str().unwrap_or("\u{fffd}");
                let next = target.redirected(self.tool, location)?;
                redirects.push((answer.status.as_u16(), next.url.to_string()));
                redirect(answer.status, &mut message, target.is_same_origin(&next));
                drop(answer);
                let effect = next.endpoint.effect();
                self.permit(vec![effect], &target, &next)?;
                target = next;
                continue;
            }
            let left = self.timeout.saturating_sub(self.spent);
            let (timeout, interrupt) = (self.timeout, self.context.interrupt);
            let started = Instant::now();
            let end = ended(left, timeout, interrupt);
            let read = self.runtime.block_on(answer.read(options.body_limit, end, watch));
            self.spent += started.elapsed();
            let read = read.map_err(|failure| failure.of(self.tool))?;
            if let Some(Failure::Cancelled) = read.cut {
                return Err(Failure::Cancelled.of(self.tool));
            }
            return Ok(Reply {
                target,
                status: answer.status,
                version: answer.version,
                headers: answer.headers,
                body: read.bytes,
                cut: read.cut,
                redirects,
                attempts,
                address,
                timings,
                total: self.spent,
            });
        }
    }

    /// Sends one request until it is answered or all attempts are used up.
    fn hop(
        &mut self,
        target: &Target,
        message: &Message,
        options: &Options,
        attempts: &mut u32,
    ) -> Result<Hop, ToolError> {
        let retries = if options.is_repeatable || is_idempotent(&message.method) {
            options.retries.unwrap_or(DEFAULT_RETRIES)
        } else {
            0
        };
        let (route, dns) = self.route(target)?;
        let message = self.complete(target, message, options)?;
        let mut backoff = FIRST_BACKOFF;
        for attempt in 0.. {
            *attempts += 1;
            let is_last = attempt >= retries;
            let wait = match self.attempt(target, &route, &message, options) {
                Ok(mut hop) => {
                    let status = hop.answer.status;
                    let is_retried = options.retries.is_some() && is_overload(status)
                        || options.is_repeatable && status.is_server_error();
                    if is_last || !is_retried {
                        hop.timings.dns = dns;
                        return Ok(hop);
                    }
                    retry_after(&hop.answer.headers).unwrap_or(backoff)
                }
                Err(failure) if failure.is_transient() && !is_last => backoff,
                Err(failure) => return Err(failure.of(self.tool)),
            };
            self.step(async {
                tokio::time::sleep(wait.min(MAX_BACKOFF)).await;
                Ok(())
            })
            .map_err(|failure| failure.of(self.tool))?;
            backoff *= 2;
        }
        Err(Failure::Timeout(self.timeout.as_millis()).of(self.tool))
    }

    /// One attempt at a request.
    fn attempt(
        &mut self,
        target: &Target,
        route: &Route,
        message: &Message,
        options: &Options,
    ) -> Result<Hop, Failure> {
        let tls = if target.is_https() {
            let host = target.endpoint.to_string();
            let config = system::tls().map_err(|why| Failure::Tls { host, why })?;
            let protocols: &[&[u8]] = match options.version {
                HttpVersion::Negotiated => &[b"h2", b"http/1.1"],
                HttpVersion::Http1 => &[b"http/1.1"],
                HttpVersion::Http2 => &[b"h2"],
            };
            Some(Tls::offering(&config, protocols))
        } else {
            None
        };
        let is_absolute = route.proxy.is_some() && tls.is_none();
        let tunnel =
            if is_absolute { None } else { route.proxy.as_ref().map(|_| &target.endpoint) };
        let host = target.endpoint.to_string();
        self.step(async {
            let endpoint = route.proxy.as_ref().unwrap_or(&target.endpoint);
            let mut connection = connect(endpoint, &route.addresses, tls, tunnel).await?;
            connection.is_http2 |= options.version == HttpVersion::Http2;
            let address = connection.address;
            let is_whole = is_absolute || connection.is_http2;
            let uri = uri(target, is_whole)
                .map_err(|why| Failure::Protocol { host: host.clone(), why })?;
            let (connect, tls) = (connection.connect, connection.tls);
            let answer = send(connection, &host, uri, message).await?;
            let timings = Timings { dns: None, connect, tls, first_byte: answer.first_byte };
            Ok(Hop { answer, address, timings })
        })
    }

    /// The addresses to connect to for a target, all of which policy has allowed.
    fn route(&mut self, target: &Target) -> Result<(Route, Option<Duration>), ToolError> {
        let known = target.endpoint.host.known_addresses();
        let is_public =
            known.iter().flatten().all(|address| AddressKind::of(*address) == AddressKind::Public);
        if let (Some(proxy), true) = (self.settings.proxy.clone(), is_public) {
            // The person named it, so its address needs no approval. It resolves the names itself.
            let proxy = Target::parse(self.tool, &proxy)?.endpoint;
            let (addresses, dns) = self.resolve(&proxy)?;
            return Ok((Route { addresses, proxy: Some(proxy) }, dns));
        }
        let (addresses, dns) = self.checked_addresses(&target.endpoint)?;
        Ok((Route { addresses, proxy: None }, dns))
    }

    /// The addresses of a host that policy allows connecting to, and how long the lookup took.
    pub(crate) fn checked_addresses(
        &mut self,
        endpoint: &Endpoint,
    ) -> Result<(Vec<IpAddr>, Option<Duration>), ToolError> {
        let (mut found, dns) = self.resolve(endpoint)?;
        if dns.is_none() {
            // The effect of the host itself says what its address is.
            return Ok((found, dns));
        }
        // A name with public addresses needs no others, and should have none.
        if found.iter().any(|address| AddressKind::of(*address) == AddressKind::Public) {
            found.retain(|address| AddressKind::of(*address) == AddressKind::Public);
            return Ok((found, dns));
        }
        let effects = found.iter().filter_map(|address| endpoint.effect_at(*address)).collect();
        self.decide(effects, &json!({ "host": endpoint.to_string(), "addresses": found }))?;
        Ok((found, dns))
    }

    fn resolve(
        &mut self,
        endpoint: &Endpoint,
    ) -> Result<(Vec<IpAddr>, Option<Duration>), ToolError> {
        if let Some(known) = endpoint.host.known_addresses() {
            return Ok((known, None));
        }
        let resolver = match &self.resolver {
            Some(resolver) => resolver.clone(),
            None => self.resolver.insert(resolver(self.tool, &self.settings)?).clone(),
        };
        let started = Instant::now();
        let found = self.step(addresses(&resolver, &endpoint.host.to_string()));
        let found = found.map_err(|failure| failure.of(self.tool))?;
        Ok((found, Some(started.elapsed())))
    }

    /// Lets policy decide on a redirect.
    fn permit(
        &mut self,
        effects: Vec<Effect>,
        from: &Target,
        to: &Target,
    ) -> Result<(), ToolError> {
        let detail = format!("redirected by {}\nto {}", from.url, to.url);
        let effects =
            effects.into_iter().map(|effect| effect.with_detail(detail.clone())).collect();
        self.decide(effects, &json!({ "url": to.url.as_str(), "redirected_by": from.url.as_str() }))
    }

    /// Lets policy decide on effects, unless it has.
    fn decide(
        &mut self,
        mut effects: Vec<Effect>,
        params: &serde_json::Value,
    ) -> Result<(), ToolError> {
        effects.retain(|effect| !self.granted.contains(&effect.target));
        if effects.is_empty() {
            return Ok(());
        }
        approve_more(self.context, self.tool, params, &effects)?;
        self.granted.extend(effects.into_iter().map(|effect| effect.target));
        Ok(())
    }

    /// Runs one step to its end, to the end of the call's time, or until it is cancelled.
    pub(crate) fn step<T>(
        &mut self,
        work: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        let left = self.timeout.saturating_sub(self.spent);
        let end = ended(left, self.timeout, self.context.interrupt);
        let started = Instant::now();
        let result = self.runtime.block_on(async {
            tokio::select! {
                result = work => result,
                failure = end => Err(failure),
            }
        });
        self.spent += started.elapsed();
        result
    }

    /// The message with the headers that every request has.
    fn complete(
        &self,
        target: &Target,
        message: &Message,
        options: &Options,
    ) -> Result<Message, ToolError> {
        let mut message = message.clone();
        let headers = &mut message.headers;
        let default = |headers: &mut HeaderMap, name: HeaderName, value: &'static str| {
            headers.entry(name).or_insert_with(|| HeaderValue::from_static(value));
        };
        default(headers, USER_AGENT, concat!("tandem/", env!("CARGO_PKG_VERSION")));
        default(headers, ACCEPT, "*/*");
        default(headers, ACCEPT_ENCODING, "gzip, br");
        let host = host_header(target).map_err(|error| {
            let message = format!("{}: {}: {error}", self.tool, target.endpoint);
            ToolError::new(Code::InvalidParams, message)
        })?;
        headers.insert(HOST, host);
        if options.uses_cookies
            && !headers.contains_key(COOKIE)
            && let Some(cookies) = self.state().cookies_for(&target.url)
        {
            headers.insert(COOKIE, cookies);
        }
        let takes_body = [Method::POST, Method::PUT, Method::PATCH].contains(&message.method);
        if !message.body.is_empty() || takes_body {
            headers.insert(CONTENT_LENGTH, HeaderValue::from(message.body.len()));
        }
        Ok(message)
    }

    fn state(&self) -> &'a NetworkState {
        self.context.session.family::<NetworkState>()
    }
}

/// The answer to one request, before its body.
struct Hop {
    answer: Answer,
    address: SocketAddr,
    timings: Timings,
}

/// Where a request's connection leads.
struct Route {
    addresses: Vec<IpAddr>,
    proxy: Option<Endpoint>,
}

/// Ready when the time is over or the call is cancelled.
async fn ended(left: Duration, timeout: Duration, interrupt: &AtomicBool) -> Failure {
    let end = tokio::time::Instant::now() + left;
    loop {
        if interrupt.load(Ordering::Relaxed) {
            return Failure::Cancelled;
        }
        let now = tokio::time::Instant::now();
        if now >= end {
            return Failure::Timeout(timeout.as_millis());
        }
        tokio::time::sleep_until(end.min(now + INTERRUPT_INTERVAL)).await;
    }
}

fn is_redirect(status: StatusCode) -> bool {
    matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308)
}

/// Whether the same request may be sent twice (RFC 9110).
fn is_idempotent(method: &Method) -> bool {
    [Method::GET, Method::HEAD, Method::OPTIONS, Method::TRACE, Method::PUT, Method::DELETE]
        .contains(method)
}

/// The wait that a server asks for. A date is not understood: clocks differ.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers.get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}

/// Headers that another host gets, too.
const HEADERS_FOR_ANYONE: &[HeaderName] =
    &[ACCEPT, ACCEPT_ENCODING, ACCEPT_LANGUAGE, CONTENT_TYPE, USER_AGENT];

/// Changes a message as a redirect requires (RFC 9110). What may be secret stays with its host.
fn redirect(status: StatusCode, message: &mut Message, is_same_origin: bool) {
    let becomes_get = match status.as_u16() {
        303 => message.method != Method::HEAD,
        301 | 302 => message.method == Method::POST,
        _ => false,
    };
    if becomes_get {
        message.method = Method::GET;
        message.body = hyper::body::Bytes::new();
        message.headers.remove(CONTENT_TYPE);
    }
    if !is_same_origin {
        let names: Vec<HeaderName> = message.headers.keys().cloned().collect();
        for name in names.iter().filter(|name| !HEADERS_FOR_ANYONE.contains(name)) {
            message.headers.remove(name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(method: Method) -> Message {
        let headers = [(CONTENT_TYPE, "a/b"), (http::header::AUTHORIZATION, "x"), (ACCEPT, "c/d")];
        let headers = headers.map(|(name, value)| (name, HeaderValue::from_static(value)));
        Message { method, headers: headers.into_iter().collect(), body: "body".into() }
    }

    #[test]
    fn redirects_keep_secrets_and_change_methods() {
        for (status, method, wanted) in [
            (301, Method::POST, Method::GET),
            (302, Method::POST, Method::GET),
            (302, Method::PUT, Method::PUT),
            (303, Method::PUT, Method::GET),
            (303, Method::HEAD, Method::HEAD),
            (307, Method::POST, Method::POST),
            (308, Method::POST, Method::POST),
        ] {
            let mut sent = message(method.clone());
            redirect(StatusCode::from_u16(status).unwrap(), &mut sent, true);
            assert_eq!(sent.method, wanted, "{status} {method}");
            assert_eq!(sent.body.is_empty(), wanted != method);
            assert!(sent.headers.contains_key(http::header::AUTHORIZATION));
        }
        let mut sent = message(Method::GET);
        redirect(StatusCode::FOUND, &mut sent, false);
        let names: Vec<_> = sent.headers.keys().map(HeaderName::as_str).collect();
        assert_eq!(names, ["content-type", "accept"]);
    }
}
