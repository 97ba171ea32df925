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
    /// How the web is searched.
    pub search: SearchSettings,
}

/// The provider of `web_search`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SearchSettings {
    /// Which one it is.
    pub provider: Option<SearchProvider>,
    /// Its address.
    pub url: Option<String>,
    /// The key of its API.
    pub key: Option<String>,
    /// A program and its arguments; the query follows as the last one.
    pub command: Vec<String>,
}

/// A kind of search provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum SearchProvider {
    /// A SearXNG server that allows the format `json`.
    Searxng,
    /// The API of Brave Search.
    Brave,
    /// A program that prints a list of `{title, url, snippet}` as JSON.
    Command,
}
