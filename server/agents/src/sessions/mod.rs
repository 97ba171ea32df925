//! Sessions: lasting conversations with agents, over the Agent Client Protocol.
//!
//! What was said is kept in a database in the state folder ([`store`]), so a session outlives its agent and its
//! server. A [`turn`] gives the agent a message and records what it does ([`transcript`]); its process waits for
//! the next message ([`running`]). An agent that is gone is started again: it loads the session itself, or gets a
//! recap. Each message needs the approval that starting the agent needs, as with `delegate`: what it does with
//! its own hands, no policy sees.

mod cleaned;
mod running;
mod session_create;
mod session_history;
mod session_list;
mod session_send;
mod store;
mod transcript;
mod turn;

use schemars::JsonSchema;
use serde::Serialize;

pub(crate) use self::running::Sessions;
pub(crate) use self::session_create::SessionCreate;
pub(crate) use self::session_history::SessionHistory;
pub(crate) use self::session_list::SessionList;
pub(crate) use self::session_send::SessionSend;
use self::store::{SessionRow, Store};

/// A session in results.
#[derive(Serialize, JsonSchema)]
struct SessionOutput {
    /// Its id.
    id: String,
    /// Its name.
    name: String,
    /// Its agent.
    agent: String,
    /// What it does.
    status: Status,
    /// When it was created (RFC 3339).
    created_at: String,
    /// How its last turn ended: `end_turn`, `max_tokens`, `max_turn_requests`, `refusal`, `cancelled`, `timeout`, or why
    /// it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    ended: Option<String>,
    /// What the agent does now, in its own words.
    #[serde(skip_serializing_if = "Option::is_none")]
    doing: Option<String>,
}

/// What a session does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Status {
    /// It waits for a message.
    Idle,
    /// Its agent works on a message.
    Working,
    /// Its last turn failed; it takes messages.
    Failed,
    /// Its server ended in its last turn; it takes messages.
    Interrupted,
}

impl Status {
    fn new(row: &SessionRow, is_locked: bool) -> Self {
        match (row.is_working, is_locked) {
            (true, true) => Self::Working,
            (true, false) => Self::Interrupted,
            (false, _) if row.has_failed => Self::Failed,
            (false, _) => Self::Idle,
        }
    }
}

impl SessionOutput {
    fn new(row: &SessionRow, store: &Store, sessions: &Sessions) -> Self {
        let control = sessions.turn(row.id);
        let is_locked = control.is_some() || (row.is_working && store.is_locked(row.id));
        Self {
            id: name_of(row.id),
            name: row.name.clone(),
            agent: row.agent.clone(),
            status: Status::new(row, is_locked),
            created_at: store::time(row.created_at),
            ended: row.ended.clone(),
            doing: control.map(|control| control.doing()).filter(|doing| !doing.is_empty()),
        }
    }
}

/// How the session with a number is called.
fn name_of(number: i64) -> String {
    format!("s{number}")
}

/// A session in a line.
fn line(session: &serde_json::Value) -> String {
    let text = |field: &str| session[field].as_str().unwrap_or_default();
    let mut line =
        format!("{} {} ({}): {}", text("id"), text("name"), text("agent"), text("status"));
    if let Some(ended) = session["ended"].as_str().filter(|ended| *ended != "end_turn") {
        line.push_str(&format!(", {ended}"));
    }
    if let Some(doing) = session["doing"].as_str() {
        line.push_str(&format!(", now: {doing}"));
    }
    line
}
