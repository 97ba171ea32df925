//! What cargo prints: a JSON message a line, its own text, and the text of the test programs it runs.
//!
//! Both streams are read as one, because cargo's text says which program the next tests belong to.

use cargo_metadata::Message;
use cargo_metadata::diagnostic::{Applicability, DiagnosticLevel};

use super::libtest::Libtest;
use super::lines::LineFormat;
use crate::findings::{Diagnostic, Findings, Severity};

/// Lines kept of an error of cargo itself.
const MAX_ERROR_LINES: usize = 30;
/// Errors of cargo that only repeat its messages or the output of tests.
const REPEATED: &[&str] = &[
    "could not compile",
    "test failed",
    "doctest failed",
    "bench failed",
    "target failed",
    "targets failed",
    "aborting due to",
    "test run failed",
    "command `cargo",
];

/// The format.
#[derive(Default)]
pub(crate) struct Cargo {
    tests: Libtest,
    /// An error of cargo itself, as it is being read.
    error: Vec<String>,
    errors: Vec<String>,
}

impl LineFormat for Cargo {
    fn line(&mut self, line: &str, found: &mut Findings) {
        if line.starts_with("{\"") && self.message(line, found) {
            return;
        }
        self.text(line);
        self.tests.line(line, found);
    }

    fn end(&mut self, found: &mut Findings) {
        self.end_error();
        self.tests.end(found);
        // A manifest that does not parse and a missing dependency have no JSON message, only text.
        if found.errors == 0 && found.failed == 0 {
            for error in std::mem::take(&mut self.errors) {
                found.diagnostic(Diagnostic::new(Severity::Error, error));
            }
        }
    }
}

impl Cargo {
    /// Takes a message; false if it is none.
    fn message(&self, line: &str, found: &mut Findings) -> bool {
        match serde_json::from_str::<Message>(line) {
            Ok(Message::CompilerMessage(message)) => diagnose(&message.message, found),
            Ok(Message::CompilerArtifact(artifact)) => {
                if let Some(program) = artifact.executable
                    && !artifact.profile.test
                {
                    found.artifact(program.into_string());
                }
            }
            Ok(Message::BuildScriptExecuted(_) | Message::BuildFinished(_)) => {}
            // A test may print JSON, too.
            _ => return false,
        }
        true
    }

    /// Collects the errors that cargo prints as text.
    fn text(&mut self, line: &str) {
        let is_start = line.strip_prefix("error").is_some_and(|rest| rest.starts_with([':', '[']));
        if is_start {
            self.end_error();
            if !REPEATED.iter().any(|text| line.contains(text)) {
                let message = line.strip_prefix("error: ").unwrap_or(line);
                self.error.push(message.to_owned());
            }
        } else if !self.error.is_empty() && self.error.len() < MAX_ERROR_LINES {
            self.error.push(line.to_owned());
        }
    }

    fn end_error(&mut self) {
        let error = std::mem::take(&mut self.error);
        let lines: Vec<&str> =
            error.iter().map(String::as_str).filter(|line| !line.trim().is_empty()).collect();
        if !lines.is_empty() && self.errors.len() < MAX_ERROR_LINES {
            self.errors.push(lines.join("\n"));
        }
    }
}

fn diagnose(message: &cargo_metadata::diagnostic::Diagnostic, found: &mut Findings) {
    let severity = match message.level {
        DiagnosticLevel::Error | DiagnosticLevel::Ice => Severity::Error,
        DiagnosticLevel::Warning => Severity::Warning,
        _ => return,
    };
    let span = message.spans.iter().find(|span| span.is_primary);
    if span.is_none() && is_summary(&message.message) {
        return;
    }
    let mut text = message.message.clone();
    if let Some(label) = span.and_then(|span| span.label.as_ref())
        && !text.contains(label.as_str())
    {
        text.push_str(": ");
        text.push_str(label);
    }
    let help = message.children.iter().filter(|child| {
        !child.message.starts_with("`#[") && !child.message.starts_with("for further information")
    });
    for child in help.take(3) {
        text.push('\n');
        text.push_str(&child.message);
        let suggested = child.spans.iter().find_map(|span| span.suggested_replacement.as_ref());
        if let Some(replacement) = suggested.filter(|text| !text.trim().is_empty()) {
            text.push_str(&format!(": `{}`", replacement.trim()));
        }
    }
    let spans = message.children.iter().flat_map(|child| &child.spans);
    let fixable = spans.into_iter().any(|span| {
        matches!(span.suggestion_applicability, Some(Applicability::MachineApplicable))
    });
    let number = |at: usize| u32::try_from(at).ok();
    found.diagnostic(Diagnostic {
        file: span.map(|span| span.file_name.clone()),
        line: span.and_then(|span| number(span.line_start)),
        column: span.and_then(|span| number(span.column_start)),
        code: message.code.as_ref().map(|code| code.code.clone()),
        fixable,
        ..Diagnostic::new(severity, text)
    });
}

/// Whether a message only counts the others.
fn is_summary(message: &str) -> bool {
    message.starts_with("aborting due to")
        || message.ends_with("warning emitted")
        || message.ends_with("warnings emitted")
        || message.starts_with("Some errors have detailed")
        || message.starts_with("For more information about")
}
