//! `ws_start`: starts the hub.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::net::SocketAddr;
use tools::{Code, Context, Effect, EffectKind, Target, Tool, ToolError};
use workspace::{AccessToken, secrets_folder};

use crate::gate::PATH;
use crate::hub::HubState;
use crate::loopback;
use crate::subscriptions::Sources;

pub(crate) struct WsStart;

/// The file of the clients' token in the workspace's folder for secrets.
const TOKEN_FILE: &str = "hub-token";
/// Any free port.
const ANY_PORT: &str = "127.0.0.1:0";

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// Where to listen, as `HOST:PORT` of this machine's loopback interface; by default on a free port.
    #[serde(default)]
    addr: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// Whether it listens: always true.
    success: bool,
    /// The address it listens on.
    addr: SocketAddr,
    /// What happened, with the URL.
    message: String,
    /// The file with the token that clients must show.
    token_file: String,
}

impl Params {
    fn address(&self) -> Result<SocketAddr, ToolError> {
        loopback::parse_address(self.addr.as_deref().unwrap_or(ANY_PORT))
            .map_err(|why| ToolError::new(Code::InvalidParams, format!("{}: {why}", WsStart::NAME)))
    }
}

impl Tool for WsStart {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "ws_start";
    const DESCRIPTION: &'static str = "Start the WebSocket hub, which sends programs on this machine the \
        output of processes and the activity of tools as it happens. Returns its address and the file \
        with its token; one that runs already is kept. Needs approval.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Admin];
    const IDEMPOTENT: bool = true;
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[("address", "addr")];
    const EXAMPLES: &'static [&'static str] = &["{}", r#"{"addr": "127.0.0.1:0"}"#];

    fn text(result: &Value) -> Option<String> {
        let field = |name: &str| result[name].as_str().unwrap_or_default().to_owned();
        Some(format!("{}\n[token in {}]", field("message"), field("token_file")))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let address = params.address()?;
        if context.session.family::<HubState>().listening().is_some() {
            return Ok(Vec::new());
        }
        let port = match address.port() {
            0 => "any free port".to_owned(),
            port => format!("port {port}"),
        };
        let name = format!("listen on {}, {port} (WebSocket hub)", address.ip());
        Ok(vec![Effect { kind: EffectKind::Admin, target: Target::Named(name), detail: None }])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let hub = context.session.family::<HubState>();
        let address = params.address()?;
        let failed = |why: String| ToolError::new(Code::Io, format!("{}: {why}", Self::NAME));
        let secrets =
            secrets_folder(context.snapshot.roots()).map_err(|error| failed(error.to_string()))?;
        let token = AccessToken::load_or_create(&secrets, TOKEN_FILE).map_err(failed)?;
        let sources = Sources {
            supervisor: process_tools::supervisor(context),
            activities: context.session.audit.activities().clone(),
            audit: context.session.audit.entries().clone(),
            chat: context.session.chat.clone(),
        };
        let (listening, is_new) = hub.start(Self::NAME, address, token, sources)?;
        let verb = if is_new { "listens" } else { "listens already" };
        Ok(Output {
            success: true,
            addr: listening.address,
            message: format!("the WebSocket hub {verb} at ws://{}{PATH}", listening.address),
            token_file: listening.token_file.to_string_lossy().into_owned(),
        })
    }
}
