//! `gcc -fdiagnostics-format=json`: an array a line on standard error, for each file compiled.

use serde_json::Value;

use super::document::elements;
use super::lines::LineFormat;
use super::{position, text};
use crate::findings::{Diagnostic, Findings, Severity};

/// The format.
pub(crate) struct Gcc;

impl LineFormat for Gcc {
    fn line(&mut self, line: &str, found: &mut Findings) {
        if !line.starts_with('[') {
            return;
        }
        for one in elements(line) {
            let Some(message) = text(&one["message"]) else { continue };
            let caret = &one["locations"][0]["caret"];
            found.diagnostic(Diagnostic {
                file: text(&caret["file"]),
                line: position(&caret["line"]),
                column: position(&caret["column"]),
                code: text(&one["option"]),
                fixable: one["fixits"].as_array().is_some_and(|fixes| !fixes.is_empty()),
                ..Diagnostic::new(Severity::parse(kind(&one)), message)
            });
        }
    }
}

fn kind(one: &Value) -> &str {
    one["kind"].as_str().unwrap_or("error")
}
