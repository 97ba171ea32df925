//! Reading the record.

use std::path::Path;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use workspace::{Snapshot, state_folder};

use super::record::{Body, Digested};
use super::store::{self, AuditError, Kept, Store};
use super::verify::Verified;

/// The record of one workspace, to be read.
pub struct AuditLog(pub(super) Store);

/// Which calls are wanted.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// At most so many.
    pub limit: usize,
    /// Older than the call with this number.
    pub before: Option<i64>,
    /// Not before this time.
    pub since: Option<Timestamp>,
    /// Of this tool, by any of its names.
    pub tool: Option<String>,
    /// `ok`, `error`, `unfinished` or an error's code.
    pub outcome: Option<String>,
}

/// One call on record.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Call {
    /// Its number in the record.
    pub id: i64,
    /// When it came in (RFC 3339).
    pub time: String,
    /// The tool's canonical name, or what was asked for.
    pub tool: String,
    /// The name it was called by, where that is an alias.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub called: Option<String>,
    /// `ok`, an error's code, or `unfinished`: still going on, or broken off with its process.
    pub outcome: String,
    /// What the error said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The parameters, without secrets, long texts by length and hash.
    pub arguments: Value,
    /// What it was to do, on what.
    pub effects: Vec<String>,
    /// Why it was allowed, or not; none where it did not come to that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<String>,
    /// The result by its hash.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<Digested>,
    /// Its number in the history: `undo_action` takes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// How long it took.
    pub duration_ms: f64,
    /// Where the call came from: `lsp`, `mcp` or `cli`.
    pub front_end: String,
    /// What the client calls itself, where it says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// The server's process.
    pub process: u32,
}

impl AuditLog {
    /// The record of the workspace that `snapshot` is of; an empty one where there is none.
    ///
    /// # Errors
    /// When it cannot be opened, or could have been made by somebody else.
    pub fn of(snapshot: &Snapshot) -> Result<Self, AuditError> {
        Ok(Self(Store::open(&state_folder(snapshot.roots())?)?))
    }

    /// The file that it is kept in.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// The calls that `filter` wants, newest first.
    ///
    /// # Errors
    /// When the record cannot be read.
    pub fn calls(&self, filter: &Filter) -> Result<Vec<Call>, AuditError> {
        let tool = filter.tool.as_deref();
        let canonical = |name| crate::find(name).map_or(name, |tool| tool.name).to_owned();
        let wanted = store::Filter {
            limit: filter.limit,
            before: filter.before,
            since: filter.since.map(Timestamp::as_microsecond),
            tool: tool.map(canonical),
            outcome: filter.outcome.clone(),
        };
        Ok(self.0.page(&wanted)?.into_iter().map(call).collect())
    }

    /// Whether the record is as it was written. O(all rows).
    ///
    /// # Errors
    /// When the record cannot be read.
    pub fn verify(&self) -> Result<Verified, AuditError> {
        self.0.verify()
    }
}

#[allow(clippy::cast_precision_loss)]
fn call(kept: Kept) -> Call {
    let Kept { seq, row } = kept;
    // A row that somebody has spoilt still shows.
    let body: Body = serde_json::from_str(&row.body).unwrap_or_default();
    let time = Timestamp::from_microsecond(row.time);
    Call {
        id: seq,
        time: time.map(|time| format!("{time:.3}")).unwrap_or_default(),
        tool: row.tool,
        called: body.called,
        outcome: row.outcome,
        message: body.message,
        arguments: body.arguments,
        effects: body.effects,
        decision: body.decision,
        result: body.result,
        action: body.action,
        duration_ms: body.duration_us as f64 / 1_000.0,
        front_end: body.front_end,
        client: body.client,
        process: body.process,
    }
}
