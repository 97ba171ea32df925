//! SARIF 2.1: the static analysis results format of many linters, and of gcc and clang.

use super::document::object_with;
use super::{position, text};
use crate::findings::{Diagnostic, Findings, Severity};

/// Reads the log. gcc writes one for each file that it compiles.
pub(crate) fn read(output: &str, found: &mut Findings) {
    let mut rest = output;
    while let Some(at) = rest.find("\"runs\"") {
        // The object that holds `runs` begins before it, and does not hold earlier ones.
        if let Some(log) = object_with(rest, "runs") {
            for run in log["runs"].as_array().into_iter().flatten() {
                read_run(run, found);
            }
        }
        let next = rest[at..].find('\n').map_or(rest.len(), |end| at + end + 1);
        rest = rest.get(next..).unwrap_or_default();
    }
}

fn read_run(run: &serde_json::Value, found: &mut Findings) {
    for result in run["results"].as_array().into_iter().flatten() {
        let place = &result["locations"][0]["physicalLocation"];
        let uri = text(&place["artifactLocation"]["uri"]);
        let rule = text(&result["ruleId"]);
        let level = result["level"].as_str().or_else(|| {
            let rules = run["tool"]["driver"]["rules"].as_array()?;
            let rule = rules.iter().find(|one| text(&one["id"]) == rule)?;
            rule["defaultConfiguration"]["level"].as_str()
        });
        found.diagnostic(Diagnostic {
            file: uri.map(|uri| uri.strip_prefix("file://").unwrap_or(&uri).to_owned()),
            line: position(&place["region"]["startLine"]),
            column: position(&place["region"]["startColumn"]),
            // gcc names the option or, for errors, just `error`.
            code: rule.filter(|rule| rule != "error" && rule != "warning"),
            fixable: result["fixes"].as_array().is_some_and(|fixes| !fixes.is_empty()),
            ..Diagnostic::new(
                Severity::parse(level.unwrap_or("warning")),
                result["message"]["text"].as_str().unwrap_or_default(),
            )
        });
    }
}
