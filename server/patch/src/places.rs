//! Finds where `old_text` occurs, tier by tier. Each tier collects all its candidates.
//!
//! The first tier with a candidate decides, even if it is ambiguous and a later tier would find a
//! single one: a closer match must not lose to a looser one.

use std::ops::Range;

use crate::fragments::{exact_matches, folded_matches};
use crate::indent::IndentMap;
use crate::lines::{is_blank_text, starts_inside_indent};
use crate::match_location::{MatchLocation, MatchSet};
use crate::patch::PatchTexts;
use crate::rows::{PatchLines, Tier};
use crate::snapshot::Snapshot;

/// The matches of the first tier that has any, without the escape, token and similarity tiers.
/// O(text + old_text) for each tier that is reached.
pub(crate) fn find_matches(
    snapshot: &Snapshot<'_>,
    texts: &PatchTexts<'_>,
    hint: Option<usize>,
) -> MatchSet {
    let mut exact = exact_matches(snapshot, &texts.old, hint);
    // If `old_text` begins with blanks, an exact match inside a deeper indentation matches a line
    // of another depth. Lines of the right depth in a later tier are then preferred.
    let misplaced = |place: &MatchLocation| starts_inside_indent(snapshot.text, place.span.start);
    let off_depth = texts.old.starts_with([' ', '\t']) && exact.places.iter().all(misplaced);
    // A multi-line match that begins in the middle of a line may be part of a longer line, so
    // matches of whole lines count as candidates too.
    let cut = texts.old.trim_end().contains('\n')
        && exact.places.iter().all(|place| cuts_a_line(snapshot.text, &place.span));
    if (!exact.is_empty() && !off_depth && !cut) || is_blank_text(&texts.old) {
        return exact;
    }
    let lines = PatchLines::new(texts);
    let mut trimmed = lines.search(snapshot, Tier::Trimmed, hint);
    if cut && !exact.is_empty() && !off_depth {
        trimmed.places.retain(|place| exact.places.iter().all(|other| is_apart(place, other)));
        let mut both = exact;
        both.more |= trimmed.more;
        both.places.append(&mut trimmed.places);
        both.places.sort_by_key(|place| place.span.start);
        return both;
    }
    if !trimmed.is_empty() {
        // If no line has the author's depth, one that differs by a single blank is as good.
        if off_depth && trimmed.places.iter().all(|place| place.map != IndentMap::Identity) {
            exact.places.retain(|place| {
                ends_a_line(snapshot.text, place.span.end)
                    && trimmed.places.iter().all(|other| is_apart(place, other))
            });
            trimmed.places.append(&mut exact.places);
            trimmed.places.sort_by_key(|place| place.span.start);
        }
        return trimmed;
    }
    if !exact.is_empty() {
        return exact;
    }
    if !(snapshot.text.is_ascii() && texts.old.is_ascii()) {
        let fragment = folded_matches(snapshot, &texts.old);
        if !fragment.is_empty() {
            return fragment;
        }
        let folded = lines.search(snapshot, Tier::Folded, hint);
        if !folded.is_empty() {
            return folded;
        }
    }
    let collapsed = lines.search(snapshot, Tier::Collapsed, hint);
    if !collapsed.is_empty() {
        return collapsed;
    }
    lines.search_non_blank(snapshot, hint)
}

fn is_apart(one: &MatchLocation, other: &MatchLocation) -> bool {
    one.span.end <= other.span.start || other.span.end <= one.span.start
}

/// Whether only blanks follow `offset` in its line.
fn ends_a_line(text: &str, offset: usize) -> bool {
    text[..offset].ends_with(['\n', '\r'])
        || is_blank_text(text[offset..].split(['\n', '\r']).next().unwrap_or_default())
}

/// Whether a span begins after the first non-blank character of its line.
fn cuts_a_line(text: &str, span: &Range<usize>) -> bool {
    let head = text[..span.start].rsplit(['\n', '\r']).next().unwrap_or("");
    !head.trim().is_empty()
}
