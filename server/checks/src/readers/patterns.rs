//! Text without a machine-readable form, by regular expressions of the project kind.
//!
//! A pattern has the named groups `file`, `line`, `column`, `severity`, `code` and `message`. One with a
//! file and no message finds files of formatters; one with `passed`, `failed` or `skipped` finds counts;
//! one with `test` finds failed tests.

use regex::{Captures, Regex};

use super::lines::LineFormat;
use crate::findings::{Diagnostic, Failure, Findings, Severity};

/// Longest line that is matched.
const MAX_LINE_BYTES: usize = 4_096;

/// The format.
pub(crate) struct Patterns(Vec<Regex>);

impl Patterns {
    pub(crate) fn new(patterns: &[Regex]) -> Self {
        Self(patterns.to_vec())
    }
}

impl LineFormat for Patterns {
    fn line(&mut self, line: &str, found: &mut Findings) {
        let line = &line[..line.floor_char_boundary(MAX_LINE_BYTES)];
        if let Some(captures) = self.0.iter().find_map(|pattern| pattern.captures(line)) {
            take(&captures, found);
        }
    }
}

fn take(captures: &Captures<'_>, found: &mut Findings) {
    let group = |name: &str| captures.name(name).map(|group| group.as_str().trim().to_owned());
    let number = |name: &str| group(name).and_then(|text| text.parse().ok());
    let counts = ["passed", "failed", "skipped"].map(|name| group(name)?.parse::<u64>().ok());
    if counts.iter().any(Option::is_some) {
        let [passed, failed, skipped] = counts.map(Option::unwrap_or_default);
        found.has_tests = true;
        found.passed += passed;
        found.failed = (found.failed + failed).max(found.failures.len() as u64);
        found.skipped += skipped;
        return;
    }
    let file = group("file");
    if let Some(name) = group("test") {
        let message = group("message").unwrap_or_default();
        let line = number("line");
        // A summary counts it, too, if there is one; see above.
        let counted = found.failed;
        found.fail(Failure { id: name.clone(), name, file, line, message, ..Failure::default() });
        found.failed = counted.max(found.failures.len() as u64);
        return;
    }
    match (group("message"), file) {
        (Some(message), file) => found.diagnostic(Diagnostic {
            file,
            line: number("line"),
            column: number("column"),
            code: group("code").filter(|code| !code.is_empty()),
            ..Diagnostic::new(
                group("severity").map_or(Severity::Error, |name| Severity::parse(&name)),
                message,
            )
        }),
        (None, Some(file)) => found.file(file),
        (None, None) => {}
    }
}
