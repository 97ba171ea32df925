//! Reads the audit log.

use std::path::Path;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Value, json};
use workspace::{Snapshot, state_folder};

use super::record::{Body, Digested};
use super::store::{self, AuditError, AuditRow, Store, StoredRow};
use super::verify::Verified;

/// The audit log of one workspace, opened for reading.
pub struct AuditLog(pub(super) Store);

/// A filter for calls.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// Limit.
    pub limit: usize,
    /// Only calls before this id.
    pub before: Option<i64>,
    /// Only calls since this time.
    pub since: Option<Timestamp>,
    /// Only calls of this tool, by its canonical name.
    pub tool: Option<String>,
    /// `ok`, `error`, `unfinished` or an error code.
    pub outcome: Option<String>,
}

/// A recorded call.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Call {
    /// Its id in the audit log.
    pub id: i64,
    /// Its start (RFC 3339).
    pub time: String,
    /// The tool's canonical name, or the unknown name that was called.
    pub tool: String,
    /// The alias by which it was called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub called: Option<String>,
    /// `ok`, an error code, or `unfinished`: still running, or its process ended first.
    pub outcome: String,
    /// The error message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// The parameters, without secrets; long texts by length and hash.
    pub arguments: Value,
    /// The effects and their targets.
    pub effects: Vec<String>,
    /// Why it was allowed or denied; absent if it failed before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decision: Option<String>,
    /// Hash and size of the result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<Digested>,
    /// Id of the action in the history, for `undo_action`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// Its duration.
    pub duration_ms: f64,
    /// The front end: `lsp`, `mcp` or `cli`.
    pub front_end: String,
    /// The client's name, if it gives one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// The W3C `traceparent` that came with the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trace: Option<String>,
    /// Process id of the server.
    pub process: u32,
}

impl AuditLog {
    /// The audit log of the workspace of `snapshot`; empty if there is none.
    ///
    /// # Errors
    /// If it cannot be opened, or another user could have written it.
    pub fn of(snapshot: &Snapshot) -> Result<Self, AuditError> {
        Ok(Self(Store::open(&state_folder(snapshot.roots())?)?))
    }

    /// The file's path.
    #[must_use]
    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// The calls that match `filter`, newest first.
    ///
    /// # Errors
    /// If the audit log cannot be read.
    pub fn calls(&self, filter: &Filter) -> Result<Vec<Call>, AuditError> {
        let row_filter = store::Filter {
            limit: filter.limit,
            before: filter.before,
            since: filter.since.map(Timestamp::as_microsecond),
            tool: filter.tool.clone(),
            outcome: filter.outcome.clone(),
        };
        Ok(self.0.page(&row_filter)?.into_iter().map(call).collect())
    }

    /// Verifies the hash chain. O(all rows).
    ///
    /// # Errors
    /// If the audit log cannot be read.
    pub fn verify(&self) -> Result<Verified, AuditError> {
        self.0.verify()
    }
}

/// A row that is about to be written, as a [`Call`] with the id of its activity.
pub(super) fn entry(row: &AuditRow) -> Value {
    let mut entry = json!(call(StoredRow { seq: 0, row: row.clone() }));
    entry["id"] = json!(row.call);
    entry
}

#[allow(clippy::cast_precision_loss)]
fn call(stored: StoredRow) -> Call {
    let StoredRow { seq, row } = stored;
    // Show a row even if its body was damaged.
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
        trace: body.trace,
        process: body.process,
    }
}
