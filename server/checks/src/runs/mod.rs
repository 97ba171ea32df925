//! The tools that read kept runs.

mod build_list;
mod build_logs;
mod build_status;

use schemars::JsonSchema;
use serde::Serialize;
use tools::Context;

pub(crate) use self::build_list::BuildList;
pub(crate) use self::build_logs::BuildLogs;
pub(crate) use self::build_status::BuildStatus;
use crate::history::{Record, RunStatus};
use crate::kinds::Check;

/// A kept run in results.
#[derive(Serialize, JsonSchema)]
struct Run {
    /// Its id.
    id: String,
    /// The name of the workspace's folder.
    repository: String,
    /// What was checked.
    check: Check,
    /// What ran.
    runner: String,
    /// The project's folder.
    project: String,
    /// The git branch that was checked out.
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<String>,
    /// How it ended.
    status: RunStatus,
    /// When it began (RFC 3339).
    started_at: String,
    /// Duration.
    duration_ms: u64,
    /// Tests that passed.
    passed: u64,
    /// Tests that failed.
    failed: u64,
    /// Tests that were skipped.
    skipped: u64,
    /// Number of errors.
    errors: u64,
    /// Number of warnings.
    warnings: u64,
}

impl Run {
    fn new(context: &Context<'_>, record: &Record) -> Self {
        let root = context.snapshot.roots().first();
        let name = root.and_then(|root| root.path().file_name());
        Self {
            repository: name.unwrap_or_default().to_string_lossy().into_owned(),
            id: record.id.to_string(),
            check: record.check,
            runner: record.runner.clone(),
            project: record.project.clone(),
            branch: record.branch.clone(),
            status: record.status,
            started_at: record.started_at.clone(),
            duration_ms: record.duration_ms,
            passed: record.passed,
            failed: record.failed,
            skipped: record.skipped,
            errors: record.errors,
            warnings: record.warnings,
        }
    }
}

/// A run in a line.
fn line(run: &serde_json::Value) -> String {
    let text = |field: &str| run[field].as_str().unwrap_or_default();
    let count = |field: &str| run[field].as_u64().unwrap_or_default();
    let counts = match text("check") {
        "test" => format!("{} passed, {} failed", count("passed"), count("failed")),
        _ => format!("{} errors, {} warnings", count("errors"), count("warnings")),
    };
    format!(
        "{} {} {} ({}) {}: {counts}, {} ms",
        text("id"),
        text("started_at"),
        text("check"),
        text("runner"),
        text("status"),
        count("duration_ms")
    )
}
