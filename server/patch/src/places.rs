//! Where `old_text` lies: the tiers, each over the set of all candidates.
//!
//! The first tier with a candidate decides. What a later tier would find, or one that
//! is fewer candidates away from being unique, does not matter.

use std::borrow::Cow;
use std::ops::Range;

use crate::fragments::{exact, folded};
use crate::indent::IndentMap;
use crate::plan::Strategy;
use crate::rows::{Tier, WantedLines};
use crate::snapshot::Snapshot;

/// What a patch says, read in one way.
#[derive(Debug, Clone)]
pub(crate) struct Wanted<'p> {
    pub(crate) old: Cow<'p, str>,
    pub(crate) new: Cow<'p, str>,
}

/// A place where `old_text` lies.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    /// Bytes of the snapshot.
    pub(crate) span: Range<usize>,
    pub(crate) strategy: Strategy,
    pub(crate) map: IndentMap,
    /// For each line of `old_text` its line, counted from the first of the span.
    /// `None` where they correspond one to one.
    pub(crate) aligned: Option<Vec<Option<usize>>>,
    /// Whether the place is whole lines, so that surplus at the end of `old_text` and
    /// `new_text` is dropped.
    pub(crate) whole_lines: bool,
    pub(crate) similarity: Option<f64>,
}

impl Place {
    pub(crate) fn text(span: Range<usize>, strategy: Strategy) -> Place {
        Place {
            span,
            strategy,
            map: IndentMap::Identity,
            aligned: None,
            whole_lines: false,
            similarity: None,
        }
    }
}

/// All places of the deciding tier.
#[derive(Debug, Default)]
pub(crate) struct Found {
    pub(crate) places: Vec<Place>,
    /// There are more than were looked at.
    pub(crate) more: bool,
}

impl Found {
    fn is_empty(&self) -> bool {
        self.places.is_empty() && !self.more
    }
}

/// The places of the first tier that has any, short of escapes and similarity.
/// O(text + old_text) for each tier that is reached.
pub(crate) fn find(snapshot: &Snapshot<'_>, wanted: &Wanted<'_>, hint: Option<usize>) -> Found {
    let exact = exact(snapshot, &wanted.old, hint);
    // A text that begins with blanks and only fits into a deeper indentation is a line of
    // another depth, and not the only one if there are more.
    let misplaced = |place: &Place| starts_inside_indent(snapshot.text, place.span.start);
    let off_depth = wanted.old.starts_with([' ', '\t']) && exact.places.iter().all(misplaced);
    // Of several lines, a match that begins within a line may be a part of other ones.
    let cut = wanted.old.trim_end().contains('\n')
        && exact.places.iter().all(|place| cuts_a_line(snapshot.text, &place.span));
    if (!exact.is_empty() && !off_depth && !cut) || is_blank_text(&wanted.old) {
        return exact;
    }
    let lines = WantedLines::new(wanted);
    let mut trimmed = lines.search(snapshot, Tier::Trimmed, hint);
    if cut && !exact.is_empty() && !off_depth {
        let apart = |place: &Place| {
            exact.places.iter().all(|other| {
                place.span.end <= other.span.start || other.span.end <= place.span.start
            })
        };
        trimmed.places.retain(apart);
        let mut both = exact;
        both.more |= trimmed.more;
        both.places.append(&mut trimmed.places);
        both.places.sort_by_key(|place| place.span.start);
        return both;
    }
    if !trimmed.is_empty() {
        return trimmed;
    }
    if !exact.is_empty() {
        return exact;
    }
    if !(snapshot.text.is_ascii() && wanted.old.is_ascii()) {
        let fragment = folded(snapshot, &wanted.old);
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
    lines.search_written(snapshot, hint)
}

/// Whether a span has more of its first line before it than blanks.
fn cuts_a_line(text: &str, span: &Range<usize>) -> bool {
    let head = text[..span.start].rsplit(['\n', '\r']).next().unwrap_or("");
    !head.trim().is_empty()
}

/// Whether only blanks, at least one, stand between the start of the line and `offset`.
pub(crate) fn starts_inside_indent(text: &str, offset: usize) -> bool {
    let head = &text.as_bytes()[..offset];
    let before = head.iter().rev().take_while(|&&byte| matches!(byte, b' ' | b'\t')).count();
    before > 0
        && head
            .get(offset.wrapping_sub(before + 1))
            .is_none_or(|byte| matches!(byte, b'\n' | b'\r'))
}

/// Whether there is nothing but blanks and line endings.
pub(crate) fn is_blank_text(text: &str) -> bool {
    text.chars().all(|c| c.is_whitespace() || c == '\u{feff}')
}
