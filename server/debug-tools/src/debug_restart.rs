//! `debug_restart`: restarts a debugged program.

use ::debug::Session;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::parameter_defaults::{check_wait, default_wait_ms};
use super::report::Report;
use super::sessions::{debugging, session};
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct DebugRestart;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// How long to wait for the first stop or the end, in milliseconds: 10,000 by default, at most
    /// 600,000.
    #[serde(default = "default_wait_ms")]
    wait_ms: u64,
    /// The debug session, if several run.
    #[serde(default)]
    session: Option<u64>,
}

impl Tool for DebugRestart {
    type Params = Params;
    type Output = Report;
    const NAME: &'static str = "debug_restart";
    const DESCRIPTION: &'static str = "End a debug session and start the same program again with \
        the current breakpoints, as a new session. Needs approval like `debug_launch`.";
    const EFFECTS: &'static [EffectKind] =
        &[EffectKind::Execute, EffectKind::Network, EffectKind::Admin];

    fn text(result: &Value) -> Option<String> {
        Some(super::report::text(result))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        check_wait(Self::NAME, params.wait_ms)?;
        let session = session(context, Self::NAME, params.session)?;
        check_whole(&session)?;
        let start = debugging(context).start_of(session.id());
        start.ok_or_else(|| unknown(session.id()))?.effects(context, Self::NAME)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Report, ToolError> {
        let old = session(context, Self::NAME, params.session)?;
        check_whole(&old)?;
        let start = debugging(context).start_of(old.id());
        let start = start.ok_or_else(|| unknown(old.id()))?;
        old.stop();
        let _ = debugging(context).settle(context);
        debugging(context).debugger.forget(old.id());
        let (session, phase) = start.start(context, Self::NAME, params.wait_ms)?;
        Report::from_session(context, Self::NAME, &session, phase)
    }
}

/// Refuses a session that the debugged program started itself.
fn check_whole(session: &Session) -> Result<(), ToolError> {
    let Some(parent) = session.parent() else { return Ok(()) };
    let message = format!(
        "{}: the program of debug session {} was started by that of session {parent}",
        DebugRestart::NAME,
        session.id()
    );
    let hint = format!("`session: {}` starts all of it anew", session.root());
    Err(ToolError::new(Code::Unsupported, message).hint(hint))
}

fn unknown(session: u64) -> ToolError {
    let message =
        format!("{}: how debug session {session} was started is not known", DebugRestart::NAME);
    ToolError::new(Code::Unavailable, message).hint("`debug_launch` starts it anew")
}
