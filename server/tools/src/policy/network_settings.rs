//! The table `network` of the user's settings.

use std::net::SocketAddr;

use serde::Deserialize;

/// Settings of tools that use the network.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NetworkSettings {
    /// The HTTP proxy, as `http://HOST:PORT`. Proxies of the environment are ignored.
    pub proxy: Option<String>,
    /// The DNS servers, as `ADDRESS:PORT`, instead of the system's.
    pub dns: Vec<SocketAddr>,
}
