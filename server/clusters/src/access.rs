//! The person's kubeconfig, read by a thread of its own.
//!
//! Tools run on threads that a Landlock ruleset keeps to the workspace, so they cannot read it. One thread of the
//! process, which is started before any ruleset, reads the files that `KUBECONFIG` names, and the files named in them.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::mpsc::{Receiver, Sender, channel};

use parking_lot::Mutex;
use tools::{Code, Context, Effect, EffectKind, Target, ToolError};
use web::Target as WebTarget;
use workspace::ContentHash;

use crate::kubeconfig::{ConfigError, Kubeconfig, Resolved};
use crate::limits::{MAX_CONFIG_BYTES, MAX_CONFIG_FILES};

/// A cluster that a context leads to, and who one is there.
#[derive(Debug, Clone)]
pub(crate) struct Access {
    pub(crate) resolved: Resolved,
    pub(crate) target: WebTarget,
    /// Stands for everything that the context leads to: server, credentials, namespace.
    pub(crate) fingerprint: String,
}

struct Query {
    context: Option<String>,
    answer: Sender<Result<Resolved, ConfigError>>,
}

static READER: OnceLock<Option<Mutex<Sender<Query>>>> = OnceLock::new();

/// Starts the thread. Must be called before the threads of tools are confined.
pub(crate) fn start() {
    READER.get_or_init(|| {
        let (sender, queries) = channel();
        let thread = std::thread::Builder::new().name("kubeconfig".to_owned());
        match thread.spawn(move || answer(&queries)) {
            Ok(_) => Some(Mutex::new(sender)),
            Err(error) => {
                tracing::error!("no thread for the kubeconfig: {error}");
                None
            }
        }
    });
}

impl Access {
    /// What the context `name` leads to now, or the current one.
    ///
    /// # Errors
    /// If there is no such context, or if it needs what is not supported.
    pub(crate) fn find(tool: &str, name: Option<&str>) -> Result<Self, ToolError> {
        let resolved = query(name).map_err(|error| match error {
            ConfigError::Missing(why) => ToolError::new(Code::Unavailable, format!("{tool}: {why}"))
                .hint("`KUBECONFIG` or ~/.kube/config names clusters; `kubectl config get-contexts` lists contexts"),
            ConfigError::Unsupported(why, hint) => {
                ToolError::new(Code::Unsupported, format!("{tool}: {why}")).hint(hint)
            }
            ConfigError::Broken(why) => ToolError::new(Code::Unavailable, format!("{tool}: {why}"))
                .hint("correct the kubeconfig"),
        })?;
        let server = &resolved.server;
        let target = WebTarget::parse(tool, server)?;
        let is_open = target.url.scheme() == "http";
        let is_secret = resolved.authorization.is_some() || resolved.key.is_some();
        let addresses = target.endpoint.host.known_addresses().unwrap_or_default();
        let is_loopback =
            !addresses.is_empty() && addresses.iter().all(std::net::IpAddr::is_loopback);
        if is_open && is_secret && !is_loopback {
            let message =
                format!("{tool}: the context {} sends credentials without TLS", resolved.context);
            return Err(ToolError::new(Code::Unsupported, message).hint("use https://"));
        }
        let parts = [
            Some(resolved.context.as_bytes()),
            Some(server.as_bytes()),
            Some(resolved.namespace.as_bytes()),
            resolved.server_name.as_deref().map(str::as_bytes),
            resolved.authority.as_deref(),
            resolved.certificate.as_deref(),
            resolved.key.as_deref(),
            resolved.authorization.as_deref().map(str::as_bytes),
        ];
        let mut all = Vec::new();
        for part in parts {
            let part = part.unwrap_or_default();
            all.extend_from_slice(&part.len().to_le_bytes());
            all.extend_from_slice(part);
        }
        let fingerprint = ContentHash::digest(&all).to_string();
        Ok(Self { resolved, target, fingerprint })
    }

    /// The name of the context.
    pub(crate) fn context(&self) -> &str {
        &self.resolved.context
    }

    /// The effects of reading from the cluster.
    pub(crate) fn effects(&self) -> Vec<Effect> {
        let name = self.context();
        let detail = format!("log in at the cluster by the context {name}");
        let read = Target::Named(format!("cluster/read/{}", rule_name(name)));
        vec![
            self.target.endpoint.effect().with_detail(detail),
            Effect { kind: EffectKind::Admin, target: read, detail: None },
        ]
    }

    /// Fails if the context leads elsewhere by now.
    pub(crate) fn check_unchanged(
        &self,
        context: &Context<'_>,
        tool: &str,
        name: Option<&str>,
    ) -> Result<(), ToolError> {
        context.check_interrupt(tool)?;
        let now = Self::find(tool, name)?;
        if now.fingerprint == self.fingerprint {
            return Ok(());
        }
        let why = if now.context() == self.context() {
            format!("the context {} leads elsewhere by now", self.context())
        } else {
            format!(
                "the current context is {} by now, and {} was shown",
                now.context(),
                self.context()
            )
        };
        Err(ToolError::new(Code::Conflict, format!("{tool}: {why}; nothing was applied"))
            .hint("call it again, with `context`"))
    }
}

/// A context's name in rules, which separate by slashes.
pub(crate) fn rule_name(name: &str) -> String {
    name.replace('/', "_")
}

fn query(context: Option<&str>) -> Result<Resolved, ConfigError> {
    let missing =
        || ConfigError::Broken("the thread that reads the kubeconfig has ended".to_owned());
    let (answer, answered) = channel();
    let reader = READER.get().and_then(Option::as_ref).ok_or_else(missing)?;
    let query = Query { context: context.map(str::to_owned), answer };
    reader.lock().send(query).map_err(|_| missing())?;
    answered.recv().map_err(|_| missing())?
}

fn answer(queries: &Receiver<Query>) {
    // The channel lives as long as the process. A caller that is gone needs no answer.
    for query in queries {
        drop(query.answer.send(read(query.context.as_deref())));
    }
}

fn read(context: Option<&str>) -> Result<Resolved, ConfigError> {
    let files = files();
    let mut config = Kubeconfig::default();
    let mut found = false;
    for file in &files {
        if !file.exists() {
            continue;
        }
        found = true;
        let bytes = read_file(file).map_err(ConfigError::Broken)?;
        let text = String::from_utf8(bytes)
            .map_err(|_| ConfigError::Broken(format!("{}: is no UTF-8", file.display())))?;
        config.add(file, &text)?;
    }
    if !found {
        return Err(ConfigError::Missing("there is no kubeconfig".to_owned()));
    }
    config.resolve(context, &read_file)
}

/// The kubeconfig files, in order.
fn files() -> Vec<PathBuf> {
    match std::env::var_os("KUBECONFIG").filter(|value| !value.is_empty()) {
        Some(list) => std::env::split_paths(&list)
            .filter(|path| !path.as_os_str().is_empty())
            .take(MAX_CONFIG_FILES)
            .collect(),
        None => std::env::home_dir().map(|home| home.join(".kube/config")).into_iter().collect(),
    }
}

fn read_file(path: &Path) -> Result<Vec<u8>, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", path.display());
    // Opening a pipe would wait for somebody who writes to it.
    if !std::fs::metadata(path).map_err(failed)?.is_file() {
        return Err(format!("{}: is no regular file", path.display()));
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(failed)?;
    file.take(MAX_CONFIG_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
    if bytes.len() as u64 > MAX_CONFIG_BYTES {
        return Err(format!("{}: has more than {MAX_CONFIG_BYTES} bytes", path.display()));
    }
    Ok(bytes)
}
