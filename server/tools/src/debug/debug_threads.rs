//! `debug_threads`: the threads of a debugged program.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use ::debug::SessionPhase;

use super::running::{at_once, session};
use super::{failure, shown};
use crate::{Context, Effect, EffectKind, Tool, ToolError};

pub(crate) struct DebugThreads;

/// Limit for the threads of one result.
const MOST: usize = 500;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The debug session, if several run.
    #[serde(default)]
    session: Option<u64>,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The threads.
    threads: Vec<Thread>,
    /// Whether there are more.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

#[derive(Serialize, JsonSchema)]
struct Thread {
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
        let threads = session.threads(at_once(context));
        let threads = threads.map_err(|error| failure::of(Self::NAME, error))?;
        let stopped = match session.phase() {
            SessionPhase::Stopped(stop) => stop.thread,
            _ => None,
        };
        let truncated = threads.len() > MOST;
        let threads = threads.iter().take(MOST).map(|thread| Thread {
            thread: thread.id,
            name: shown::clipped(&thread.name, 200),
            stopped: stopped == Some(thread.id),
        });
        Ok(Output { threads: threads.collect(), truncated })
    }
}
