//! Detects patches whose result is present already. A patch that was sent twice is the most common
//! reason why `old_text` is missing.

use crate::fragments::exact_matches;
use crate::hint::{self, HintChoice};
use crate::lines::{split_lines, trim};
use crate::match_location::{MatchLocation, MatchSet};
use crate::patch::{Patch, PatchTexts};
use crate::places::find_matches;
use crate::plan::Strategy;
use crate::similarity::{SimilarBlock, text_similarity};
use crate::snapshot::Snapshot;

/// Non-blank characters that `new_text` needs to be recognised.
const MIN_DISTINCTIVE_CHARS: usize = 8;

/// A longer `new_text`, in lines, is not looked for before a match.
const MAX_RESULT_LINES: usize = 400;

/// Whether a text is long enough to be recognised.
pub(crate) fn is_distinctive(text: &str) -> bool {
    text.chars().filter(|c| !c.is_whitespace()).take(MIN_DISTINCTIVE_CHARS).count()
        == MIN_DISTINCTIVE_CHARS
}

/// The only place of `new_text`, if `old_text` is missing and no other place is more similar to
/// `old_text` than `new_text` is.
pub(crate) fn find_applied(
    snapshot: &Snapshot<'_>,
    texts: &PatchTexts<'_>,
    patch: &Patch,
    near: &[SimilarBlock],
) -> Option<MatchLocation> {
    if !is_distinctive(&texts.new) || !is_pinned(texts) || is_part_of_old(texts) {
        return None;
    }
    let place = unique_place(
        snapshot,
        find_matches(
            snapshot,
            &search_for_new_text(texts),
            hint::hinted_lines(patch).map(|lines| lines.start() - 1),
        ),
        patch,
    )?;
    if place.strategy > Strategy::Unicode {
        return None;
    }
    let there = snapshot.lines_of(&place.span);
    // A place more similar to old_text than `new_text` is may be the intended one.
    let shared = text_similarity(&texts.old, &texts.new);
    // A block that overlaps the result scores about `shared` itself, so it must exceed that clearly.
    let rival = |near: &SimilarBlock| {
        let apart = near.first + 1 > *there.end() || near.first + near.count < *there.start();
        near.score > if apart { shared.max(0.5) } else { shared + 0.02 }
    };
    (!near.iter().any(rival)).then_some(place)
}

/// Whether `old_text` contains `new_text`. Finding `new_text` proves nothing then.
fn is_part_of_old(texts: &PatchTexts<'_>) -> bool {
    texts.old.contains(texts.new.trim_end_matches(['\n', '\r']))
}

/// Whether `new_text` keeps lines of `old_text`. Otherwise finding `new_text` does not show that it
/// came from this patch.
fn is_pinned(texts: &PatchTexts<'_>) -> bool {
    let lines = |text: &'_ str| -> rustc_hash::FxHashSet<String> {
        text.lines().map(trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
    };
    let (old, new) = (lines(&texts.old), lines(&texts.new));
    let kept: Vec<&String> = new.iter().filter(|line| old.contains(*line)).collect();
    // A patch that only adds lines keeps all of them.
    if !old.is_empty() && kept.len() == old.len() {
        return true;
    }
    kept.into_iter()
        .map(String::as_str)
        .flat_map(str::chars)
        .filter(|c| !c.is_whitespace())
        .take(MIN_DISTINCTIVE_CHARS)
        .count()
        == MIN_DISTINCTIVE_CHARS
}

/// A patch that searches for `new_text`.
fn search_for_new_text<'w>(texts: &'w PatchTexts<'_>) -> PatchTexts<'w> {
    PatchTexts { old: (&*texts.new).into(), new: (&*texts.new).into() }
}

fn unique_place(snapshot: &Snapshot<'_>, found: MatchSet, patch: &Patch) -> Option<MatchLocation> {
    if found.more {
        return None;
    }
    let lines: Vec<_> = found.places.iter().map(|place| snapshot.lines_of(&place.span)).collect();
    match hint::choose(&lines, patch) {
        HintChoice::One { index, .. } if !lines.is_empty() => found.places.into_iter().nth(index),
        _ => None,
    }
}

/// The place of `new_text` at the hinted line, when the only match of `old_text` is elsewhere. That
/// match is a copy of the text that the patch replaced before.
pub(crate) fn applied_at_hint(
    snapshot: &Snapshot<'_>,
    texts: &PatchTexts<'_>,
    patch: &Patch,
    place: &MatchLocation,
) -> Option<MatchLocation> {
    let start = patch.start_line?;
    if snapshot.lines_of(&place.span).contains(&start) || is_part_of_old(texts) {
        return None;
    }
    let whole = |place: &MatchLocation| {
        let lines = snapshot.lines();
        let (first, last) =
            (lines.line_at(place.span.start), lines.line_at(place.span.end.saturating_sub(1)));
        let touched = &snapshot.text[lines.span(first, last + 1 - first)];
        trim(touched.trim_end_matches(['\n', '\r']))
            == trim(snapshot.text[place.span.clone()].trim_end_matches(['\n', '\r']))
    };
    exact_matches(snapshot, &texts.new, Some(start.saturating_sub(1))).places.into_iter().find(
        |found| {
            *snapshot.lines_of(&found.span).start() == start
                && (is_distinctive(&texts.new) || (whole(found) && whole(place)))
        },
    )
}

/// The place of an exact `new_text` when `old_text` matched only tolerantly: the patch may have been
/// applied before.
pub(crate) enum NewTextLocation {
    /// It covers the match, which is part of the patch's result.
    Around(MatchLocation),
    /// Elsewhere.
    Elsewhere(MatchLocation),
}

/// `new_text` as it was sent, if only a reading without its wrapper, which the file may have too, matches
/// at `place`.
pub(crate) fn find_wrapped(
    snapshot: &Snapshot<'_>,
    texts: &PatchTexts<'_>,
    place: &MatchLocation,
) -> Option<MatchLocation> {
    if !is_distinctive(&texts.new) {
        return None;
    }
    let places = exact_matches(snapshot, &texts.new, None).places;
    places
        .into_iter()
        .find(|there| there.span.end <= place.span.start || place.span.end <= there.span.start)
}

/// Searches for `new_text` before a tolerant match is accepted.
pub(crate) fn find_new_text(
    snapshot: &Snapshot<'_>,
    texts: &PatchTexts<'_>,
    patch: &Patch,
    place: &MatchLocation,
) -> Option<NewTextLocation> {
    if !place.strategy.is_tolerant() || !is_distinctive(&texts.new) {
        return None;
    }
    let places = exact_matches(snapshot, &texts.new, None).places;
    if texts.old.contains(&*texts.new) {
        // What stays is there exactly, and only what is removed differs: that may be another line, which
        // has followed since the patch was applied.
        let may_be_another = matches!(place.strategy, Strategy::Unicode | Strategy::InnerBlanks);
        let is_within = |there: &MatchLocation| {
            place.span.start <= there.span.start && there.span.end <= place.span.end
        };
        let there = places.into_iter().find(|there| may_be_another && is_within(there));
        return there.map(NewTextLocation::Elsewhere);
    }
    let here = snapshot.lines_of(&place.span);
    let around = |other: &&MatchLocation| {
        let lines = snapshot.lines_of(&other.span);
        lines.start() <= here.start() && here.end() <= lines.end()
    };
    if let Some(there) = places.iter().find(around) {
        return Some(NewTextLocation::Around(there.clone()));
    }
    let hinted = hint::hinted_lines(patch)
        .is_some_and(|hint| hint::distance(&snapshot.lines_of(&place.span), &hint) == 0);
    if place.strategy == Strategy::BlankLines
        && !hinted
        && let Some(there) = result_before(snapshot, texts, place)
    {
        return Some(NewTextLocation::Elsewhere(there));
    }
    // Inside of the match, the patch removes what stands around it.
    let is_inside = |other: &MatchLocation| {
        place.span.start <= other.span.start && other.span.end <= place.span.end
    };
    places.into_iter().find(|other| !hinted && !is_inside(other)).map(NewTextLocation::Elsewhere)
}

/// The lines of `new_text`, whatever their indentation and blank lines, if they begin before the match and end in
/// it: the end of the patch's result, and a line after it, are `old_text` again. O(lines²) of `new_text`.
fn result_before(
    snapshot: &Snapshot<'_>,
    texts: &PatchTexts<'_>,
    place: &MatchLocation,
) -> Option<MatchLocation> {
    let new: Vec<&str> = split_lines(&texts.new)
        .into_iter()
        .map(|line| trim(line.content))
        .filter(|line| !line.is_empty())
        .collect();
    if new.len() > MAX_RESULT_LINES {
        return None;
    }
    let (lines, file) = (snapshot.lines(), snapshot.non_blank_lines());
    let from = file.partition_point(|&line| line < lines.line_at(place.span.start));
    let last = lines.line_at(place.span.end.saturating_sub(1).max(place.span.start));
    let to = file.partition_point(|&line| line <= last);
    let is_there = |start: &usize| {
        let end = start + new.len();
        from < end
            && end < to
            && new
                .iter()
                .zip(&file[*start..end])
                .all(|(new, &line)| trim(lines.content(line)) == *new)
    };
    let start = (from.saturating_sub(new.len())..from).find(is_there)?;
    let (first, last) = (file[start], file[start + new.len() - 1]);
    let span = lines.span(first, last + 1 - first);
    Some(MatchLocation::from_span(span, Strategy::BlankLines))
}
