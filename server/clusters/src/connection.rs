//! Requests to the server of a cluster, over one connection that is kept for a call.
//!
//! `web` resolves the name and lets policy decide on the addresses. Its own requests have a connection each, which
//! would be a handshake for every object here.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE, HOST, USER_AGENT};
use http::{HeaderValue, Method, Request};
use http_body_util::{BodyExt, Full};
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::runtime::Runtime;
use tokio_rustls::TlsConnector;
use tools::{Code, Context, ToolError};
use web::HostName;

use crate::access::Access;
use crate::failure::Failure;
use crate::limits::{CONNECT_TIMEOUT, MAX_ANSWER_BYTES, POLL};

/// A byte stream to a server.
trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// A connection to a cluster, for one call.
pub(crate) struct Connection<'c> {
    runtime: Runtime,
    sender: Option<SendRequest<Full<Bytes>>>,
    addresses: Vec<IpAddr>,
    port: u16,
    host: HostName,
    tls: Option<(Arc<ClientConfig>, ServerName<'static>)>,
    host_header: HeaderValue,
    authorization: Option<HeaderValue>,
    /// The path of the server's URL, which all paths begin with.
    base: String,
    interrupt: &'c AtomicBool,
    timeout: Duration,
    end: Instant,
}

/// An answer.
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Bytes,
}

impl<'c> Connection<'c> {
    /// Prepares a connection to a cluster that policy has decided on; it is made by the first request.
    pub(crate) fn new(
        context: &'c Context<'_>,
        tool: &'static str,
        access: &Access,
        timeout: Duration,
    ) -> Result<Self, ToolError> {
        let unusable = |why: String| {
            ToolError::new(
                Code::Unavailable,
                format!("{tool}: the context {}: {why}", access.context()),
            )
        };
        let end = Instant::now() + timeout;
        let endpoint = &access.target.endpoint;
        let addresses =
            web::checked_addresses(context, tool, endpoint, CONNECT_TIMEOUT.min(timeout))?;
        let url = &access.target.url;
        let tls = if url.scheme() == "https" {
            let config = tls(tool, access).map_err(|error| match error {
                TlsError::Config(why) => unusable(why),
                TlsError::Machine(error) => error,
            })?;
            let name = match (&access.resolved.server_name, &endpoint.host) {
                (Some(name), _) | (None, HostName::Name(name)) => {
                    ServerName::try_from(name.clone())
                        .map_err(|error| unusable(error.to_string()))?
                }
                (None, HostName::Address(address)) => ServerName::from(*address),
            };
            Some((config, name))
        } else {
            None
        };
        let header = |text: &str| {
            HeaderValue::from_str(text)
                .map_err(|_| unusable("its credentials are no header".to_owned()))
        };
        let mut authorization = access.resolved.authorization.as_deref().map(header).transpose()?;
        if let Some(value) = &mut authorization {
            value.set_sensitive(true);
        }
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|error| unusable(format!("no runtime: {error}")))?;
        Ok(Self {
            runtime,
            sender: None,
            addresses,
            port: endpoint.port,
            host: endpoint.host.clone(),
            tls,
            host_header: header(&endpoint.to_string())?,
            authorization,
            base: url.path().trim_end_matches('/').to_owned(),
            interrupt: context.interrupt,
            timeout,
            end,
        })
    }

    /// Sends a request and reads the whole answer.
    pub(crate) fn request(
        &mut self,
        method: &Method,
        path: &str,
        accept: &'static str,
        body: Option<(&'static str, Bytes)>,
    ) -> Result<Answer, Failure> {
        let request = || {
            let mut builder = Request::builder()
                .method(method)
                .uri(format!("{}{path}", self.base))
                .header(HOST, self.host_header.clone())
                .header(ACCEPT, accept)
                .header(USER_AGENT, concat!("tandem/", env!("CARGO_PKG_VERSION")));
            if let Some(authorization) = &self.authorization {
                builder = builder.header(AUTHORIZATION, authorization.clone());
            }
            let content = match &body {
                Some((kind, content)) => {
                    builder = builder.header(CONTENT_TYPE, *kind);
                    content.clone()
                }
                None => Bytes::new(),
            };
            builder.body(Full::new(content)).map_err(|error| Failure::Protocol(error.to_string()))
        };
        let (mut first, mut second) = (Some(request()?), Some(request()?));
        let was_open = self.sender.as_ref().is_some_and(SendRequest::is_ready);
        if !was_open {
            self.connect()?;
        }
        match self.send(&mut first) {
            // The server had closed the idle connection; nothing of the request was read.
            Err((_, true)) if was_open => {
                self.connect()?;
                self.send(&mut second).map_err(|(failure, _)| failure)
            }
            other => other.map_err(|(failure, _)| failure),
        }
    }

    /// Time that is left for the call.
    pub(crate) fn left(&self) -> Duration {
        self.end.saturating_duration_since(Instant::now())
    }

    /// Waits, unless the call ends before.
    pub(crate) fn sleep(&mut self, time: Duration) -> Result<(), Failure> {
        let limit = self.limit();
        limit.run(&self.runtime, async {
            tokio::time::sleep(time).await;
            Ok(())
        })
    }

    fn limit(&self) -> Limit<'c> {
        Limit { interrupt: self.interrupt, timeout: self.timeout, end: self.end }
    }

    fn connect(&mut self) -> Result<(), Failure> {
        let work = async {
            let connected = connect(&self.host, self.port, &self.addresses, self.tls.as_ref());
            let stream =
                tokio::time::timeout(CONNECT_TIMEOUT, connected).await.map_err(|_| {
                    Failure::Connect(format!("{}:{} does not answer", self.host, self.port))
                })??;
            let mut builder = http1::Builder::new();
            builder.max_buf_size(64 << 10);
            let (sender, connection) = builder
                .handshake(TokioIo::new(stream))
                .await
                .map_err(|error| Failure::Connect(error.to_string()))?;
            // It ends with the runtime of the call.
            tokio::spawn(connection);
            Ok(sender)
        };
        let sender = self.limit().run(&self.runtime, work)?;
        self.sender = Some(sender);
        Ok(())
    }

    /// Sends a request; a failure says whether nothing was sent.
    fn send(
        &mut self,
        request: &mut Option<Request<Full<Bytes>>>,
    ) -> Result<Answer, (Failure, bool)> {
        let limit = self.limit();
        let (Some(request), Some(sender)) = (request.take(), &mut self.sender) else {
            return Err((Failure::Broken("no connection".to_owned()), true));
        };
        let mut is_unsent = false;
        let work = async {
            let response = sender.send_request(request).await.map_err(|error| {
                is_unsent = error.is_canceled() || error.is_closed();
                Failure::Broken(error.to_string())
            })?;
            let status = response.status().as_u16();
            let mut incoming = response.into_body();
            let mut body = Vec::new();
            while let Some(frame) = incoming.frame().await {
                let frame = frame.map_err(|error| Failure::Broken(error.to_string()))?;
                let Ok(data) = frame.into_data() else { continue };
                if body.len() + data.len() > MAX_ANSWER_BYTES {
                    let why = format!("the answer has more than {MAX_ANSWER_BYTES} bytes");
                    return Err(Failure::TooLarge(why));
                }
                body.extend_from_slice(&data);
            }
            Ok(Answer { status, body: body.into() })
        };
        let answer = limit.run(&self.runtime, work);
        if answer.is_err() {
            self.sender = None;
        }
        answer.map_err(|failure| (failure, is_unsent))
    }
}

/// When a call ends.
struct Limit<'l> {
    interrupt: &'l AtomicBool,
    timeout: Duration,
    end: Instant,
}

impl Limit<'_> {
    fn run<T>(
        &self,
        runtime: &Runtime,
        work: impl Future<Output = Result<T, Failure>>,
    ) -> Result<T, Failure> {
        runtime.block_on(async {
            tokio::select! {
                result = work => result,
                failure = self.ended() => Err(failure),
            }
        })
    }

    async fn ended(&self) -> Failure {
        loop {
            if self.interrupt.load(Ordering::Relaxed) {
                return Failure::Cancelled;
            }
            if Instant::now() >= self.end {
                return Failure::Timeout(self.timeout.as_millis());
            }
            tokio::time::sleep(POLL).await;
        }
    }
}

async fn connect(
    host: &HostName,
    port: u16,
    addresses: &[IpAddr],
    tls: Option<&(Arc<ClientConfig>, ServerName<'static>)>,
) -> Result<Box<dyn Stream>, Failure> {
    let mut last = "it has no address".to_owned();
    for address in addresses {
        let stream = match TcpStream::connect(SocketAddr::new(*address, port)).await {
            Ok(stream) => stream,
            Err(error) => {
                last = error.to_string();
                continue;
            }
        };
        // Small requests must not wait for acknowledgements. A failure only costs time.
        let _ = stream.set_nodelay(true);
        let Some((config, name)) = tls else { return Ok(Box::new(stream)) };
        let connector = TlsConnector::from(config.clone());
        return match connector.connect(name.clone(), stream).await {
            Ok(stream) => Ok(Box::new(stream)),
            Err(error) => Err(Failure::Connect(format!("{host}:{port}: TLS: {error}"))),
        };
    }
    Err(Failure::Connect(format!("{host}:{port}: {last}")))
}

enum TlsError {
    Config(String),
    Machine(ToolError),
}

/// TLS with the certificates that the context names; the machine's, if it names none.
fn tls(tool: &str, access: &Access) -> Result<Arc<ClientConfig>, TlsError> {
    let resolved = &access.resolved;
    if resolved.authority.is_none() && resolved.certificate.is_none() {
        return web::tls(tool).map_err(TlsError::Machine);
    }
    let Some(authority) = &resolved.authority else {
        let why = "a client certificate needs `certificate-authority` as well";
        return Err(TlsError::Config(why.to_owned()));
    };
    let wrong = |what: &'static str| move |_| TlsError::Config(format!("{what} is no PEM"));
    let mut roots = RootCertStore::empty();
    for certificate in CertificateDer::pem_slice_iter(authority) {
        let certificate = certificate.map_err(wrong("certificate-authority"))?;
        roots
            .add(certificate)
            .map_err(|_| TlsError::Config("certificate-authority is no certificate".to_owned()))?;
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| TlsError::Config(error.to_string()))?
        .with_root_certificates(roots);
    let (Some(certificate), Some(key)) = (&resolved.certificate, &resolved.key) else {
        return Ok(Arc::new(builder.with_no_client_auth()));
    };
    let chain: Vec<_> = CertificateDer::pem_slice_iter(certificate)
        .collect::<Result<_, _>>()
        .map_err(wrong("client-certificate"))?;
    let key = PrivateKeyDer::from_pem_slice(key).map_err(wrong("client-key"))?;
    let config = builder
        .with_client_auth_cert(chain, key)
        .map_err(|_| TlsError::Config("client-certificate and client-key do not fit".to_owned()))?;
    Ok(Arc::new(config))
}
