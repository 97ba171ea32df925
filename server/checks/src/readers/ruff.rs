//! `ruff check --output-format json-lines`.

use serde_json::Value;
use text::PositionEncoding;

use super::lines::LineFormat;
use super::{position, text};
use crate::details::{Details, Fix, FixEdit, FixSpan};
use crate::findings::{Diagnostic, Findings, Severity};

/// The format.
pub(crate) struct Ruff;

impl LineFormat for Ruff {
    fn line(&mut self, line: &str, found: &mut Findings) {
        let Ok(value) = serde_json::from_str::<Value>(line) else { return };
        let Some(message) = text(&value["message"]) else { return };
        // Without a code it is a syntax error.
        let code = text(&value["code"]);
        let severity = match code.as_deref() {
            None | Some("invalid-syntax") => Severity::Error,
            Some(_) => Severity::Warning,
        };
        found.diagnostic(Diagnostic {
            file: text(&value["filename"]),
            line: position(&value["location"]["row"]),
            column: position(&value["location"]["column"]),
            code,
            fixable: value["fix"]["applicability"] == "safe",
            details: details(&value),
            ..Diagnostic::new(severity, message)
        });
    }
}

fn details(value: &Value) -> Details {
    let code = value["code"].as_str().unwrap_or_default();
    let mut details = Details {
        unit: PositionEncoding::Utf32,
        end: place(&value["end_location"]),
        url: text(&value["url"]),
        // Unused imports, variables, arguments and suppressions.
        is_unnecessary: matches!(code, "F401" | "F811" | "F841" | "RUF059" | "RUF100")
            || code.starts_with("ARG"),
        ..Details::default()
    };
    let fix = &value["fix"];
    let is_safe = fix["applicability"] == "safe";
    // What is only to be displayed may change the meaning.
    if is_safe || fix["applicability"] == "unsafe" {
        let edits = fix["edits"].as_array().into_iter().flatten().map(|edit| {
            let (start, end) = (place(&edit["location"])?, place(&edit["end_location"])?);
            let text = edit["content"].as_str()?.to_owned();
            Some(FixEdit { span: FixSpan::Lines(start, end), text })
        });
        let what = text(&fix["message"]).unwrap_or_else(|| format!("Fix {code}"));
        if let Some(edits) = edits.collect() {
            let title = if is_safe { what } else { format!("{what} (may change behaviour)") };
            details.suggest(Fix { title, is_preferred: is_safe, edits });
        }
    }
    details
}

fn place(value: &Value) -> Option<(u32, u32)> {
    Some((position(&value["row"])?, position(&value["column"])?))
}
