//! Patches that replace every occurrence.

use crate::already;
use crate::diagnose;
use crate::edits::minimal_edits;
use crate::fragments::exact_matches;
use crate::guard::{self, Refusal};
use crate::lines::splits_crlf;
use crate::match_location::MatchLocation;
use crate::occurrences::disjoint;
use crate::patch::{Patch, PatchTexts};
use crate::plan::{Outcome, OutcomeKind, Strategy};
use crate::report::{Failure, FailureCode};
use crate::settle::{ResolvedPatch, already_applied, is_result_present, replacement};
use crate::similarity;
use crate::snapshot::Snapshot;

/// Plans to replace every exact occurrence, or every one with other line endings if there is no exact one.
///
/// # Errors
/// If there is none, or a guard refuses the new text.
pub(crate) fn replace_all(
    snapshot: &Snapshot<'_>,
    index: usize,
    texts: &PatchTexts<'_>,
) -> Result<ResolvedPatch, Box<Failure>> {
    let places = exact_places(snapshot, &texts.old);
    let (Some(first), Some(last)) = (places.first(), places.last()) else {
        let near = similarity::nearest(snapshot, texts, None);
        if let Some(place) = already::find_applied(snapshot, texts, &Patch::default(), &near) {
            return Ok(already_applied(snapshot, &place, None));
        }
        let mut failure = diagnose::no_match(snapshot, index, texts, &near);
        failure.message.push_str(" replace_all takes exact occurrences only.");
        return Err(Box::new(failure));
    };
    let lines = snapshot.lines();
    let mut outcome = Outcome {
        kind: OutcomeKind::Applied,
        strategy: first.strategy,
        similarity: None,
        start_line: lines.line_at(first.span.start) + 1,
        end_line: lines.line_at(last.span.end.saturating_sub(1).max(last.span.start)) + 1,
        hint_off_by: None,
        notes: Vec::new(),
    };
    let refused = |refusal: Refusal| {
        Box::new(Failure::new(index, FailureCode::Guard, refusal.message).hint(refusal.hint))
    };
    guard::check_new_text(&texts.old, &texts.new).map_err(refused)?;
    // A patch was sent twice only if every occurrence is part of its result.
    if texts.old != texts.new
        && places.iter().all(|place| is_result_present(snapshot, texts, place))
    {
        outcome.kind = OutcomeKind::AlreadyApplied;
        return Ok(ResolvedPatch { outcome, edits: Vec::new(), spans: Vec::new() });
    }
    let (mut edits, mut spans) = (Vec::new(), Vec::with_capacity(places.len()));
    for place in &places {
        let new = replacement(snapshot, texts, place).map_err(refused)?;
        edits.extend(minimal_edits(snapshot.text, &place.span, &new));
        spans.push(place.span.clone());
    }
    if edits.is_empty() {
        outcome.kind = OutcomeKind::Unchanged;
    }
    outcome.notes.push(format!("{} occurrences", places.len()));
    Ok(ResolvedPatch { outcome, edits, spans })
}

fn exact_places(snapshot: &Snapshot<'_>, old: &str) -> Vec<MatchLocation> {
    let exactly: Vec<MatchLocation> = disjoint(snapshot.text.as_bytes(), old.as_bytes())
        .into_iter()
        .map(|at| MatchLocation::from_span(at..at + old.len(), Strategy::Exact))
        .filter(|place| {
            let split = |at| splits_crlf(snapshot.text, at);
            !split(place.span.start) && !split(place.span.end)
        })
        .collect();
    if !exactly.is_empty() {
        return exactly;
    }
    let mut places = exact_matches(snapshot, old, None).places;
    let mut end = 0;
    places.retain(|place| {
        let apart = place.span.start >= end;
        if apart {
            end = place.span.end;
        }
        apart
    });
    places
}
