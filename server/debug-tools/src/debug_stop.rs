//! `debug_stop`: ends a debug session.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::report::Report;
use super::sessions::session;
use tools::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct DebugStop;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The debug session, if several run.
    #[serde(default)]
    session: Option<u64>,
}

impl Tool for DebugStop {
    type Params = Params;
    type Output = Report;
    const NAME: &'static str = "debug_stop";
    const DESCRIPTION: &'static str = "End a debug session: its program, what that started, and \
        the debugger. An attached process is detached instead.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Execute];
    const IDEMPOTENT: bool = true;

    fn text(result: &Value) -> Option<String> {
        Some(super::report::text(result))
    }

    fn effects(_: &Context<'_>, _: &Params) -> Result<Vec<Effect>, ToolError> {
        Ok(Vec::new())
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Report, ToolError> {
        let session = session(context, Self::NAME, params.session)?;
        session.stop();
        context.workspace.files_may_have_changed();
        Report::from_session(context, Self::NAME, &session, session.phase())
    }
}
