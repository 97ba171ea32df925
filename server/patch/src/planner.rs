//! Plans all patches of a call against one snapshot: all of them, or none.

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::edits::join_adjacent;
use crate::numbers;
use crate::patch::{Options, Patch};
use crate::plan::{Edit, Outcome, OutcomeKind, Plan};
use crate::report::{Failure, FailureCode, Report};
use crate::resolve::resolve;
use crate::settle::ResolvedPatch;
use crate::snapshot::Snapshot;
use crate::syntax;

/// Matches all patches against the one `text`.
///
/// Every patch is matched against `text` itself, never against what another patch makes
/// of it, so their order does not matter. Cost is O(text) for each tier that is reached,
/// O(text + patches) for exact ones, and bounded for the similarity tier.
///
/// # Errors
///
/// A [`Report`] with every patch that has no place, more than one, shares bytes with
/// another, or would do damage. Nothing is planned then.
pub fn plan(text: &str, patches: &[Patch], options: &Options<'_>) -> Result<Plan, Report> {
    let snapshot = Snapshot::new(text, patches.len());
    let mut first_of: FxHashMap<&Patch, usize> = FxHashMap::default();
    let mut settled: Vec<Option<ResolvedPatch>> = Vec::with_capacity(patches.len());
    let mut twin_of = vec![None; patches.len()];
    let mut failures = Vec::new();
    for (index, patch) in patches.iter().enumerate() {
        let first = *first_of.entry(patch).or_insert(index);
        if first != index {
            twin_of[index] = Some(first);
            settled.push(None);
            continue;
        }
        match resolve(&snapshot, index, patch, options) {
            Ok(done) => settled.push(Some(done)),
            Err(failure) => {
                failures.push(*failure);
                settled.push(None);
            }
        }
    }
    numbers::check_line_numbers(&snapshot, patches, &mut settled, &mut failures, options);
    for failure in &mut failures {
        explain_by_others(failure, patches);
    }
    failures.extend(overlaps(&settled, &snapshot));
    if failures.is_empty() {
        failures.extend(syntax::regressions(&snapshot, &settled, options));
    }
    if !failures.is_empty() {
        failures.sort_by_key(|failure| failure.patch);
        return Err(Report { failures });
    }
    Ok(assemble(settled, &twin_of))
}

fn assemble(mut settled: Vec<Option<ResolvedPatch>>, twin_of: &[Option<usize>]) -> Plan {
    let mut edits: Vec<(usize, Edit)> = Vec::new();
    for done in settled.iter_mut().flatten() {
        let owner = |edit: &Edit| {
            let after = done.spans.partition_point(|span| span.start <= edit.range.start);
            after.checked_sub(1).map_or(edit.range.start, |at| done.spans[at].start)
        };
        edits.extend(std::mem::take(&mut done.edits).into_iter().map(|edit| (owner(&edit), edit)));
    }
    // Two patches may insert at one offset; the one whose place comes first inserts first.
    edits.sort_by_key(|(owner, edit)| (edit.range.start, *owner));
    let edits: Vec<Edit> = edits.into_iter().map(|(_, edit)| edit).collect();
    let outcomes: Vec<Option<Outcome>> =
        settled.into_iter().map(|done| done.map(|done| done.outcome)).collect();
    let outcomes = outcomes
        .iter()
        .zip(twin_of)
        .filter_map(|(outcome, twin)| match twin {
            None => outcome.clone(),
            Some(first) => outcomes[*first].clone().map(|mut outcome| {
                outcome.notes.push(format!("the same as patch {}, done once", first + 1));
                outcome
            }),
        })
        .collect();
    Plan { edits: join_adjacent(edits), outcomes }
}

/// The lines that one edit of a patch changes, for finding conflicts.
struct Claim {
    /// The changed bytes, extended to whole lines within `quotes`. Context that the patch only
    /// quotes is not claimed: another patch may quote or change it.
    changes: Range<usize>,
    /// The bytes that `old_text` matched.
    quotes: Range<usize>,
    patch: usize,
}

impl Claim {
    /// Whether two patches change the same lines, or one inserts next to a change of the other.
    /// Patches whose quotes do not touch never conflict.
    fn conflicts_with(&self, other: &Claim) -> bool {
        // An insertion is an empty range; it conflicts with any range that touches its offset.
        let touch = |a: &Range<usize>, b: &Range<usize>| {
            let strict = !a.is_empty() && !b.is_empty();
            if strict {
                a.start < b.end && b.start < a.end
            } else {
                a.start <= b.end && b.start <= a.end
            }
        };
        self.patch != other.patch
            && touch(&self.changes, &other.changes)
            && touch(&self.quotes, &other.quotes)
    }
}

fn claims(patch: usize, done: &ResolvedPatch, snapshot: &Snapshot<'_>) -> Vec<Claim> {
    let claim = |edit: &Edit| {
        let Range { start, end } = edit.range;
        let after = done.spans.partition_point(|span| span.start <= start);
        let quotes = after.checked_sub(1).map_or(edit.range.clone(), |at| done.spans[at].clone());
        if start == end || snapshot.lines().len() == 0 {
            return Claim { changes: start..end, quotes, patch };
        }
        let lines = snapshot.lines();
        let first = lines.range(lines.line_at(start)).start;
        let last = lines.range(lines.line_at(end - 1)).end;
        let changes = first.max(quotes.start).min(start)..last.min(quotes.end).max(end);
        Claim { changes, quotes, patch }
    };
    done.edits.iter().map(claim).collect()
}

/// Pairs of patches that change the same lines or add at the same point; each is reported with the
/// other.
fn overlaps(settled: &[Option<ResolvedPatch>], snapshot: &Snapshot<'_>) -> Vec<Failure> {
    let changing: Vec<(usize, &ResolvedPatch)> = settled
        .iter()
        .enumerate()
        .filter_map(|(index, done)| Some((index, done.as_ref()?)))
        .filter(|(_, done)| done.outcome.kind == OutcomeKind::Applied)
        .collect();
    if changing.len() < 2 {
        return Vec::new();
    }
    let mut claims: Vec<Claim> =
        changing.into_iter().flat_map(|(index, done)| claims(index, done, snapshot)).collect();
    claims.sort_by_key(|claim| (claim.changes.start, claim.changes.end, claim.patch));
    let mut with: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
    for (at, claim) in claims.iter().enumerate() {
        let next =
            claims[at + 1..].iter().take_while(|next| next.changes.start <= claim.changes.end);
        for other in next.filter(|next| claim.conflicts_with(next)) {
            with.entry(claim.patch).or_default().push(other.patch);
            with.entry(other.patch).or_default().push(claim.patch);
        }
    }
    with.into_iter()
        .map(|(index, mut others)| {
            others.sort_unstable();
            others.dedup();
            let mut failure =
                Failure::new(index, FailureCode::Overlap, overlap_message(settled, index, &others));
            failure.hint = Some("Join them into one patch.".to_owned());
            failure.with = others;
            if let Some(span) = settled[index].as_ref().and_then(|done| done.spans.first()) {
                failure.candidates.push(crate::diagnose::candidate(snapshot, span));
            }
            failure
        })
        .collect()
}

fn overlap_message(settled: &[Option<ResolvedPatch>], index: usize, others: &[usize]) -> String {
    let lines = |index: usize| {
        settled[index].as_ref().map_or(String::new(), |done| {
            format!("lines {}-{}", done.outcome.start_line, done.outcome.end_line)
        })
    };
    let others: Vec<String> =
        others.iter().map(|&other| format!("patch {} ({})", other + 1, lines(other))).collect();
    format!("this patch ({}) and {} change the same lines.", lines(index), others.join(", "))
}

/// Explains a missing `old_text` that only the `new_text` of another patch would create.
fn explain_by_others(failure: &mut Failure, patches: &[Patch]) {
    if failure.code != FailureCode::NoMatch {
        return;
    }
    let squeezed = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let old = squeezed(&patches[failure.patch].old_text);
    if old.is_empty() {
        return;
    }
    let producers: Vec<usize> = patches
        .iter()
        .enumerate()
        .filter(|&(index, patch)| {
            index != failure.patch && squeezed(&patch.new_text).contains(&old)
        })
        .map(|(index, _)| index)
        .collect();
    let Some(&producer) = producers.first() else { return };
    failure.message = format!(
        "old_text is not in the text; it matches only the new_text of patch {}. All patches are matched against the original text.",
        producer + 1
    );
    failure.hint = Some(format!("Put both changes into patch {}.", producer + 1));
    failure.with = producers;
}
