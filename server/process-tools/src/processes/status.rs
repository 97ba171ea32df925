//! What results say of a process.

use process::{ProcessStatus, SupervisedProcess};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use tools::results::{Lines, str_at};

/// Whether a process runs, or how it ended.
#[derive(Serialize, JsonSchema)]
pub struct Status {
    /// `running`; `exited`, also by a signal; or `killed` by this server.
    status: &'static str,
    /// Exit code; 128 plus the signal's number if a signal ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    exit_code: Option<i32>,
    /// The signal that ended it.
    #[serde(skip_serializing_if = "Option::is_none")]
    signal: Option<i32>,
}

impl Status {
    /// That of `process`.
    #[must_use]
    pub fn of(process: &SupervisedProcess) -> Self {
        let (status, exit_code, signal) = match process.status() {
            ProcessStatus::Running => ("running", None, None),
            ProcessStatus::Exited { code } => ("exited", Some(code), None),
            ProcessStatus::Signalled { signal } => ("exited", Some(128 + signal), Some(signal)),
            ProcessStatus::Killed => ("killed", Some(128 + 9), Some(9)),
        };
        Self { status, exit_code, signal }
    }

    /// Whether it runs.
    #[must_use]
    pub fn is_running(&self) -> bool {
        self.status == "running"
    }

    /// `running`, `exited` or `killed`.
    #[must_use]
    pub fn status(&self) -> &'static str {
        self.status
    }

    /// The exit code; 128 plus the signal's number if a signal ended it.
    #[must_use]
    pub fn exit_code(&self) -> Option<i32> {
        self.exit_code
    }

    /// The signal that ended it.
    #[must_use]
    pub fn signal(&self) -> Option<i32> {
        self.signal
    }
}

/// The status in a result, as words.
pub(super) fn status_text(result: &Value) -> String {
    match (result["status"].as_str(), result["signal"].as_i64(), result["exit_code"].as_i64()) {
        (Some("killed"), ..) => "killed".to_owned(),
        (_, Some(signal), _) => format!("ended by signal {signal}"),
        (_, _, Some(code)) => format!("exited with code {code}"),
        (status, ..) => status.unwrap_or_default().to_owned(),
    }
}

/// Adds the lines about files in guarded places.
pub(super) fn push_created(lines: &mut Lines, result: &Value) {
    for created in tools::results::list_at(result, "created_guarded") {
        let what = if created["kept"] == true { "created" } else { "not allowed, removed" };
        lines.push(format_args!("[guarded: {}: {what}]", str_at(created, "path")));
    }
}
