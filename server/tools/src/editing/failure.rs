//! Why an edit did not happen.

use patch::{FailureCode, Patch, Report};
use serde_json::{Value, json};
use workspace::{CommitError, EditorError};

use crate::error::space_hint;
use crate::{Code, ToolError};

/// A failure of a whole file.
pub(super) fn of_file(path: &str, error: ToolError) -> (ToolError, Vec<Value>) {
    let failure = json!({ "path": path, "code": error.code.as_str(), "message": error.message });
    (error, vec![failure])
}

/// Most failures told at once.
const MOST_FAILURES: usize = 50;

/// `error` with all that failed, as far as one result can tell it.
pub(super) fn with_failures(error: ToolError, mut failures: Vec<Value>) -> ToolError {
    let mut details = match error.details.as_deref().cloned() {
        Some(Value::Object(details)) => details,
        _ => serde_json::Map::new(),
    };
    let left_out = failures.len().saturating_sub(MOST_FAILURES);
    failures.truncate(MOST_FAILURES);
    details.insert("failures".into(), failures.into());
    if left_out > 0 {
        details.insert("failures_left_out".into(), left_out.into());
    }
    error.details(details.into())
}

/// The failures of some files, and the error that the others have beside them.
pub(super) fn together(bad: Vec<(ToolError, Vec<Value>)>, others: Option<ToolError>) -> ToolError {
    let (errors, failures): (Vec<_>, Vec<_>) = bad.into_iter().unzip();
    let mut failures: Vec<Value> = failures.into_iter().flatten().collect();
    let told = others.as_ref().and_then(|error| error.details.as_ref()?["failures"].as_array());
    failures.extend(told.into_iter().flatten().cloned());
    let first = errors.into_iter().next().or(others);
    let first = first.unwrap_or_else(|| ToolError::new(Code::Internal, "nothing failed"));
    with_failures(first, failures)
}

/// The first failing patch as the error, all of them as failures.
pub(super) fn of_patches(
    path: &str,
    patches: &[Patch],
    report: &Report,
) -> (ToolError, Vec<Value>) {
    let code = |failure: &patch::Failure| match failure.code {
        // What quotes nothing is a wrong parameter, whatever the text is.
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
                    let mut told = json!({ "start_line": c.start_line, "end_line": c.end_line });
                    for (name, value) in [
                        ("similarity", c.similarity.map(Value::from)),
                        ("difference", c.difference.clone().map(Value::from)),
                        ("unique_line", c.unique_line.clone().map(Value::from)),
                        ("old_text", c.old_text.clone().map(Value::from)),
                    ] {
                        if let Some(value) = value {
                            told[name] = value;
                        }
                    }
                    // What is ready to be sent has the text in it.
                    if c.old_text.is_none() {
                        told["text"] = c.text.clone().into();
                    }
                    told
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

pub(crate) fn of_commit(error: &CommitError) -> ToolError {
    let made = |code| ToolError::new(code, error.to_string());
    let again = "read the file again, then retry";
    match error {
        CommitError::DocumentChanged { .. } => made(Code::Conflict).hint(again),
        CommitError::Cancelled => made(Code::Cancelled),
        CommitError::Open { .. } => made(Code::Unsupported),
        CommitError::Exists { .. } => made(Code::Exists),
        CommitError::Unsaved { .. } => made(Code::Conflict).hint("save or close it first"),
        CommitError::IntoItself { .. } => made(Code::InvalidParams),
        CommitError::Editor { source, .. } => match source {
            EditorError::Unsupported => made(Code::Unsupported),
            EditorError::Refused(_) => made(Code::Conflict).hint(again),
            EditorError::NoResponse => made(Code::Timeout).hint(again),
        },
        CommitError::File(source) => source.clone().into(),
        CommitError::Journal(reason) => {
            let error = made(Code::Io);
            space_hint(reason).into_iter().fold(error, ToolError::hint)
        }
        CommitError::Raced { path, kept } => {
            let kept_shown = kept.join(", ");
            let hint = format!(
                "read both, put what belongs together into {path}, delete {kept_shown}, and retry \
                 what is still missing"
            );
            made(Code::Conflict).hint(hint).details(json!({ "kept": kept }))
        }
        CommitError::RevertFailed { path, .. } => made(Code::Conflict).hint(format!(
            "{path} is not as it was before: read it and put it right; `undo_action` undoes the rest"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_was_raced_is_told_where_both_texts_are() {
        let kept = vec![".tandem-1.tmp".to_owned()];
        let error = of_commit(&CommitError::Raced { path: "a.txt".to_owned(), kept });
        assert_eq!(error.code, Code::Conflict);
        assert!(error.message.starts_with("a.txt: "), "{}", error.message);
        assert!(error.message.contains("kept in .tandem-1.tmp"), "{}", error.message);
        assert!(error.hint.unwrap().contains("delete .tandem-1.tmp"));
        assert_eq!(error.details.unwrap()["kept"], json!([".tandem-1.tmp"]));
    }
}
