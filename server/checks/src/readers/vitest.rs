//! Vitest's JUnit report. Its JSON report has neither what an assertion compared nor what a test printed.

use super::comparison::comparison;
use super::junit::{self, Case};
use super::lines::plain;
use super::place::place;
use crate::findings::{Failure, Findings};

/// What Vitest writes between the names of nested suites. `--testNamePattern` has a space there.
const SEPARATOR: &str = " > ";

/// Reads the report.
pub(crate) fn read(output: &str, found: &mut Findings) {
    junit::read_with(output, found, failure);
}

/// A test case's class is its file. A file that cannot be read is a test case of the file's name.
fn failure(case: Case) -> Failure {
    let is_file = case.class == case.name;
    let trace = plain(&case.trace);
    let lines = trace.trim().lines();
    let lines = lines.take_while(|line| {
        let line = line.trim_start();
        !line.starts_with("❯ ") && !line.starts_with('⎯')
    });
    let message = lines.collect::<Vec<_>>().join("\n").trim().to_owned();
    let message = if message.is_empty() { case.message.trim().to_owned() } else { message };
    let (expected, found) = comparison(&message);
    let at = place(&trace);
    Failure {
        id: if is_file { String::new() } else { case.name.replace(SEPARATOR, " ") },
        name: case.name,
        line: at.as_ref().map(|(_, line)| *line),
        file: Some(at.map_or_else(|| case.class.clone(), |(file, _)| file)),
        unit: vec![case.class],
        message,
        expected,
        found,
        output: plain(case.output.trim()),
    }
}
