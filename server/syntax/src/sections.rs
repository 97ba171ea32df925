//! Headings: what an outline shows as holding all that follows, up to the next that is as high.

use std::ops::Range;

use tree_sitter::Query;

/// The levels that an `outline.scm` sets by `(#set! outline.level 1)`, by pattern; 1 is the highest.
pub(crate) fn levels(query: &Query) -> Vec<Option<u8>> {
    let of = |pattern| {
        let settings = query.property_settings(pattern);
        let level = settings.iter().find(|property| &*property.key == "outline.level")?;
        level.value.as_deref()?.parse().ok()
    };
    (0..query.pattern_count()).map(of).collect()
}

/// Lets each heading of `items`, spans and levels in order of place, reach to the next that is at least
/// as high, or to `end`. O(items).
pub(crate) fn reach<'i>(
    items: impl DoubleEndedIterator<Item = (&'i mut Range<usize>, u8)>,
    end: usize,
) {
    // Where the nearest heading of each level after the one that is looked at starts; a level
    // that is higher counts for those below.
    let mut next = [end; 1 + u8::MAX as usize];
    for (span, level) in items.rev() {
        let level = usize::from(level);
        span.end = next[level].max(span.end);
        next[level..].fill(span.start);
    }
}
