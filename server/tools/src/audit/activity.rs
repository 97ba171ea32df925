//! Current and recent calls, for display in editors.

use schemars::JsonSchema;
use serde::Serialize;
use workspace::{Snapshot, uri_of_path};

use super::condense::short;
use super::log::AuditLog;
use super::record::{Body, UNFINISHED};
use super::store::{self, AuditError, StoredRow};
use crate::{Code, Effect, EffectKind, Target};

/// Limit for the listed files of one call.
const MAX_FILES: usize = 50;

/// A call in its current state.
#[derive(Debug, Clone, Serialize, JsonSchema)]
pub struct Activity {
    /// Its id, the same in all notifications.
    pub id: String,
    /// The tool's canonical name, or the unknown name that was called.
    pub tool: String,
    /// What it does, in one line.
    pub title: String,
    /// Its state.
    pub state: Progress,
    /// Its start, in milliseconds since 1970.
    pub started: i64,
    /// Its duration.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_ms: Option<f64>,
    /// URIs of the files concerned.
    pub files: Vec<String>,
    /// Id of the action in the history, for `undo_action`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub action: Option<String>,
    /// The error message.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// The client's name, if it gives one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client: Option<String>,
    /// The error code.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
}

/// The state of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Progress {
    /// Running, or waiting for approval.
    Running,
    /// Successful.
    Done,
    /// Failed.
    Failed,
    /// Denied by rules or by the person.
    Denied,
}

impl Progress {
    fn from_outcome(outcome: &str) -> Self {
        match outcome {
            super::record::OK => Self::Done,
            UNFINISHED => Self::Running,
            code if code == Code::Denied.as_str() => Self::Denied,
            _ => Self::Failed,
        }
    }
}

#[allow(clippy::cast_precision_loss)]
pub(super) fn activity(call: &str, tool: &str, time: i64, outcome: &str, body: &Body) -> Activity {
    let mut state = Progress::from_outcome(outcome);
    let mut error = body.message.clone();
    if state == Progress::Running && body.process != std::process::id() {
        state = Progress::Failed;
        error = Some("it was broken off with its server".to_owned());
    }
    let is_over = state != Progress::Running;
    let title = if body.title.is_empty() { tool } else { &body.title };
    Activity {
        id: call.to_owned(),
        tool: tool.to_owned(),
        title: title.to_owned(),
        state,
        started: time / 1_000,
        duration_ms: is_over.then_some(body.duration_us as f64 / 1_000.0),
        files: body.files.clone(),
        action: body.action.clone(),
        client: body.client.clone(),
        code: error.is_some().then(|| outcome.to_owned()),
        error,
    }
}

/// The newest calls of all front ends, at most `limit`.
///
/// # Errors
/// If the audit log cannot be read.
pub fn recent(snapshot: &Snapshot, limit: usize) -> Result<Vec<Activity>, AuditError> {
    let filter = store::Filter { limit, ..store::Filter::default() };
    let from_row = |StoredRow { row, .. }: StoredRow| {
        let body = serde_json::from_str(&row.body).unwrap_or_default();
        activity(&row.call, &row.tool, row.time, &row.outcome, &body)
    };
    Ok(AuditLog::of(snapshot)?.0.page(&filter)?.into_iter().map(from_row).collect())
}

/// The files of effects: those that change, otherwise those that are read.
pub(super) fn files(effects: &[Effect]) -> Vec<String> {
    let mut files = Vec::new();
    let changes = effects.iter().filter(|effect| effect.kind != EffectKind::Read);
    let reads = effects.iter().filter(|effect| effect.kind == EffectKind::Read);
    for effect in changes.chain(reads) {
        let changes = effect.kind != EffectKind::Read;
        if files.len() == MAX_FILES || (!changes && !files.is_empty()) {
            break;
        }
        let (Target::Path(path) | Target::Tree(path)) = &effect.target else { continue };
        let uri = uri_of_path(&path.absolute());
        if !files.contains(&uri) {
            files.push(uri);
        }
    }
    files
}

/// A call in one line: the tool, and its command or its most important target.
pub(super) fn title(tool: &str, effects: &[Effect]) -> String {
    let is_command = |effect: &&Effect| matches!(effect.target, Target::Command(_));
    let kind = effects.iter().find(is_command).or_else(|| effects.iter().max_by_key(|e| e.kind));
    let kind = kind.map(|effect| effect.kind);
    let mut targets: Vec<String> = Vec::new();
    for effect in effects.iter().filter(|effect| Some(effect.kind) == kind) {
        let target = match &effect.target {
            Target::Path(path) | Target::Tree(path) => short(&path.display_path()),
            Target::Repository(_) => continue,
            Target::Command(command) => short(command.line.lines().next().unwrap_or_default()),
            Target::Named(name) => short(name),
        };
        if !targets.contains(&target) {
            targets.push(target);
        }
    }
    match &targets[..] {
        [] => tool.to_owned(),
        [one] => format!("{tool} {one}"),
        [one, more @ ..] => format!("{tool} {one} and {} more", more.len()),
    }
}
