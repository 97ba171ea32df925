//! The debug sessions of a client, and which of them a call is about.

use std::sync::Arc;
use std::time::Duration;

use ::debug::{Breakpoints, Debugger, Session, SessionPhase, WaitLimits};
use parking_lot::Mutex;
use serde_json::json;

use super::program::StartRequest;
use tools::{
    Code, Command, Context, ToolError,
    command::guarded::{Before, Created},
};

/// Timeout for requests that an adapter answers immediately.
const REQUEST_TIMEOUT: Duration = Duration::from_secs(30);

/// The debugger of a session, with its own records.
#[derive(Default)]
pub(crate) struct Debugging {
    pub(crate) debugger: Debugger,
    started: Mutex<Vec<Started>>,
}

/// How a session was started.
struct Started {
    session: u64,
    start: StartRequest,
    /// The guarded places before the start, until changes are settled.
    before: Option<(Before, Command)>,
}

impl Debugging {
    pub(super) fn breakpoints(&self) -> &Breakpoints {
        self.debugger.breakpoints()
    }

    /// Remembers how a session was started.
    pub(super) fn record_start(
        &self,
        session: u64,
        start: StartRequest,
        before: Option<(Before, Command)>,
    ) {
        let mut started = self.started.lock();
        let kept: Vec<_> = self.debugger.sessions().iter().map(|session| session.id()).collect();
        started.retain(|one| one.before.is_some() || kept.contains(&one.session));
        started.push(Started { session, start, before });
    }

    /// How a session was started.
    pub(super) fn start_of(&self, session: u64) -> Option<StartRequest> {
        let started = self.started.lock();
        started.iter().find(|one| one.session == session).map(|one| one.start.clone())
    }

    /// Removes files that ended programs created in guarded places without approval.
    pub(super) fn settle(&self, context: &Context<'_>) -> Vec<Created> {
        let sessions = self.debugger.sessions();
        let runs = |id: u64| {
            sessions
                .iter()
                .any(|one| one.id() == id && !matches!(one.phase(), SessionPhase::Ended(_)))
        };
        let ended: Vec<_> = self
            .started
            .lock()
            .iter_mut()
            .filter(|one| !runs(one.session))
            .filter_map(|one| one.before.take())
            .collect();
        ended.iter().flat_map(|(before, command)| before.settle(context, command).created).collect()
    }
}

/// The debugger's state of the call's session.
pub(super) fn debugging<'c>(context: &'c Context<'_>) -> &'c Debugging {
    context.session.family()
}

/// The timeout for immediate requests.
pub(super) fn request_limits<'c>(context: &Context<'c>) -> WaitLimits<'c> {
    WaitLimits { timeout: REQUEST_TIMEOUT, interrupt: context.interrupt }
}

/// A timeout to wait for a program.
pub(super) fn wait_limits<'c>(context: &Context<'c>, milliseconds: u64) -> WaitLimits<'c> {
    WaitLimits { timeout: Duration::from_millis(milliseconds), interrupt: context.interrupt }
}

/// The session that a call names; by default the only running one, else the last that ran.
pub(super) fn session(
    context: &Context<'_>,
    tool: &str,
    session_id: Option<u64>,
) -> Result<Arc<Session>, ToolError> {
    let mut all = debugging(context).debugger.sessions();
    if let Some(id) = session_id {
        let found = all.into_iter().find(|session| session.id() == id);
        return found.ok_or_else(|| {
            ToolError::new(Code::Unavailable, format!("{tool}: there is no debug session {id}"))
                .hint("`debug_sessions` lists them")
        });
    }
    let running: Vec<_> =
        all.iter().filter(|s| !matches!(s.phase(), SessionPhase::Ended(_))).cloned().collect();
    match &running[..] {
        [one] => Ok(one.clone()),
        [first, rest @ ..] if rest.iter().all(|one| one.root() == first.root()) => {
            session_of_tree(tool, &running)
        }
        [] => all.pop().ok_or_else(|| {
            ToolError::new(Code::Unavailable, format!("{tool}: nothing is being debugged"))
                .hint("start a program with `debug_launch` or `debug_attach`")
        }),
        several => Err(ambiguous_session(tool, several)),
    }
}

/// Of the processes that one program started: the stopped one, or the first if all run.
fn session_of_tree(tool: &str, running: &[Arc<Session>]) -> Result<Arc<Session>, ToolError> {
    let is_stopped = |s: &&Arc<Session>| matches!(s.phase(), SessionPhase::Stopped(_));
    let stopped: Vec<_> = running.iter().filter(is_stopped).cloned().collect();
    match &stopped[..] {
        [] => Ok(running[0].clone()),
        [one] => Ok(one.clone()),
        several => Err(ambiguous_session(tool, several)),
    }
}

fn ambiguous_session(tool: &str, several: &[Arc<Session>]) -> ToolError {
    let listed = several.iter().map(|s| json!({ "session": s.id(), "program": s.title() }));
    let listed: Vec<_> = listed.collect();
    let message = format!("{tool}: {} debug sessions run", several.len());
    ToolError::new(Code::Ambiguous, message)
        .hint("pass `session`")
        .details(json!({ "sessions": listed }))
}

/// The session to report after waiting for one: if it is running, a child process may have
/// stopped.
pub(super) fn prefer_stopped_session(
    session: Arc<Session>,
    phase: SessionPhase,
) -> (Arc<Session>, SessionPhase) {
    match phase {
        SessionPhase::Starting | SessionPhase::Running => {
            session.other_stopped_session().unwrap_or((session, phase))
        }
        halted => (session, halted),
    }
}
