//! `debug_pause`: a running program stopped where it is.

use schemars::JsonSchema;
use serde::Deserialize;

use super::failure;
use super::report::Report;
use super::running::{for_ms, session};
use super::wanted::{check_wait, ten_seconds};
use crate::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct DebugPause;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The thread to stop; the first one by default. Most debuggers stop all of them.
    #[serde(default)]
    thread: Option<i64>,
    /// How many milliseconds to wait for it to stop, 600,000 at most; 10,000 by default.
    #[serde(default = "ten_seconds")]
    wait_ms: u64,
    /// The debug session, where several run.
    #[serde(default)]
    session: Option<u64>,
}

impl Tool for DebugPause {
    type Params = Params;
    type Output = Report;
    const NAME: &'static str = "debug_pause";
    const DESCRIPTION: &'static str = "Stop a running program where it is, and report where that \
        is as `debug_step` does.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Execute];

    fn effects(_: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        check_wait(Self::NAME, params.wait_ms).map(|()| Vec::new())
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Report, ToolError> {
        let session = session(context, Self::NAME, params.session)?;
        let phase = session.pause(params.thread, for_ms(context, params.wait_ms));
        let phase = phase.map_err(|error| failure::of(Self::NAME, error))?;
        Report::of(context, Self::NAME, &session, phase)
    }
}
