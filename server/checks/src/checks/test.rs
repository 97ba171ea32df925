//! `test`: runs tests.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use tools::{Code, Context, Effect, EffectKind, Tool, ToolError};
use workspace::FileSymbol;

use super::coverage_output::CoverageOutput;
use super::planned;
use super::request::{Request, Target, default_timeout_ms};
use super::test_output::{AffectedTests, Output, text};
use crate::affected::{Affected, SourcesBefore, affected};
use crate::history::History;
use crate::kinds::{Check, Values};
use crate::result::{Summary, diagnostics, failed_tests};
use crate::run::{Plan, only};

pub(crate) struct Test;

/// What a call runs.
struct Planned<'k> {
    plan: Plan<'k>,
    affected: Option<Affected>,
    /// Whether it runs anything.
    runs: bool,
}

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
    /// Only the test at this line of `path`.
    #[serde(default)]
    line: Option<u32>,
    /// Only the tests that failed in the last run.
    #[serde(default)]
    failed_only: bool,
    /// Only the tests that can see what changed since the last commit.
    #[serde(default)]
    affected: bool,
    /// With `affected`, what changed since this commit, or since the branch split from this one.
    #[serde(default)]
    since: Option<String>,
    /// Also return which lines of changed files no test ran.
    #[serde(default)]
    coverage: bool,
    /// Run nothing; with `affected`, return which tests would run.
    #[serde(default)]
    dry_run: bool,
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

impl Tool for Test {
    type Params = Params;
    type Output = Output;
    const NAME: &'static str = "test";
    const DESCRIPTION: &'static str = "Run the project's tests and return counts, and for each failure \
        its place, message and the command that runs just it again. The test runner is found by the \
        project's files (cargo, pytest, vitest, jest, node:test, go, ctest, …). After an edit, `affected` \
        runs only the tests that can see it. Needs approval.";
    const EFFECTS: &'static [EffectKind] = &[EffectKind::Execute, EffectKind::Network];
    const EXAMPLES: &'static [&'static str] = &[
        "{}",
        "{\"affected\": true}",
        "{\"path\": \"tests/test_shop.py\", \"symbol\": \"TestTotal/test_total\"}",
        "{\"failed_only\": true}",
        "{\"filter\": \"total\", \"repeat\": 20}",
    ];
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
        let mut target = request.target(context)?;
        match params.planned(context, &request, &mut target)? {
            Planned { runs: true, plan, .. } => plan.effects(context),
            _ => Ok(Vec::new()),
        }
    }

    fn run(context: &Context<'_>, params: Params) -> Result<Output, ToolError> {
        let request = params.request();
        let mut target = request.target(context)?;
        let Planned { plan, affected, runs } = params.planned(context, &request, &mut target)?;
        if !runs {
            let summary = Summary::not_run(&plan, target.project.display());
            let affected = affected.map(|affected| AffectedTests::new(&affected, params.dry_run));
            return Ok(Output { affected, ..Output::not_run(summary) });
        }
        let runner = target.choice.runner;
        let before = match &plan.recording {
            Some(_) => SourcesBefore::read(context, Self::NAME, &target.project, runner)?,
            None => None,
        };
        let planned::Ran { mut summary, outcome, runs } =
            planned::run(context, &request, &target, &plan, params.repeat)?;
        if let (Some(before), Some(recording)) = (before, &plan.recording)
            && let Some(record) = recording.read()
        {
            before.keep(context, Self::NAME, &target.project, runner, &record)?;
        }
        let found = &outcome.found;
        let (failures, failures_left_out) =
            failed_tests(found, &|failure| plan.rerun_line(&failure.unit, &failure.id));
        // Warnings are nothing that a test run is asked for.
        let (mut diagnostics, left_out) = diagnostics(found);
        diagnostics.retain(|_| !summary.success && found.failed == 0);
        let has_diagnostics = !diagnostics.is_empty();
        let ran = found.tests();
        if let Some(affected) = affected.as_ref().filter(|affected| affected.all_because.is_none())
            && ran < affected.singles as u64
            && found.failed == 0
        {
            summary.note(format!(
                "{ran} tests ran of {} that were selected: the others were not found by their names; \
                 run without `affected`",
                affected.singles
            ));
        }
        Ok(Output {
            summary,
            passed: found.passed,
            failed: found.failed,
            skipped: found.skipped,
            runs: (params.repeat > 1).then_some(runs),
            coverage: params
                .coverage
                .then(|| CoverageOutput::new(context, &target.project, &found.coverage)),
            flaky: runs > 1 && found.failed > 0,
            affected: affected.map(|affected| AffectedTests::new(&affected, false)),
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

    /// The plan of the call.
    fn planned<'k>(
        &self,
        context: &Context<'_>,
        request: &Request<'_>,
        target: &mut Target<'k>,
    ) -> Result<Planned<'k>, ToolError> {
        let mut values = self.values(context, target)?;
        if values.contains_key("only") {
            // The tests of the file are other ones.
            target.values.remove("filter");
        }
        let mut found = None;
        let mut runs = !self.dry_run;
        if self.affected {
            if self.symbol.is_some() || self.line.is_some() || self.failed_only {
                let message = format!("{}: `affected` chooses the tests by itself", Test::NAME);
                return Err(ToolError::new(Code::InvalidParams, message)
                    .hint("leave out `symbol`, `line` and `failed_only`"));
            }
            let affected = affected(
                context,
                Test::NAME,
                &target.project,
                target.choice.runner,
                self.since.as_deref(),
            )?;
            if let Some(selected) = &affected.values {
                runs &= !affected.tests.is_empty();
                target.values.retain(|name, _| *name == "workspace");
                values.extend(selected.clone());
            }
            found = Some(affected);
        } else if self.since.is_some() {
            let message = format!("{}: `since` needs `affected`", Test::NAME);
            return Err(ToolError::new(Code::InvalidParams, message));
        }
        let plan = request.plan(context, target, values)?;
        Ok(Planned { plan, affected: found, runs })
    }

    fn values(&self, context: &Context<'_>, target: &Target<'_>) -> Result<Values, ToolError> {
        let mut values = Values::new();
        if self.failed_only {
            values.extend(self.failed(context, target)?);
        }
        let at_line = self.line.map(|line| self.symbol_at(context, line)).transpose()?;
        if let Some(symbol) = self.symbol.as_ref().or(at_line.as_ref()) {
            let (name, value) = self.symbol_value(context, symbol, target)?;
            values.insert(name, vec![value]);
        }
        if self.coverage {
            values.insert("coverage", Vec::new());
        }
        if let Some(filter) = &self.filter {
            values.insert("filter", vec![filter.clone()]);
        }
        Ok(values)
    }

    /// The name path of the innermost function around a line of `path`.
    fn symbol_at(&self, context: &Context<'_>, line: u32) -> Result<String, ToolError> {
        let invalid = |message: String| {
            ToolError::new(Code::InvalidParams, format!("{}: {message}", Test::NAME))
        };
        let Some(path) = &self.path else {
            return Err(invalid("`line` needs the `path` of its file".to_owned()));
        };
        let file = context.snapshot.read(&context.snapshot.locate(path)?)?;
        let document = context.snapshot.document_of(&file);
        let symbols = document.symbols(context.interrupt).unwrap_or_default();
        let index = usize::try_from(line).unwrap_or_default().wrapping_sub(1);
        if index >= file.text.line_count() {
            return Err(invalid(format!("{path} has no line {line}")));
        }
        let start = file.text.line_start(index);
        let end = file.text.line_start(index + 1);
        let around = |symbol: &&FileSymbol| {
            symbol.kind.is_callable() && symbol.span.start < end && start < symbol.span.end
        };
        let found = symbols.iter().filter(around).min_by_key(|symbol| symbol.span.len());
        let Some(found) = found else {
            let message = format!("{}: {path}:{line} is in no test", Test::NAME);
            return Err(ToolError::new(Code::NoMatch, message).hint("`find_symbol` lists them"));
        };
        Ok(found.path.join("/"))
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
        Ok(only(runner, &failures))
    }

    /// Whether a symbol of `path` is one test: what a macro makes several tests of is known to its
    /// runner by other names.
    fn is_test(&self, context: &Context<'_>, parts: &[&str]) -> bool {
        let Some(path) = &self.path else { return false };
        let path = context.snapshot.locate(path);
        let Some(file) = path.ok().and_then(|path| context.snapshot.read(&path).ok()) else {
            return false;
        };
        let document = context.snapshot.document_of(&file);
        let symbols = document.symbols(context.interrupt).unwrap_or_default();
        let symbol = symbols.iter().find(|symbol| symbol.path == parts);
        let tests = document.runnables(context.interrupt);
        symbol.is_some_and(|symbol| tests.iter().any(|test| test.name_span == symbol.name_span))
    }

    /// The name of a symbol as the name of a test.
    fn symbol_value(
        &self,
        context: &Context<'_>,
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
            let is_test = self.is_test(context, &parts);
            if let Some(filter) = runner.names_filter.as_ref().filter(|_| is_test) {
                return Ok(("filter", filter.replace("{}", &name)));
            }
            let full = target.module().map(|module| module + &name);
            return Ok(match full.filter(|_| is_test) {
                Some(full) => ("only", runner.quote.apply(&full)),
                None => ("filter", name),
            });
        }
        let Some(path) = &target.project.path else {
            let message = format!("{tool}: `symbol` needs the `path` of its file");
            return Err(ToolError::new(Code::InvalidParams, message));
        };
        // In place of the file alone.
        Ok(("path", format!("{path}{separator}{name}")))
    }
}
