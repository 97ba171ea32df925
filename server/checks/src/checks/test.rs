//! `test`: runs tests.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};

use super::planned;
use super::request::{Request, Target, default_timeout_ms};
use crate::findings::Diagnostic;
use crate::history::History;
use crate::kinds::{Check, Values};
use crate::result::{
    FailedTest, Summary, diagnostics, failed_tests, push_diagnostics, push_failures, push_summary,
    seconds,
};
use crate::run::only;

pub(crate) struct Test;

/// Most repetitions of a call.
const MAX_REPEAT: u32 = 1_000;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct Params {
    /// A test file, or a file or folder of the project. Without it, all tests of the workspace's project run.
    #[serde(default)]
    path: Option<String>,
    /// Only tests whose names contain this, or match it as their runner does.
    #[serde(default)]
    filter: Option<String>,
    /// Only the test that this symbol is: its name path as `find_symbol` returns it, in `path`.
    #[serde(default)]
    symbol: Option<String>,
    /// Only the tests that failed in the last run.
    #[serde(default)]
    failed_only: bool,
    /// Run up to this many times, until a test fails.
    #[serde(default = "once")]
    repeat: u32,
    /// Which program runs them, if there is a choice: `pytest`, `unittest`.
    #[serde(default)]
    runner: Option<String>,
    /// Allow network access; loopback always works.
    #[serde(default)]
    network: bool,
    /// Timeout in milliseconds, at most 3,600,000.
    #[serde(default = "default_timeout_ms")]
    timeout_ms: u64,
}

fn once() -> u32 {
    1
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct Output {
    #[serde(flatten)]
    summary: Summary,
    /// Tests that passed.
    passed: u64,
    /// Tests that failed.
    failed: u64,
    /// Tests that were skipped.
    skipped: u64,
    /// How often they ran, with `repeat`.
    #[serde(skip_serializing_if = "Option::is_none")]
    runs: Option<u32>,
    /// What failed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    failures: Vec<FailedTest>,
    /// Failures that were left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    failures_left_out: Option<u64>,
    /// Why it does not build.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    diagnostics: Vec<Diagnostic>,
    /// Diagnostics that were left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<u64>,
}

impl Tool for Test {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "test";
    const DESCRIPTION: &'static str = "Run the project's tests and return counts, and for each failure \
        its place, message and the command that runs just it again. The test runner is found by the \
        project's files (cargo, pytest, vitest, jest, node:test, go, ctest, …). Needs approval.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Execute, EffectKind::Network];
    const PARAMETER_ALIASES: &'static [(&'static str, &'static str)] = &[
        ("file", "path"),
        ("file_path", "path"),
        ("timeout", "timeout_ms"),
        ("pattern", "filter"),
        ("name", "filter"),
        ("test_name", "filter"),
        ("name_path", "symbol"),
        ("only_failed", "failed_only"),
        ("last_failed", "failed_only"),
    ];
    const VERBOSE_FIELDS: &'static [&'static str] = &["command", "exit_code"];

    fn text(result: &Value) -> Option<String> {
        Some(text(result))
    }

    fn effects(context: &Context<'_>, params: &Params) -> Result<Vec<Effect>, ToolError> {
        if params.repeat == 0 || params.repeat > MAX_REPEAT {
            let message = format!("{}: `repeat` must be from 1 to {MAX_REPEAT}", Self::NAME);
            return Err(ToolError::new(Code::InvalidParams, message));
        }
        let request = params.request();
        let target = request.target(context)?;
        request.plan(context, &target, params.values(context, &target)?)?.effects(context)
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let request = params.request();
        let target = request.target(context)?;
        let plan = request.plan(context, &target, params.values(context, &target)?)?;
        let planned::Ran { summary, outcome, runs } =
            planned::run(context, &request, &target, &plan, params.repeat)?;
        let found = &outcome.found;
        let (failures, failures_left_out) =
            failed_tests(found, &|failure| plan.rerun_line(&failure.unit, &failure.id));
        // Warnings are nothing that a test run is asked for.
        let (mut diagnostics, left_out) = diagnostics(found);
        diagnostics.retain(|_| !summary.success && found.failed == 0);
        let has_diagnostics = !diagnostics.is_empty();
        Ok(Output {
            summary,
            passed: found.passed,
            failed: found.failed,
            skipped: found.skipped,
            runs: (params.repeat > 1).then_some(runs),
            failures,
            failures_left_out: Some(failures_left_out).filter(|count| *count > 0),
            diagnostics,
            left_out: Some(left_out).filter(|count| *count > 0 && has_diagnostics),
        })
    }
}

impl Params {
    fn request(&self) -> Request<'_> {
        Request {
            tool: Test::NAME,
            check: Check::Test,
            path: self.path.as_deref(),
            runner: self.runner.as_deref(),
            network: self.network,
            timeout_ms: self.timeout_ms,
        }
    }

    fn values(&self, context: &Context<'_>, target: &Target<'_>) -> Result<Values, ToolError> {
        let mut values = Values::new();
        if self.failed_only {
            values.extend(self.failed(context, target)?);
        }
        if let Some(symbol) = &self.symbol {
            let (name, value) = self.symbol_value(symbol, target)?;
            values.insert(name, vec![value]);
        }
        if let Some(filter) = &self.filter {
            values.insert("filter", vec![filter.clone()]);
        }
        Ok(values)
    }

    /// The tests that failed last.
    fn failed(&self, context: &Context<'_>, target: &Target<'_>) -> Result<Values, ToolError> {
        let tool = Test::NAME;
        let runner = target.choice.runner;
        let project = target.project.folder.display_path();
        let last = History::open(context, tool)?.last_test(&project, &runner.name);
        let failures = last.map(|record| record.failures).unwrap_or_default();
        if failures.is_empty() {
            let message = format!("{tool}: no test of {} failed in its last run", runner.name);
            return Err(ToolError::new(Code::NoMatch, message).hint("run all of them"));
        }
        let failures: Vec<(Vec<String>, String)> =
            failures.into_iter().map(|failure| (failure.unit, failure.id)).collect();
        Ok(only(runner.quote, &failures))
    }

    /// The name of a symbol as the name of a test.
    fn symbol_value(
        &self,
        symbol: &str,
        target: &Target<'_>,
    ) -> Result<(&'static str, String), ToolError> {
        let tool = Test::NAME;
        let runner = target.choice.runner;
        let Some(separator) = &runner.names else {
            let message = format!("{tool}: {} does not run tests by their names", runner.name);
            return Err(ToolError::new(Code::Unsupported, message).hint("use `filter` or `path`"));
        };
        let parts: Vec<&str> = symbol.split('/').filter(|part| !part.is_empty()).collect();
        let name = parts.join(separator);
        if !runner.names_file {
            return Ok(("filter", name));
        }
        let Some(path) = &target.project.path else {
            let message = format!("{tool}: `symbol` needs the `path` of its file");
            return Err(ToolError::new(Code::InvalidParams, message));
        };
        // In place of the file alone.
        Ok(("path", format!("{path}{separator}{name}")))
    }
}

fn text(result: &Value) -> String {
    let count = |field: &str| result[field].as_u64().unwrap_or_default();
    let (passed, failed, skipped) = (count("passed"), count("failed"), count("skipped"));
    let mut lines = Vec::new();
    let rest = match (skipped, result["runs"].as_u64()) {
        (0, None) => String::new(),
        (skipped, None) => format!(", {skipped} skipped"),
        (0, Some(runs)) => format!(", in run {runs}"),
        (skipped, Some(runs)) => format!(", {skipped} skipped, in run {runs}"),
    };
    let took = seconds(result);
    lines.push(match (result["success"].as_bool(), failed) {
        (Some(true), _) if passed + skipped == 0 => format!("no tests ran, {took}"),
        (Some(true), _) => format!("{passed} passed{rest}, {took}"),
        (_, 0) => format!("FAILED before its tests did: {passed} passed{rest}, {took}"),
        (_, failed) => format!("{failed} FAILED, {passed} passed{rest}, {took}"),
    });
    push_failures(&mut lines, result);
    push_diagnostics(&mut lines, result);
    push_summary(&mut lines, result);
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::{Failure, Findings};

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
