//! Hands a session over to another program: an editor's debugger.

use ::debug::Session;
use serde_json::{Value, json};

use super::sessions;
use tools::{Context, Effect, EffectKind, Target, ToolError, execute, tool::Prepared};

/// Its name in the audit log and in rules.
const NAME: &str = "debug_take_over";

struct TakeOver {
    session: u64,
    params: Value,
}

impl Prepared for TakeOver {
    fn params(&self) -> &Value {
        &self.params
    }

    fn edits(&self) -> bool {
        false
    }

    fn effects(&self, context: &Context<'_>) -> Result<Vec<Effect>, ToolError> {
        let session = sessions::session(context, NAME, Some(self.session))?;
        Ok(vec![take_over_effect(&session)])
    }

    fn run(self: Box<Self>, _: &Context<'_>) -> Result<Value, ToolError> {
        Ok(Value::Null)
    }
}

fn take_over_effect(session: &Session) -> Effect {
    let what = format!("debug session {}, by another program: {}", session.id(), session.title());
    Effect { kind: EffectKind::Execute, target: Target::Named(what), detail: None }
}

/// Asks for approval to let another program of the person continue, step and stop a session.
///
/// # Errors
/// `E_DENIED` without approval, `E_UNAVAILABLE` if there is no such session.
pub fn take_over_session(context: &Context<'_>, session: u64) -> Result<(), ToolError> {
    let params = json!({ "session": session });
    execute::with_approval(context, NAME, Box::new(TakeOver { session, params })).map(drop)
}
