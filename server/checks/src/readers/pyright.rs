//! `pyright --outputjson`, also of basedpyright.

use serde_json::Value;

use super::document::object_with;
use super::{position, text};
use crate::details::Details;
use crate::findings::{Diagnostic, Findings, Severity};

/// Reads the report.
pub(crate) fn read(output: &str, found: &mut Findings) {
    let Some(report) = object_with(output, "generalDiagnostics") else { return };
    for one in report["generalDiagnostics"].as_array().into_iter().flatten() {
        let (start, end) = (&one["range"]["start"], &one["range"]["end"]);
        let plus_one = |value: &Value| value.as_u64().and_then(|at| u32::try_from(at + 1).ok());
        found.diagnostic(Diagnostic {
            file: text(&one["file"]),
            line: plus_one(&start["line"]).or_else(|| position(&one["line"])),
            column: plus_one(&start["character"]),
            code: text(&one["rule"]),
            details: Details {
                end: plus_one(&end["line"]).zip(plus_one(&end["character"])),
                ..Details::default()
            },
            ..Diagnostic::new(
                Severity::parse(one["severity"].as_str().unwrap_or("error")),
                one["message"].as_str().unwrap_or_default(),
            )
        });
    }
}
