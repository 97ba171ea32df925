//! Runs the plan of a call, keeps the run, and makes errors of what is no result.

use std::path::{Path, PathBuf};
use std::time::{Instant, SystemTime};

use jiff::Timestamp;
use serde_json::json;
use tools::{Code, Context, ToolError};

use super::request::{Request, Target};
use crate::editor_results::{EndedCheck, report};
use crate::history::{History, Record, RunStatus, branch};
use crate::kinds::Check;
use crate::result::{Summary, raw};
use crate::run::{Ended, Outcome, Plan};

/// Failures and running tests in the details of an error.
const MAX_IN_ERROR: usize = 20;
/// What programs print that need the network.
const OFFLINE: &[&str] = &[
    "Could not resolve host",
    "Temporary failure in name resolution",
    "EAI_AGAIN",
    "Unknown host",
    "no such host",
    "--offline was specified",
    "using offline mode",
    "module lookup disabled by GOPROXY=off",
    "in offline mode",
    "ERR_PNPM_NO_OFFLINE",
    "ENOTCACHED",
];
/// Open files listed whose changes are not saved.
const MAX_UNSAVED: usize = 20;

/// A run that ended by itself.
pub(super) struct Ran {
    pub(super) summary: Summary,
    pub(super) outcome: Outcome,
    /// How many runs there were.
    pub(super) runs: u32,
}

/// Runs `plan` up to `repeat` times, until it fails.
///
/// # Errors
/// If it took too long or was cancelled, with what it had found by then; if its program is missing.
pub(super) fn run(
    context: &Context<'_>,
    request: &Request<'_>,
    target: &Target<'_>,
    plan: &Plan<'_>,
    repeat: u32,
) -> Result<Ran, ToolError> {
    let tool = request.tool;
    let history = History::open(context, tool)?;
    let started_at = Timestamp::now();
    let started = Instant::now();
    let began = (started, SystemTime::now());
    let mut runs = 0;
    let mut outcome = loop {
        let left = request.timeout().saturating_sub(started.elapsed());
        let mut outcome = plan.run(context, left)?;
        runs += 1;
        if runs >= repeat || !plan.is_success(&outcome) {
            outcome.duration = started.elapsed();
            break outcome;
        }
    };
    report_to_editor(context, request, target, &outcome, began);
    if let Some(install) = plan.missing(&outcome) {
        let name = &target.choice.runner.name;
        let what = if plan.has_coverage() { format!("{name} with coverage") } else { name.clone() };
        return Err(target.choice.unavailable(tool, &what, install));
    }
    let status = match outcome.ended {
        Ended::TimedOut => RunStatus::TimedOut,
        Ended::Cancelled => RunStatus::Cancelled,
        _ if plan.is_success(&outcome) => RunStatus::Passed,
        _ => RunStatus::Failed,
    };
    let found = &outcome.found;
    let record = Record {
        id: 0,
        check: request.check,
        kind: target.choice.kind.name.clone(),
        runner: plan.runner.name.clone(),
        project: target.project.folder.display_path(),
        branch: branch(context),
        command: plan.line(),
        started_at: started_at.to_string(),
        duration_ms: u64::try_from(outcome.duration.as_millis()).unwrap_or(u64::MAX),
        status,
        passed: found.passed,
        failed: found.failed,
        skipped: found.skipped,
        errors: found.errors,
        warnings: found.warnings,
        failures: found.failures.clone(),
        diagnostics: found.diagnostics.clone(),
    };
    let run = history.add(record, &outcome.log)?;
    if !request.network && OFFLINE.iter().any(|text| outcome.log.contains(text)) {
        let note = "it has no network: `network: true` allows it, and what it fetches is kept for the \
                    workspace's later runs";
        outcome.found.broken.get_or_insert_with(|| note.to_owned());
    }
    if let Some(error) = no_result(request, &outcome, run) {
        return Err(error);
    }
    let unsaved = context.snapshot.unsaved().into_iter().map(|(path, _)| path.display_path());
    let unsaved = unsaved.take(MAX_UNSAVED).collect();
    let summary = Summary::new(plan, &mut outcome, target.project.display(), run, unsaved);
    Ok(Ran { summary, outcome, runs })
}

/// Shows in the editor what a linter, a type checker or a compiler found.
fn report_to_editor(
    context: &Context<'_>,
    request: &Request<'_>,
    target: &Target<'_>,
    outcome: &Outcome,
    began: (Instant, SystemTime),
) {
    let is_meant = matches!(request.check, Check::Build | Check::Lint | Check::Typecheck);
    let found = &outcome.found;
    let Ended::Exit(code) = outcome.ended else { return };
    // One that could not begin knows nothing of the files.
    let has_places = found.diagnostics.iter().any(|one| one.file.is_some());
    if !is_meant || (code != 0 && !has_places) {
        return;
    }
    let check = EndedCheck {
        tool: request.tool,
        kind: &target.choice.kind.name,
        runner: target.choice.runner,
        folder: &target.project.folder,
        scope: scope(target),
        began,
    };
    report(context, check, found);
}

/// The file or folder that is checked; `None` for the whole project.
fn scope(target: &Target<'_>) -> Option<PathBuf> {
    let path = target.project.path.as_ref().filter(|_| !target.is_whole)?;
    let path = Path::new(path);
    // Of a file, some runners check its folder.
    let is_folder = target.values.get("path").is_some_and(|words| {
        words.iter().all(|word| !word.trim_end_matches('/').ends_with(&*path.to_string_lossy()))
    });
    let checked = if is_folder { path.parent().unwrap_or(Path::new("")) } else { path };
    Some(target.project.folder.absolute().join(checked))
}

/// The error for a run that did not end by itself.
fn no_result(request: &Request<'_>, outcome: &Outcome, run: u64) -> Option<ToolError> {
    let tool = request.tool;
    let (code, message) = match outcome.ended {
        Ended::Exit(_) => return None,
        Ended::TimedOut => (
            Code::Timeout,
            format!("{tool}: killed after {} ms, with all that it started", request.timeout_ms),
        ),
        Ended::Cancelled => (Code::Cancelled, format!("{tool}: cancelled; it was killed")),
        Ended::Killed => (Code::Io, format!("{tool}: it was killed from outside")),
    };
    let found = &outcome.found;
    let failures = found.failures.iter().take(MAX_IN_ERROR).map(|failure| {
        json!({ "name": failure.name, "file": failure.file, "line": failure.line, "message": failure.message })
    });
    let failures: Vec<_> = failures.collect();
    let running: Vec<&String> = found.running.iter().take(MAX_IN_ERROR).collect();
    let hint = match (code, running.as_slice()) {
        (Code::Timeout, []) => "`build_logs` has its output; `timeout_ms` can be longer".to_owned(),
        (Code::Timeout, running) => {
            let names: Vec<&str> = running.iter().map(|name| name.as_str()).collect();
            format!("still running: {}", names.join(", "))
        }
        _ => "`build_logs` has its output".to_owned(),
    };
    Some(ToolError::new(code, message).hint(hint).details(json!({
        "run": run.to_string(),
        "passed": found.passed,
        "failed": found.failed,
        "skipped": found.skipped,
        "failures": failures,
        "running": running,
        "stdout": raw(&outcome.stdout),
        "stderr": raw(&outcome.stderr),
    })))
}
