//! `dashboard_start`: starts the dashboard.

use std::net::SocketAddr;

use hub::loopback;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tools::{Code, Context, Effect, EffectKind, Target, Tool, ToolError};
use workspace::{AccessToken, secrets_folder};

use crate::calls::PageCalls;
use crate::events::Sources;
use crate::server::DashboardState;
use crate::shared::Shared;

pub(crate) struct DashboardStart;

/// The file of the pages' token in the workspace's folder for secrets.
const TOKEN_FILE: &str = "dashboard-token";
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
    /// The address it listens on.
    addr: SocketAddr,
    /// The file with the token: the page's address is `http://ADDR/#TOKEN`.
    token_file: String,
}

impl Params {
    fn address(&self) -> Result<SocketAddr, ToolError> {
        loopback::parse_address(self.addr.as_deref().unwrap_or(ANY_PORT)).map_err(|why| {
            ToolError::new(Code::InvalidParams, format!("{}: {why}", DashboardStart::NAME))
        })
    }
}

impl Tool for DashboardStart {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "dashboard_start";
    const DESCRIPTION: &'static str = "Start the person's dashboard: a page on this machine that shows calls, \
        approvals, history, processes, checks and sessions, and lets the person answer and undo. Returns its \
        address and the file with its token; one that runs already is kept. Needs approval.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Admin];
    const IDEMPOTENT: bool = true;
    // It opens a socket, and its calls run on threads of their own.
    const OWN_SANDBOX: bool = true;
    const EXAMPLES: &'static [&'static str] = &["{}", r#"{"addr": "127.0.0.1:0"}"#];

    fn text(result: &Value) -> Option<String> {
        let field = |name: &str| result[name].as_str().unwrap_or_default().to_owned();
        Some(format!(
            "the dashboard is at http://{}/\n[token in {}; the person opens it with `tandem dashboard`]",
            field("addr"),
            field("token_file")
        ))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let address = params.address()?;
        if context.session.family::<DashboardState>().listening().is_some() {
            return Ok(Vec::new());
        }
        let port = match address.port() {
            0 => "any free port".to_owned(),
            port => format!("port {port}"),
        };
        let name = format!("listen on {}, {port} (dashboard)", address.ip());
        Ok(vec![Effect { kind: EffectKind::Admin, target: Target::Named(name), detail: None }])
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        if context.session.audit.front_end() == "cli" {
            let message = format!("{}: this process ends with the call", Self::NAME);
            return Err(ToolError::new(Code::Unsupported, message)
                .hint("use `tandem dashboard` while an editor or `tandem mcp` runs"));
        }
        // Only a call of its own can go on.
        context.step_calls(Self::NAME)?;
        let address = params.address()?;
        let failed = |why: String| ToolError::new(Code::Io, format!("{}: {why}", Self::NAME));
        let secrets =
            secrets_folder(context.snapshot.roots()).map_err(|error| failed(error.to_string()))?;
        let token = AccessToken::load_or_create(&secrets, TOKEN_FILE).map_err(failed)?;
        let state = context.session.family::<DashboardState>();
        let (listening, socket) = state.listen(address, &token).map_err(|error| {
            let (code, hint) = match error.kind() {
                std::io::ErrorKind::AddrInUse => {
                    (Code::Conflict, "choose another port, or 0 for any free one")
                }
                _ => (Code::Io, "choose another port"),
            };
            ToolError::new(code, format!("{}: {address}: {error}", Self::NAME)).hint(hint)
        })?;
        if let Some(socket) = socket {
            context.go_on_after_answer(move |context| {
                let Ok(calls) = context.step_calls(Self::NAME) else { return };
                let approvals = context.session.policy.approvals_elsewhere();
                let shared = Shared {
                    token,
                    sources: Sources {
                        activities: context.session.audit.activities().clone(),
                        chat: context.session.chat.clone(),
                        approvals: approvals.feed().clone(),
                    },
                    approvals,
                    calls: PageCalls::new(calls),
                };
                if let Err(error) = socket.serve(shared) {
                    tracing::error!("the dashboard has ended: {error}");
                }
            });
        }
        Ok(Output {
            addr: listening.address,
            token_file: listening.token_file.to_string_lossy().into_owned(),
        })
    }
}
