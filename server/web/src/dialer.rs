//! Connections for programs that other families run, to addresses that were checked.

use std::net::IpAddr;

use hickory_resolver::TokioResolver;
use tokio::io::{AsyncRead, AsyncWrite, copy_bidirectional};
use tools::{Effect, NetworkSettings, ToolError};

use crate::address::AddressKind;
use crate::connect::{Connection, Tls, connect};
use crate::failure::Failure;
use crate::resolve::{addresses, resolver};
use crate::target::{Endpoint, Target};

/// Makes connections with the person's network settings.
pub struct Dialer {
    proxy: Option<Endpoint>,
    resolver: TokioResolver,
}

/// The way to a server.
pub struct Route {
    addresses: Vec<IpAddr>,
    proxy: Option<Endpoint>,
    /// What policy must allow before [`Dialer::connect`], in addition to the effect of the endpoint itself: the
    /// name has an address that is not public.
    pub effects: Vec<Effect>,
}

impl Route {
    /// Connects to the server that the route leads to.
    pub(crate) async fn connect(
        &self,
        endpoint: &Endpoint,
        tls: Option<Tls>,
    ) -> Result<Connection, Failure> {
        let first = self.proxy.as_ref().unwrap_or(endpoint);
        let tunnel = self.proxy.as_ref().map(|_| endpoint);
        connect(first, &self.addresses, tls, tunnel).await
    }
}

impl Dialer {
    /// # Errors
    /// If names cannot be looked up, or the proxy in the settings is no URL.
    pub fn new(tool: &str, settings: &NetworkSettings) -> Result<Self, ToolError> {
        let proxy =
            settings.proxy.as_deref().map(|proxy| Target::parse(tool, proxy)).transpose()?;
        let resolver = resolver(tool, settings)?;
        Ok(Self { proxy: proxy.map(|target| target.endpoint), resolver })
    }

    /// Looks the host of an endpoint up.
    ///
    /// # Errors
    /// Says why it has no address.
    pub async fn route(&self, endpoint: &Endpoint) -> Result<Route, String> {
        let is_public = |address: &IpAddr| AddressKind::of(*address) == AddressKind::Public;
        let known = endpoint.host.known_addresses();
        if let (Some(proxy), true) = (&self.proxy, known.iter().flatten().all(is_public)) {
            // The person named it, so its address needs no approval. It looks names up itself.
            let addresses = self.addresses(proxy).await?;
            return Ok(Route { addresses, proxy: Some(proxy.clone()), effects: Vec::new() });
        }
        if let Some(addresses) = known {
            // The effect of the host itself says what its address is.
            return Ok(Route { addresses, proxy: None, effects: Vec::new() });
        }
        let mut found = self.addresses(endpoint).await?;
        // A name with public addresses needs no others, and should have none.
        if found.iter().any(is_public) {
            found.retain(is_public);
        }
        let effects = found.iter().filter_map(|address| endpoint.effect_at(*address)).collect();
        Ok(Route { addresses: found, proxy: None, effects })
    }

    /// Connects to a server, and copies in both directions between it and `client` until either ends. `ready` is
    /// run when the connection is made.
    ///
    /// # Errors
    /// Says why there is no connection.
    pub async fn serve<C: AsyncRead + AsyncWrite + Unpin>(
        &self,
        endpoint: &Endpoint,
        route: Route,
        mut client: C,
        ready: impl AsyncFnOnce(&mut C) -> std::io::Result<()>,
    ) -> Result<(), (C, String)> {
        let Connection { mut stream, .. } = match route.connect(endpoint, None).await {
            Ok(connection) => connection,
            Err(failure) => return Err((client, failure.to_string())),
        };
        if ready(&mut client).await.is_ok() {
            // Either side may end at any time.
            let _ = copy_bidirectional(&mut client, &mut stream).await;
        }
        Ok(())
    }

    async fn addresses(&self, endpoint: &Endpoint) -> Result<Vec<IpAddr>, String> {
        match endpoint.host.known_addresses() {
            Some(addresses) => Ok(addresses),
            None => addresses(&self.resolver, &endpoint.host.to_string())
                .await
                .map_err(|failure| failure.to_string()),
        }
    }
}
