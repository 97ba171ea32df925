//! kubeconfig files: contexts, clusters and users. Their content is never shown.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde::Deserialize;
use serde_json::Value;

use crate::yaml::documents;

/// What is read of all files. The first file that has a name wins.
#[derive(Debug, Default)]
pub(crate) struct Kubeconfig {
    pub(crate) current: Option<String>,
    pub(crate) contexts: BTreeMap<String, ContextEntry>,
    clusters: BTreeMap<String, (PathBuf, ClusterEntry)>,
    users: BTreeMap<String, (PathBuf, UserEntry)>,
}

/// A context.
#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct ContextEntry {
    #[serde(default)]
    cluster: String,
    #[serde(default)]
    user: String,
    #[serde(default)]
    pub(crate) namespace: Option<String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct ClusterEntry {
    #[serde(default)]
    server: String,
    certificate_authority: Option<String>,
    certificate_authority_data: Option<String>,
    #[serde(default)]
    insecure_skip_tls_verify: bool,
    tls_server_name: Option<String>,
    proxy_url: Option<String>,
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
struct UserEntry {
    client_certificate: Option<String>,
    client_certificate_data: Option<String>,
    client_key: Option<String>,
    client_key_data: Option<String>,
    token: Option<String>,
    #[serde(rename = "tokenFile")]
    token_file: Option<String>,
    username: Option<String>,
    password: Option<String>,
    exec: Option<Value>,
    auth_provider: Option<Value>,
    #[serde(rename = "as")]
    impersonate: Option<Value>,
}

/// What a context leads to.
#[derive(Debug, Clone, Default)]
pub(crate) struct Resolved {
    pub(crate) context: String,
    pub(crate) server: String,
    pub(crate) namespace: String,
    pub(crate) authority: Option<Vec<u8>>,
    pub(crate) server_name: Option<String>,
    pub(crate) certificate: Option<Vec<u8>>,
    pub(crate) key: Option<Vec<u8>>,
    /// The value of `Authorization`.
    pub(crate) authorization: Option<String>,
}

/// Why no context can be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ConfigError {
    /// There is no kubeconfig, or it has no such context.
    Missing(String),
    /// It needs something that is not supported.
    Unsupported(String, &'static str),
    /// A file cannot be read, or is wrong.
    Broken(String),
}

impl Kubeconfig {
    /// Adds a file.
    pub(crate) fn add(&mut self, file: &Path, text: &str) -> Result<(), ConfigError> {
        #[derive(Deserialize)]
        #[serde(rename_all = "kebab-case")]
        struct FileEntry {
            current_context: Option<String>,
            #[serde(default)]
            contexts: Option<Vec<Value>>,
            #[serde(default)]
            clusters: Option<Vec<Value>>,
            #[serde(default)]
            users: Option<Vec<Value>>,
        }
        // Errors name the place only: the text is secret.
        let broken = |why: String| ConfigError::Broken(format!("{}: {why}", file.display()));
        let document = documents(text)
            .map_err(|error| broken(format!("line {} is no YAML", error.line)))?
            .into_iter()
            .next();
        let Some((_, value)) = document else { return Ok(()) };
        let entry: FileEntry =
            serde_json::from_value(value).map_err(|_| broken("is no kubeconfig".to_owned()))?;
        let folder = file.parent().unwrap_or(Path::new("/")).to_owned();
        if self.current.is_none() {
            self.current = entry.current_context.filter(|name| !name.is_empty());
        }
        for (name, value) in named(entry.contexts, "context") {
            if let Ok(context) = serde_json::from_value(value) {
                self.contexts.entry(name).or_insert(context);
            }
        }
        for (name, value) in named(entry.clusters, "cluster") {
            if let Ok(cluster) = serde_json::from_value(value) {
                self.clusters.entry(name).or_insert((folder.clone(), cluster));
            }
        }
        for (name, value) in named(entry.users, "user") {
            if let Ok(user) = serde_json::from_value(value) {
                self.users.entry(name).or_insert((folder.clone(), user));
            }
        }
        Ok(())
    }

    /// What the context `name` leads to, or the current one. `read` reads a file that an entry names.
    pub(crate) fn resolve(
        &self,
        name: Option<&str>,
        read: &dyn Fn(&Path) -> Result<Vec<u8>, String>,
    ) -> Result<Resolved, ConfigError> {
        let names = || self.contexts.keys().cloned().collect::<Vec<_>>().join(", ");
        let missing = |why: String| ConfigError::Missing(format!("{why}; there are: {}", names()));
        let name = match name.or(self.current.as_deref()) {
            Some(name) => name,
            None => return Err(missing("no context is the current one".to_owned())),
        };
        let context = self
            .contexts
            .get(name)
            .ok_or_else(|| missing(format!("no context is called `{name:.80}`")))?;
        let (folder, cluster) = self.clusters.get(&context.cluster).ok_or_else(|| {
            ConfigError::Broken(format!("the context {name} names a cluster that is not there"))
        })?;
        let unsupported = |what: &str, hint| {
            Err(ConfigError::Unsupported(format!("the context {name} {what}"), hint))
        };
        if cluster.insecure_skip_tls_verify {
            return unsupported(
                "does not check who the server is (insecure-skip-tls-verify)",
                "name the server's certificate as `certificate-authority`",
            );
        }
        if cluster.proxy_url.is_some() {
            return unsupported("needs a proxy (proxy-url)", "use a context without one");
        }
        let broken = |what: &str, why: String| {
            ConfigError::Broken(format!("the context {name}: {what}: {why}"))
        };
        let content = |what: &str, folder: &Path, data: Option<&String>, path: Option<&String>| {
            if let Some(data) = data {
                let compact: String = data.split_whitespace().collect();
                let decoded = BASE64_STANDARD.decode(compact);
                return decoded.map(Some).map_err(|_| broken(what, "is no base64".to_owned()));
            }
            path.map(|path| read(&folder.join(path)).map_err(|why| broken(what, why))).transpose()
        };
        let authority = content(
            "certificate-authority",
            folder,
            cluster.certificate_authority_data.as_ref(),
            cluster.certificate_authority.as_ref(),
        )?;
        let none = (folder.clone(), UserEntry::default());
        let (folder, user) = self.users.get(&context.user).unwrap_or(&none);
        if user.exec.is_some() || user.auth_provider.is_some() {
            return unsupported(
                "gets its credentials from a program, which is not run",
                "give its user a token: `kubectl create token` makes one",
            );
        }
        if user.impersonate.is_some() {
            return unsupported("acts as another user", "use a context without `as`");
        }
        let certificate = content(
            "client-certificate",
            folder,
            user.client_certificate_data.as_ref(),
            user.client_certificate.as_ref(),
        )?;
        let key =
            content("client-key", folder, user.client_key_data.as_ref(), user.client_key.as_ref())?;
        let token = match (&user.token, &user.token_file) {
            (_, Some(path)) => {
                let bytes = read(&folder.join(path)).map_err(|why| broken("tokenFile", why))?;
                Some(String::from_utf8_lossy(&bytes).trim().to_owned())
            }
            (token, None) => token.clone(),
        };
        let authorization = match (token, &user.username, &user.password) {
            (Some(token), _, _) => Some(format!("Bearer {token}")),
            (None, Some(user), Some(password)) => {
                Some(format!("Basic {}", BASE64_STANDARD.encode(format!("{user}:{password}"))))
            }
            _ => None,
        };
        Ok(Resolved {
            context: name.to_owned(),
            server: cluster.server.clone(),
            namespace: context.namespace.clone().unwrap_or_else(|| "default".to_owned()),
            authority,
            server_name: cluster.tls_server_name.clone(),
            certificate,
            key,
            authorization,
        })
    }
}

/// The entries of a list of `{name, KIND: {…}}`.
fn named(list: Option<Vec<Value>>, kind: &str) -> Vec<(String, Value)> {
    let list = list.unwrap_or_default().into_iter();
    list.filter_map(|mut entry| {
        let name = entry["name"].as_str()?.to_owned();
        Some((name, entry.get_mut(kind)?.take()))
    })
    .collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test fails by panicking")]
mod tests {
    use super::*;

    const CONFIG: &str = "
current-context: a
contexts:
- {name: a, context: {cluster: c, user: u, namespace: web}}
- {name: exec, context: {cluster: c, user: x}}
- {name: odd, context: {cluster: loose, user: u}}
clusters:
- name: c
  cluster: {server: 'https://127.0.0.1:6443', certificate-authority: ca.pem}
- {name: loose, cluster: {server: 'https://127.0.0.1', insecure-skip-tls-verify: true}}
users:
- {name: u, user: {token: hunter2}}
- {name: x, user: {exec: {command: aws}}}
";

    #[test]
    fn a_context_leads_to_a_server_and_credentials() {
        let mut config = Kubeconfig::default();
        config.add(Path::new("/home/a/.kube/config"), CONFIG).unwrap();
        let read = |path: &Path| Ok(path.to_string_lossy().into_owned().into_bytes());
        let found = config.resolve(None, &read).unwrap();
        assert_eq!((found.context.as_str(), found.namespace.as_str()), ("a", "web"));
        assert_eq!(found.authority.unwrap(), b"/home/a/.kube/ca.pem");
        assert_eq!(found.authorization.as_deref(), Some("Bearer hunter2"));
        let refused = |name| config.resolve(Some(name), &read).unwrap_err();
        assert!(
            matches!(refused("exec"), ConfigError::Unsupported(why, _) if why.contains("program"))
        );
        assert!(
            matches!(refused("odd"), ConfigError::Unsupported(why, _) if why.contains("insecure"))
        );
        assert!(matches!(refused("b"), ConfigError::Missing(why) if why.contains("a, exec, odd")));
    }

    #[test]
    fn errors_show_nothing_of_the_file() {
        let mut config = Kubeconfig::default();
        for text in ["users: hunter2\n", "a: [hunter2\n", "current-context: [hunter2]\n"] {
            let error = config.add(Path::new("/x"), text).unwrap_err();
            assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
        }
    }
}
