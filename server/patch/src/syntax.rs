//! The syntax guard: a tolerant match must not leave the text with more syntax errors.

use crate::edits::join_adjacent;
use crate::patch::Options;
use crate::plan::{Edit, Plan};
use crate::report::{Failure, FailureCode};
use crate::settle::ResolvedPatch;
use crate::snapshot::Snapshot;

/// The tolerant matches that add syntax errors to what the others leave.
/// Calls the counter twice, and once more for each tolerant match if errors rise.
pub(crate) fn regressions(
    snapshot: &Snapshot<'_>,
    settled: &[Option<ResolvedPatch>],
    options: &Options<'_>,
) -> Vec<Failure> {
    let Some(count_errors) = options.syntax_errors else { return Vec::new() };
    let tolerant: Vec<usize> = (0..settled.len())
        .filter(|&index| {
            settled[index]
                .as_ref()
                .is_some_and(|done| done.outcome.strategy.is_tolerant() && !done.edits.is_empty())
        })
        .collect();
    if tolerant.is_empty() {
        return Vec::new();
    }
    let applied = |keep: &dyn Fn(usize) -> bool| {
        let mut edits: Vec<Edit> = settled
            .iter()
            .enumerate()
            .filter(|&(index, _)| keep(index))
            .filter_map(|(_, done)| done.as_ref())
            .flat_map(|done| done.edits.iter().cloned())
            .collect();
        edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
        Plan { edits: join_adjacent(edits), outcomes: Vec::new() }.apply(snapshot.text)
    };
    let before = count_errors(&applied(&|index| !tolerant.contains(&index)));
    let after = count_errors(&applied(&|_| true));
    if after <= before {
        return Vec::new();
    }
    let mut culprits = tolerant.clone();
    if culprits.len() > 1 {
        culprits.retain(|&one| {
            count_errors(&applied(&|index| index == one || !tolerant.contains(&index))) > before
        });
        if culprits.is_empty() {
            culprits = tolerant;
        }
    }
    culprits
        .into_iter()
        .map(|index| {
            let mut failure = Failure::new(
                index,
                FailureCode::Guard,
                format!(
                    "the match is not exact and the edit would add {} syntax errors.",
                    after - before
                ),
            )
            .hint("Take old_text from the candidate's text; an exact match is applied as it is.");
            if let Some(span) = settled[index].as_ref().and_then(|done| done.spans.first()) {
                failure.candidates.push(crate::diagnose::candidate(snapshot, span));
            }
            failure
        })
        .collect()
}
