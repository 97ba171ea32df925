//! What the server reports about a project's files, and which of it is known to be true.

use crate::Failure;
use serde_json::Value;
use std::fmt;

/// How a client shows a diagnostic.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Severity {
    Error,
    Warning,
    /// Information and hints: shown by colour, counted, and no part of the rule.
    Hint,
}

impl Severity {
    /// Of the protocol's number. Without one a client shows an error.
    pub(super) fn from_number(number: Option<u64>) -> Self {
        match number {
            Some(2) => Self::Warning,
            Some(3..) => Self::Hint,
            _ => Self::Error,
        }
    }
}

impl fmt::Display for Severity {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::Error => "error",
            Self::Warning => "warning",
            Self::Hint => "hint",
        })
    }
}

/// One diagnostic.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Finding {
    pub(super) project: String,
    /// Relative to the project.
    pub(super) path: String,
    /// 1-based, as the column is; the column is in UTF-16 units.
    pub(super) line: usize,
    pub(super) column: usize,
    pub(super) language: String,
    pub(super) severity: Severity,
    /// `syntax` where the server gives none.
    pub(super) code: String,
    pub(super) message: String,
    /// The line of the source, without its indentation.
    pub(super) source: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        /// Characters of a source line that are shown: minified files have lines without end.
        const MAX_SOURCE_CHARS: usize = 160;
        let message: String = self.message.lines().collect::<Vec<_>>().join(" ");
        let source: String = self.source.chars().take(MAX_SOURCE_CHARS).collect();
        write!(
            out,
            "{}/{}:{}:{}: {} [{} {}] {message} | {source}",
            self.project,
            self.path,
            self.line,
            self.column,
            self.severity,
            self.language,
            self.code
        )
    }
}

/// A real mistake of a project, read and judged by a person.
#[derive(Debug)]
pub(super) struct KnownTrue {
    pub(super) project: String,
    pub(super) path: String,
    pub(super) code: String,
    /// The line of the source, without its indentation: lines move between versions.
    pub(super) text: String,
    /// How often the rule has applied.
    pub(super) used: usize,
}

/// The reviewed mistakes.
///
/// # Errors
/// An entry without all of its fields: each has to say why it is true.
pub(super) fn known(table: &str) -> Result<Vec<KnownTrue>, Failure> {
    let table: Value =
        serde_json::from_str(table).map_err(|error| format!("fresh-known.json: {error}"))?;
    let entries = table.as_array().ok_or("fresh-known.json: not a list")?;
    let entry = |value: &Value| {
        let field = |name: &str| match value[name].as_str() {
            Some(text) if !text.trim().is_empty() => Ok(text.to_owned()),
            _ => Err(format!("fresh-known.json: `{name}` is missing in {value}")),
        };
        field("reason")?;
        Ok(KnownTrue {
            project: field("project")?,
            path: field("path")?,
            code: field("code")?,
            text: field("text")?,
            used: 0,
        })
    };
    entries.iter().map(entry).collect()
}

/// Takes the known ones out of `findings` and returns them.
pub(super) fn take_known(findings: &mut Vec<Finding>, known: &mut [KnownTrue]) -> Vec<Finding> {
    let mut is_known = |finding: &mut Finding| {
        let entry = known.iter_mut().find(|entry| {
            entry.project == finding.project
                && entry.path == finding.path
                && entry.code == finding.code
                && entry.text == finding.source
        });
        entry.map(|entry| entry.used += 1).is_some()
    };
    findings.extract_if(.., |finding| is_known(finding)).collect()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A finding on the first line of a file.
    pub(in crate::fresh) fn sample(project: &str, language: &str, severity: Severity) -> Finding {
        Finding {
            project: project.into(),
            path: "src/a".into(),
            line: 1,
            column: 2,
            language: language.into(),
            severity,
            code: "undefined-name".into(),
            message: "`x` is not\ndefined".into(),
            source: "x()".into(),
        }
    }

    #[test]
    fn a_finding_is_one_line_that_starts_with_its_location() {
        let shown = sample("p", "go", Severity::Error).to_string();
        assert_eq!(shown, "p/src/a:1:2: error [go undefined-name] `x` is not defined | x()");
    }

    #[test]
    fn known_findings_match_by_project_path_code_and_text() {
        let table = r#"[{"project": "p", "path": "src/a", "code": "undefined-name",
                         "text": "x()", "reason": "the fixture is wrong on purpose"}]"#;
        let mut entries = known(table).unwrap();
        let moved = Finding { line: 9, ..sample("p", "go", Severity::Error) };
        let other = Finding { source: "x(1)".into(), ..moved.clone() };
        let elsewhere = Finding { project: "q".into(), ..moved.clone() };
        let mut findings = vec![moved.clone(), other.clone(), elsewhere.clone()];
        assert_eq!(take_known(&mut findings, &mut entries), [moved]);
        assert_eq!(findings, [other, elsewhere]);
        assert_eq!(entries[0].used, 1);
    }

    #[test]
    fn an_entry_gives_its_reason() {
        let table =
            r#"[{"project": "p", "path": "a", "code": "syntax", "text": "x", "reason": " "}]"#;
        assert!(known(table).unwrap_err().contains("reason"));
    }

    #[test]
    fn severities_match_what_clients_display() {
        assert_eq!(Severity::from_number(None), Severity::Error);
        assert_eq!(Severity::from_number(Some(2)), Severity::Warning);
        assert_eq!(Severity::from_number(Some(3)), Severity::Hint);
        assert_eq!(Severity::from_number(Some(4)), Severity::Hint);
    }
}
