//! `mypy --output json`: an object a line.

use serde_json::Value;

use super::lines::LineFormat;
use super::{position, text};
use crate::findings::{Diagnostic, Findings, Severity};

/// The format.
pub(crate) struct Mypy;

impl LineFormat for Mypy {
    fn line(&mut self, line: &str, found: &mut Findings) {
        let Ok(value) = serde_json::from_str::<Value>(line) else { return };
        let Some(mut message) = text(&value["message"]) else { return };
        if let Some(hint) = text(&value["hint"]) {
            message = format!("{message}\n{hint}");
        }
        let severity = value["severity"].as_str().unwrap_or("error");
        found.diagnostic(Diagnostic {
            file: text(&value["file"]),
            line: position(&value["line"]),
            // It counts columns from 0, and writes -1 for none.
            column: value["column"].as_u64().and_then(|column| u32::try_from(column + 1).ok()),
            code: text(&value["code"]),
            ..Diagnostic::new(Severity::parse(severity), message)
        });
    }
}
