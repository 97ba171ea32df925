//! A turn of a session: a message for the agent, and what it does until it has answered.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;
use tools::{Code, Context, ToolError};

use super::name_of;
use super::running::{TurnControl, Working};
use super::session_send::SessionSend;
use super::store::{Role, SessionLock, SessionRow, Store};
use super::transcript::Transcript;
use crate::acp::{Agent, Chosen, Place, START_TIMEOUT, Step, Work, mcp_servers, root, start};

/// Longest turn.
const TURN_TIMEOUT: Duration = Duration::from_secs(60 * 60);
/// How long an agent may take to end its turn after `session/cancel`.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(5);
/// Longest recap, and what it has of a message at most, in bytes.
const MAX_RECAP_BYTES: usize = 16 << 10;
const MAX_RECAP_MESSAGE_BYTES: usize = 2 << 10;
/// Longest part of an agent's standard error in a message, in bytes.
const MAX_STDERR_BYTES: usize = 1 << 10;

/// A turn.
pub(super) struct Turn {
    session: SessionRow,
    chosen: Chosen,
    /// The message, and its number.
    message: String,
    number: i64,
    agent: Option<Agent>,
    transcript: Transcript,
    stage: Stage,
    // Released first: a turn that has ended can be followed by the next.
    _lock: SessionLock,
    working: Working,
}

enum Stage {
    /// The agent has not got the message yet.
    Start,
    /// The agent works on request `id`.
    Working {
        id: u64,
        deadline: Instant,
        ending: Option<(&'static str, Instant)>,
    },
    Ended,
}

/// What a turn does for the agent's requests.
struct TurnWork<'t> {
    control: &'t TurnControl,
    /// That of a caller who waits.
    interrupt: Option<&'t AtomicBool>,
}

impl Work for TurnWork<'_> {
    fn is_cancelled(&self) -> bool {
        let is_interrupted = |interrupt: &AtomicBool| interrupt.load(Ordering::Relaxed);
        self.control.is_stopped() || self.interrupt.is_some_and(is_interrupted)
    }

    fn progress(&self, what: &str) {
        self.control.report(what);
    }
}

impl Turn {
    /// A turn that has not begun.
    pub(super) fn new(
        (session, chosen): (SessionRow, Chosen),
        (message, number): (String, i64),
        (working, agent): (Working, Option<Agent>),
        transcript: Transcript,
        lock: SessionLock,
    ) -> Self {
        let stage = Stage::Start;
        Self { session, chosen, message, number, agent, transcript, stage, _lock: lock, working }
    }

    /// Goes on with it until it ends, or until `until`. True if it has ended.
    pub(super) fn drive(
        &mut self,
        context: &Context<'_>,
        caller: tools::Caller,
        until: Option<Instant>,
    ) -> Result<bool, ToolError> {
        let calls = context.step_calls(SessionSend::NAME_OF_TOOL)?.of_caller(caller);
        let control = self.working.control.clone();
        let interrupt = until.map(|_| context.interrupt);
        let work = TurnWork { control: &control, interrupt };
        let group = format!("session-{}-{}", name_of(self.session.id), self.number);
        let place = Place {
            tool: SessionSend::NAME_OF_TOOL,
            workspace: context.workspace,
            calls: &*calls,
            group: &group,
            work: &work,
        };
        let is_over = || until.is_some_and(|until| Instant::now() >= until);
        while !is_over() {
            match self.step(&place) {
                Ok(None) => {}
                Ok(Some(reason)) => {
                    self.end(&reason, None);
                    context.workspace.files_may_have_changed();
                    return Ok(true);
                }
                Err(error) => {
                    self.end("failed", Some(&error));
                    context.workspace.files_may_have_changed();
                    return Ok(true);
                }
            }
        }
        Ok(false)
    }

    /// Does a bit of it. Returns the reason if it has ended.
    fn step(&mut self, place: &Place<'_>) -> Result<Option<String>, ToolError> {
        match &mut self.stage {
            Stage::Start => {
                let id = self.prompt(place)?;
                self.stage =
                    Stage::Working { id, deadline: Instant::now() + TURN_TIMEOUT, ending: None };
                Ok(None)
            }
            Stage::Working { id, deadline, ending } => {
                let Some(agent) = &mut self.agent else { return Ok(Some("cancelled".to_owned())) };
                if let Step::Answer(answer) = agent.step(*id, place, &mut self.transcript)? {
                    let answer = answer.map_err(|error| agent.failed("session/prompt", &error))?;
                    let reason = answer["stopReason"].as_str().unwrap_or("end_turn");
                    let reason = ending.map_or(reason, |(reason, _)| reason);
                    return Ok(Some(super::cleaned::cleaned_line(reason, 40)));
                }
                self.transcript.store_growing();
                if let Some(error) = self.transcript.failure.take() {
                    return Err(error);
                }
                match *ending {
                    Some((reason, until)) if Instant::now() >= until => {
                        // It does not listen, so the next message starts it again.
                        self.agent.take().map(Agent::end);
                        return Ok(Some(reason.to_owned()));
                    }
                    Some(_) => {}
                    None if place.work.is_cancelled() || Instant::now() >= *deadline => {
                        let is_late = Instant::now() >= *deadline;
                        let reason = if is_late { "timeout" } else { "cancelled" };
                        *ending = Some((reason, Instant::now() + CANCEL_TIMEOUT));
                        agent.cancel_turn();
                    }
                    None => {}
                }
                Ok(None)
            }
            Stage::Ended => Ok(Some("cancelled".to_owned())),
        }
    }

    /// Starts the agent if it does not run, and gives it the message.
    fn prompt(&mut self, place: &Place<'_>) -> Result<u64, ToolError> {
        if let Some(agent) = &mut self.agent {
            if !agent.has_ended() {
                return agent.prompt(&[&self.message]);
            }
            self.agent = None;
        }
        let folder = root(&place.calls.snapshot(), place.tool)?;
        let cwd = folder.root().path().display().to_string();
        let servers = mcp_servers(&cwd);
        let deadline = Instant::now() + START_TIMEOUT;
        let agent = self.agent.insert(start(place.tool, &folder, &self.chosen)?);
        agent.initialize(place, &mut self.transcript, deadline)?;
        let mut recap = None;
        if let Some(earlier) = &self.session.agent_session {
            let loaded = match agent.can_load() {
                true => agent
                    .load_session(earlier, (&cwd, &servers), place, &mut self.transcript, deadline)
                    .map_err(|error| format!(" ({error})")),
                false => Err(String::new()),
            };
            match loaded {
                Ok(()) => {
                    self.transcript
                        .add_system("The agent was started again and loaded this session.");
                    return agent.prompt(&[&self.message]);
                }
                Err(why) => {
                    let (text, count) = make_recap(&self.transcript.store, self.session.id)?;
                    recap = Some(text);
                    self.transcript.add_system(&format!(
                        "The agent was started again and could not load this session{why}; it got a recap of {count} messages."
                    ));
                }
            }
        }
        agent.new_session((&cwd, &servers), place, &mut self.transcript, deadline)?;
        let opened = agent.session().unwrap_or_default();
        self.transcript.store.set_agent_session(self.session.id, opened)?;
        let mut texts: Vec<&str> = Vec::new();
        texts.extend(self.chosen.instructions.as_deref());
        texts.extend(recap.as_deref());
        texts.push(&self.message);
        agent.prompt(&texts)
    }

    fn end(&mut self, reason: &str, error: Option<&ToolError>) {
        self.stage = Stage::Ended;
        self.transcript.end_message();
        let is_cancelled = error.is_some_and(|error| error.code == Code::Cancelled);
        let failure = error.filter(|_| !is_cancelled);
        let agent = self.agent.take();
        let ended = match (failure, is_cancelled) {
            (Some(error), _) => {
                let stderr = agent.map(Agent::end).unwrap_or_default();
                let mut what = error.to_string();
                if let Some(hint) = &error.hint {
                    what.push_str(&format!(" ({hint})"));
                }
                if !stderr.is_empty() {
                    let from =
                        stderr.ceil_char_boundary(stderr.len().saturating_sub(MAX_STDERR_BYTES));
                    what.push_str(&format!("\nIts standard error ends:\n{}", &stderr[from..]));
                }
                self.transcript.add_system(&what);
                super::cleaned::cleaned_line(&error.to_string(), 500)
            }
            // It was stopped before it had got the message.
            (None, true) => {
                agent.map(Agent::end);
                "cancelled".to_owned()
            }
            (None, false) => {
                if let Some(agent) = agent {
                    self.working.keep(agent);
                }
                reason.to_owned()
            }
        };
        let stored = self.transcript.store.end_turn(self.session.id, &ended, failure.is_some());
        if let Err(error) = stored {
            tracing::error!("the end of a turn is not recorded: {error}");
        }
        self.transcript.publish_change("ended", &json!(ended));
    }
}

impl Drop for Turn {
    /// A turn that nobody goes on with, because its call was cancelled or panicked.
    fn drop(&mut self) {
        if !matches!(self.stage, Stage::Ended) {
            let error = ToolError::new(Code::Cancelled, "cancelled");
            self.end("cancelled", Some(&error));
        }
    }
}

/// What the last messages were, for an agent that has forgotten them, and how many.
fn make_recap(store: &Store, session: i64) -> Result<(String, usize), ToolError> {
    let mut parts = Vec::new();
    let mut room = MAX_RECAP_BYTES;
    let mut is_new = true;
    store.visit_messages(session, (0, i64::MAX), |row| {
        let who = match &*row.role {
            role if role == Role::User.name() => "The user",
            role if role == Role::Assistant.name() => "You",
            _ => return true,
        };
        if std::mem::take(&mut is_new) && who == "The user" {
            // The message that the recap is for.
            return true;
        }
        let mut end = row.content.floor_char_boundary(MAX_RECAP_MESSAGE_BYTES);
        end = end.min(row.content.len());
        let dots = if end < row.content.len() { " […]" } else { "" };
        let part = format!("{who}: {}{dots}", &row.content[..end]);
        let fits = part.len() <= room;
        if fits {
            room -= part.len();
            parts.push(part);
        }
        fits
    })?;
    parts.reverse();
    let count = parts.len();
    let text = format!(
        "This conversation began earlier, with a process of yours that has ended. Its last messages, shortened:\n\n{}\n\nIt goes on with this message:",
        parts.join("\n\n")
    );
    Ok((text, count))
}
