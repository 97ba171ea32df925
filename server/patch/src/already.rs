//! Patches that were sent again: the commonest reason why `old_text` is not there.

use crate::fragments::exact;
use crate::hint::{self, Choice};
use crate::lines::trim;
use crate::patch::Patch;
use crate::places::{Found, Place, Wanted, find};
use crate::plan::Strategy;
use crate::similarity::{Near, ratio};
use crate::snapshot::Snapshot;

/// Characters that `new_text` must have, blanks aside, to be recognised.
const TELLING: usize = 8;

fn telling(text: &str) -> bool {
    text.chars().filter(|c| !c.is_whitespace()).take(TELLING).count() == TELLING
}

/// The only place where `new_text` stands, if `old_text` is nowhere and nothing else in
/// the file is more like it.
pub(crate) fn applied(
    snapshot: &Snapshot<'_>,
    wanted: &Wanted<'_>,
    patch: &Patch,
    near: &[Near],
) -> Option<Place> {
    if !telling(&wanted.new) || !is_pinned(wanted) || is_part_of_old(wanted) {
        return None;
    }
    let place = only(
        snapshot,
        find(snapshot, &result_of(wanted), hint::lines_of(patch).map(|lines| lines.start() - 1)),
        patch,
    )?;
    if place.strategy > Strategy::Unicode {
        return None;
    }
    let there = snapshot.lines_of(&place.span);
    // What is more like old_text than new_text is, may be what is meant.
    let made = ratio(&wanted.old, &wanted.new);
    let rival = |near: &Near| {
        let apart = near.first + 1 > *there.end() || near.first + near.count < *there.start();
        near.score > if apart { made.max(0.5) } else { made + 0.02 }
    };
    (!near.iter().any(rival)).then_some(place)
}

/// Whether all of `new_text` is quoted in `old_text`: then it stands wherever most of that does.
fn is_part_of_old(wanted: &Wanted<'_>) -> bool {
    wanted.old.contains(wanted.new.trim_end_matches(['\n', '\r']))
}

/// Whether `new_text` keeps lines of `old_text`, so that finding it says more than that a text like
/// it is somewhere.
fn is_pinned(wanted: &Wanted<'_>) -> bool {
    let lines = |text: &'_ str| -> rustc_hash::FxHashSet<String> {
        text.lines().map(trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
    };
    let (old, new) = (lines(&wanted.old), lines(&wanted.new));
    let kept: Vec<&String> = new.iter().filter(|line| old.contains(*line)).collect();
    // All of them, where it only adds.
    if !old.is_empty() && kept.len() == old.len() {
        return true;
    }
    kept.into_iter()
        .map(String::as_str)
        .flat_map(str::chars)
        .filter(|c| !c.is_whitespace())
        .take(TELLING)
        .count()
        == TELLING
}

/// What the patch makes, as something to look for.
fn result_of<'w>(wanted: &'w Wanted<'_>) -> Wanted<'w> {
    Wanted { old: (&*wanted.new).into(), new: (&*wanted.new).into() }
}

fn only(snapshot: &Snapshot<'_>, found: Found, patch: &Patch) -> Option<Place> {
    if found.more {
        return None;
    }
    let lines: Vec<_> = found.places.iter().map(|place| snapshot.lines_of(&place.span)).collect();
    match hint::choose(&lines, patch) {
        Choice::One { index, .. } if !lines.is_empty() => found.places.into_iter().nth(index),
        _ => None,
    }
}

/// The place of `new_text` exactly where the hint says, when the only `old_text` is
/// elsewhere: the twin of one that was replaced before.
pub(crate) fn at_hint(
    snapshot: &Snapshot<'_>,
    wanted: &Wanted<'_>,
    patch: &Patch,
    place: &Place,
) -> Option<Place> {
    let start = patch.start_line?;
    if snapshot.lines_of(&place.span).contains(&start) || is_part_of_old(wanted) {
        return None;
    }
    let whole = |place: &Place| {
        let lines = snapshot.lines();
        let (first, last) =
            (lines.line_at(place.span.start), lines.line_at(place.span.end.saturating_sub(1)));
        let touched = &snapshot.text[lines.span(first, last + 1 - first)];
        trim(touched.trim_end_matches(['\n', '\r']))
            == trim(snapshot.text[place.span.clone()].trim_end_matches(['\n', '\r']))
    };
    exact(snapshot, &wanted.new, Some(start.saturating_sub(1))).places.into_iter().find(|found| {
        *snapshot.lines_of(&found.span).start() == start
            && (telling(&wanted.new) || (whole(found) && whole(place)))
    })
}

/// Where `new_text` stands as it is when `old_text` was found only by overlooking
/// differences, so that the patch may have been applied before.
pub(crate) enum Standing {
    /// Around the place: what was found is part of what the patch made.
    Around(Place),
    /// Elsewhere.
    Elsewhere(Place),
}

/// Looks for `new_text` itself before a tolerant match counts.
pub(crate) fn standing(
    snapshot: &Snapshot<'_>,
    wanted: &Wanted<'_>,
    patch: &Patch,
    place: &Place,
) -> Option<Standing> {
    if !place.strategy.is_tolerant() || !telling(&wanted.new) || wanted.old.contains(&*wanted.new) {
        return None;
    }
    let places = exact(snapshot, &wanted.new, None).places;
    let here = snapshot.lines_of(&place.span);
    let around = |other: &&Place| {
        let lines = snapshot.lines_of(&other.span);
        lines.start() <= here.start() && here.end() <= lines.end()
    };
    if let Some(there) = places.iter().find(around) {
        return Some(Standing::Around(there.clone()));
    }
    let hinted = hint::lines_of(patch)
        .is_some_and(|hint| hint::distance(&snapshot.lines_of(&place.span), &hint) == 0);
    let apart =
        |other: &Place| other.span.end <= place.span.start || place.span.end <= other.span.start;
    places.into_iter().find(|other| !hinted && apart(other)).map(Standing::Elsewhere)
}
