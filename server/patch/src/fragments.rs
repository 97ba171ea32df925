//! The tiers whose matches may begin and end inside lines: exact bytes, other line endings, folded
//! characters.

use std::ops::Range;

use crate::eol::LfText;
use crate::fold::FoldedText;
use crate::lines::{is_blank_text, splits_crlf};
use crate::match_location::{MatchLocation, MatchSet};
use crate::occurrences::{MAX_OCCURRENCES, overlapping};
use crate::plan::Strategy;
use crate::snapshot::Snapshot;

/// Occurrences that are kept; of more, those nearest to the hint.
const MAX_CANDIDATES: usize = 4096;

/// Exact matches; also matches that differ in line endings only.
pub(crate) fn exact_matches(snapshot: &Snapshot<'_>, old: &str, hint: Option<usize>) -> MatchSet {
    let text = snapshot.text;
    let mut hits = snapshot.occurrences(old);
    let more = keep_near(snapshot, &mut hits, hint);
    let clean =
        |span: &Range<usize>| !splits_crlf(text, span.start) && !splits_crlf(text, span.end);
    let mut places: Vec<MatchLocation> = hits
        .into_iter()
        .map(|at| at..at + old.len())
        .filter(clean)
        .map(|span| MatchLocation::from_span(span, Strategy::Exact))
        .collect();
    if more || old.is_empty() || !old.contains(['\n', '\r']) {
        return MatchSet { places, more };
    }
    // Authors cannot see line endings: in a mixed file both spellings are equal candidates.
    let has_cr = snapshot.has_cr();
    let mut has_unexamined = false;
    if places.is_empty() || (has_cr && !old.contains('\r')) {
        has_unexamined = add_other_endings(snapshot, old, &mut places, hint);
    }
    // With a hint, a last line without an ending may be nearer than an exact match.
    if places.is_empty() || hint.is_some() {
        places.extend(at_text_end(snapshot, old));
    }
    places.sort_by_key(|place| place.span.start);
    MatchSet { places, more: has_unexamined }
}

/// Keeps the occurrences nearest to the hint, or the first ones; returns whether any were dropped.
fn keep_near(snapshot: &Snapshot<'_>, hits: &mut Vec<usize>, hint: Option<usize>) -> bool {
    if hits.len() <= MAX_CANDIDATES {
        return false;
    }
    if hits.len() >= MAX_OCCURRENCES {
        // The search was cut off, so occurrences near the hint may be missing: choose none.
        hits.clear();
        return true;
    }
    let lines = snapshot.lines();
    let at = hint.map_or(0, |line| {
        if line < lines.len() { lines.range(line).start } else { snapshot.text.len() }
    });
    let from = hits
        .partition_point(|&hit| hit < at)
        .saturating_sub(MAX_CANDIDATES / 2)
        .min(hits.len() - MAX_CANDIDATES);
    hits.drain(..from);
    hits.truncate(MAX_CANDIDATES);
    true
}

/// Adds the places that differ from `old` in line endings only; returns whether there are more.
fn add_other_endings(
    snapshot: &Snapshot<'_>,
    old: &str,
    places: &mut Vec<MatchLocation>,
    hint: Option<usize>,
) -> bool {
    let lf_old = LfText::new(old);
    if !snapshot.has_cr() && lf_old.text == old {
        return false;
    }
    let normal = snapshot.lf_text();
    let known: Vec<usize> = places.iter().map(|place| place.span.start).collect();
    let mut hits: Vec<usize> = overlapping(normal.text.as_bytes(), lf_old.text.as_bytes());
    let length = lf_old.text.len();
    hits.retain(|&at| known.binary_search(&normal.original_offset(at)).is_err());
    let ends: Vec<(usize, usize)> = hits
        .iter()
        .map(|&at| (normal.original_offset(at), normal.original_offset(at + length)))
        .collect();
    let mut starts: Vec<usize> = ends.iter().map(|span| span.0).collect();
    let more = keep_near(snapshot, &mut starts, hint);
    let from = starts.first().map_or(0, |first| ends.partition_point(|span| span.0 < *first));
    places.extend(
        ends[from..]
            .iter()
            .take(starts.len())
            .map(|span| MatchLocation::from_span(span.0..span.1, Strategy::LineEndings)),
    );
    more
}

/// The match at the end of the text, if it differs from `old` only by its missing line ending.
fn at_text_end(snapshot: &Snapshot<'_>, old: &str) -> Option<MatchLocation> {
    if snapshot.text.ends_with(['\n', '\r']) {
        return None;
    }
    let lf_old = LfText::new(old);
    let open = lf_old
        .text
        .strip_suffix('\n')
        .filter(|open| !is_blank_text(open) && !open.ends_with('\n'))?;
    let normal = snapshot.lf_text();
    let start =
        normal.text.len().checked_sub(open.len()).filter(|_| normal.text.ends_with(open))?;
    Some(MatchLocation::from_span(
        normal.original_offset(start)..snapshot.text.len(),
        Strategy::LineEndings,
    ))
}

/// Matches after folding typographic characters, also inside lines.
pub(crate) fn folded_matches(snapshot: &Snapshot<'_>, old: &str) -> MatchSet {
    let lf_old = FoldedText::new(&LfText::new(old).text);
    if is_blank_text(&lf_old.text) {
        return MatchSet::default();
    }
    let normal = snapshot.lf_text();
    let haystack: &str = snapshot.folded().map_or(&normal.text, |folded| &folded.text);
    let places = overlapping(haystack.as_bytes(), lf_old.text.as_bytes())
        .into_iter()
        .filter_map(|at| {
            let end = at + lf_old.text.len();
            let span = match snapshot.folded() {
                Some(folded) => folded.start(at)?..folded.end(end)?,
                None => at..end,
            };
            Some(MatchLocation::from_span(
                normal.original_offset(span.start)..normal.original_offset(span.end),
                Strategy::Unicode,
            ))
        })
        .collect();
    MatchSet { places, more: false }
}
