//! `session_history`: what was said in a session, and what its agent plans.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};

use super::store::{MessageRow, time};
use super::{SessionOutput, Sessions, Store, line};

pub(crate) struct SessionHistory;

/// Messages of a page: by default, and at most.
const DEFAULT_LIMIT: usize = 20;
const MAX_LIMIT: usize = 200;
/// Length of a page, in bytes; a message is never cut.
const MAX_PAGE_BYTES: usize = 36 << 10;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// The session.
    session: String,
    /// Most messages, the last ones.
    #[serde(default = "limit")]
    limit: usize,
    /// Only messages after the one with this number.
    #[serde(default)]
    after: i64,
    /// The `next_cursor` of a result, for earlier messages.
    #[serde(default)]
    cursor: Option<String>,
}

fn limit() -> usize {
    DEFAULT_LIMIT
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    /// The session.
    session: SessionOutput,
    /// What the agent plans, step by step.
    plan: Vec<PlanStep>,
    /// The messages, the oldest first.
    messages: Vec<MessageOutput>,
    /// Pass as `cursor` for earlier messages.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

/// A step of an agent's plan.
#[derive(Serialize, Deserialize, JsonSchema)]
struct PlanStep {
    /// What it is.
    content: String,
    /// `pending`, `in_progress` or `completed`.
    status: String,
    /// `high`, `medium` or `low`.
    priority: String,
}

/// A message of a session.
#[derive(Serialize, JsonSchema)]
pub(super) struct MessageOutput {
    /// Its number, which grows.
    number: i64,
    /// `user`, `assistant`, `tool` (a tool call of the agent) or `system` (what happened to the session).
    role: String,
    /// The text; the title of a tool call.
    content: String,
    /// When it began (RFC 3339).
    timestamp: String,
    /// The kind of a tool call.
    #[serde(skip_serializing_if = "Option::is_none")]
    kind: Option<String>,
    /// How far a tool call is.
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<String>,
    /// Whether the text is only the beginning.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    truncated: bool,
}

impl MessageOutput {
    /// Its number.
    pub(super) fn number(&self) -> i64 {
        self.number
    }
}

impl From<MessageRow> for MessageOutput {
    fn from(row: MessageRow) -> Self {
        Self {
            number: row.number,
            role: row.role,
            content: row.content,
            timestamp: time(row.at),
            kind: row.kind,
            status: row.status,
            truncated: row.is_cut,
        }
    }
}

/// Messages and a plan, in lines.
pub(super) fn lines(result: &Value) -> Vec<String> {
    let list = |field: &str| result[field].as_array().map(Vec::as_slice).unwrap_or_default();
    let message = |message: &Value| {
        let text = |field: &str| message[field].as_str().unwrap_or_default();
        match text("role") {
            "tool" => format!("[{}: {}]", text("content"), text("status")),
            role => format!("{role}: {}", text("content")),
        }
    };
    let mut lines: Vec<String> = list("messages").iter().map(message).collect();
    for step in list("plan") {
        let text = |field: &str| step[field].as_str().unwrap_or_default();
        lines.push(format!("plan: {} ({})", text("content"), text("status")));
    }
    lines
}

/// A page of messages, the oldest first, and whether there are earlier ones.
pub(super) fn page(
    store: &Store,
    session: i64,
    range: (i64, i64),
    limit: usize,
) -> Result<(Vec<MessageOutput>, bool), ToolError> {
    let (mut messages, mut bytes, mut has_more) = (Vec::new(), 0, false);
    store.visit_messages(session, range, |row| {
        bytes += row.content.len() + 100;
        let is_full = bytes > MAX_PAGE_BYTES && !messages.is_empty();
        has_more = messages.len() >= limit || is_full;
        if !has_more {
            messages.push(MessageOutput::from(row));
        }
        !has_more
    })?;
    messages.reverse();
    Ok((messages, has_more))
}

impl Tool for SessionHistory {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "session_history";
    const DESCRIPTION: &'static str = "Return the last messages of a session with an agent, its tool calls \
        among them, and the agent's plan with the state of each step.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Read];
    const IDEMPOTENT: bool = true;
    // The state folder is outside the workspace.
    const OWN_SANDBOX: bool = true;

    fn text(result: &Value) -> Option<String> {
        let mut all = vec![line(&result["session"])];
        all.extend(lines(result));
        if let Some(cursor) = result["next_cursor"].as_str() {
            all.push(format!("[earlier messages: cursor {cursor}]"));
        }
        Some(all.join("\n"))
    }

    fn effects(_: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        let invalid =
            |what: &str| ToolError::new(Code::InvalidParams, format!("{}: {what}", Self::NAME));
        if !(1..=MAX_LIMIT).contains(&params.limit) {
            return Err(invalid("`limit` must be from 1 to 200"));
        }
        params
            .before()
            .map(|_| Vec::new())
            .ok_or_else(|| invalid("`cursor` must be the `next_cursor` of an earlier result"))
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let store = Store::open(context, Self::NAME)?;
        let row = store.find(&params.session)?;
        let range = (params.after, params.before().unwrap_or(i64::MAX));
        let (messages, has_more) = page(&store, row.id, range, params.limit)?;
        let first = messages.first().map(|message| message.number.to_string());
        let sessions = context.session.family::<Sessions>();
        Ok(Output {
            session: SessionOutput::new(&row, &store, sessions),
            plan: serde_json::from_value(row.plan).unwrap_or_default(),
            next_cursor: first.filter(|_| has_more),
            messages,
        })
    }
}

impl Params {
    /// The number that all messages are below; `None` if the cursor is none.
    fn before(&self) -> Option<i64> {
        let Some(cursor) = &self.cursor else { return Some(i64::MAX) };
        cursor.parse().ok().filter(|number| *number > 0)
    }
}
