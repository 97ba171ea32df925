//! One conversation with an agent: it starts a session, gives it the task, and serves its requests until its
//! turn ends.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use tools::{Code, ToolError};

use crate::acp::{Agent, Observer, Place, START_TIMEOUT, Step};

/// How long an agent may take to end its turn after `session/cancel`.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(5);
/// Longest report, in bytes.
const MAX_REPORT_BYTES: usize = 32 << 10;
/// Tool calls that are listed, and the length of their titles.
const MAX_TOOL_CALLS: usize = 200;
const MAX_TITLE_CHARS: usize = 200;
/// Refused requests that are listed.
const MAX_REFUSED: usize = 50;

/// What to do, and with what.
pub(super) struct Task<'t> {
    /// The working folder.
    pub(super) cwd: &'t str,
    /// The prompt.
    pub(super) prompt: &'t str,
    /// The MCP servers it gets, as the protocol writes them.
    pub(super) mcp_servers: Value,
    /// Its turns.
    pub(super) max_turns: Option<u64>,
    pub(super) timeout: Duration,
}

/// How a conversation ended.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub(super) stop_reason: String,
    pub(super) report: String,
    pub(super) turns: u64,
    pub(super) tool_calls: Vec<ToolCallOutput>,
    pub(super) refused: Vec<String>,
    pub(super) truncated: bool,
}

impl Outcome {
    /// That of an agent which has just begun.
    pub(super) fn running() -> Self {
        Self { stop_reason: "running".to_owned(), ..Self::default() }
    }
}

/// A tool call that the agent reported.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ToolCallOutput {
    /// What it did, in the agent's words.
    title: String,
    /// `read`, `edit`, `execute`, …
    kind: String,
    /// `pending`, `in_progress`, `completed` or `failed`.
    status: String,
}

/// What an agent has reported of its task.
#[derive(Default)]
struct Reported {
    outcome: Outcome,
    /// The place of each tool call in the outcome, by its id.
    calls: BTreeMap<String, usize>,
    /// Whether a tool call came after the last message: the next message replaces it.
    has_called: bool,
}

/// Holds the conversation.
///
/// # Errors
/// If the agent cannot start a session, or ends or fails before its turn does.
pub(super) fn converse(
    agent: &mut Agent,
    place: &Place<'_>,
    task: &Task<'_>,
) -> Result<Outcome, ToolError> {
    let now = Instant::now();
    let mut reported = Reported::default();
    let start_deadline = now + START_TIMEOUT.min(task.timeout);
    agent.initialize(place, &mut reported, start_deadline)?;
    let folder = (task.cwd, &task.mcp_servers);
    agent.new_session(folder, place, &mut reported, start_deadline)?;
    let id = agent.prompt(&[task.prompt])?;
    let mut ending: Option<(&str, Instant)> = None;
    loop {
        if let Step::Answer(answer) = agent.step(id, place, &mut reported)? {
            let answer = answer.map_err(|error| agent.failed("session/prompt", &error))?;
            let reason = answer["stopReason"].as_str().unwrap_or("end_turn");
            reported.outcome.stop_reason = ending.map_or(reason, |(reason, _)| reason).to_owned();
            return Ok(reported.outcome);
        }
        if place.work.is_cancelled() {
            return Err(agent.error(Code::Cancelled, "cancelled"));
        }
        let is_over = task.max_turns.is_some_and(|most| reported.outcome.turns > most);
        match ending {
            Some((reason, until)) if Instant::now() >= until => {
                reported.outcome.stop_reason = reason.to_owned();
                return Ok(reported.outcome);
            }
            Some(_) => {}
            None if is_over || Instant::now() >= now + task.timeout => {
                let reason = if is_over { "max_turns" } else { "timeout" };
                ending = Some((reason, Instant::now() + CANCEL_TIMEOUT));
                agent.cancel_turn();
            }
            None => {}
        }
    }
}

impl Observer for Reported {
    fn refused(&mut self, what: String) {
        match self.outcome.refused.len() < MAX_REFUSED {
            true => self.outcome.refused.push(what.chars().take(500).collect()),
            false => self.outcome.truncated = true,
        }
    }

    fn updated(&mut self, place: &Place<'_>, update: &Value) {
        match update["sessionUpdate"].as_str() {
            Some("agent_message_chunk") => {
                if self.has_called {
                    // The report is the last message: what it says after its last tool call.
                    self.outcome.report.clear();
                    self.has_called = false;
                }
                let text = update["content"]["text"].as_str().unwrap_or_default();
                let room = MAX_REPORT_BYTES.saturating_sub(self.outcome.report.len());
                self.outcome.truncated |= text.len() > room;
                self.outcome.report.push_str(&text[..text.floor_char_boundary(room)]);
            }
            Some("tool_call" | "tool_call_update") => self.tool_call(place, update),
            _ => {}
        }
    }
}

impl Reported {
    fn tool_call(&mut self, place: &Place<'_>, update: &Value) {
        let text = |field: &str| {
            update[field]
                .as_str()
                .map(|text| text.chars().take(MAX_TITLE_CHARS).collect::<String>())
        };
        let Some(id) = text("toolCallId") else { return };
        let at = match self.calls.get(&id) {
            Some(at) => *at,
            None => {
                // A turn is what a model answers at a time: a message, then calls.
                self.outcome.turns += u64::from(!self.has_called || self.has_finished_calls());
                self.has_called = true;
                if self.outcome.tool_calls.len() >= MAX_TOOL_CALLS {
                    self.outcome.truncated = true;
                    return;
                }
                self.outcome.tool_calls.push(ToolCallOutput {
                    title: String::new(),
                    kind: "other".to_owned(),
                    status: "pending".to_owned(),
                });
                let at = self.outcome.tool_calls.len() - 1;
                self.calls.insert(id, at);
                at
            }
        };
        let call = &mut self.outcome.tool_calls[at];
        let fields =
            [("title", &mut call.title), ("kind", &mut call.kind), ("status", &mut call.status)];
        for (field, place) in fields {
            if let Some(text) = text(field) {
                *place = text;
            }
        }
        if let (true, Some(title)) = (call.status == "in_progress", text("title")) {
            place.work.progress(&title);
        }
    }

    /// Whether the calls so far have ended: the next one is made after their results were seen.
    fn has_finished_calls(&self) -> bool {
        let last = self.outcome.tool_calls.last();
        last.is_some_and(|call| matches!(&*call.status, "completed" | "failed"))
    }
}
