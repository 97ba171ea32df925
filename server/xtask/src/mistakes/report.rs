//! The counts of a run as Markdown.

use std::collections::BTreeMap;
use std::fmt::Write;

/// Counts of one kind of mistake.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Count {
    pub(super) confirmed: usize,
    pub(super) reported: usize,
    /// Reports elsewhere.
    pub(super) extra: usize,
}

/// The result of a run for one language.
#[derive(Debug, Default)]
pub(super) struct Outcome {
    pub(super) language: String,
    pub(super) checker: String,
    pub(super) files: usize,
    pub(super) kinds: BTreeMap<String, Count>,
    pub(super) misses: Vec<String>,
    /// Errors in the files as they are.
    pub(super) false_reports: Vec<String>,
    pub(super) extra_reports: Vec<String>,
}

impl Outcome {
    fn sum(&self) -> Count {
        let add = |sum: Count, count: &Count| Count {
            confirmed: sum.confirmed + count.confirmed,
            reported: sum.reported + count.reported,
            extra: sum.extra + count.extra,
        };
        self.kinds.values().fold(Count::default(), add)
    }
}

fn rate(part: usize, all: usize) -> String {
    #[allow(clippy::cast_precision_loss, reason = "counts of mistakes are small")]
    let rate = part as f64 / all.max(1) as f64;
    if all == 0 { "–".to_owned() } else { format!("{rate:.2}") }
}

/// One line for the terminal.
pub(super) fn line(outcome: &Outcome) -> String {
    let sum = outcome.sum();
    format!(
        "{}: {} of {} reported ({}), {} false in {} right files, {} elsewhere",
        outcome.language,
        sum.reported,
        sum.confirmed,
        rate(sum.reported, sum.confirmed),
        outcome.false_reports.len(),
        outcome.files,
        sum.extra
    )
}

/// The table of languages.
pub(super) fn by_language(outcomes: &[Outcome]) -> String {
    let mut out = String::from(
        "| language | confirmed by | files | mistakes | reported | rate | false in right files | elsewhere, per mistake |\n\
         |---|---|---|---|---|---|---|---|\n",
    );
    for outcome in outcomes {
        let sum = outcome.sum();
        let _ = writeln!(
            out,
            "| {} | {} | {} | {} | {} | {} | {} | {} |",
            outcome.language,
            outcome.checker,
            outcome.files,
            sum.confirmed,
            sum.reported,
            rate(sum.reported, sum.confirmed),
            outcome.false_reports.len(),
            rate(sum.extra, sum.confirmed)
        );
    }
    out
}

/// The table of kinds: reported of confirmed, by language.
pub(super) fn by_kind(outcomes: &[Outcome]) -> String {
    let names: Vec<&str> = outcomes.iter().map(|outcome| outcome.language.as_str()).collect();
    let mut out =
        format!("| kind | {} |\n|---|{}\n", names.join(" | "), "---|".repeat(names.len()));
    let mut kinds: Vec<&String> = outcomes.iter().flat_map(|its| its.kinds.keys()).collect();
    kinds.sort();
    kinds.dedup();
    for kind in kinds {
        let cell = |outcome: &Outcome| match outcome.kinds.get(kind) {
            Some(count) => format!("{} of {}", count.reported, count.confirmed),
            None => String::new(),
        };
        let cells: Vec<String> = outcomes.iter().map(cell).collect();
        let _ = writeln!(out, "| {kind} | {} |", cells.join(" | "));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_summed_by_language_and_by_kind() {
        let count = |confirmed, reported, extra| Count { confirmed, reported, extra };
        let kinds = [("a".to_owned(), count(3, 2, 1)), ("b".to_owned(), count(1, 1, 0))];
        let outcome = Outcome {
            language: "go".into(),
            checker: "gofmt".into(),
            files: 2,
            kinds: kinds.into(),
            ..Outcome::default()
        };
        let table = by_language(std::slice::from_ref(&outcome));
        assert!(table.contains("| go | gofmt | 2 | 4 | 3 | 0.75 | 0 | 0.25 |"), "{table}");
        assert!(by_kind(&[outcome]).contains("| a | 2 of 3 |"));
    }
}
