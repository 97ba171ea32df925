//! `debug_sessions`: lists debug sessions.

use ::debug::SessionPhase;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::sessions::debugging;
use tools::{Context, Effect, EffectKind, Tool, ToolError, clip, command::guarded::Created};

pub(crate) struct DebugSessions;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The sessions, oldest first, with the last few ended ones.
    sessions: Vec<SessionOutput>,
    /// Files that programs created in guarded places; those not approved were removed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    created_guarded: Vec<Created>,
}

#[derive(Serialize, JsonSchema)]
struct SessionOutput {
    /// Its id, for `session` of other tools.
    session: u64,
    /// The session whose program started this one, and with which it ends.
    #[serde(skip_serializing_if = "Option::is_none")]
    parent: Option<u64>,
    /// `starting`, `running`, `stopped` or `exited`.
    state: &'static str,
    /// What is debugged, as a command line.
    program: String,
    /// The debug adapter.
    debugger: String,
    /// Process id, as the program sees it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pid: Option<i64>,
    /// Why it stopped.
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// Its exit code.
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i64>,
    /// The debug adapter's failure.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl Tool for DebugSessions {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "debug_sessions";
    const DESCRIPTION: &'static str = "List debug sessions with their states.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Execute];
    const IDEMPOTENT: bool = true;

    fn effects(_: &Context<'_>, _: &Params) -> Result<Vec<Effect>, ToolError> {
        Ok(Vec::new())
    }

    fn run(context: &Context<'_>, _: Params) -> Result<Output, ToolError> {
        let sessions = debugging(context).debugger.sessions();
        let sessions = sessions.iter().map(|session| {
            let mut one = SessionOutput {
                session: session.id(),
                parent: session.parent(),
                state: "starting",
                program: clip(session.title(), 1_000),
                debugger: session.adapter().to_owned(),
                pid: session.process(),
                reason: None,
                exit_code: None,
                error: None,
            };
            match session.phase() {
                SessionPhase::Starting => {}
                SessionPhase::Running => one.state = "running",
                SessionPhase::Stopped(stop) => {
                    one.state = "stopped";
                    one.reason = Some(stop.reason);
                }
                SessionPhase::Ended(ending) => {
                    one.state = "exited";
                    one.exit_code = ending.exit_code;
                    one.error = ending.fault;
                }
            }
            one
        });
        let sessions = sessions.collect();
        Ok(Output { sessions, created_guarded: debugging(context).settle(context) })
    }
}
