//! `go test -json`.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use super::comparison::comparison;
use super::lines::LineFormat;
use super::text;
use crate::findings::{Diagnostic, Failure, Findings, Severity};

/// Lines kept of one test.
const MAX_LINES: usize = 400;
/// Tests whose output is kept at a time.
const MAX_TESTS: usize = 5_000;

/// The format.
#[derive(Default)]
pub(crate) struct GoTest {
    /// Output of what runs, by package and test; the test of a package is empty.
    output: HashMap<(String, String), Vec<String>>,
    /// Tests with subtests, and those with a failed one; packages with a failed test.
    parents: HashSet<(String, String)>,
    failed: HashSet<(String, String)>,
}

impl LineFormat for GoTest {
    fn line(&mut self, line: &str, found: &mut Findings) {
        let Ok(event) = serde_json::from_str::<Value>(line) else { return };
        let Some(action) = event["Action"].as_str() else { return };
        if let Some(line) = event["Output"].as_str().filter(|_| action == "build-output") {
            return diagnose(line, found);
        }
        let package = text(&event["Package"]).unwrap_or_default();
        let key = (package, text(&event["Test"]).unwrap_or_default());
        match action {
            "run" => {
                found.begin(&key.1);
                if let Some((parent, _)) = key.1.rsplit_once('/') {
                    self.parents.insert((key.0.clone(), parent.to_owned()));
                }
            }
            "output" => self.keep(key, event["Output"].as_str().unwrap_or_default()),
            "pass" | "fail" | "skip" => self.end_test(key, action, found),
            _ => {}
        }
    }
}

impl GoTest {
    fn keep(&mut self, key: (String, String), line: &str) {
        if self.output.len() < MAX_TESTS || self.output.contains_key(&key) {
            let lines = self.output.entry(key).or_default();
            if lines.len() < MAX_LINES {
                lines.push(line.trim_end_matches('\n').to_owned());
            }
        }
    }

    fn end_test(&mut self, key: (String, String), action: &str, found: &mut Findings) {
        let lines = self.output.remove(&key).unwrap_or_default();
        found.end(&key.1);
        let is_parent = self.parents.contains(&key);
        let is_package = key.1.is_empty();
        if action == "fail" {
            let above = match key.1.rsplit_once('/') {
                Some((parent, _)) => parent.to_owned(),
                None => String::new(),
            };
            let has_failed_part = self.failed.contains(&key);
            self.failed.insert((key.0.clone(), above));
            // A package or test around a failed one has nothing more to say.
            let is_said = has_failed_part || is_package && found.errors > 0;
            if !is_said {
                found.fail(failure(&key, &lines));
            }
        } else if !is_package && !is_parent {
            if action == "pass" { found.pass() } else { found.skip() }
        } else {
            found.has_tests = true;
        }
    }
}

fn failure((package, test): &(String, String), lines: &[String]) -> Failure {
    let is_noise = |line: &str| {
        let text = line.trim_start();
        text.starts_with("=== ")
            || text.starts_with("--- ")
            || text == "FAIL"
            || text.is_empty()
            || line.starts_with("FAIL\t")
            || line.starts_with("exit status")
    };
    let said: Vec<&str> =
        lines.iter().map(|line| line.trim_end()).filter(|line| !is_noise(line)).collect();
    let mut failure = Failure {
        name: if test.is_empty() { package.clone() } else { test.clone() },
        id: test.clone(),
        // Only this package.
        unit: vec![package.clone()],
        ..Failure::default()
    };
    let placed = said.iter().position(|line| place(line).is_some());
    if let Some(index) = placed
        && let Some((file, line, message)) = place(said[index])
    {
        // The runner prints the name of the file alone; its folder ends the package's path.
        failure.file = Some(format!("{package}/{file}"));
        failure.line = Some(line);
        let more = said[index + 1..].iter().take_while(|line| line.starts_with("        "));
        let more: Vec<&str> = more.map(|line| line.trim()).collect();
        failure.message = std::iter::once(message).chain(more).collect::<Vec<_>>().join("\n");
        failure.message = failure.message.trim().to_owned();
        failure.output = said[..index].join("\n");
    } else {
        let panic = said.iter().position(|line| line.starts_with("panic: "));
        let from = panic.unwrap_or(0);
        failure.message = said[from..].iter().take(3).copied().collect::<Vec<_>>().join("\n");
        failure.output = said.join("\n");
    }
    if failure.message.is_empty() {
        failure.message = "it failed".to_owned();
    }
    (failure.expected, failure.found) = comparison(&failure.message);
    failure
}

/// `    a_test.go:12: MESSAGE`.
fn place(line: &str) -> Option<(&str, u32, &str)> {
    let text = line.strip_prefix("    ")?.trim_start();
    let mut parts = text.splitn(3, ':');
    let (file, line, message) = (parts.next()?, parts.next()?, parts.next()?);
    (file.ends_with(".go") && !file.contains(' ')).then_some((
        file,
        line.parse().ok()?,
        message.trim(),
    ))
}

/// `./a.go:3:2: MESSAGE`, of the compiler.
fn diagnose(line: &str, found: &mut Findings) {
    let mut parts = line.trim_end().splitn(4, ':');
    let (file, row, column) = (parts.next(), parts.next(), parts.next());
    if let (Some(file), Some(Ok(row)), Some(message)) =
        (file, row.map(str::parse::<u32>), parts.next())
        && file.ends_with(".go")
    {
        found.diagnostic(Diagnostic {
            file: Some(file.to_owned()),
            line: Some(row),
            column: column.and_then(|column| column.parse().ok()),
            ..Diagnostic::new(Severity::Error, message.trim())
        });
    }
}
