//! Builds the failure report of a patch: the candidate places, their exact text, and what
//! distinguishes them.

use std::ops::Range;

use crate::difference;
use crate::hint;
use crate::lines::{is_blank, trim};
use crate::match_location::{MatchLocation, MatchSet};
use crate::patch::Patch;
use crate::patch::PatchTexts;
use crate::report::{Candidate, Failure, FailureCode};
use crate::rival::Rival;
use crate::rows::PatchLines;
use crate::similarity::SimilarBlock;
use crate::snapshot::Snapshot;
use crate::within::AnchorMismatch;

/// Candidates in a report.
const MAX_CANDIDATES: usize = 5;

/// Similar places in a report.
const MAX_NEAREST: usize = 3;

/// Less similar places are not reported.
const MIN_SIMILARITY: f64 = 0.3;

/// Maximum lines and bytes of a candidate's text.
const MAX_TEXT_LINES: usize = 60;
const MAX_TEXT_BYTES: usize = 4000;

/// Longer corrected `old_text`s are not offered.
const MAX_OLD_TEXT_BYTES: usize = 1000;

/// Neighbouring lines examined to find a unique one.
const MAX_NEIGHBOR_DISTANCE: usize = 12;

/// Candidates compared to find a unique line, at most.
const MAX_COMPARED_PLACES: usize = 200;

/// The text of whole lines around a span, bounded.
pub(crate) fn candidate(snapshot: &Snapshot<'_>, span: &Range<usize>) -> Candidate {
    let lines = snapshot.lines();
    let (start, end) =
        (lines.line_at(span.start), lines.line_at(span.end.saturating_sub(1).max(span.start)));
    let mut text = String::new();
    for line in (start..=end).take_while(|&line| line < lines.len()) {
        let whole = lines.line_with_ending(line);
        if line - start >= MAX_TEXT_LINES || text.len() + whole.len() > MAX_TEXT_BYTES {
            let part: String =
                whole.chars().take(if text.is_empty() { MAX_TEXT_BYTES / 4 } else { 0 }).collect();
            text.push_str(&part);
            text.push_str(&format!("[cut: {} of {} lines shown]", line - start, end + 1 - start));
            break;
        }
        text.push_str(whole);
    }
    Candidate {
        start_line: start + 1,
        end_line: end + 1,
        similarity: None,
        difference: None,
        text,
        unique_line: None,
        old_text: None,
    }
}

/// Failure: `old_text` matches more than once.
pub(crate) fn ambiguous(
    snapshot: &Snapshot<'_>,
    index: usize,
    patch: &Patch,
    found: &MatchSet,
) -> Failure {
    let places = &found.places;
    let lines = snapshot.lines();
    let ranges: Vec<(usize, usize)> = places
        .iter()
        .take(MAX_COMPARED_PLACES)
        .map(|place| {
            (
                lines.line_at(place.span.start),
                lines.line_at(place.span.end.saturating_sub(1).max(place.span.start)),
            )
        })
        .collect();
    let start_lines: Vec<String> =
        ranges.iter().take(MAX_CANDIDATES).map(|(first, _)| (first + 1).to_string()).collect();
    let count = if found.more { "very many".to_owned() } else { places.len().to_string() };
    let tail = if places.len() > MAX_CANDIDATES || found.more { ", …" } else { "" };
    let strategy = places.first().map_or("", |place| {
        if place.strategy.is_tolerant() { " when small differences are overlooked" } else { "" }
    });
    let mut failure = Failure::new(
        index,
        FailureCode::Ambiguous,
        match start_lines.is_empty() {
            true => format!("old_text is there {count} times{strategy}."),
            false => format!(
                "old_text is there {count} times{strategy}, at lines {}{tail}.",
                start_lines.join(", ")
            ),
        },
    );
    let reversed =
        matches!((patch.start_line, patch.end_line), (Some(start), Some(end)) if start > end);
    failure.hint = Some(match hint::hinted_lines(patch) {
        _ if reversed => "start_line is after end_line, so the lines could not decide. Give them in order.".to_owned(),
        Some(hint) => {
            let off = |(first, _): &(usize, usize)| (first + 1).abs_diff(*hint.start()).to_string();
            let off: Vec<String> = ranges.iter().take(MAX_CANDIDATES).map(off).collect();
            format!(
                "Line {} is {} lines from them. Send the old_text of the candidate that is meant, with the same lines added to new_text, or correct start_line.",
                hint.start(),
                off.join(", ")
            )
        }
        None => "Send the old_text of the candidate that is meant, with the same lines added to new_text, or give start_line.".to_owned(),
    });
    for (at, place) in places.iter().take(MAX_CANDIDATES).enumerate() {
        let mut reported = candidate(snapshot, &place.span);
        if let Some((line, ready)) = unique_line(snapshot, &ranges, at) {
            reported.unique_line = Some(line);
            reported.old_text = Some(ready).filter(|ready| ready.len() <= MAX_OLD_TEXT_BYTES);
        }
        failure.candidates.push(reported);
    }
    failure
}

/// Failure: `old_text` matches only tolerantly, and `new_text` is present elsewhere.
pub(crate) fn maybe_applied(
    snapshot: &Snapshot<'_>,
    index: usize,
    place: &MatchLocation,
    there: &MatchLocation,
) -> Failure {
    let candidates = vec![candidate(snapshot, &place.span), candidate(snapshot, &there.span)];
    let message = format!(
        "old_text is at line {} only when small differences are overlooked, and new_text is at line {} already.",
        candidates[0].start_line, candidates[1].start_line
    );
    let hint = "If the patch was applied before, nothing is left to do. If not, take old_text from the first candidate's text, or give start_line.";
    Failure { candidates, ..Failure::new(index, FailureCode::Ambiguous, message).hint(hint) }
}

/// Failure: the tokens of `old_text` are at `place` only, in other lines and at another depth. Together
/// these differences are as likely between a text and its copy.
pub(crate) fn other_depth(snapshot: &Snapshot<'_>, index: usize, place: &MatchLocation) -> Failure {
    let candidate = candidate(snapshot, &place.span);
    let message = format!(
        "old_text is at line {} only in other lines and at another depth, so it may be a copy.",
        candidate.start_line
    );
    let hint = "If it is meant, take old_text from the candidate's text, or give start_line.";
    let candidates = vec![candidate];
    Failure { candidates, ..Failure::new(index, FailureCode::Ambiguous, message).hint(hint) }
}

/// Failure: `old_text` matches, but not below the patch's anchor.
pub(crate) fn elsewhere(
    snapshot: &Snapshot<'_>,
    index: usize,
    elsewhere: &AnchorMismatch,
    place: Option<Range<usize>>,
) -> Failure {
    let short = |head: &str| head.chars().take(80).collect::<String>();
    let candidates: Vec<Candidate> = place.iter().map(|place| candidate(snapshot, place)).collect();
    let line = candidates.first().map_or(0, |found| found.start_line);
    let failure = match elsewhere {
        AnchorMismatch::Missing(head) => Failure::new(
            index,
            FailureCode::NoMatch,
            format!("the line that the change is to be below, \"{}\", is not in the text; old_text is at line {line}.", short(head)),
        )
        .hint("Correct the line after @@, or leave it out if that place is meant."),
        AnchorMismatch::NotBelow(head, at) => Failure::new(
            index,
            FailureCode::Ambiguous,
            format!("old_text is at line {line}, which is not below \"{}\" at line {}.", short(head), at + 1),
        )
        .hint("Correct the line after @@ if that place is meant; if not, take old_text from what is below it."),
    };
    Failure { candidates, ..failure }
}

/// Failure: the only match is elsewhere than the author points, and a near match is there.
pub(crate) fn rival(
    snapshot: &Snapshot<'_>,
    index: usize,
    place: &Range<usize>,
    rival: &Rival,
) -> Failure {
    let there = snapshot.lines().span(rival.first, rival.count);
    let candidates = vec![
        candidate(snapshot, place),
        Candidate {
            similarity: Some((rival.score * 1000.0).round() / 1000.0),
            ..candidate(snapshot, &there)
        },
    ];
    let message = format!(
        "old_text is at line {}, and nearly the same at line {}, where the line hint or the indentation points.",
        candidates[0].start_line, candidates[1].start_line
    );
    let hint = "Take old_text from the text of the candidate that is meant, with its indentation and line.";
    Failure { candidates, ..Failure::new(index, FailureCode::Ambiguous, message).hint(hint) }
}

/// The nearest line before or after a candidate that no other candidate has at the same distance,
/// and the candidate's text extended to that line.
fn unique_line(
    snapshot: &Snapshot<'_>,
    ranges: &[(usize, usize)],
    at: usize,
) -> Option<(String, String)> {
    let lines = snapshot.lines();
    let content = |line: Option<usize>| {
        line.filter(|&line| line < lines.len()).map(|line| lines.content(line))
    };
    let (first, last) = ranges[at];
    for step in 1..=MAX_NEIGHBOR_DISTANCE {
        let before = |range: &(usize, usize)| content(range.0.checked_sub(step));
        let after = |range: &(usize, usize)| content(Some(range.1 + step));
        let mut found: Vec<(&str, bool)> = Vec::new();
        for (text, is_before) in [(before(&ranges[at]), true), (after(&ranges[at]), false)] {
            let Some(text) = text else { continue };
            let alone =
                ranges.iter().enumerate().filter(|(other, _)| *other != at).all(|(_, range)| {
                    let other = if is_before { before(range) } else { after(range) };
                    other.map(trim) != Some(trim(text))
                });
            if alone && !is_blank(text) {
                found.push((text, is_before));
            }
        }
        if let Some((shortest, is_before)) = found.into_iter().min_by_key(|(text, _)| text.len()) {
            let (from, to) = if is_before { (first - step, last) } else { (first, last + step) };
            let ready = &snapshot.text[lines.span(from, to + 1 - from)];
            return Some((shortest.chars().take(MAX_TEXT_BYTES / 4).collect(), ready.to_owned()));
        }
    }
    None
}

/// Failure: `old_text` does not match.
pub(crate) fn no_match(
    snapshot: &Snapshot<'_>,
    index: usize,
    texts: &PatchTexts<'_>,
    near: &[SimilarBlock],
) -> Failure {
    let base = PatchLines::new(texts).base;
    let mut failure = Failure::new(index, FailureCode::NoMatch, "old_text is not in the text.");
    for near in near.iter().filter(|near| near.score >= MIN_SIMILARITY).take(MAX_NEAREST) {
        let span = snapshot.lines().span(near.first, near.count);
        failure.candidates.push(Candidate {
            similarity: Some((near.score * 1000.0).round() / 1000.0),
            difference: difference::first_difference(snapshot, &base, near),
            ..candidate(snapshot, &span)
        });
    }
    if snapshot.text.is_empty() {
        failure.message = "the text is empty.".to_owned();
    }
    if crate::elision::has_elision(&texts.old) {
        failure.message =
            "old_text has a line that stands for code that is left out, and the text has no such line.".to_owned();
        failure.hint =
            Some("Quote the code, or leave the same lines out of new_text too.".to_owned());
        return failure;
    }
    failure.hint = Some(match failure.candidates.first() {
        Some(best) => {
            let why = best
                .difference
                .as_deref()
                .map_or(String::new(), |difference| format!(" ({difference})"));
            format!(
                "The nearest is lines {}-{}{why}. If it is meant, take old_text from its text.",
                best.start_line, best.end_line
            )
        }
        None => "Nothing in the text is like it. Read the file again.".to_owned(),
    });
    failure
}
