//! The JSON report of Jest, which Vitest writes, too.

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
                message: message.trim().to_owned(),
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
