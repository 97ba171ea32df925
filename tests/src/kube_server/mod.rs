//! A small server that speaks the API of Kubernetes: discovery, server-side apply, dry runs, lists, logs.
//!
//! It stores what it is sent and runs nothing. `kubectl` accepts it, so that the tools can be compared with it. Where it
//! decides by itself (defaults, strict fields, admission, owners of fields), it follows the answers of a real server in
//! code and form.

mod http;
mod store;

use std::io::BufReader;
use std::net::TcpListener;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

use self::http::{serve, serve_tls};
pub use self::store::State;
use self::store::object_path;

/// The token of the server's only user.
pub const KUBE_TOKEN: &str = "kube-hunter2-token";

/// A running server. Its threads end with the process.
#[derive(Clone)]
pub struct KubeServer {
    /// Its port on the loopback interface.
    pub port: u16,
    state: Arc<Mutex<State>>,
    /// The certificate that it is known by, in PEM, if it speaks TLS.
    authority: Option<String>,
}

impl KubeServer {
    /// Starts a server with the namespaces `default` and `kube-system`.
    #[allow(clippy::new_without_default, reason = "it listens: no mere default")]
    pub fn start() -> Self {
        Self::listen(None)
    }

    /// Starts one that speaks TLS, with a certificate of its own for 127.0.0.1.
    ///
    /// # Panics
    /// If it cannot make a certificate.
    pub fn with_tls() -> Self {
        let made = rcgen::generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).unwrap();
        let key = rustls::pki_types::PrivateKeyDer::Pkcs8(made.signing_key.serialize_der().into());
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![made.cert.der().clone()], key)
            .unwrap();
        let pem = format!(
            "-----BEGIN CERTIFICATE-----\n{}\n-----END CERTIFICATE-----\n",
            BASE64_STANDARD.encode(made.cert.der())
        );
        Self::listen(Some((Arc::new(config), pem)))
    }

    fn listen(tls: Option<(Arc<rustls::ServerConfig>, String)>) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        let (config, authority) = tls.unzip();
        let server = Self { port, state: Arc::default(), authority };
        for name in ["default", "kube-system"] {
            server.put(
                json!({ "apiVersion": "v1", "kind": "Namespace", "metadata": { "name": name } }),
            );
        }
        let state = server.state.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (state, config) = (state.clone(), config.clone());
                std::thread::spawn(move || {
                    let _ = stream.set_nodelay(true);
                    // A client that goes away ends its thread.
                    let _ = match config {
                        None => serve(&mut BufReader::new(stream), &state),
                        Some(config) => serve_tls(stream, config, &state),
                    };
                });
            }
        });
        server
    }

    /// Its URL.
    pub fn url(&self) -> String {
        let scheme = if self.authority.is_some() { "https" } else { "http" };
        format!("{scheme}://127.0.0.1:{}", self.port)
    }

    /// A kubeconfig with the contexts `test` (the current one) and `other`, which differ in their namespaces.
    pub fn kubeconfig(&self) -> String {
        let data = self.authority.as_ref().map(|pem| BASE64_STANDARD.encode(pem));
        let authority = data.map(|data| format!(", certificate-authority-data: {data}"));
        format!(
            "apiVersion: v1\nkind: Config\ncurrent-context: test\nclusters:\n- name: c\n  cluster: {{server: '{}'{}}}\n\
             contexts:\n- {{name: test, context: {{cluster: c, user: u}}}}\n\
             - {{name: other, context: {{cluster: c, user: u, namespace: kube-system}}}}\n\
             users:\n- {{name: u, user: {{token: {KUBE_TOKEN}}}}}\n",
            self.url(),
            authority.unwrap_or_default()
        )
    }

    /// What it holds.
    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores an object as it is, status included, and returns its path.
    pub fn put(&self, object: Value) -> String {
        let mut state = self.state();
        let kinds = state.kinds();
        let kind = kinds.iter().find(|kind| object["kind"] == kind.name.as_str()).unwrap();
        let namespace = object["metadata"]["namespace"].as_str().unwrap_or("default");
        let path = object_path(kind, namespace, object["metadata"]["name"].as_str().unwrap());
        state.store(&path, object);
        path
    }

    /// An object.
    pub fn object(&self, path: &str) -> Option<Value> {
        self.state().objects.get(path).cloned()
    }
}
