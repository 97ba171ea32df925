//! SARIF 2.1: the static analysis results format of many linters, and of gcc and clang.

use serde_json::Value;
use text::PositionEncoding;

use super::document::object_with;
use super::{position, text};
use crate::details::{Details, Fix, FixEdit, FixSpan, title};
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

fn read_run(run: &Value, found: &mut Findings) {
    let unit = match run["columnKind"].as_str() {
        Some("unicodeCodePoints") => PositionEncoding::Utf32,
        _ => PositionEncoding::Utf16,
    };
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
            details: details(result, unit),
            ..Diagnostic::new(
                Severity::parse(level.unwrap_or("warning")),
                result["message"]["text"].as_str().unwrap_or_default(),
            )
        });
    }
}

fn details(result: &Value, unit: PositionEncoding) -> Details {
    let place = &result["locations"][0]["physicalLocation"];
    let region = &place["region"];
    let mut details = Details {
        unit,
        end: end(region).filter(|_| region["endColumn"].is_u64()),
        url: text(&result["helpUri"]),
        ..Details::default()
    };
    for fix in result["fixes"].as_array().into_iter().flatten() {
        let changes = fix["artifactChanges"].as_array().map(Vec::as_slice).unwrap_or_default();
        // One that changes other files, too, is not complete here.
        let [change] = changes else { continue };
        if change["artifactLocation"]["uri"] != place["artifactLocation"]["uri"] {
            continue;
        }
        let edits = change["replacements"].as_array().into_iter().flatten().map(|one| {
            let region = &one["deletedRegion"];
            let start = (position(&region["startLine"])?, position(&region["startColumn"])?);
            let text = one["insertedContent"]["text"].as_str().unwrap_or_default().to_owned();
            Some(FixEdit { span: FixSpan::Lines(start, end(region)?), text })
        });
        if let Some(edits) = edits.collect::<Option<Vec<_>>>() {
            let what = text(&fix["description"]["text"]).unwrap_or_else(|| "Fix".to_owned());
            details.suggest(Fix { title: title(&what, &edits), is_preferred: false, edits });
        }
    }
    details
}

/// Where a region ends. Its line is that of its start if it has none, and so is its column: then it
/// is empty.
fn end(region: &Value) -> Option<(u32, u32)> {
    let line = position(&region["endLine"]).or_else(|| position(&region["startLine"]))?;
    let column = position(&region["endColumn"]).or_else(|| position(&region["startColumn"]))?;
    Some((line, column))
}
