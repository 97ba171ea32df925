//! What families need that connect themselves, without HTTP: checked addresses, and TLS.

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use rustls::ClientConfig;
use tools::{Code, Context, ToolError};

use crate::client::Client;
use crate::system;
use crate::target::Endpoint;

/// The addresses of a host that policy allows connecting to. The call's effects, on which policy has decided,
/// include that of the endpoint; further effects are decided on here. A proxy has no part in this.
///
/// # Errors
/// `E_DENIED`; or the name has no address, in time.
pub fn checked_addresses(
    context: &Context<'_>,
    tool: &'static str,
    endpoint: &Endpoint,
    timeout: Duration,
) -> Result<Vec<IpAddr>, ToolError> {
    let mut client = Client::new(context, tool, endpoint.effect(), timeout)?;
    Ok(client.checked_addresses(endpoint)?.0)
}

/// TLS with the certificates that the machine trusts.
///
/// # Errors
/// `E_UNAVAILABLE` if it trusts none.
pub fn tls(tool: &str) -> Result<Arc<ClientConfig>, ToolError> {
    system::tls().map_err(|why| ToolError::new(Code::Unavailable, format!("{tool}: no TLS: {why}")))
}
