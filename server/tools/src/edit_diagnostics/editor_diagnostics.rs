//! What the editor's language servers reported before and after.

use std::time::Duration;

use workspace::{DiagnosticsReport, EditorProblem};

use super::Problem;
use super::compare::compare;
use crate::Context;
use crate::changed_texts::ChangedText;

/// What the language servers found in one file.
#[derive(Default)]
pub(super) struct EditorComparison {
    pub(super) introduced: Vec<EditorEntry>,
    pub(super) fixed: Vec<EditorEntry>,
    /// Sources that have not reported, with the reason.
    pub(super) pending: Vec<(String, String)>,
}

pub(super) struct EditorEntry {
    pub(super) problem: Problem,
    /// Whether the source named the version of its report.
    pub(super) is_exact: bool,
}

/// Compares what was reported of a changed file. Waits for reports up to `wait`.
pub(super) fn compare_reports(
    context: &Context<'_>,
    changed: &ChangedText,
    is_dry_run: bool,
    wait: Duration,
) -> EditorComparison {
    let mut all = EditorComparison::default();
    let reports = context.workspace.editor_diagnostics();
    let (Some((_, old_text, _)), Some(after)) = (&changed.before, &changed.after) else {
        return all;
    };
    let every = "language servers".to_owned();
    if !reports.is_known() {
        return all;
    }
    let mut pending = |why: &str| all.pending.push((every.clone(), why.to_owned()));
    if is_dry_run {
        pending("they do not see a dry run");
        return all;
    }
    let Some(before_version) = changed.open_version else {
        pending("the file is not open in the editor");
        return all;
    };
    let now = context.workspace.snapshot();
    let Some(document) = now.open_document(&after.path) else {
        pending("the file was closed in the editor");
        return all;
    };
    if *document.text() != after.text {
        pending("the text has changed since");
        return all;
    }
    let versions = (before_version, document.version());
    let found = reports.around(document.uri(), versions, wait, context.interrupt);
    if found.is_empty() {
        pending("none has reported on this file");
    }
    for source in found {
        let name = source.source;
        let (before, after_report) = match (source.before, source.after) {
            (_, None) => {
                let why = format!("has not reported within {} ms", wait.as_millis());
                all.pending.push((name, why));
                continue;
            }
            (None, Some(_)) => {
                let why = "had not reported on the previous text: what is new is not known";
                all.pending.push((name, why.to_owned()));
                continue;
            }
            (Some(before), Some(after)) => (before, after),
        };
        let (old, new) = (problems(&name, &before), problems(&name, &after_report));
        let (introduced, fixed) = compare((old_text, &old), (&after.text, &new));
        let is_exact = before.is_exact && after_report.is_exact;
        let entry = |problem: &Problem| EditorEntry { problem: problem.clone(), is_exact };
        all.introduced.extend(introduced.iter().map(|index| entry(&new[*index])));
        all.fixed.extend(fixed.iter().map(|index| entry(&old[*index])));
        if !is_exact {
            let why = "does not name the version of its reports: they may be of an earlier text";
            all.pending.push((name, why.to_owned()));
        }
    }
    all
}

fn problems(source: &str, report: &DiagnosticsReport) -> Vec<Problem> {
    let problem = |one: &EditorProblem| Problem {
        line: one.line,
        column: one.column,
        severity: match one.severity {
            1 => "error",
            2 => "warning",
            3 => "information",
            _ => "hint",
        },
        code: one.code.clone().into(),
        message: one.message.clone(),
        source: source.to_owned().into(),
        is_of_names: false,
    };
    report.problems.iter().map(problem).collect()
}
