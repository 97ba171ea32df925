//! Records what an agent does in a turn.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tools::{Feed, ToolError};

use super::cleaned::{cleaned, cleaned_line};
use super::name_of;
use super::session_history::MessageOutput;
use super::store::{NewMessage, Role, Store};
use crate::acp::{Observer, Place};

/// Longest message that is kept, in bytes.
const MAX_MESSAGE_BYTES: usize = 32 << 10;
/// Messages, tool calls and refusals that a turn may add.
const MAX_MESSAGES: usize = 500;
/// Longest title of a tool call or reason of a refusal, in characters.
const MAX_TITLE_CHARS: usize = 200;
/// Steps of a plan, and their length in characters.
const MAX_STEPS: usize = 100;
const MAX_STEP_CHARS: usize = 500;
/// How often a message that grows is stored.
const STORE_INTERVAL: Duration = Duration::from_millis(250);

/// The record of a turn.
pub(super) struct Transcript {
    session: i64,
    pub(super) store: Store,
    news: Arc<Feed<Value>>,
    /// The message that grows, as the agent wrote it.
    text: String,
    is_cut: bool,
    /// Its number, once it is stored.
    number: Option<i64>,
    is_stored: bool,
    stored_at: Instant,
    /// Tool calls by the agent's ids.
    calls: BTreeMap<String, (i64, NewMessage)>,
    /// What it has added.
    count: usize,
    /// Why it could not be stored.
    pub(super) failure: Option<ToolError>,
}

impl Transcript {
    /// The record of a turn of a session.
    pub(super) fn new(session: i64, store: Store, news: Arc<Feed<Value>>) -> Self {
        Self {
            session,
            store,
            news,
            text: String::new(),
            is_cut: false,
            number: None,
            is_stored: true,
            stored_at: Instant::now(),
            calls: BTreeMap::new(),
            count: 0,
            failure: None,
        }
    }

    /// Adds a message, and tells those who follow the session.
    pub(super) fn add(&mut self, message: &NewMessage) -> Option<i64> {
        if self.count >= MAX_MESSAGES {
            return None;
        }
        self.count += 1;
        let number = if self.count == MAX_MESSAGES {
            let what = "this turn has more messages than are kept".to_owned();
            self.store.add(self.session, &NewMessage::new(Role::System, what))
        } else {
            self.store.add(self.session, message)
        };
        let number = self.noted(number)?;
        self.publish(number);
        Some(number).filter(|_| self.count < MAX_MESSAGES)
    }

    /// Adds a message about the session.
    pub(super) fn add_system(&mut self, what: &str) {
        self.add(&NewMessage::new(Role::System, cleaned(what)));
    }

    /// Tells those who follow the session of a message.
    pub(super) fn publish(&self, number: i64) {
        self.news.publish(|| {
            let message = self.store.message(number).map(|row| json!(MessageOutput::from(row)));
            json!({ "session": name_of(self.session), "message": message.unwrap_or_default() })
        });
    }

    /// Tells them of a change of the session.
    pub(super) fn publish_change(&self, field: &str, value: &Value) {
        self.news.publish(|| json!({ "session": name_of(self.session), field: value }));
    }

    /// Stores the message that grows, if that is due.
    pub(super) fn store_growing(&mut self) {
        if self.stored_at.elapsed() >= STORE_INTERVAL {
            self.store_message();
        }
    }

    /// Ends the message that grows.
    pub(super) fn end_message(&mut self) {
        self.store_message();
        self.text.clear();
        (self.number, self.is_cut) = (None, false);
    }

    fn store_message(&mut self) {
        self.stored_at = Instant::now();
        if std::mem::replace(&mut self.is_stored, true) {
            return;
        }
        // As a whole: an escape sequence may have come in two parts.
        let mut message = NewMessage::new(Role::Assistant, cleaned(&self.text));
        message.is_cut = self.is_cut;
        match self.number {
            None => self.number = self.add(&message),
            Some(number) => {
                let updated = self.store.update(number, &message);
                if self.noted(updated).is_some() {
                    self.publish(number);
                }
            }
        }
    }

    fn noted<T>(&mut self, result: Result<T, ToolError>) -> Option<T> {
        result.map_err(|error| self.failure = Some(error)).ok()
    }

    fn tool_call(&mut self, place: &Place<'_>, update: &Value) {
        let Some(id) = update["toolCallId"].as_str() else { return };
        let id: String = id.chars().take(MAX_TITLE_CHARS).collect();
        let text =
            |field: &str| update[field].as_str().map(|text| cleaned_line(text, MAX_TITLE_CHARS));
        self.end_message();
        let known = self.calls.remove(&id);
        let (number, mut message) = match known {
            Some((number, message)) => (Some(number), message),
            None => (None, NewMessage::new(Role::Tool, String::new())),
        };
        message.content = text("title").unwrap_or(message.content);
        message.kind = text("kind").or(message.kind).or_else(|| Some("other".to_owned()));
        message.status = text("status").or(message.status).or_else(|| Some("pending".to_owned()));
        place.work.progress(&message.content);
        let number = match number {
            None => self.add(&message),
            Some(number) => {
                let updated = self.store.update(number, &message);
                if self.noted(updated).is_some() {
                    self.publish(number);
                }
                Some(number)
            }
        };
        if let Some(number) = number {
            self.calls.insert(id, (number, message));
        }
    }

    fn plan(&mut self, update: &Value) {
        let step = |step: &Value| {
            let text =
                |field: &str, chars| cleaned_line(step[field].as_str().unwrap_or_default(), chars);
            json!({
                "content": text("content", MAX_STEP_CHARS),
                "status": text("status", MAX_TITLE_CHARS),
                "priority": text("priority", MAX_TITLE_CHARS),
            })
        };
        let steps = update["entries"].as_array().map(Vec::as_slice).unwrap_or_default();
        let plan: Value = steps.iter().take(MAX_STEPS).map(step).collect();
        let stored = self.store.set_plan(self.session, &plan);
        if self.noted(stored).is_some() {
            self.publish_change("plan", &plan);
        }
    }
}

impl Observer for Transcript {
    fn updated(&mut self, place: &Place<'_>, update: &Value) {
        match update["sessionUpdate"].as_str() {
            Some("agent_message_chunk") => {
                let content = &update["content"];
                let other =
                    || format!("[{}]", cleaned_line(content["type"].as_str().unwrap_or("?"), 20));
                let text = content["text"].as_str().map_or_else(other, str::to_owned);
                let room = MAX_MESSAGE_BYTES.saturating_sub(self.text.len());
                self.is_stored &= (room == 0 && self.is_cut) || text.is_empty();
                self.is_cut |= text.len() > room;
                self.text.push_str(&text[..text.floor_char_boundary(room)]);
            }
            Some("tool_call" | "tool_call_update") => self.tool_call(place, update),
            Some("plan") => self.plan(update),
            _ => {}
        }
    }

    fn refused(&mut self, what: String) {
        self.end_message();
        let what = format!("refused: {}", cleaned_line(&what, MAX_TITLE_CHARS));
        self.add(&NewMessage::new(Role::System, what));
    }
}
