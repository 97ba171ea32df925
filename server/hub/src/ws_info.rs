//! `ws_info`: what the hub does.

use std::net::SocketAddr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tools::{Context, Effect, EffectKind, Tool, ToolError};

use crate::hub::HubState;

pub(crate) struct WsInfo;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The number of connected clients.
    clients: usize,
    /// The number of channels that clients follow.
    channels: usize,
    /// The address it listens on; absent if it has not been started.
    #[serde(skip_serializing_if = "Option::is_none")]
    addr: Option<SocketAddr>,
    /// The file with the token that clients must show.
    #[serde(skip_serializing_if = "Option::is_none")]
    token_file: Option<String>,
    /// Clients that were disconnected because they did not keep up.
    #[serde(skip_serializing_if = "is_zero")]
    slow_clients: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Tool for WsInfo {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "ws_info";
    const DESCRIPTION: &'static str = "The WebSocket hub's address, and its numbers of clients and of channels that they follow. \
        `ws_start` starts it.";
    const EFFECTS: &'static [EffectKind] = &[];
    const IDEMPOTENT: bool = true;
    const EXAMPLES: &'static [&'static str] = &["{}"];

    fn effects(_: &Context<'_>, _: &Params) -> Result<Vec<Effect>, ToolError> {
        Ok(Vec::new())
    }

    fn run(context: &Context<'_>, _: Params) -> Result<Output, ToolError> {
        let found = context.session.family::<HubState>().statistics();
        let listening = found.listening;
        Ok(Output {
            clients: found.clients,
            channels: found.channels,
            addr: listening.as_ref().map(|listening| listening.address),
            token_file: listening.map(|one| one.token_file.to_string_lossy().into_owned()),
            slow_clients: found.slow_clients,
        })
    }
}
