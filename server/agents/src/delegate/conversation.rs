//! One conversation with an agent: it starts a session, gives it the task, and serves its requests until its
//! turn ends.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use tools::{Code, ToolError};

use super::connection::{Connection, Incoming, NoMessage};
use super::place::Place;
use super::requests::{read_text_file, request_permission, write_text_file};

/// How often a cancel is noticed.
const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// How long starting and opening a session may take.
const START_TIMEOUT: Duration = Duration::from_secs(60);
/// How long an agent may take to end its turn after `session/cancel`.
const CANCEL_TIMEOUT: Duration = Duration::from_secs(5);
/// The version of the protocol.
const PROTOCOL_VERSION: u64 = 1;
/// Longest report, in bytes.
const MAX_REPORT_BYTES: usize = 32 << 10;
/// Tool calls that are listed, and the length of their titles.
const MAX_TOOL_CALLS: usize = 200;
const MAX_TITLE_CHARS: usize = 200;
/// Refused requests that are listed.
const MAX_REFUSED: usize = 50;

/// What to do, and with what.
pub(super) struct Task<'t> {
    pub(super) agent: &'t str,
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

/// The state of a conversation.
struct Conversation<'c> {
    connection: &'c mut Connection,
    place: &'c Place<'c>,
    task: &'c Task<'c>,
    session: Option<String>,
    outcome: Outcome,
    /// The place of each tool call in the outcome, by its id.
    calls: BTreeMap<String, usize>,
    /// Whether a message has come since the last tool call: the next call begins a turn.
    has_spoken: bool,
    deadline: Instant,
}

/// Holds the conversation.
///
/// # Errors
/// If the agent cannot start a session, or ends or fails before its turn does.
pub(super) fn converse(
    connection: &mut Connection,
    place: &Place<'_>,
    task: &Task<'_>,
) -> Result<Outcome, ToolError> {
    let now = Instant::now();
    let mut conversation = Conversation {
        connection,
        place,
        task,
        session: None,
        outcome: Outcome::default(),
        calls: BTreeMap::new(),
        has_spoken: true,
        deadline: now + task.timeout,
    };
    conversation.open_session(now + START_TIMEOUT.min(task.timeout))?;
    conversation.prompt()?;
    Ok(conversation.outcome)
}

impl Conversation<'_> {
    fn error(&self, code: Code, what: &str) -> ToolError {
        ToolError::new(code, format!("delegate: {}: {what}", self.task.agent))
    }

    fn open_session(&mut self, deadline: Instant) -> Result<(), ToolError> {
        let answer = self.call(
            "initialize",
            &json!({
                "protocolVersion": PROTOCOL_VERSION,
                "clientCapabilities": {
                    "fs": { "readTextFile": true, "writeTextFile": true },
                    "terminal": false,
                },
                "clientInfo": { "name": "tandem", "version": env!("CARGO_PKG_VERSION") },
            }),
            deadline,
        )?;
        if answer["protocolVersion"].as_u64() != Some(PROTOCOL_VERSION) {
            let what = format!("speaks version {} of the protocol", answer["protocolVersion"]);
            return Err(self.error(Code::Unsupported, &what));
        }
        let session = json!({ "cwd": self.task.cwd, "mcpServers": self.task.mcp_servers });
        let answer = self.call("session/new", &session, deadline)?;
        match answer["sessionId"].as_str() {
            Some(id) => self.session = Some(id.to_owned()),
            None => return Err(self.error(Code::Unsupported, "opened no session")),
        }
        Ok(())
    }

    /// Makes a request and serves the agent's until it is answered.
    fn call(
        &mut self,
        method: &str,
        params: &Value,
        deadline: Instant,
    ) -> Result<Value, ToolError> {
        let id = self.send_request(method, params)?;
        loop {
            if self.place.is_cancelled() {
                return Err(self.error(Code::Cancelled, "cancelled"));
            }
            if Instant::now() >= deadline {
                let what = format!("has not answered `{method}`");
                return Err(self.error(Code::Timeout, &what));
            }
            if let Some(answer) = self.step(id)? {
                return answer.map_err(|error| self.refused(method, &error));
            }
        }
    }

    /// Gives the agent its task, until its turn ends or is ended.
    fn prompt(&mut self) -> Result<(), ToolError> {
        let prompt = json!({
            "sessionId": self.session,
            "prompt": [{ "type": "text", "text": self.task.prompt }],
        });
        let id = self.send_request("session/prompt", &prompt)?;
        let mut ending: Option<(&str, Instant)> = None;
        loop {
            if let Some(answer) = self.step(id)? {
                let answer = answer.map_err(|error| self.refused("session/prompt", &error))?;
                let reason = answer["stopReason"].as_str().unwrap_or("end_turn");
                self.outcome.stop_reason = ending.map_or(reason, |(reason, _)| reason).to_owned();
                return Ok(());
            }
            if self.place.is_cancelled() {
                return Err(self.error(Code::Cancelled, "cancelled"));
            }
            let is_over = self.task.max_turns.is_some_and(|most| self.outcome.turns > most);
            match ending {
                Some((reason, until)) if Instant::now() >= until => {
                    self.outcome.stop_reason = reason.to_owned();
                    return Ok(());
                }
                Some(_) => {}
                None if is_over || Instant::now() >= self.deadline => {
                    let reason = if is_over { "max_turns" } else { "timeout" };
                    ending = Some((reason, Instant::now() + CANCEL_TIMEOUT));
                    let session = json!({ "sessionId": self.session });
                    self.connection.notify("session/cancel", &session);
                }
                None => {}
            }
        }
    }

    fn send_request(&mut self, method: &str, params: &Value) -> Result<u64, ToolError> {
        let id = self.connection.request(method, params);
        id.ok_or_else(|| self.error(Code::Io, "does not read what it is sent"))
    }

    fn refused(&self, method: &str, error: &Value) -> ToolError {
        let message: String =
            error["message"].as_str().unwrap_or("an error").chars().take(500).collect();
        let made = self.error(Code::Unavailable, &format!("`{method}` failed: {message}"));
        match error["code"].as_i64() {
            // The protocol's code for an agent that nobody has logged in to.
            Some(-32_000) => made.hint("start its program in a terminal once, and log in"),
            _ => made,
        }
    }

    /// Handles one message, if one comes. Returns the answer to request `id`.
    #[allow(clippy::type_complexity, reason = "an answer or not, which is a result or an error")]
    fn step(&mut self, id: u64) -> Result<Option<Result<Value, Value>>, ToolError> {
        match self.connection.receive(POLL_INTERVAL) {
            Ok(Incoming::Response(of, answer)) if of == id => return Ok(Some(answer)),
            Ok(Incoming::Response(..)) | Err(NoMessage::Timeout) => {}
            Ok(Incoming::Notification(method, params)) => self.notified(&method, &params),
            Ok(Incoming::Request(id, method, params)) => {
                let answer = self.requested(&method, &params);
                if let Err((_, message)) = &answer {
                    self.note_refused(format!("{method}: {message}"));
                }
                if !self.connection.answer(&id, answer) {
                    return Err(self.error(Code::Io, "does not read what it is sent"));
                }
            }
            Err(NoMessage::Closed) => {
                return Err(self.error(Code::Unavailable, "ended before it had finished"));
            }
        }
        Ok(None)
    }

    fn is_session(&self, params: &Value) -> bool {
        self.session.is_some() && params["sessionId"].as_str() == self.session.as_deref()
    }

    fn requested(&mut self, method: &str, params: &Value) -> Result<Value, (i64, String)> {
        let known = ["fs/read_text_file", "fs/write_text_file", "session/request_permission"];
        if !known.contains(&method) {
            return Err((-32_601, format!("`{method:.60}` is not supported")));
        }
        if !self.is_session(params) {
            return Err((-32_602, "this is not the session of this connection".to_owned()));
        }
        match method {
            "fs/read_text_file" => read_text_file(self.place, params),
            "fs/write_text_file" => write_text_file(self.place, params),
            _ => {
                let (answer, refused) = request_permission(self.place, self.task.agent, params);
                if let Some(error) = refused {
                    let title = params["toolCall"]["title"].as_str().unwrap_or("a tool call");
                    self.note_refused(format!("{title}: {}: {error}", error.code.as_str()));
                }
                Ok(answer)
            }
        }
    }

    fn note_refused(&mut self, what: String) {
        match self.outcome.refused.len() < MAX_REFUSED {
            true => self.outcome.refused.push(what.chars().take(500).collect()),
            false => self.outcome.truncated = true,
        }
    }

    fn notified(&mut self, method: &str, params: &Value) {
        if method != "session/update" || !self.is_session(params) {
            return;
        }
        let update = &params["update"];
        match update["sessionUpdate"].as_str() {
            Some("agent_message_chunk") => {
                if !self.has_spoken {
                    // The report is the last message: what it says after its last tool call.
                    self.outcome.report.clear();
                    self.has_spoken = true;
                }
                let text = update["content"]["text"].as_str().unwrap_or_default();
                let room = MAX_REPORT_BYTES.saturating_sub(self.outcome.report.len());
                self.outcome.truncated |= text.len() > room;
                self.outcome.report.push_str(&text[..text.floor_char_boundary(room)]);
            }
            Some("tool_call" | "tool_call_update") => self.tool_call(update),
            _ => {}
        }
    }

    fn tool_call(&mut self, update: &Value) {
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
                self.outcome.turns += u64::from(self.has_spoken || self.has_finished_calls());
                self.has_spoken = false;
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
            self.place.progress(&title);
        }
    }

    /// Whether the calls so far have ended: the next one is made after their results were seen.
    fn has_finished_calls(&self) -> bool {
        let last = self.outcome.tool_calls.last();
        last.is_some_and(|call| matches!(&*call.status, "completed" | "failed"))
    }
}
