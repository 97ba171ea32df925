//! Places that need not be whole lines: exact bytes, other line endings, folded characters.

use std::ops::Range;

use crate::eol::Normal;
use crate::fold::Folded;
use crate::lines::splits_crlf;
use crate::occurrences::{LIMIT, overlapping};
use crate::places::{Found, Place, is_blank_text};
use crate::plan::Strategy;
use crate::snapshot::Snapshot;

/// Occurrences that are kept; of more, those about the hint.
const KEPT: usize = 4096;

/// The bytes as they are, then with any line endings.
pub(crate) fn exact(snapshot: &Snapshot<'_>, old: &str, hint: Option<usize>) -> Found {
    let text = snapshot.text;
    let mut hits = snapshot.occurrences(old);
    let more = keep_near(snapshot, &mut hits, hint);
    let clean =
        |span: &Range<usize>| !splits_crlf(text, span.start) && !splits_crlf(text, span.end);
    let mut places: Vec<Place> = hits
        .into_iter()
        .map(|at| at..at + old.len())
        .filter(clean)
        .map(|span| Place::text(span, Strategy::Exact))
        .collect();
    if more || old.is_empty() || !old.contains(['\n', '\r']) {
        return Found { places, more };
    }
    // Line endings cannot be seen: in a mixed file the other spelling is as good a candidate.
    let has_cr = snapshot.has_cr();
    let mut more = false;
    if places.is_empty() || (has_cr && !old.contains('\r')) {
        more = add_other_endings(snapshot, old, &mut places, hint);
    }
    if places.is_empty() || hint.is_some() {
        places.extend(at_end(snapshot, old));
    }
    places.sort_by_key(|place| place.span.start);
    Found { places, more }
}

/// Of very many occurrences keeps those about the hint, or the first; whether any went.
fn keep_near(snapshot: &Snapshot<'_>, hits: &mut Vec<usize>, hint: Option<usize>) -> bool {
    if hits.len() <= KEPT {
        return false;
    }
    if hits.len() >= LIMIT {
        // There may be more about the hint, so nothing can be chosen.
        hits.clear();
        return true;
    }
    let lines = snapshot.lines();
    let at = hint.map_or(0, |line| {
        if line < lines.len() { lines.range(line).start } else { snapshot.text.len() }
    });
    let from =
        hits.partition_point(|&hit| hit < at).saturating_sub(KEPT / 2).min(hits.len() - KEPT);
    hits.drain(..from);
    hits.truncate(KEPT);
    true
}

/// Adds the places that only line endings tell from `old`; whether there are more.
fn add_other_endings(
    snapshot: &Snapshot<'_>,
    old: &str,
    places: &mut Vec<Place>,
    hint: Option<usize>,
) -> bool {
    let wanted = Normal::new(old);
    if !snapshot.has_cr() && wanted.text == old {
        return false;
    }
    let normal = snapshot.normal();
    let known: Vec<usize> = places.iter().map(|place| place.span.start).collect();
    let mut hits: Vec<usize> = overlapping(normal.text.as_bytes(), wanted.text.as_bytes());
    let length = wanted.text.len();
    hits.retain(|&at| known.binary_search(&normal.original(at)).is_err());
    let ends: Vec<(usize, usize)> =
        hits.iter().map(|&at| (normal.original(at), normal.original(at + length))).collect();
    let mut starts: Vec<usize> = ends.iter().map(|span| span.0).collect();
    let more = keep_near(snapshot, &mut starts, hint);
    let from = starts.first().map_or(0, |first| ends.partition_point(|span| span.0 < *first));
    places.extend(
        ends[from..]
            .iter()
            .take(starts.len())
            .map(|span| Place::text(span.0..span.1, Strategy::LineEndings)),
    );
    more
}

/// The last line of the text, if only its missing line ending tells it from `old`.
fn at_end(snapshot: &Snapshot<'_>, old: &str) -> Option<Place> {
    if snapshot.text.ends_with(['\n', '\r']) {
        return None;
    }
    let wanted = Normal::new(old);
    let open = wanted
        .text
        .strip_suffix('\n')
        .filter(|open| !is_blank_text(open) && !open.ends_with('\n'))?;
    let normal = snapshot.normal();
    let start =
        normal.text.len().checked_sub(open.len()).filter(|_| normal.text.ends_with(open))?;
    Some(Place::text(normal.original(start)..snapshot.text.len(), Strategy::LineEndings))
}

/// Folded characters, in the midst of lines too.
pub(crate) fn folded(snapshot: &Snapshot<'_>, old: &str) -> Found {
    let wanted = Folded::new(&Normal::new(old).text);
    if is_blank_text(&wanted.text) {
        return Found::default();
    }
    let normal = snapshot.normal();
    let haystack: &str = snapshot.folded().map_or(&normal.text, |folded| &folded.text);
    let places = overlapping(haystack.as_bytes(), wanted.text.as_bytes())
        .into_iter()
        .filter_map(|at| {
            let end = at + wanted.text.len();
            let span = match snapshot.folded() {
                Some(folded) => folded.start(at)?..folded.end(end)?,
                None => at..end,
            };
            Some(Place::text(
                normal.original(span.start)..normal.original(span.end),
                Strategy::Unicode,
            ))
        })
        .collect();
    Found { places, more: false }
}
