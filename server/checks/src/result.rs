//! Results of checks: as JSON, and as the lines that a model reads.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use tools::CreatedGuarded;

use crate::findings::{Diagnostic, Failure, Findings, Severity};
use crate::run::{Ended, Outcome, Plan, explains};

/// Failures in a result, and those of them with captured output; `build_status` has more.
const MAX_FAILURES: usize = 20;
const MAX_WITH_OUTPUT: usize = 5;
/// Diagnostics and files in a result.
const MAX_DIAGNOSTICS: usize = 50;
const MAX_FILES: usize = 100;
/// Longest message and captured output of a failure, in bytes, and the lines of the latter.
const MAX_MESSAGE_BYTES: usize = 800;
const MAX_OUTPUT_BYTES: usize = 500;
const MAX_OUTPUT_LINES: usize = 10;
/// Values longer than this, or of several lines, are compared as a diff.
const MAX_VALUE_BYTES: usize = 120;
/// The end of an output that nothing else explains, in bytes and lines.
const MAX_TAIL_BYTES: usize = 2_000;
const MAX_TAIL_LINES: usize = 30;
/// Longest raw output in a result, in bytes.
const MAX_RAW_BYTES: usize = 24_000;

/// The result of a linter or a type checker.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Diagnosed {
    #[serde(flatten)]
    summary: Summary,
    /// Number of errors.
    errors: u64,
    /// Number of warnings.
    warnings: u64,
    /// What is wrong, errors first.
    diagnostics: Vec<Diagnostic>,
    /// Diagnostics that were left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<u64>,
}

impl Diagnosed {
    pub(crate) fn new(summary: Summary, found: &Findings) -> Self {
        let (diagnostics, left_out) = diagnostics(found);
        Self {
            summary,
            errors: found.errors,
            warnings: found.warnings,
            diagnostics,
            left_out: Some(left_out).filter(|count| *count > 0),
        }
    }
}

/// What the results of all checks have.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Summary {
    /// Whether all is well.
    pub(crate) success: bool,
    /// What ran it.
    runner: String,
    /// The project's folder, if it is not the root of the workspace.
    #[serde(skip_serializing_if = "Option::is_none")]
    project: Option<String>,
    /// The command that ran.
    command: String,
    /// The id of the kept run, for `build_logs`; none if nothing ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) run: Option<String>,
    /// Duration.
    duration_ms: u64,
    /// Exit code.
    exit_code: i32,
    /// The end of what it printed, if nothing else says why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<String>,
    /// Open files whose unsaved changes it did not see.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unsaved: Vec<String>,
    /// Why results may be incomplete.
    #[serde(skip_serializing_if = "Option::is_none")]
    incomplete: Option<String>,
    /// Files that it created in guarded places; those not approved were removed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    created_guarded: Vec<CreatedGuarded>,
}

impl Summary {
    pub(crate) fn new(
        plan: &Plan<'_>,
        outcome: &mut Outcome,
        project: Option<String>,
        run: u64,
        unsaved: Vec<String>,
    ) -> Self {
        let success = plan.is_success(outcome);
        let exit_code = match outcome.ended {
            Ended::Exit(code) => code,
            _ => -1,
        };
        Self {
            success,
            runner: plan.runner.name.clone(),
            project,
            command: plan.line(),
            run: Some(run.to_string()),
            duration_ms: u64::try_from(outcome.duration.as_millis()).unwrap_or(u64::MAX),
            exit_code,
            output: (!success && !explains(&outcome.found)).then(|| tail(outcome)),
            unsaved,
            incomplete: outcome.found.broken.take(),
            created_guarded: std::mem::take(&mut outcome.created_guarded),
        }
    }
}

impl Summary {
    /// Of a call that runs nothing.
    pub(crate) fn not_run(plan: &Plan<'_>, project: Option<String>) -> Self {
        Self {
            success: true,
            runner: plan.runner.name.clone(),
            project,
            command: plan.line(),
            run: None,
            duration_ms: 0,
            exit_code: 0,
            output: None,
            unsaved: Vec::new(),
            incomplete: None,
            created_guarded: Vec::new(),
        }
    }

    /// Adds why the result may be incomplete.
    pub(crate) fn note(&mut self, note: String) {
        self.incomplete.get_or_insert(note);
    }
}

/// A test that failed, in a result.
#[derive(Serialize, JsonSchema)]
pub(crate) struct FailedTest {
    /// Its full name.
    name: String,
    /// Where it failed, relative to the workspace.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// 1-based.
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
    /// What is wrong.
    message: String,
    /// What it expected, where its runner says so.
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<String>,
    /// What it found.
    #[serde(skip_serializing_if = "Option::is_none")]
    found: Option<String>,
    /// The difference of long values: `-` is expected, `+` found.
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<String>,
    /// What it printed, cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    output: Option<String>,
    /// The command that runs just this test again.
    #[serde(skip_serializing_if = "Option::is_none")]
    rerun: Option<String>,
}

/// The failures of a result, and the number of those left out.
pub(crate) fn failed_tests(
    found: &Findings,
    rerun: &dyn Fn(&Failure) -> Option<String>,
) -> (Vec<FailedTest>, u64) {
    let shown = found.failures.iter().take(MAX_FAILURES).enumerate();
    let shown: Vec<FailedTest> = shown
        .map(|(index, failure)| FailedTest::new(failure, index < MAX_WITH_OUTPUT, rerun(failure)))
        .collect();
    let left_out = found.failed.saturating_sub(shown.len() as u64);
    (shown, left_out)
}

/// The failures of a kept run.
pub(crate) fn all_failed_tests(failures: &[Failure]) -> Vec<FailedTest> {
    let shown = failures.iter().enumerate();
    shown.map(|(index, failure)| FailedTest::new(failure, index < MAX_FAILURES, None)).collect()
}

impl FailedTest {
    fn new(failure: &Failure, with_output: bool, rerun: Option<String>) -> Self {
        let is_long = |value: &Option<String>| {
            value
                .as_ref()
                .is_some_and(|value| value.len() > MAX_VALUE_BYTES || value.contains('\n'))
        };
        let is_diff = is_long(&failure.expected) || is_long(&failure.found);
        let value = |value: &Option<String>| value.clone().filter(|_| !is_diff);
        Self {
            name: failure.name.clone(),
            file: failure.file.clone(),
            line: failure.line,
            message: head(&failure.message, MAX_MESSAGE_BYTES),
            expected: value(&failure.expected),
            found: value(&failure.found),
            diff: is_diff.then(|| diff(failure)),
            output: (with_output && !failure.output.is_empty())
                .then(|| last(&failure.output, MAX_OUTPUT_LINES, MAX_OUTPUT_BYTES)),
            rerun,
        }
    }
}

/// The diagnostics of a result, and the number of those left out.
pub(crate) fn diagnostics(found: &Findings) -> (Vec<Diagnostic>, u64) {
    let shown: Vec<Diagnostic> = found.diagnostics.iter().take(MAX_DIAGNOSTICS).cloned().collect();
    let all = found.errors + found.warnings;
    let notes = shown.iter().filter(|one| one.severity == Severity::Note).count();
    let left_out = all.saturating_sub((shown.len() - notes) as u64);
    (shown, left_out)
}

/// The files of a result, and the number of those left out.
pub(crate) fn files(found: &Findings) -> (Vec<String>, u64) {
    let shown: Vec<String> = found.files.iter().take(MAX_FILES).cloned().collect();
    let left_out = (found.files.len() - shown.len()) as u64;
    (shown, left_out)
}

/// The raw output of a result.
pub(crate) fn raw(text: &str) -> String {
    if text.len() <= MAX_RAW_BYTES {
        return text.to_owned();
    }
    let head = text.floor_char_boundary(MAX_RAW_BYTES / 2);
    let tail = text.ceil_char_boundary(text.len() - MAX_RAW_BYTES / 2);
    format!("{}\n[left out here: {} bytes]\n{}", &text[..head], tail - head, &text[tail..])
}

fn diff(failure: &Failure) -> String {
    let expected = failure.expected.as_deref().unwrap_or_default();
    let found = failure.found.as_deref().unwrap_or_default();
    let diff = similar::TextDiff::from_lines(expected, found);
    let text = diff.unified_diff().context_radius(1).to_string();
    head(text.trim_end(), MAX_MESSAGE_BYTES)
}

fn head(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    format!("{}…", &text[..text.floor_char_boundary(most)])
}

/// The last lines of a text, at most `most` bytes.
fn last(text: &str, lines: usize, most: usize) -> String {
    let text = text.trim_end();
    let kept: Vec<&str> = text.lines().collect();
    let kept = kept[kept.len().saturating_sub(lines)..].join("\n");
    let start = kept.ceil_char_boundary(kept.len().saturating_sub(most));
    if kept.len() == text.len() && start == 0 { kept } else { format!("…{}", &kept[start..]) }
}

fn tail(outcome: &Outcome) -> String {
    let both = format!("{}\n{}", outcome.stdout.trim_end(), outcome.stderr.trim_end());
    let lines = both.lines().filter(|line| !line.trim().is_empty() && !line.starts_with("{\""));
    let text = lines.collect::<Vec<_>>().join("\n");
    last(&text, MAX_TAIL_LINES, MAX_TAIL_BYTES)
}

/// The lines of what all results have.
pub(crate) fn push_summary(lines: &mut Vec<String>, result: &Value) {
    if let Some(output) =
        result["output"].as_str().filter(|_| !result["success"].as_bool().unwrap_or(true))
    {
        lines.extend(output.lines().map(str::to_owned));
    }
    let unsaved: Vec<&str> =
        result["unsaved"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if !unsaved.is_empty() {
        lines.push(format!("[not saved, so not seen: {}]", unsaved.join(", ")));
    }
    if let Some(incomplete) = result["incomplete"].as_str() {
        lines.push(format!("[incomplete: {incomplete}]"));
    }
    for created in result["created_guarded"].as_array().into_iter().flatten() {
        let what = if created["kept"] == true { "created" } else { "not allowed, removed" };
        lines.push(format!("[guarded: {}: {what}]", created["path"].as_str().unwrap_or_default()));
    }
}

/// A duration as a person says it.
pub(crate) fn seconds(result: &Value) -> String {
    let milliseconds = result["duration_ms"].as_u64().unwrap_or_default();
    format!("{}.{} s", milliseconds / 1_000, milliseconds % 1_000 / 100)
}

/// The lines of failed tests.
pub(crate) fn push_failures(lines: &mut Vec<String>, result: &Value) {
    for failure in result["failures"].as_array().into_iter().flatten() {
        let text = |field: &str| failure[field].as_str().unwrap_or_default();
        let name = text("name");
        lines.push(match (failure["file"].as_str(), failure["line"].as_u64()) {
            (Some(file), Some(line)) => {
                format!("{file}:{line} {}", name.strip_prefix(&format!("{file}::")).unwrap_or(name))
            }
            (Some(file), None) if file != name => format!("{file} {name}"),
            _ => name.to_owned(),
        });
        lines.extend(text("message").lines().map(|line| format!("  {line}")));
        if let (Some(expected), Some(found)) =
            (failure["expected"].as_str(), failure["found"].as_str())
            && !(text("message").contains(expected) && text("message").contains(found))
        {
            lines.push(format!("  expected {expected}, found {found}"));
        }
        lines.extend(text("diff").lines().map(|line| format!("  {line}")));
        lines.extend(text("output").lines().map(|line| format!("  | {line}")));
        if let Some(rerun) = failure["rerun"].as_str() {
            lines.push(format!("  again: {rerun}"));
        }
    }
    if let Some(left_out) = result["failures_left_out"].as_u64() {
        lines.push(left_out_line(left_out, "failures", result));
    }
}

/// The lines of diagnostics.
pub(crate) fn push_diagnostics(lines: &mut Vec<String>, result: &Value) {
    for one in result["diagnostics"].as_array().into_iter().flatten() {
        let mut line = String::new();
        if let Some(file) = one["file"].as_str() {
            line.push_str(file);
            for field in ["line", "column"] {
                if let Some(number) = one[field].as_u64() {
                    line.push_str(&format!(":{number}"));
                }
            }
            line.push_str(": ");
        }
        line.push_str(one["severity"].as_str().unwrap_or_default());
        if let Some(code) = one["code"].as_str() {
            line.push_str(&format!("[{code}]"));
        }
        let mut message = one["message"].as_str().unwrap_or_default().lines();
        line.push_str(&format!(": {}", message.next().unwrap_or_default()));
        lines.push(line);
        lines.extend(message.map(|line| format!("  {line}")));
    }
    if let Some(left_out) = result["left_out"].as_u64() {
        lines.push(left_out_line(left_out, "diagnostics", result));
    }
}

fn left_out_line(count: u64, what: &str, result: &Value) -> String {
    let run = result["run"].as_str().unwrap_or_default();
    format!("[{count} more {what}: build_status {run}]")
}

/// The errors and warnings of a result in words.
pub(crate) fn counts(result: &Value) -> String {
    let count = |field: &str, one: &str| {
        let count = result[field].as_u64().unwrap_or_default();
        format!("{count} {one}{}", if count == 1 { "" } else { "s" })
    };
    format!("{}, {}", count("errors", "error"), count("warnings", "warning"))
}
