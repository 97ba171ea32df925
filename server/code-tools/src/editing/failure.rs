//! Errors of edits.

use patch::{FailureCode, Patch, Report};
use serde_json::{Value, json};

use tools::{Code, ToolError};

/// The failure of a whole file: the error, and its entry in `details.failures`.
pub(super) fn file_failure(path: &str, error: ToolError) -> (ToolError, Vec<Value>) {
    let failure = json!({ "path": path, "code": error.code.as_str(), "message": error.message });
    (error, vec![failure])
}

/// Limit for listed failures.
const MAX_FAILURES: usize = 50;

/// `error` with the failures in its details, up to the limit.
pub(super) fn with_failures(error: ToolError, mut failures: Vec<Value>) -> ToolError {
    let mut details = match error.details.as_deref().cloned() {
        Some(Value::Object(details)) => details,
        _ => serde_json::Map::new(),
    };
    let left_out = failures.len().saturating_sub(MAX_FAILURES);
    failures.truncate(MAX_FAILURES);
    details.insert("failures".into(), failures.into());
    if left_out > 0 {
        details.insert("failures_left_out".into(), left_out.into());
    }
    error.details(details.into())
}

/// Combines the failures of some files with the error of the others.
pub(super) fn combined(bad: Vec<(ToolError, Vec<Value>)>, others: Option<ToolError>) -> ToolError {
    let (errors, failures): (Vec<_>, Vec<_>) = bad.into_iter().unzip();
    let mut failures: Vec<Value> = failures.into_iter().flatten().collect();
    let others_failures =
        others.as_ref().and_then(|error| error.details.as_ref()?["failures"].as_array());
    failures.extend(others_failures.into_iter().flatten().cloned());
    let first = errors.into_iter().next().or(others);
    let first = first.unwrap_or_else(|| ToolError::new(Code::Internal, "nothing failed"));
    with_failures(first, failures)
}

/// The first failing patch as the error, all of them as failures.
pub(super) fn patch_failure(
    path: &str,
    patches: &[Patch],
    report: &Report,
) -> (ToolError, Vec<Value>) {
    let code = |failure: &patch::Failure| match failure.code {
        // An empty `old_text` is a wrong parameter.
        _ if patches.get(failure.patch).is_some_and(|p| p.old_text.is_empty()) => {
            Code::InvalidParams
        }
        FailureCode::NoMatch => Code::NoMatch,
        FailureCode::Ambiguous => Code::Ambiguous,
        FailureCode::Overlap => Code::Overlap,
        FailureCode::Guard => Code::Guard,
    };
    let failures = report
        .failures
        .iter()
        .map(|failure| {
            let candidates: Vec<Value> = failure
                .candidates
                .iter()
                .map(|c| {
                    let mut candidate =
                        json!({ "start_line": c.start_line, "end_line": c.end_line });
                    for (name, value) in [
                        ("similarity", c.similarity.map(Value::from)),
                        ("difference", c.difference.clone().map(Value::from)),
                        ("unique_line", c.unique_line.clone().map(Value::from)),
                        ("old_text", c.old_text.clone().map(Value::from)),
                    ] {
                        if let Some(value) = value {
                            candidate[name] = value;
                        }
                    }
                    // `old_text` contains the text already.
                    if c.old_text.is_none() {
                        candidate["text"] = c.text.clone().into();
                    }
                    candidate
                })
                .collect();
            json!({
                "path": path, "patch": failure.patch + 1, "code": code(failure).as_str(),
                "message": failure.message, "hint": failure.hint,
                "with": failure.with.iter().map(|other| other + 1).collect::<Vec<_>>(),
                "candidates": candidates,
            })
        })
        .collect();
    let Some(first) = report.failures.first() else {
        return (ToolError::new(Code::Internal, format!("{path}: {report}")), failures);
    };
    let others = match report.failures.len() {
        1 => String::new(),
        n => format!(" ({} more patches fail: see details.failures)", n - 1),
    };
    let error = ToolError::new(code(first), format!("{path}: {}{others}", first.message));
    (first.hint.iter().fold(error, |error, hint| error.hint(hint)), failures)
}
