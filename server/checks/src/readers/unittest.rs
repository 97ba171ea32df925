//! The text of Python's unittest, which has no machine output.

use super::lines::LineFormat;
use super::place::place;
use crate::findings::{Failure, Findings};

/// Lines kept of one failure.
const MAX_LINES: usize = 400;

/// The format.
#[derive(Default)]
pub(crate) struct Unittest {
    /// The failure that is being read, and whether its trace has begun.
    failure: Option<(Failure, bool)>,
    lines: Vec<String>,
    failures: Vec<Failure>,
}

impl LineFormat for Unittest {
    fn line(&mut self, line: &str, found: &mut Findings) {
        let head = line.strip_prefix("FAIL: ").or_else(|| line.strip_prefix("ERROR: "));
        if let Some(name) = head {
            self.end_failure();
            self.failure = Some((named(name), false));
        } else if let Some(rest) = line.strip_prefix("Ran ") {
            self.end_failure();
            let count = rest.split(' ').next().and_then(|number| number.parse::<u64>().ok());
            found.has_tests = true;
            found.passed = count.unwrap_or_default();
        } else if line == "OK" || line.starts_with("OK (") || line.starts_with("FAILED (") {
            summarise(line, found);
        } else if line.starts_with("======") {
            self.end_failure();
        } else if line.starts_with("------") {
            if let Some((_, has_trace)) = &mut self.failure {
                *has_trace = true;
            }
        } else if let Some((_, true)) = &self.failure
            && self.lines.len() < MAX_LINES
        {
            self.lines.push(line.to_owned());
        }
    }

    fn end(&mut self, found: &mut Findings) {
        self.end_failure();
        let counted = found.failed;
        for failure in self.failures.drain(..) {
            found.fail(failure);
        }
        found.failed = counted.max(found.failures.len() as u64);
    }
}

impl Unittest {
    fn end_failure(&mut self) {
        let lines = std::mem::take(&mut self.lines);
        let Some((mut failure, _)) = self.failure.take() else { return };
        let output = lines.iter().position(|line| line == "Stdout:" || line == "Stderr:");
        let (trace, output) = lines.split_at(output.unwrap_or(lines.len()));
        failure.output = output.join("\n").trim().to_owned();
        if let Some((file, line)) = place(&trace.join("\n")) {
            (failure.file, failure.line) = (Some(file), Some(line));
        }
        // The message follows the indented frames.
        let is_frame = |line: &String| line.starts_with(' ') || line.starts_with("Traceback");
        let start = trace.iter().rposition(is_frame).map_or(0, |last| last + 1);
        failure.message = trace[start..].join("\n").trim().to_owned();
        self.failures.push(failure);
    }
}

/// `test_a (package.module.Class.test_a)`; before Python 3.11 without the last part.
fn named(text: &str) -> Failure {
    let (name, place) = text.split_once(" (").unwrap_or((text, ""));
    let place = place.split(')').next().unwrap_or_default();
    let id = match place {
        "" => name.to_owned(),
        place if place.ends_with(&format!(".{name}")) => place.to_owned(),
        place => format!("{place}.{name}"),
    };
    Failure { name: id.clone(), id, ..Failure::default() }
}

/// `FAILED (failures=1, errors=2, skipped=3)`: what did not pass of the tests that ran.
fn summarise(line: &str, found: &mut Findings) {
    let parts = line.split(['(', ')', ',']).filter_map(|part| part.split_once('='));
    for (what, number) in parts {
        let number = number.parse::<u64>().unwrap_or_default();
        match what.trim() {
            "failures" | "errors" | "unexpected successes" => found.failed += number,
            "skipped" => found.skipped += number,
            _ => continue,
        }
        found.passed = found.passed.saturating_sub(number);
    }
}
