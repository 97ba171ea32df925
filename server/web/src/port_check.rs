//! `port_check`: whether something listens on a TCP port.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};

use crate::client::Client;
use crate::connect::tcp;
use crate::failure::Failure;
use crate::limits::{DEFAULT_PORT_TIMEOUT, MAX_TIMEOUT};
use crate::target::{Endpoint, HostName};

pub(crate) struct PortCheck;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// A name or an address.
    host: String,
    /// The TCP port.
    port: u16,
    /// How long to wait for the connection in milliseconds; 3,000 by default.
    #[serde(default)]
    timeout_ms: Option<u64>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Whether a connection was accepted. It was closed at once.
    open: bool,
    /// The address that accepted it.
    #[serde(skip_serializing_if = "Option::is_none")]
    address: Option<SocketAddr>,
    /// Why it is not open: `refused`, `timeout` or another error.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// The duration in milliseconds.
    time_ms: f64,
}

impl Params {
    fn check(&self) -> Result<(Endpoint, Duration), ToolError> {
        let tool = PortCheck::NAME;
        let invalid = |why: &str| ToolError::new(Code::InvalidParams, format!("{tool}: {why}"));
        let host = HostName::parse(tool, &self.host)?;
        if self.port == 0 {
            return Err(invalid("port 0 cannot be connected to"));
        }
        let time = self.timeout_ms.map_or(DEFAULT_PORT_TIMEOUT, Duration::from_millis);
        if time.is_zero() || time > MAX_TIMEOUT {
            let most = MAX_TIMEOUT.as_millis();
            return Err(invalid(&format!("`timeout_ms` must be from 1 to {most}")));
        }
        Ok((Endpoint { host, port: self.port }, time))
    }
}

impl Tool for PortCheck {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "port_check";
    const DESCRIPTION: &'static str = "Check whether a TCP port of a host accepts connections; a closed \
        port is a result. Each host and port needs approval.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Network];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("hostname", "host"), ("address", "host"), ("timeout", "timeout_ms")];

    fn text(result: &Value) -> Option<String> {
        Some(match result["open"] == true {
            true => "open".to_owned(),
            false => format!("not open: {}", result["reason"].as_str().unwrap_or("unknown")),
        })
    }

    fn effects(_: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        Ok(vec![params.check()?.0.effect()])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let tool = Self::NAME;
        let (endpoint, timeout) = params.check()?;
        let mut client = Client::new(context, tool, endpoint.effect(), timeout)?;
        let (addresses, _) = client.checked_addresses(&endpoint)?;
        let started = Instant::now();
        let connected = client.step(async {
            let stream = tcp(&endpoint, &addresses, timeout).await?;
            Ok(stream.peer_addr().ok())
        });
        let time_ms = (started.elapsed().as_secs_f64() * 100_000.0).round() / 100.0;
        let closed =
            |reason: String| Output { open: false, address: None, reason: Some(reason), time_ms };
        match connected {
            Ok(address) => Ok(Output { open: true, address, reason: None, time_ms }),
            Err(Failure::Connect { refused: true, .. }) => Ok(closed("refused".to_owned())),
            Err(Failure::Timeout(_)) => Ok(closed("timeout".to_owned())),
            Err(Failure::Connect { why, .. }) => {
                let is_timeout = started.elapsed() >= timeout;
                Ok(closed(if is_timeout { "timeout".to_owned() } else { why }))
            }
            Err(failure) => Err(failure.of(tool)),
        }
    }
}
