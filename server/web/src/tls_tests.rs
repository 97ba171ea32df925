//! Connections with TLS and HTTP/2, to a server of the tests.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::Arc;

use http::{HeaderMap, Method, Request, Response};
use http_body_util::Full;
use hyper::body::{Bytes, Incoming};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::pki_types::PrivateKeyDer;
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::connect::{Tls, connect};
use crate::exchange::{Message, send};
use crate::failure::Failure;
use crate::target::{Endpoint, HostName};

const LOOPBACK: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

/// A server with a certificate for `good.test` that offers these protocols. Returns its address, and a client
/// that trusts it.
async fn start(protocols: &[&[u8]]) -> (SocketAddr, ClientConfig) {
    let key = rcgen::generate_simple_self_signed(vec!["good.test".to_owned()]).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let certificate = key.cert.der().clone();
    let private = PrivateKeyDer::try_from(key.signing_key.serialize_der()).unwrap();
    let mut server = ServerConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![certificate.clone()], private)
        .unwrap();
    server.alpn_protocols = protocols.iter().map(|protocol| protocol.to_vec()).collect();
    let acceptor = TlsAcceptor::from(Arc::new(server));
    let listener = TcpListener::bind((LOOPBACK, 0)).await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let Ok(stream) = acceptor.accept(stream).await else { continue };
            let name = stream.get_ref().1.server_name().unwrap_or_default().to_owned();
            let is_http2 = stream.get_ref().1.alpn_protocol() == Some(b"h2");
            let service = service_fn(move |request: Request<Incoming>| {
                let text = format!("{name} {} {:?}", request.uri(), request.version());
                async move { Ok::<_, hyper::Error>(Response::new(Full::new(Bytes::from(text)))) }
            });
            let stream = TokioIo::new(stream);
            if is_http2 {
                let server = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
                tokio::spawn(server.serve_connection(stream, service));
            } else {
                let server = hyper::server::conn::http1::Builder::new();
                tokio::spawn(server.serve_connection(stream, service));
            }
        }
    });
    let mut roots = RootCertStore::empty();
    roots.add(certificate).unwrap();
    let client = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    (address, client)
}

async fn get(server: SocketAddr, client: &ClientConfig, name: &str) -> Result<String, Failure> {
    let endpoint = Endpoint { host: HostName::Name(name.to_owned()), port: server.port() };
    let tls = Tls::offering(client, &[b"h2", b"http/1.1"]);
    let connection = connect(&endpoint, &[server.ip()], Some(tls), None).await?;
    assert_eq!(connection.address, server);
    assert!(connection.tls.is_some());
    let message = Message { method: Method::GET, headers: HeaderMap::new(), body: Bytes::new() };
    let uri = if connection.is_http2 { format!("https://{endpoint}/x") } else { "/x".to_owned() };
    let mut answer = send(connection, name, uri.parse().unwrap(), &message).await?;
    let body = answer.read(1_000, std::future::pending(), &mut |_| true).await?;
    Ok(String::from_utf8(body.bytes).unwrap())
}

#[tokio::test]
async fn tls_and_http2_use_the_name_over_the_checked_address() {
    let (server, client) = start(&[b"h2", b"http/1.1"]).await;
    let port = server.port();
    let wanted = format!("good.test https://good.test:{port}/x HTTP/2.0");
    assert_eq!(get(server, &client, "good.test").await.unwrap(), wanted);
    let (server, client) = start(&[b"http/1.1"]).await;
    assert_eq!(get(server, &client, "good.test").await.unwrap(), "good.test /x HTTP/1.1");
}

#[tokio::test]
async fn certificates_are_checked_against_the_name() {
    let (server, client) = start(&[b"h2"]).await;
    let failure = get(server, &client, "bad.test").await.unwrap_err();
    assert!(matches!(failure, Failure::Tls { .. }), "{failure}");
    let (server, _) = start(&[b"h2"]).await;
    let failure = get(server, &client, "good.test").await.unwrap_err();
    assert!(matches!(failure, Failure::Tls { .. }), "another server's certificate: {failure}");
}
