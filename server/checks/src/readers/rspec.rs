//! `rspec --format json`.

use super::comparison::comparison;
use super::document::object_with;
use super::place::place;
use super::{position, text};
use crate::findings::{Failure, Findings};

/// Reads the report.
pub(crate) fn read(output: &str, found: &mut Findings) {
    let Some(report) = object_with(output, "examples") else { return };
    found.has_tests = true;
    for example in report["examples"].as_array().into_iter().flatten() {
        match example["status"].as_str() {
            Some("passed") => found.pass(),
            Some("failed") => found.fail(failure(example)),
            _ => found.skip(),
        }
    }
}

fn failure(example: &serde_json::Value) -> Failure {
    let file = text(&example["file_path"]);
    let line = position(&example["line_number"]);
    let exception = &example["exception"];
    let message = text(&exception["message"]).unwrap_or_default();
    let (expected, found) = comparison(&message);
    let trace = exception["backtrace"].as_array().into_iter().flatten();
    let trace: Vec<&str> = trace.filter_map(|frame| frame.as_str()).collect();
    let at = place(&trace.join("\n"));
    let id = match (&file, line) {
        (Some(file), Some(line)) => format!("{file}:{line}"),
        _ => String::new(),
    };
    Failure {
        name: text(&example["full_description"]).unwrap_or_default(),
        id,
        unit: Vec::new(),
        line: at.as_ref().map(|(_, line)| *line).or(line),
        file: at.map(|(file, _)| file).or(file),
        message: message.trim().to_owned(),
        expected,
        found,
        output: String::new(),
    }
}
