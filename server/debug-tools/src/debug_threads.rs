//! `debug_threads`: the threads of a debugged program.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use ::debug::SessionPhase;

use super::failure;
use super::sessions::{request_limits, session};
use tools::{Context, Effect, EffectKind, Tool, ToolError, clip};

pub(crate) struct DebugThreads;

/// Limit for the threads of one result.
const MAX_THREADS: usize = 500;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The debug session, if several run.
    #[serde(default)]
    session: Option<u64>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The threads.
    threads: Vec<ThreadOutput>,
    /// Whether there are more.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

#[derive(Serialize, JsonSchema)]
struct ThreadOutput {
    /// Its id, for `thread` of other tools.
    thread: i64,
    /// Its name.
    name: String,
    /// Whether the program stopped in it.
    stopped: bool,
}

impl Tool for DebugThreads {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "debug_threads";
    const DESCRIPTION: &'static str = "List the threads of a debugged program.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Execute];
    const IDEMPOTENT: bool = true;

    fn effects(_: &Context<'_>, _: &Params) -> Result<Vec<Effect>, ToolError> {
        Ok(Vec::new())
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let session = session(context, Self::NAME, params.session)?;
        let threads = session.threads(request_limits(context));
        let threads = threads.map_err(|error| failure::from_debug_error(Self::NAME, error))?;
        let stopped = match session.phase() {
            SessionPhase::Stopped(stop) => stop.thread,
            _ => None,
        };
        let truncated = threads.len() > MAX_THREADS;
        let threads = threads.iter().take(MAX_THREADS).map(|thread| ThreadOutput {
            thread: thread.id,
            name: clip(&thread.name, 200),
            stopped: stopped == Some(thread.id),
        });
        Ok(Output { threads: threads.collect(), truncated })
    }
}
