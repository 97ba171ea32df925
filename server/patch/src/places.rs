//! Finds where `old_text` occurs, tier by tier. Each tier collects all its candidates.
//!
//! The first tier with a candidate decides, even if it is ambiguous and a later tier would find a
//! single one: a closer match must not lose to a looser one.

use std::borrow::Cow;
use std::ops::Range;

use crate::fragments::{exact_matches, folded_matches};
use crate::indent::IndentMap;
use crate::plan::Strategy;
use crate::rows::{PatchLines, Tier};
use crate::snapshot::Snapshot;

/// The two texts of a patch, in one reading of it.
#[derive(Debug, Clone)]
pub(crate) struct PatchTexts<'p> {
    pub(crate) old: Cow<'p, str>,
    pub(crate) new: Cow<'p, str>,
}

/// A match of `old_text` in the snapshot.
#[derive(Debug, Clone)]
pub(crate) struct MatchLocation {
    /// Bytes of the snapshot.
    pub(crate) span: Range<usize>,
    pub(crate) strategy: Strategy,
    /// How the indentation of the patch becomes the file's.
    pub(crate) map: IndentMap,
    /// For each line of `old_text` the matching line, counted from the first line of the span.
    /// `None` if lines correspond one to one.
    pub(crate) aligned: Option<Vec<Option<usize>>>,
    /// Whether whole lines matched. An unterminated blank line at the end of either text of the
    /// patch is dropped then.
    pub(crate) whole_lines: bool,
    pub(crate) similarity: Option<f64>,
}

impl MatchLocation {
    pub(crate) fn from_span(span: Range<usize>, strategy: Strategy) -> MatchLocation {
        MatchLocation {
            span,
            strategy,
            map: IndentMap::Identity,
            aligned: None,
            whole_lines: false,
            similarity: None,
        }
    }
}

/// All matches of the deciding tier.
#[derive(Debug, Default)]
pub(crate) struct MatchSet {
    pub(crate) places: Vec<MatchLocation>,
    /// More candidates exist than were examined.
    pub(crate) more: bool,
}

impl MatchSet {
    fn is_empty(&self) -> bool {
        self.places.is_empty() && !self.more
    }
}

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

/// Whether `offset` is inside the indentation of its line, after at least one blank.
pub(crate) fn starts_inside_indent(text: &str, offset: usize) -> bool {
    let head = &text.as_bytes()[..offset];
    let before = head.iter().rev().take_while(|&&byte| matches!(byte, b' ' | b'\t')).count();
    before > 0
        && head
            .get(offset.wrapping_sub(before + 1))
            .is_none_or(|byte| matches!(byte, b'\n' | b'\r'))
}

/// Whether a text has only whitespace and byte order marks.
pub(crate) fn is_blank_text(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || c == '\u{feff}')
}
