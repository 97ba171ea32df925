//! `session_create`: a new session with an agent.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};

use super::cleaned::cleaned_line;
use super::{SessionOutput, Sessions, Store, line};
use crate::acp::{choose, choose_any};

pub(crate) struct SessionCreate;

/// Longest name, in characters.
const MAX_NAME_CHARS: usize = 100;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// Its name, for people.
    name: String,
    /// An installed or defined agent, which `catalog` lists; the first that is installed by default.
    #[serde(default)]
    agent: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The session.
    session: SessionOutput,
}

impl Tool for SessionCreate {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "session_create";
    const DESCRIPTION: &'static str = "Open a lasting conversation with another agent (Agent Client \
        Protocol), for `session_send`. `delegate` is for a single task. Starts nothing yet.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Admin];
    // The state folder is outside the workspace.
    const OWN_SANDBOX: bool = true;

    fn text(result: &Value) -> Option<String> {
        Some(line(&result["session"]))
    }

    fn effects(_: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        if cleaned_line(&params.name, MAX_NAME_CHARS).is_empty() {
            let message = format!("{}: `name` is empty", Self::NAME);
            return Err(ToolError::new(Code::InvalidParams, message));
        }
        Ok(Vec::new())
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let agent = match &params.agent {
            Some(agent) => choose(context, Self::NAME, agent).map(|_| agent.trim().to_owned())?,
            None => choose_any(context, Self::NAME)?.name,
        };
        let store = Store::open(context, Self::NAME)?;
        let row = store.create(&cleaned_line(&params.name, MAX_NAME_CHARS), &agent)?;
        let sessions = context.session.family::<Sessions>();
        Ok(Output { session: SessionOutput::new(&row, &store, sessions) })
    }
}
