//! The counts of a run, by project and by cause, as Markdown.

use super::findings::{Finding, Severity};
use std::collections::BTreeMap;
use std::fmt::Write;

/// Warnings that 10,000 lines may have.
const MAX_WARNINGS: f64 = 1.0;
const RATE_LINES: f64 = 10_000.0;

/// Counts of one project.
#[derive(Debug, Default)]
pub(super) struct ProjectCounts {
    pub(super) project: String,
    pub(super) kind: String,
    pub(super) files: usize,
    pub(super) lines: usize,
    pub(super) findings: Vec<Finding>,
    /// Reports that a person has found to be true.
    pub(super) known: usize,
    /// Files without an answer, servers that ended.
    pub(super) failures: usize,
}

#[derive(Clone, Copy, Default)]
struct Counts {
    errors: usize,
    warnings: usize,
    hints: usize,
}

impl Counts {
    fn of<'a>(findings: impl IntoIterator<Item = &'a Finding>) -> Self {
        let mut counts = Self::default();
        for finding in findings {
            match finding.severity {
                Severity::Error => counts.errors += 1,
                Severity::Warning => counts.warnings += 1,
                Severity::Hint => counts.hints += 1,
            }
        }
        counts
    }
}

/// Why the rule does not hold; nothing where it does.
pub(super) fn broken(rows: &[ProjectCounts]) -> Option<String> {
    let counts = Counts::of(rows.iter().flat_map(|row| &row.findings));
    let lines: usize = rows.iter().map(|row| row.lines).sum();
    let failures: usize = rows.iter().map(|row| row.failures).sum();
    let rate = rate(counts.warnings, lines);
    let mut reasons = Vec::new();
    if counts.errors > 0 {
        reasons.push(format!("{} errors", counts.errors));
    }
    if rate > MAX_WARNINGS {
        reasons.push(format!("{rate:.2} warnings per 10,000 lines"));
    }
    if failures > 0 {
        reasons.push(format!("{failures} files or servers failed"));
    }
    (!reasons.is_empty()).then(|| reasons.join(", "))
}

fn rate(warnings: usize, lines: usize) -> f64 {
    #[allow(clippy::cast_precision_loss, reason = "counts of files and lines are small")]
    let (warnings, lines) = (warnings as f64, lines as f64);
    if lines > 0.0 { warnings * RATE_LINES / lines } else { 0.0 }
}

/// The table of projects.
pub(super) fn by_project(rows: &[ProjectCounts]) -> String {
    let mut out = String::from(
        "| project | kind | files | lines | errors | warnings | per 10,000 lines | hints | known true |\n\
         |---|---|---|---|---|---|---|---|---|\n",
    );
    let mut line = |name: &str, kind: &str, rows: &[&ProjectCounts]| {
        let sum =
            |count: fn(&ProjectCounts) -> usize| rows.iter().map(|row| count(row)).sum::<usize>();
        let counts = Counts::of(rows.iter().flat_map(|row| &row.findings));
        let lines = sum(|row| row.lines);
        let failures = match sum(|row| row.failures) {
            0 => String::new(),
            failures => format!(" ({failures} failed)"),
        };
        let _ = writeln!(
            out,
            "| {name}{failures} | {kind} | {} | {lines} | {} | {} | {:.2} | {} | {} |",
            sum(|row| row.files),
            counts.errors,
            counts.warnings,
            rate(counts.warnings, lines),
            counts.hints,
            sum(|row| row.known),
        );
    };
    for row in rows {
        line(&row.project, &row.kind, &[row]);
    }
    line("**all**", &format!("{} projects", rows.len()), &rows.iter().collect::<Vec<_>>());
    out
}

/// The table of causes: what is reported, of which language, most first.
pub(super) fn by_cause(rows: &[ProjectCounts]) -> String {
    let mut causes: BTreeMap<(&str, &str), Vec<&Finding>> = BTreeMap::new();
    for finding in rows.iter().flat_map(|row| &row.findings) {
        causes.entry((&finding.language, &finding.code)).or_default().push(finding);
    }
    let mut causes: Vec<_> = causes.into_iter().collect();
    causes.sort_by_key(|(_, findings)| {
        let counts = Counts::of(findings.iter().copied());
        std::cmp::Reverse((counts.errors, counts.warnings, counts.hints))
    });
    let mut out = String::from(
        "| language | code | errors | warnings | hints | projects |\n|---|---|---|---|---|---|\n",
    );
    for ((language, code), findings) in causes {
        let counts = Counts::of(findings.iter().copied());
        let mut projects: Vec<_> = findings.iter().map(|finding| &finding.project).collect();
        projects.dedup();
        let _ = writeln!(
            out,
            "| {language} | {code} | {} | {} | {} | {} |",
            counts.errors,
            counts.warnings,
            counts.hints,
            projects.len()
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fresh::findings::tests::sample;

    fn row(project: &str, lines: usize, findings: Vec<Finding>) -> ProjectCounts {
        ProjectCounts {
            project: project.into(),
            kind: "go".into(),
            files: 3,
            lines,
            findings,
            known: 1,
            failures: 0,
        }
    }

    #[test]
    fn one_error_breaks_the_rule_and_warnings_have_a_rate() {
        let warning = |project: &str| sample(project, "go", Severity::Warning);
        let hint = sample("p", "go", Severity::Hint);
        let good = row("p", 20_000, vec![warning("p"), warning("p"), hint]);
        assert_eq!(broken(&[good]), None);
        let many = row("p", 20_000, vec![warning("p"), warning("p"), warning("p")]);
        assert_eq!(broken(&[many]).unwrap(), "1.50 warnings per 10,000 lines");
        let wrong = row("p", 20_000, vec![sample("p", "go", Severity::Error)]);
        assert_eq!(broken(&[wrong]).unwrap(), "1 errors");
        let failed = ProjectCounts { failures: 2, ..row("p", 1, Vec::new()) };
        assert_eq!(broken(&[failed]).unwrap(), "2 files or servers failed");
    }

    #[test]
    fn the_rate_is_of_all_projects_together() {
        let none = row("big", 90_000, Vec::new());
        let some = row("small", 10_000, vec![sample("small", "go", Severity::Warning); 9]);
        assert_eq!(broken(&[none, some]), None);
    }

    #[test]
    fn projects_are_listed_with_their_sum() {
        let rows = [
            row("p", 10_000, vec![sample("p", "go", Severity::Warning)]),
            ProjectCounts {
                failures: 1,
                ..row("q", 10_000, vec![sample("q", "go", Severity::Error)])
            },
        ];
        let table = by_project(&rows);
        assert!(table.contains("| p | go | 3 | 10000 | 0 | 1 | 1.00 | 0 | 1 |\n"), "{table}");
        assert!(table.contains("| q (1 failed) | go | 3 | 10000 | 1 | 0 |"), "{table}");
        assert!(table.contains("| 2 projects | 6 | 20000 | 1 | 1 | 0.50 | 0 | 2 |\n"), "{table}");
    }

    #[test]
    fn causes_are_by_language_and_code_errors_first() {
        let rows = [
            row("p", 1, vec![sample("p", "go", Severity::Warning); 3]),
            row("q", 1, vec![sample("q", "rust", Severity::Error)]),
        ];
        let table = by_cause(&rows);
        let lines: Vec<_> = table.lines().skip(2).collect();
        assert_eq!(
            lines,
            [
                "| rust | undefined-name | 1 | 0 | 0 | 1 |",
                "| go | undefined-name | 0 | 3 | 0 | 1 |"
            ]
        );
    }
}
