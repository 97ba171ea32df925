//! Looks names up.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use hickory_resolver::config::{
    ConnectionConfig, LookupIpStrategy, NameServerConfig, ResolveHosts, ResolverConfig,
    ResolverOpts,
};
use hickory_resolver::net::runtime::TokioRuntimeProvider;
use hickory_resolver::{Resolver, TokioResolver};
use tools::{Code, NetworkSettings, ToolError};

use crate::failure::Failure;
use crate::limits::MAX_ADDRESSES;
use crate::system::{self, DnsSettings};

/// A resolver with the servers of the person's settings, or else the machine's.
pub(crate) fn resolver(tool: &str, settings: &NetworkSettings) -> Result<TokioResolver, ToolError> {
    let unusable = |why: String| {
        let message = format!("{tool}: names cannot be looked up: {why}");
        ToolError::new(Code::Unavailable, message)
            .hint("set `dns = [\"ADDRESS:PORT\"]` in the table `network` of config.toml")
    };
    let from_settings = || DnsSettings {
        config: servers(&settings.dns),
        options: ResolverOpts::default(),
        hosts: Arc::default(),
    };
    let dns = match (system::dns(), settings.dns.as_slice()) {
        (Ok(machine), []) => machine,
        (Ok(machine), servers_given) => DnsSettings { config: servers(servers_given), ..machine },
        (Err(why), []) => return Err(unusable(why)),
        (Err(_), _) => from_settings(),
    };
    build(dns).map_err(|error| unusable(error.to_string()))
}

/// A resolver that asks one server.
pub(crate) fn resolver_at(tool: &str, server: SocketAddr) -> Result<TokioResolver, ToolError> {
    let mut options = ResolverOpts::default();
    options.use_hosts_file = ResolveHosts::Never;
    let dns = DnsSettings { config: servers(&[server]), options, hosts: Arc::default() };
    build(dns).map_err(|error| {
        ToolError::new(Code::Unavailable, format!("{tool}: {server} cannot be asked: {error}"))
    })
}

fn build(dns: DnsSettings) -> Result<TokioResolver, hickory_resolver::net::NetError> {
    let mut builder = Resolver::builder_with_config(dns.config, TokioRuntimeProvider::default())
        .with_options(dns.options);
    let options = builder.options_mut();
    options.ip_strategy = LookupIpStrategy::Ipv4AndIpv6;
    // Threads of tools cannot read the file; `hosts` holds it.
    options.use_hosts_file = ResolveHosts::Never;
    // A resolver lives for one call.
    options.cache_size = 32;
    let mut resolver = builder.build()?;
    resolver.set_hosts(dns.hosts);
    Ok(resolver)
}

fn servers(addresses: &[SocketAddr]) -> ResolverConfig {
    let servers = addresses.iter().map(|address| {
        let connections =
            [ConnectionConfig::udp(), ConnectionConfig::tcp()].map(|mut connection| {
                connection.port = address.port();
                connection
            });
        NameServerConfig::new(address.ip(), true, connections.to_vec())
    });
    ResolverConfig::from_parts(None, Vec::new(), servers.collect())
}

/// The addresses of a name. An absolute name is looked up: search domains would turn one host's name into
/// another's.
pub(crate) async fn addresses(
    resolver: &TokioResolver,
    name: &str,
) -> Result<Vec<IpAddr>, Failure> {
    let found = resolver.lookup_ip(format!("{name}.")).await;
    let found =
        found.map_err(|error| Failure::Lookup { name: name.to_owned(), why: error.to_string() })?;
    let mut addresses: Vec<IpAddr> = Vec::new();
    for address in found.iter() {
        if !addresses.contains(&address) {
            addresses.push(address);
        }
    }
    addresses.truncate(MAX_ADDRESSES);
    if addresses.is_empty() {
        let why = "it has no address".to_owned();
        return Err(Failure::Lookup { name: name.to_owned(), why });
    }
    Ok(addresses)
}
