//! Checks the line numbers of one call against each other.
//!
//! All numbers refer to one state of the text. If a patch has a single place far from its number,
//! lines were added or removed above it, and the numbers below are off as well. Among several equal
//! places such a number selects the wrong one.

use crate::patch::{Options, Patch};
use crate::plan::OutcomeKind;
use crate::report::{Failure, FailureCode};
use crate::resolve::resolve;
use crate::settle::ResolvedPatch;
use crate::snapshot::Snapshot;

/// A number that is off by more lines is stale.
const MAX_TRUSTED_OFFSET: usize = 2;

/// Revokes choices that rest on a stale number, and resolves ambiguous patches by applying the shift
/// that another patch of the call shows. `settled` and `failures` are the results of each patch alone.
pub(crate) fn check_line_numbers(
    snapshot: &Snapshot<'_>,
    patches: &[Patch],
    settled: &mut [Option<ResolvedPatch>],
    failures: &mut Vec<Failure>,
    options: &Options<'_>,
) {
    let mut order: Vec<(usize, usize)> =
        (0..patches.len()).filter_map(|index| Some((patches[index].start_line?, index))).collect();
    // Sorted by content, so that the order of the patches in the call does not matter.
    order.sort_by_key(|&(number, index)| {
        let patch = &patches[index];
        (number, patch.end_line, &*patch.old_text, &*patch.new_text)
    });
    // The shift that the last stale number shows, and its patch.
    let mut shift: Option<(isize, usize)> = None;
    for (number, index) in order {
        let Some(done) = &settled[index] else {
            let is_ambiguous = |failure: &Failure| {
                failure.patch == index && failure.code == FailureCode::Ambiguous
            };
            if let (Some((by, _)), Some(at)) = (shift, failures.iter().position(is_ambiguous))
                && let Some(moved) = shifted(&patches[index], by)
                && let Ok(done) = resolve(snapshot, index, &moved, options)
                && done.outcome.hint_off_by.is_none()
                && done.outcome.kind == OutcomeKind::Applied
            {
                failures.remove(at);
                settled[index] = Some(done);
            }
            continue;
        };
        let off = done.outcome.start_line as isize - number as isize;
        if done.outcome.hint_off_by.is_some_and(|lines| lines > MAX_TRUSTED_OFFSET) {
            shift = Some((off, index));
            continue;
        }
        let Some((by, other)) = shift else { continue };
        let alone = Patch { start_line: None, end_line: None, ..patches[index].clone() };
        match resolve(snapshot, index, &alone, options) {
            Err(failure) if failure.code == FailureCode::Ambiguous => {
                let mut failure = *failure;
                failure.message = format!(
                    "{} Line {number} is one of them, but patch {} stands {} lines {} its number.",
                    failure.message,
                    other + 1,
                    by.unsigned_abs(),
                    if by < 0 { "above" } else { "below" },
                );
                failures.push(failure);
                settled[index] = None;
            }
            // This patch is unique without its number, and the number is right: no shift from here on.
            _ => shift = None,
        }
    }
}

/// The patch with its line hints moved by `by` lines.
fn shifted(patch: &Patch, by: isize) -> Option<Patch> {
    let moved = |line: Option<usize>| match line {
        Some(line) => line.checked_add_signed(by).filter(|&line| line > 0).map(Some),
        None => Some(None),
    };
    Some(Patch {
        start_line: moved(patch.start_line)?,
        end_line: moved(patch.end_line)?,
        ..patch.clone()
    })
}
