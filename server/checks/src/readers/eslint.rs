//! `eslint --format json`: an array with an object for each file.

use super::document::elements;
use super::{position, text};
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
                ..Diagnostic::new(severity, one["message"].as_str().unwrap_or_default())
            });
        }
    }
}
