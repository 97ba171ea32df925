//! Streamable HTTP.

use std::convert::Infallible;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use http::{HeaderValue, Request, Response, StatusCode};
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpStream;
use workspace::AccessToken;

use super::http_batch;
use super::session_store::SessionFiles;
use crate::MAX_MESSAGE_BYTES;
use crate::handler::Handler;
use crate::shared_state::Server;

/// How long the header of a request may take.
const HEADER_TIMEOUT: Duration = Duration::from_secs(10);
/// The only path.
const PATH: &str = "/mcp";

/// Pages of this machine, such as the Inspector. They need the token, too.
const LOCAL_ORIGINS: &[&str] = &["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"];

pub(super) type Body = BoxBody<Bytes, Infallible>;

/// Serves HTTP connections.
pub(super) struct HttpServer {
    mcp: StreamableHttpService<Handler, LocalSessionManager>,
    token: AccessToken,
}

impl HttpServer {
    pub(super) fn new(server: Arc<Server>, token: AccessToken, secrets: &Path) -> Self {
        // Pages from elsewhere are refused, and names that resolve to loopback other than `localhost`.
        let mut config = StreamableHttpServerConfig::default()
            .with_allowed_origins(LOCAL_ORIGINS.iter().copied())
            .with_max_request_body_bytes(MAX_MESSAGE_BYTES);
        // Clients of the versions with sessions do not notice a restart.
        config.session_store = Some(Arc::new(SessionFiles::new(secrets)));
        let handler = move || Ok(Handler::new(&server));
        let mcp = StreamableHttpService::new(handler, Arc::default(), config);
        Self { mcp, token }
    }

    /// Serves one connection until it ends.
    pub(super) async fn serve(self: &Arc<Self>, stream: TcpStream) -> Result<(), String> {
        let service = service_fn(|request| {
            let server = self.clone();
            async move { Ok::<_, Infallible>(server.answer(request).await) }
        });
        http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(HEADER_TIMEOUT)
            .serve_connection(TokioIo::new(stream), service)
            .await
            .map_err(|error| error.to_string())
    }

    async fn answer(&self, request: Request<Incoming>) -> Response<Body> {
        if request.uri().path() != PATH {
            return status(StatusCode::NOT_FOUND, "the path is /mcp\n");
        }
        let authorization = request.headers().get(AUTHORIZATION);
        let shown = authorization.and_then(|header| {
            let (scheme, token) = header.as_bytes().split_at_checked(b"Bearer ".len())?;
            scheme.eq_ignore_ascii_case(b"Bearer ").then_some(token.trim_ascii())
        });
        if !shown.is_some_and(|shown| self.token.is(shown)) {
            let why = "the header `Authorization: Bearer TOKEN` is missing or wrong; \
                       `tandem mcp` printed the file that holds the token\n";
            let mut response = status(StatusCode::UNAUTHORIZED, why);
            response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
            return response;
        }
        if !http_batch::may_be_batch(&request) {
            return self.mcp.handle(request).await;
        }
        // A body that is too long is one that the service refuses, too.
        let (head, body) = request.into_parts();
        let limited = Limited::new(body, MAX_MESSAGE_BYTES + 1);
        let Ok(body) = limited.collect().await else {
            return status(StatusCode::PAYLOAD_TOO_LARGE, "the message is too long\n");
        };
        let body = body.to_bytes();
        match http_batch::messages(&body) {
            None => self.mcp.handle(Request::from_parts(head, Full::<Bytes>::from(body))).await,
            Some(Err(why)) => status(StatusCode::BAD_REQUEST, why),
            Some(Ok(messages)) => {
                http_batch::answer(&head, messages, |request| self.mcp.handle(request)).await
            }
        }
    }
}

pub(super) fn status(code: StatusCode, why: &'static str) -> Response<Body> {
    let mut response = Response::new(Full::from(why).boxed());
    *response.status_mut() = code;
    response
}
