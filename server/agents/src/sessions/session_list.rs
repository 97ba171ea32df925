//! `session_list`: the sessions of the workspace.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tools::{Context, Effect, EffectKind, Tool, ToolError};

use super::{SessionOutput, Sessions, Store, line};

pub(crate) struct SessionList;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The sessions, the newest first.
    sessions: Vec<SessionOutput>,
}

impl Tool for SessionList {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "session_list";
    const DESCRIPTION: &'static str = "List the conversations with agents that `session_create` opened, \
        and which of them work. They outlive the server.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    // The state folder is outside the workspace.
    const OWN_SANDBOX: bool = true;
    const EXAMPLES: &'static [&'static str] = &["{}"];

    fn text(result: &Value) -> Option<String> {
        let lines: Vec<String> = result["sessions"].as_array()?.iter().map(line).collect();
        Some(if lines.is_empty() { "no sessions".to_owned() } else { lines.join("\n") })
    }

    fn effects(_: &Context<'_>, _: &Params) -> Result<Vec<Effect>, ToolError> {
        Ok(Vec::new())
    }

    fn run(context: &Context<'_>, _: Params) -> Result<Output, ToolError> {
        let store = Store::open(context, Self::NAME)?;
        let sessions = context.session.family::<Sessions>();
        let rows = store.sessions()?;
        let output = |row| SessionOutput::new(row, &store, sessions);
        Ok(Output { sessions: rows.iter().map(output).collect() })
    }
}
