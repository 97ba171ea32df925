//! `session_send`: gives the agent of a session a message.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tools::{Caller, Code, Context, Effect, EffectKind, Tool, ToolError};

use super::running::at_work;
use super::session_history::{MessageOutput, lines, page};
use super::store::SessionRow;
use super::transcript::Transcript;
use super::turn::Turn;
use super::{SessionOutput, Sessions, Store, line};
use crate::acp::{choose, root, start_effects};

pub(crate) struct SessionSend;

/// Longest message, in bytes.
const MAX_MESSAGE_BYTES: usize = 64 << 10;
/// The longest wait, in milliseconds.
const MAX_WAIT_MS: u64 = 300_000;
/// Messages that are returned.
const MAX_MESSAGES: usize = 50;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The session.
    session: String,
    /// The message; without it, the turn that runs is waited for or ended.
    #[serde(default)]
    message: Option<String>,
    /// Wait up to so many milliseconds for the end of the turn, at most 300,000.
    #[serde(default)]
    wait_ms: u64,
    /// End the turn that runs.
    #[serde(default)]
    stop: bool,
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The session.
    session: SessionOutput,
    /// The number of the message that was sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    number: Option<i64>,
    /// When it was sent (RFC 3339).
    timestamp: String,
    /// What the agent has answered and done since, the oldest first.
    messages: Vec<MessageOutput>,
    /// Whether there were more messages; `session_history` returns them.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

impl SessionSend {
    /// The tool's name, for errors about agents.
    pub(super) const NAME_OF_TOOL: &'static str = <Self as Tool>::NAME;
}

impl Tool for SessionSend {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "session_send";
    const DESCRIPTION: &'static str = "Send a message to the agent of a session. Returns at once, or with \
        `wait_ms` the answer; `session_history` returns it later. Without `message` it waits for the turn that \
        runs, or ends it (`stop`). Needs approval, as `delegate` does.";
    const EFFECTS: &'static [EffectKind] =
        &[EffectKind::Execute, EffectKind::Network, EffectKind::Admin];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] =
        &[("prompt", "message"), ("text", "message")];

    fn text(result: &Value) -> Option<String> {
        let mut all = vec![line(&result["session"])];
        all.extend(lines(result));
        if result["truncated"] == true {
            all.push("[earlier messages: `session_history`]".to_owned());
        }
        Some(all.join("\n"))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        params.check()?;
        let Some(message) = &params.message else { return Ok(Vec::new()) };
        let session = Store::open(context, Self::NAME)?.find(&params.session)?;
        let chosen = choose(context, Self::NAME, &session.agent)?;
        let cwd = root(&context.snapshot, Self::NAME)?;
        // Also if it runs already: what it does with its own hands, nobody else decides on.
        Ok(start_effects(cwd, &chosen, message.clone()))
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let store = Store::open(context, Self::NAME)?;
        let session = store.find(&params.session)?;
        match &params.message {
            Some(message) => send(context, store, session, message, params.wait_ms),
            None => wait(context, &store, session, &params),
        }
    }
}

impl Params {
    fn check(&self) -> Result<(), ToolError> {
        let invalid = |what: &str| {
            Err(ToolError::new(Code::InvalidParams, format!("{}: {what}", SessionSend::NAME)))
        };
        if self.wait_ms > MAX_WAIT_MS {
            return invalid("`wait_ms` must be 300,000 at most");
        }
        match &self.message {
            Some(_) if self.stop => invalid("`stop` and `message` are two calls"),
            Some(message) if message.trim().is_empty() => invalid("`message` is empty"),
            Some(message) if message.len() > MAX_MESSAGE_BYTES => {
                invalid("`message` is longer than 64 KiB")
            }
            None if !self.stop && self.wait_ms == 0 => {
                invalid("it needs a `message`, or `wait_ms` or `stop` for the turn that runs")
            }
            _ => Ok(()),
        }
    }
}

fn output(
    context: &Context<'_>,
    store: &Store,
    id: &str,
    sent: Option<i64>,
    after: i64,
) -> Result<Output, ToolError> {
    let row = store.find(id)?;
    let (messages, truncated) = page(store, row.id, (after, i64::MAX), MAX_MESSAGES)?;
    let session = SessionOutput::new(&row, store, context.session.family::<Sessions>());
    let timestamp = match sent {
        Some(number) => super::store::time(store.message(number)?.at),
        None => jiff::Timestamp::now().to_string(),
    };
    Ok(Output { session, number: sent, timestamp, messages, truncated })
}

/// Waits for the turn that runs, or ends it.
fn wait(
    context: &Context<'_>,
    store: &Store,
    session: SessionRow,
    params: &Params,
) -> Result<Output, ToolError> {
    let turn = context.session.family::<Sessions>().turn(session.id);
    // What was there before is known, or `session_history` returns it.
    let (before, _) = page(store, session.id, (0, i64::MAX), 1)?;
    let after = before.last().map_or(0, MessageOutput::number);
    match turn {
        Some(turn) => {
            if params.stop {
                turn.stop();
            }
            let limit = Duration::from_millis(params.wait_ms);
            turn.wait(limit, || context.interrupt.load(Ordering::Relaxed));
        }
        None if params.stop && session.is_working && store.is_locked(session.id) => {
            let message = format!("{}: another server works on this session", SessionSend::NAME);
            return Err(ToolError::new(Code::Unavailable, message));
        }
        None => {}
    }
    // The message that grows is an old one, but what it is now is new.
    output(context, store, &params.session, None, after - 1)
}

/// Begins a turn, and waits for its end as long as the caller wants.
fn send(
    context: &Context<'_>,
    store: Store,
    session: SessionRow,
    message: &str,
    wait_ms: u64,
) -> Result<Output, ToolError> {
    let name = SessionSend::NAME;
    let id = super::name_of(session.id);
    let chosen = choose(context, name, &session.agent)?;
    let (working, agent) = context.session.family::<Sessions>().begin(name, session.id)?;
    let lock = store.lock(session.id)?.ok_or_else(|| at_work(name, session.id))?;
    let recorded = Store::open(context, name)?;
    let number = store.begin_turn(session.id, message)?;
    let transcript = Transcript::new(session.id, recorded, context.session.chat.clone());
    transcript.publish(number);
    transcript.publish_change("status", &json!("working"));
    let caller = Caller {
        front_end: "acp",
        client: Some(chosen.name.clone()),
        trace: context.caller.trace.clone(),
    };
    let mut turn = Turn::new(
        (session, chosen),
        (message.to_owned(), number),
        (working, agent),
        transcript,
        lock,
    );
    // Without a server nothing goes on after the call.
    let is_only_call = context.session.audit.front_end() == "cli";
    let until = match is_only_call {
        true => None,
        false => Some(Instant::now() + Duration::from_millis(wait_ms)),
    };
    let has_ended = match until {
        Some(_) if wait_ms == 0 => false,
        _ => turn.drive(context, caller.clone(), until)?,
    };
    if has_ended {
        drop(turn);
    } else {
        context.go_on_after_answer(move |context| {
            if let Err(error) = turn.drive(context, caller, None) {
                tracing::error!("a turn has ended: {error}");
            }
        });
    }
    output(context, &store, &id, Some(number), number)
}
