//! `ruff check --output-format json-lines`.

use serde_json::Value;

use super::lines::LineFormat;
use super::{position, text};
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
            ..Diagnostic::new(severity, message)
        });
    }
}
