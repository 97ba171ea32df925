//! The JSON report of Jest.

use super::comparison::comparison;
use super::document::object_with;
use super::lines::plain;
use super::place::place;
use super::{position, text};
use crate::findings::{Failure, Findings};

/// Reads the report.
pub(crate) fn read(output: &str, found: &mut Findings) {
    let Some(report) = object_with(output, "testResults") else { return };
    found.has_tests = true;
    for file in report["testResults"].as_array().into_iter().flatten() {
        let path = text(&file["name"]);
        let tests = file["assertionResults"].as_array().map(Vec::as_slice).unwrap_or_default();
        if tests.is_empty() && file["status"] == "failed" {
            let message = plain(&text(&file["message"]).unwrap_or_default());
            let at = place(&message);
            found.fail(Failure {
                name: path.clone().unwrap_or_default(),
                unit: path.iter().cloned().collect(),
                line: at.as_ref().map(|(_, line)| *line),
                file: at.map(|(file, _)| file).or(path),
                message: suite_message(&message),
                ..Failure::default()
            });
            continue;
        }
        for test in tests {
            match test["status"].as_str() {
                Some("passed") => found.pass(),
                Some("failed") => found.fail(failure(test, path.clone())),
                _ => found.skip(),
            }
        }
    }
}

/// Why a file has no tests, without Jest's heading, the excerpt of the code and the stack.
fn suite_message(message: &str) -> String {
    let is_code = |line: &str| {
        let line = line.trim_start_matches(['>', ' ']);
        line.trim_start_matches(|c: char| c.is_ascii_digit()).starts_with(" |")
    };
    let lines = message.trim().lines();
    let lines = lines.skip_while(|line| line.contains("● Test suite failed to run"));
    let lines = lines.map(str::trim).take_while(|line| !is_code(line) && !line.starts_with("at "));
    lines.collect::<Vec<_>>().join("\n").trim().to_owned()
}

fn failure(test: &serde_json::Value, path: Option<String>) -> Failure {
    let messages = test["failureMessages"].as_array().into_iter().flatten();
    let whole = messages.filter_map(|one| one.as_str()).map(plain).collect::<Vec<_>>().join("\n");
    let lines = whole.lines().take_while(|line| !line.trim_start().starts_with("at "));
    let message = lines.collect::<Vec<_>>().join("\n").trim().to_owned();
    let (expected, found) = comparison(&message);
    let at = place(&whole);
    let id = text(&test["fullName"]).unwrap_or_default();
    let titles = test["ancestorTitles"].as_array().into_iter().flatten();
    let titles = titles.chain([&test["title"]]).filter_map(|title| title.as_str());
    Failure {
        name: titles.collect::<Vec<_>>().join(" > "),
        id,
        unit: path.iter().cloned().collect(),
        line: at.as_ref().map(|(_, line)| *line).or(position(&test["location"]["line"])),
        file: at.map(|(file, _)| file).or(path),
        message,
        expected,
        found,
        output: String::new(),
    }
}
