//! Which daemon a call uses: that of the person's settings, of `DOCKER_HOST`, or the usual sockets.

use std::path::{Path, PathBuf};

use tools::{Code, Context, Effect, ToolError};
use url::Url;
use web::{Endpoint, HostName};

use crate::client::Dial;
use crate::limits::QUERY_TIMEOUT;

/// A daemon.
pub(crate) enum Daemon {
    /// On this machine: the first of these sockets that exists.
    Local(Vec<PathBuf>),
    /// At an address that the person's settings name.
    Remote(Endpoint),
}

/// The port of daemons without TLS.
const PORT: u16 = 2375;

impl Daemon {
    /// Finds the daemon.
    ///
    /// # Errors
    /// If it is named in a way that is not supported.
    pub(crate) fn find(context: &Context<'_>, tool: &str) -> Result<Self, ToolError> {
        if let Some(host) = &context.session.policy.containers().host {
            return Self::parse(tool, host, true);
        }
        match std::env::var("DOCKER_HOST").or_else(|_| std::env::var("CONTAINER_HOST")) {
            Ok(host) if !host.is_empty() => Self::parse(tool, &host, false),
            _ => Ok(Self::Local(usual_sockets())),
        }
    }

    fn parse(tool: &str, written: &str, is_of_settings: bool) -> Result<Self, ToolError> {
        let name = if is_of_settings { "containers.host" } else { "DOCKER_HOST" };
        if let Some(path) = written.strip_prefix("unix://").filter(|path| path.starts_with('/')) {
            return Ok(Self::Local(vec![PathBuf::from(path)]));
        }
        let refused = |why: &str| {
            ToolError::new(Code::Unavailable, format!("{tool}: {name}: `{written:.100}` {why}"))
        };
        let Some(rest) = written.strip_prefix("tcp://") else {
            return Err(refused("is no `unix:///PATH`")
                .hint("for a daemon on another machine forward its socket: `ssh -L /tmp/docker.sock:/var/run/docker.sock HOST`"));
        };
        if !is_of_settings {
            return Err(refused("is reached over TCP, which only the person's settings can allow")
                .hint("`host = \"tcp://…\"` below `[containers]` in their config.toml"));
        }
        let url = Url::parse(&format!("http://{rest}"));
        let url = url.map_err(|error| refused(&format!("is no address: {error}")))?;
        let host = HostName::parse(tool, url.host_str().unwrap_or_default())?;
        Ok(Self::Remote(Endpoint { host, port: url.port().unwrap_or(PORT) }))
    }

    /// The effects of reaching it.
    pub(crate) fn effects(&self) -> Vec<Effect> {
        match self {
            Self::Local(_) => Vec::new(),
            Self::Remote(endpoint) => {
                let detail = "The container daemon there gets the request unencrypted.";
                vec![endpoint.effect().with_detail(detail)]
            }
        }
    }

    /// How to reach it on this machine before policy has decided; `None` for another machine.
    pub(crate) fn early(&self) -> Option<Dial> {
        match self {
            Self::Local(sockets) => Some(Dial::Sockets(sockets.clone())),
            Self::Remote(_) => None,
        }
    }

    /// How to reach it, for a call whose effects policy has decided on.
    pub(crate) fn dial(
        &self,
        context: &Context<'_>,
        tool: &'static str,
    ) -> Result<Dial, ToolError> {
        match self {
            Self::Local(sockets) => Ok(Dial::Sockets(sockets.clone())),
            Self::Remote(endpoint) => {
                let addresses = web::checked_addresses(context, tool, endpoint, QUERY_TIMEOUT)?;
                Ok(Dial::Tcp { port: endpoint.port, addresses })
            }
        }
    }

    /// Whether it is on this machine, so that its paths are ours.
    pub(crate) fn is_local(&self) -> bool {
        matches!(self, Self::Local(_))
    }

    /// The socket at or below `place`: with it, a container controls the daemon.
    pub(crate) fn socket_below(&self, place: &Path) -> Option<PathBuf> {
        let own = match self {
            Self::Local(sockets) => sockets.as_slice(),
            Self::Remote(_) => &[],
        };
        let usual = usual_sockets();
        let mut sockets = own.iter().chain(&usual);
        sockets.find(|socket| socket.starts_with(place)).cloned()
    }
}

/// The sockets of Docker and Podman.
fn usual_sockets() -> Vec<PathBuf> {
    let mut sockets =
        vec![PathBuf::from("/var/run/docker.sock"), PathBuf::from("/run/docker.sock")];
    if let Some(folder) = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from) {
        sockets.push(folder.join("docker.sock"));
        sockets.push(folder.join("podman/podman.sock"));
    }
    sockets.push(PathBuf::from("/run/podman/podman.sock"));
    sockets
}
