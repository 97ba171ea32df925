//! What a program's output says: counts, failed tests, diagnostics.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::details::Details;

/// Files with their lines, 1-based, and whether a test ran them.
pub(crate) type Coverage = BTreeMap<String, BTreeMap<u32, bool>>;

/// Failures kept of a run; more are counted.
const MAX_FAILURES: usize = 500;
/// Diagnostics kept of a run; more are counted.
const MAX_DIAGNOSTICS: usize = 2_000;
/// Artifacts, running tests and changed files kept.
const MAX_NAMES: usize = 500;
/// Longest text kept of a message or of captured output, in bytes.
const MAX_TEXT_BYTES: usize = 16 << 10;

/// A test that failed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Failure {
    /// Its full name, as its runner prints it.
    pub(crate) name: String,
    /// What its runner takes to run just it.
    pub(crate) id: String,
    /// Words of the command that choose the program that holds it: `--lib`.
    pub(crate) unit: Vec<String>,
    pub(crate) file: Option<String>,
    pub(crate) line: Option<u32>,
    pub(crate) message: String,
    /// The expected and the actual value, if the runner reports both.
    pub(crate) expected: Option<String>,
    pub(crate) found: Option<String>,
    /// What it printed.
    pub(crate) output: String,
}

/// How bad a diagnostic is.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Severity {
    /// It does not build, or the tool calls it an error.
    Error,
    /// A warning.
    Warning,
    /// Advice.
    Note,
}

impl Severity {
    /// The severity that a tool calls `name`.
    pub(crate) fn parse(name: &str) -> Self {
        let name = name.to_ascii_lowercase();
        match name.as_str() {
            _ if name.contains("error") || name.contains("fatal") => Self::Error,
            "note" | "info" | "information" | "help" | "hint" | "style" | "notice" | "none" => {
                Self::Note
            }
            _ => Self::Warning,
        }
    }
}

/// A message about a place in the code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Diagnostic {
    /// Its file, relative to the workspace; absolute outside.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) file: Option<String>,
    /// 1-based.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) line: Option<u32>,
    /// 1-based.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) column: Option<u32>,
    /// How bad it is.
    pub(crate) severity: Severity,
    /// The tool's code for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) code: Option<String>,
    /// What is wrong.
    pub(crate) message: String,
    /// True if `fix` can repair it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(crate) fixable: bool,
    /// What only the editor shows.
    #[serde(skip)]
    pub(crate) details: Details,
}

impl Diagnostic {
    /// A diagnostic that says only how bad it is and what is wrong.
    pub(crate) fn new(severity: Severity, message: impl Into<String>) -> Self {
        let message = message.into();
        let (file, line, column, code) = (None, None, None, None);
        Self {
            file,
            line,
            column,
            severity,
            code,
            message,
            fixable: false,
            details: Details::default(),
        }
    }
}

/// Everything that a reader found, within limits.
#[derive(Debug, Default)]
pub(crate) struct Findings {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    pub(crate) skipped: u64,
    pub(crate) failures: Vec<Failure>,
    pub(crate) errors: u64,
    pub(crate) warnings: u64,
    pub(crate) diagnostics: Vec<Diagnostic>,
    /// Programs and libraries that were built.
    pub(crate) artifacts: Vec<String>,
    /// Files that a formatter changed, or would change.
    pub(crate) files: Vec<String>,
    /// Which lines tests ran.
    pub(crate) coverage: Coverage,
    /// Tests that have begun and not ended.
    pub(crate) running: Vec<String>,
    /// Whether the runner printed results of tests, even of none.
    pub(crate) has_tests: bool,
    /// Why the output could not be read to its end.
    pub(crate) broken: Option<String>,
}

impl Findings {
    /// Counts a test that passed.
    pub(crate) fn pass(&mut self) {
        self.has_tests = true;
        self.passed += 1;
    }

    /// Counts a test that was skipped.
    pub(crate) fn skip(&mut self) {
        self.has_tests = true;
        self.skipped += 1;
    }

    /// Counts and keeps a failure.
    pub(crate) fn fail(&mut self, mut failure: Failure) {
        self.has_tests = true;
        self.failed += 1;
        if self.failures.len() < MAX_FAILURES {
            clip(&mut failure.message);
            clip(&mut failure.output);
            failure.expected.iter_mut().for_each(clip);
            failure.found.iter_mut().for_each(clip);
            self.failures.push(failure);
        }
    }

    /// Counts and keeps a diagnostic. The same one again is ignored: compilers repeat those of a file
    /// that is built twice.
    pub(crate) fn diagnostic(&mut self, mut diagnostic: Diagnostic) {
        clip(&mut diagnostic.message);
        if self.diagnostics.len() < MAX_DIAGNOSTICS && self.diagnostics.contains(&diagnostic) {
            return;
        }
        match diagnostic.severity {
            Severity::Error => self.errors += 1,
            Severity::Warning => self.warnings += 1,
            Severity::Note => {}
        }
        if self.diagnostics.len() < MAX_DIAGNOSTICS {
            self.diagnostics.push(diagnostic);
        }
    }

    /// Keeps the name of something that was built.
    pub(crate) fn artifact(&mut self, path: String) {
        push_name(&mut self.artifacts, path);
    }

    /// Keeps the name of a file that is not formatted.
    pub(crate) fn file(&mut self, path: String) {
        push_name(&mut self.files, path);
    }

    /// Notes that a test has begun.
    pub(crate) fn begin(&mut self, name: &str) {
        push_name(&mut self.running, name.to_owned());
    }

    /// Notes that a test has ended.
    pub(crate) fn end(&mut self, name: &str) {
        self.running.retain(|running| running != name);
    }

    /// The number of tests that ended.
    pub(crate) fn tests(&self) -> u64 {
        self.passed + self.failed + self.skipped
    }
}

fn push_name(names: &mut Vec<String>, name: String) {
    if names.len() < MAX_NAMES && !names.contains(&name) {
        names.push(name);
    }
}

/// Cuts a text in its middle: the reason of a failure is usually at its beginning or its end.
fn clip(text: &mut String) {
    let end = text.trim_end().len();
    text.truncate(end);
    if text.len() <= MAX_TEXT_BYTES {
        return;
    }
    let head = text.floor_char_boundary(MAX_TEXT_BYTES / 2);
    let tail = text.ceil_char_boundary(text.len() - MAX_TEXT_BYTES / 2);
    *text = format!("{}\n[left out: {} bytes]\n{}", &text[..head], tail - head, &text[tail..]);
}
