//! What cargo prints: a JSON message a line, its own text, and the text of the test programs it runs.
//!
//! Both streams are read as one, because cargo's text says which program the next tests belong to.

use cargo_metadata::Message;
use cargo_metadata::diagnostic::{
    Applicability, Diagnostic as RustcMessage, DiagnosticLevel, DiagnosticSpan,
};
use text::PositionEncoding;

use super::libtest::Libtest;
use super::lines::LineFormat;
use crate::details::{Details, Fix, FixEdit, FixSpan, Related, title};
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

fn diagnose(message: &RustcMessage, found: &mut Findings) {
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
    found.diagnostic(Diagnostic {
        file: span.map(|span| span.file_name.clone()),
        line: span.and_then(|span| number(span.line_start)),
        column: span.and_then(|span| number(span.column_start)),
        code: message.code.as_ref().map(|code| code.code.clone()),
        fixable,
        details: details(message, span),
        ..Diagnostic::new(severity, text)
    });
}

fn details(message: &RustcMessage, span: Option<&DiagnosticSpan>) -> Details {
    let code = message.code.as_ref().map(|code| code.code.as_str()).unwrap_or_default();
    let mut details = Details {
        unit: PositionEncoding::Utf32,
        source: Some(if code.starts_with("clippy::") { "clippy" } else { "rustc" }),
        end: span.and_then(|span| place(span.line_end, span.column_end)),
        // `E0308` has a page; a lint of the compiler has none of its own.
        url: code
            .strip_prefix('E')
            .filter(|number| number.bytes().all(|byte| byte.is_ascii_digit()))
            .map(|_| format!("https://doc.rust-lang.org/error_codes/{code}.html")),
        is_unnecessary: code.starts_with("unused_")
            || matches!(code, "dead_code" | "unreachable_code" | "clippy::needless_return"),
        ..Details::default()
    };
    let Some(own) = span else { return details };
    let secondary = message.spans.iter().filter(|span| !span.is_primary && span.label.is_some());
    let secondary = secondary.map(|span| (span, span.label.clone().unwrap_or_default()));
    let notes = message.children.iter().flat_map(|child| {
        let is_plain = |span: &&DiagnosticSpan| span.suggested_replacement.is_none();
        child.spans.iter().filter(is_plain).map(|span| (span, child.message.clone()))
    });
    for (span, message) in secondary.chain(notes) {
        let (start, end) =
            (place(span.line_start, span.column_start), place(span.line_end, span.column_end));
        if let (Some(start), Some(end)) = (start, end) {
            details.relate(Related { file: span.file_name.clone(), start, end, message });
        }
    }
    for child in &message.children {
        if let Some(url) = child.message.strip_prefix("for further information visit ") {
            details.url = Some(url.to_owned());
        }
        let spans: Vec<&DiagnosticSpan> =
            child.spans.iter().filter(|span| span.suggested_replacement.is_some()).collect();
        // Code of a macro is not where it seems to be.
        if spans.iter().any(|span| span.file_name != own.file_name || span.expansion.is_some()) {
            continue;
        }
        // Several replacements of one place are a choice; otherwise they belong together.
        let range = |span: &DiagnosticSpan| (span.byte_start, span.byte_end);
        let is_choice = spans.len() > 1 && spans.iter().all(|span| range(span) == range(spans[0]));
        let parts = if is_choice { 1 } else { spans.len().max(1) };
        for spans in spans.chunks(parts) {
            suggest(&mut details, &child.message, spans);
        }
    }
    details
}

fn suggest(details: &mut Details, message: &str, spans: &[&DiagnosticSpan]) {
    let is = |wanted: Applicability| {
        spans.iter().all(|span| span.suggestion_applicability.as_ref() == Some(&wanted))
    };
    let has_placeholders = spans
        .iter()
        .any(|span| matches!(span.suggestion_applicability, Some(Applicability::HasPlaceholders)));
    let edits = spans.iter().map(|span| {
        let start = place(span.line_start, span.column_start)?;
        let end = place(span.line_end, span.column_end)?;
        let text = span.suggested_replacement.clone()?;
        Some(FixEdit { span: FixSpan::Lines(start, end), text })
    });
    if let Some(edits) = edits.collect::<Option<Vec<_>>>().filter(|_| !has_placeholders) {
        let is_preferred = is(Applicability::MachineApplicable);
        details.suggest(Fix { title: title(message, &edits), is_preferred, edits });
    }
}

fn number(at: usize) -> Option<u32> {
    u32::try_from(at).ok()
}

fn place(line: usize, column: usize) -> Option<(u32, u32)> {
    Some((number(line)?, number(column)?))
}

/// Whether a message only counts the others.
fn is_summary(message: &str) -> bool {
    message.starts_with("aborting due to")
        || message.ends_with("warning emitted")
        || message.ends_with("warnings emitted")
        || message.starts_with("Some errors have detailed")
        || message.starts_with("For more information about")
}
