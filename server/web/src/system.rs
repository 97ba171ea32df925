//! The machine's DNS settings and trusted certificates.
//!
//! Tools run on threads that a Landlock ruleset keeps to the workspace, so they cannot read `/etc`. One thread
//! of the process, which is started before any ruleset, reads these files and nothing else.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, OnceLock};
use std::time::SystemTime;

use hickory_resolver::config::{ResolverConfig, ResolverOpts};
use hickory_resolver::{Hosts, system_conf};
use parking_lot::Mutex;
use rustls::{ClientConfig, RootCertStore};

/// How names are looked up.
#[derive(Clone)]
pub(crate) struct DnsSettings {
    pub(crate) config: ResolverConfig,
    pub(crate) options: ResolverOpts,
    pub(crate) hosts: Arc<Hosts>,
}

enum Query {
    Dns(Sender<Result<DnsSettings, String>>),
    Tls(Sender<Result<Arc<ClientConfig>, String>>),
}

static READER: OnceLock<Option<Mutex<Sender<Query>>>> = OnceLock::new();

/// Starts the thread. Must be called before the threads of tools are confined.
pub(crate) fn start() {
    READER.get_or_init(|| {
        let (sender, queries) = channel();
        let thread = std::thread::Builder::new().name("network-settings".to_owned());
        match thread.spawn(move || answer(&queries)) {
            Ok(_) => Some(Mutex::new(sender)),
            Err(error) => {
                tracing::error!("no thread for the network's settings: {error}");
                None
            }
        }
    });
}

/// The DNS settings of the machine, as they are now.
pub(crate) fn dns() -> Result<DnsSettings, String> {
    query(Query::Dns)
}

/// TLS with the certificates that the machine trusts.
pub(crate) fn tls() -> Result<Arc<ClientConfig>, String> {
    static TLS: OnceLock<Arc<ClientConfig>> = OnceLock::new();
    if let Some(config) = TLS.get() {
        return Ok(config.clone());
    }
    let config = query(Query::Tls)?;
    Ok(TLS.get_or_init(|| config).clone())
}

fn query<T>(make: impl FnOnce(Sender<Result<T, String>>) -> Query) -> Result<T, String> {
    let missing = || "the thread that reads the machine's network settings has ended".to_owned();
    let (sender, answer) = channel();
    let reader = READER.get().and_then(Option::as_ref).ok_or_else(missing)?;
    reader.lock().send(make(sender)).map_err(|_| missing())?;
    answer.recv().map_err(|_| missing())?
}

fn answer(queries: &Receiver<Query>) {
    let mut dns = None;
    // The channel lives as long as the process. A caller that is gone needs no answer.
    for query in queries {
        match query {
            Query::Dns(caller) => drop(caller.send(current_dns(&mut dns))),
            Query::Tls(caller) => drop(caller.send(read_tls())),
        }
    }
}

/// When the two files last changed.
type Stamps = [Option<SystemTime>; 2];

const FILES: [&str; 2] = ["/etc/resolv.conf", "/etc/hosts"];

/// The settings, read again if a file changed.
fn current_dns(known: &mut Option<(Stamps, DnsSettings)>) -> Result<DnsSettings, String> {
    let stamps = FILES.map(|file| std::fs::metadata(file).and_then(|found| found.modified()).ok());
    if let Some((read_at, settings)) = known.as_ref().filter(|(read_at, _)| *read_at == stamps) {
        debug_assert_eq!(*read_at, stamps);
        return Ok(settings.clone());
    }
    let (config, options) =
        system_conf::read_system_conf().map_err(|error| format!("/etc/resolv.conf: {error}"))?;
    let hosts = Arc::new(Hosts::from_system().unwrap_or_default());
    let settings = DnsSettings { config, options, hosts };
    *known = Some((stamps, settings.clone()));
    Ok(settings)
}

fn read_tls() -> Result<Arc<ClientConfig>, String> {
    let found = rustls_native_certs::load_native_certs();
    for error in &found.errors {
        tracing::warn!("trusted certificates: {error}");
    }
    let mut roots = RootCertStore::empty();
    let (added, _) = roots.add_parsable_certificates(found.certs);
    if added == 0 {
        return Err("this machine has no trusted certificates".to_owned());
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(Arc::new(config))
}
