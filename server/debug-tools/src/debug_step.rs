//! `debug_step`: continues to the next stop and reports it.

use ::debug::ResumeKind;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

use super::failure;
use super::parameter_defaults::{check_wait, default_wait_ms};
use super::report::Report;
use super::sessions::{prefer_stopped_session, session, wait_limits};
use tools::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct DebugStep;

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Action {
    /// To the next line, into calls.
    Into,
    /// To the next line, over calls.
    Over,
    /// To the end of this function.
    Out,
    /// To the next breakpoint, or the end.
    Continue,
    /// Do not continue: wait for a running program.
    Wait,
}

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// How to continue.
    action: Action,
    /// The thread; by default the stopped one.
    #[serde(default)]
    thread: Option<i64>,
    /// How long to wait for the next stop or the end, in milliseconds: 10,000 by default, at most
    /// 600,000.
    #[serde(default = "default_wait_ms")]
    wait_ms: u64,
    /// The debug session, if several run.
    #[serde(default)]
    session: Option<u64>,
}

impl Tool for DebugStep {
    type Params = Params;
    type Output = Report;
    const NAME: &'static str = "debug_step";
    const DESCRIPTION: &'static str = "Continue a stopped program: one line (`over`, `into`), to \
        the end of the function (`out`) or to the next breakpoint (`continue`), and wait until it \
        stops again. Returns one report: reason, location, source lines, variables, new output. \
        `state` is \"running\" if it did not stop within `wait_ms`; `wait` waits longer.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Execute];

    fn text(result: &Value) -> Option<String> {
        Some(super::report::text(result))
    }

    fn effects(_: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        // Starting the program was already approved.
        check_wait(Self::NAME, params.wait_ms).map(|()| Vec::new())
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Report, ToolError> {
        let session = session(context, Self::NAME, params.session)?;
        let limits = wait_limits(context, params.wait_ms);
        let resume = match params.action {
            Action::Into => Some(ResumeKind::Into),
            Action::Over => Some(ResumeKind::Over),
            Action::Out => Some(ResumeKind::Out),
            Action::Continue => Some(ResumeKind::Continue),
            Action::Wait => None,
        };
        let phase = match resume {
            Some(kind) => session.resume(kind, params.thread, limits),
            None => session.wait(limits),
        };
        let phase = phase.map_err(|error| failure::from_debug_error(Self::NAME, error))?;
        context.workspace.files_may_have_changed();
        let (session, phase) = prefer_stopped_session(session, phase);
        Report::from_session(context, Self::NAME, &session, phase)
    }
}
