//! The result of `test`.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::coverage_output::{CoverageOutput, push_coverage};
use crate::affected::Affected;
use crate::findings::Diagnostic;
use crate::result::{FailedTest, Summary, push_diagnostics, push_failures, push_summary, seconds};

/// Selected tests in a result.
const MAX_LISTED: usize = 1_000;

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    #[serde(flatten)]
    pub(super) summary: Summary,
    /// Tests that passed.
    pub(super) passed: u64,
    /// Tests that failed.
    pub(super) failed: u64,
    /// Tests that were skipped.
    pub(super) skipped: u64,
    /// How often they ran, with `repeat`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) runs: Option<u32>,
    /// True if it passed in an earlier one of those runs.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub(super) flaky: bool,
    /// What `affected` selected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) affected: Option<AffectedTests>,
    /// Which lines the tests ran.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) coverage: Option<CoverageOutput>,
    /// What failed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) failures: Vec<FailedTest>,
    /// Failures that were left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) failures_left_out: Option<u64>,
    /// Why it does not build.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) diagnostics: Vec<Diagnostic>,
    /// Diagnostics that were left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) left_out: Option<u64>,
}

impl Output {
    /// The result of a call that runs nothing.
    pub(super) fn not_run(summary: Summary) -> Self {
        Self {
            summary,
            passed: 0,
            failed: 0,
            skipped: 0,
            runs: None,
            flaky: false,
            affected: None,
            coverage: None,
            failures: Vec::new(),
            failures_left_out: None,
            diagnostics: Vec::new(),
            left_out: None,
        }
    }
}

/// The tests that can see a change.
#[derive(Serialize, JsonSchema)]
pub(crate) struct AffectedTests {
    /// Number of tests that were selected; of JavaScript, of test files.
    selected: u64,
    /// Number of all tests.
    of: u64,
    /// Why all run, if they do.
    #[serde(skip_serializing_if = "Option::is_none")]
    all_because: Option<String>,
    /// The selected ones, with `dry_run`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    tests: Vec<String>,
    /// Selected ones that are not listed.
    #[serde(skip_serializing_if = "Option::is_none")]
    tests_left_out: Option<u64>,
    /// Tests left out because they ran nothing of the change in earlier runs with `coverage`.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out_by_coverage: Option<u64>,
    /// What changed: files, and the functions and types in them.
    changed: Vec<String>,
    /// How long the selection took.
    selection_ms: u64,
}

impl AffectedTests {
    pub(super) fn new(affected: &Affected, with_names: bool) -> Self {
        let tests = affected.tests.iter().take(if with_names { MAX_LISTED } else { 0 });
        Self {
            selected: match &affected.all_because {
                Some(_) => affected.of as u64,
                None => affected.count as u64,
            },
            of: affected.of as u64,
            all_because: affected.all_because.clone(),
            tests: tests.cloned().collect(),
            tests_left_out: Some(affected.tests.len().saturating_sub(MAX_LISTED) as u64)
                .filter(|count| with_names && *count > 0),
            left_out_by_coverage: Some(affected.left_out_by_record as u64)
                .filter(|count| *count > 0),
            changed: affected.changed.clone(),
            selection_ms: u64::try_from(affected.duration.as_millis()).unwrap_or(u64::MAX),
        }
    }
}

/// The lines that a model reads.
pub(super) fn text(result: &Value) -> String {
    let count = |field: &str| result[field].as_u64().unwrap_or_default();
    let (passed, failed, skipped) = (count("passed"), count("failed"), count("skipped"));
    let mut lines = Vec::new();
    push_affected(&mut lines, &result["affected"]);
    if result["run"].is_null() {
        return lines.join("\n");
    }
    let rest = match (skipped, result["runs"].as_u64()) {
        (0, None) => String::new(),
        (skipped, None) => format!(", {skipped} skipped"),
        (0, Some(runs)) => format!(", in run {runs}"),
        (skipped, Some(runs)) => format!(", {skipped} skipped, in run {runs}"),
    };
    let rest = if result["flaky"] == true { rest + " (flaky: it passed before)" } else { rest };
    let took = seconds(result);
    lines.push(match (result["success"].as_bool(), failed) {
        (Some(true), _) if passed + skipped == 0 => format!("no tests ran, {took}"),
        (Some(true), _) => format!("{passed} passed{rest}, {took}"),
        (_, 0) => format!("FAILED before its tests did: {passed} passed{rest}, {took}"),
        (_, failed) => format!("{failed} FAILED, {passed} passed{rest}, {took}"),
    });
    push_failures(&mut lines, result);
    push_coverage(&mut lines, &result["coverage"]);
    push_diagnostics(&mut lines, result);
    push_summary(&mut lines, result);
    lines.join("\n")
}

fn push_affected(lines: &mut Vec<String>, affected: &Value) {
    if affected.is_null() {
        return;
    }
    let count = |field: &str| affected[field].as_u64().unwrap_or_default();
    let texts = |field: &str| {
        affected[field]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .map(str::to_owned)
    };
    match affected["all_because"].as_str() {
        Some(reason) => lines.push(format!("all {} tests: {reason}", count("of"))),
        None if count("selected") == 0 => {
            lines.push(format!("none of {} tests can see the change", count("of")));
        }
        None => lines.push(format!("{} of {} tests selected", count("selected"), count("of"))),
    }
    lines.extend(texts("tests"));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::{Failure, Findings};
    use crate::result::failed_tests;

    /// Tokens are at least 3.5 bytes of such text on average; two failures may have 300.
    #[test]
    fn two_failures_of_two_thousand_tests_are_short() {
        let mut found = Findings { passed: 1_998, has_tests: true, ..Findings::default() };
        for name in ["test_total[prices1-4]", "test_label"] {
            found.fail(Failure {
                name: format!("tests/test_shop.py::TestTotal::{name}"),
                file: Some("tests/test_shop.py".to_owned()),
                line: Some(12),
                message: "AssertionError: assert 3.0 == 4\n +  where 3.0 = total([1, 2])\n +    \
                          where total = shop.total"
                    .to_owned(),
                output: "prices [1, 2]\n".repeat(500),
                ..Failure::default()
            });
        }
        let (failures, _) =
            failed_tests(&found, &|failure| Some(format!("pytest '{}'", failure.name)));
        let result = serde_json::json!({
            "success": false, "runner": "pytest", "run": "1", "duration_ms": 4_310,
            "passed": 1_998, "failed": 2, "skipped": 0, "failures": failures,
        });
        let text = text(&result);
        assert!(
            text.starts_with("2 FAILED, 1998 passed, 4.3 s\ntests/test_shop.py:12 TestTotal::")
        );
        assert!(text.len() < 300 * 7 / 2, "{} bytes:\n{text}", text.len());
    }
}
