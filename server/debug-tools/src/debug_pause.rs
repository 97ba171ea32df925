//! `debug_pause`: interrupts a running program.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::failure;
use super::parameter_defaults::{check_wait, default_wait_ms};
use super::report::Report;
use super::sessions::{session, wait_limits};
use tools::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct DebugPause;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The thread; by default the first. Most debuggers stop all threads.
    #[serde(default)]
    thread: Option<i64>,
    /// How long to wait for the stop, in milliseconds: 10,000 by default, at most 600,000.
    #[serde(default = "default_wait_ms")]
    wait_ms: u64,
    /// The debug session, if several run.
    #[serde(default)]
    session: Option<u64>,
}

impl Tool for DebugPause {
    type Params = Params;
    type Output = Report;
    const NAME: &'static str = "debug_pause";
    const DESCRIPTION: &'static str = "Interrupt a running program. Returns a report as \
        `debug_step` does.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Execute];

    fn text(result: &Value) -> Option<String> {
        Some(super::report::text(result))
    }

    fn effects(_: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        check_wait(Self::NAME, params.wait_ms).map(|()| Vec::new())
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Report, ToolError> {
        let session = session(context, Self::NAME, params.session)?;
        let phase = session.pause(params.thread, wait_limits(context, params.wait_ms));
        let phase = phase.map_err(|error| failure::from_debug_error(Self::NAME, error))?;
        Report::from_session(context, Self::NAME, &session, phase)
    }
}
