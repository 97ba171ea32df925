//! The line numbers of one call held against each other.
//!
//! All of them are of one state of the text. Where one patch has a single place and that is far from
//! its number, lines came or went above it, and the numbers below are off as well: among equal places
//! such a number names the wrong one.

use crate::patch::{Options, Patch};
use crate::plan::OutcomeKind;
use crate::report::{Failure, FailureCode};
use crate::resolve::resolve;
use crate::settle::Settled;
use crate::snapshot::Snapshot;

/// Lines by which a number may be off and still say where things stand.
const NEAR: usize = 2;

/// Takes back what rests on a number that another patch of the call shows to be off, and settles what
/// only the same shift makes clear. `settled` and `failures` are those of each patch alone.
pub(crate) fn check(
    snapshot: &Snapshot<'_>,
    patches: &[Patch],
    settled: &mut [Option<Settled>],
    failures: &mut Vec<Failure>,
    options: &Options<'_>,
) {
    let mut order: Vec<(usize, usize)> =
        (0..patches.len()).filter_map(|index| Some((patches[index].start_line?, index))).collect();
    // By what they say, so that their order in the call does not matter.
    order.sort_by_key(|&(number, index)| {
        let patch = &patches[index];
        (number, patch.end_line, &*patch.old_text, &*patch.new_text)
    });
    // How far the last number was off, and whose it was.
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
        if done.outcome.hint_off_by.is_some_and(|lines| lines > NEAR) {
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
            // Its number says where things stand from here on.
            _ => shift = None,
        }
    }
}

/// The patch with its lines so many further on.
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
