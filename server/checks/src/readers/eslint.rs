//! `eslint --format json`: an array with an object for each file.

use serde_json::Value;

use super::document::elements;
use super::{position, text};
use crate::details::{Details, Fix, FixEdit, FixSpan};
use crate::findings::{Diagnostic, Findings, Severity};

/// Reads the report.
pub(crate) fn read(output: &str, found: &mut Findings) {
    for file in elements(output) {
        for one in file["messages"].as_array().into_iter().flatten() {
            let severity = if one["severity"] == 2 { Severity::Error } else { Severity::Warning };
            found.diagnostic(Diagnostic {
                file: text(&file["filePath"]),
                line: position(&one["line"]),
                column: position(&one["column"]),
                code: text(&one["ruleId"]),
                fixable: one["fix"].is_object(),
                details: details(one),
                ..Diagnostic::new(severity, one["message"].as_str().unwrap_or_default())
            });
        }
    }
}

/// Columns and offsets are in UTF-16 units.
fn details(one: &Value) -> Details {
    let rule = one["ruleId"].as_str().unwrap_or_default();
    let end = Some((position(&one["endLine"]), position(&one["endColumn"])));
    let mut details = Details {
        end: end.and_then(|(line, column)| Some((line?, column?))),
        is_unnecessary: rule.ends_with("no-unused-vars"),
        ..Details::default()
    };
    if let Some(edit) = edit(&one["fix"]) {
        let title = if rule.is_empty() { "Fix".to_owned() } else { format!("Fix {rule}") };
        details.suggest(Fix { title, is_preferred: true, edits: vec![edit] });
    }
    for suggestion in one["suggestions"].as_array().into_iter().flatten() {
        if let (Some(title), Some(edit)) = (text(&suggestion["desc"]), edit(&suggestion["fix"])) {
            details.suggest(Fix { title, is_preferred: false, edits: vec![edit] });
        }
    }
    details
}

fn edit(fix: &Value) -> Option<FixEdit> {
    let at = |index: usize| u32::try_from(fix["range"][index].as_u64()?).ok();
    let text = fix["text"].as_str()?.to_owned();
    Some(FixEdit { span: FixSpan::Units(at(0)?, at(1)?), text })
}
