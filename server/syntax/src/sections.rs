//! Headings in outlines: a heading contains everything up to the next one of the same or a higher
//! level.

use std::ops::Range;

use tree_sitter::Query;

/// The heading level of each pattern, set by `(#set! outline.level 1)` in `outline.scm`; 1 is the
/// highest.
pub(crate) fn heading_levels(query: &Query) -> Vec<Option<u8>> {
    let of = |pattern| {
        let settings = query.property_settings(pattern);
        let level = settings.iter().find(|property| &*property.key == "outline.level")?;
        level.value.as_deref()?.parse().ok()
    };
    (0..query.pattern_count()).map(of).collect()
}

/// Extends each heading (span and level, in document order) to the next of the same or a higher
/// level, or to `end`. O(items).
pub(crate) fn extend_headings<'i>(
    items: impl DoubleEndedIterator<Item = (&'i mut Range<usize>, u8)>,
    end: usize,
) {
    // For each level, the start of the next heading of that or a higher level.
    let mut next = [end; 1 + u8::MAX as usize];
    for (span, level) in items.rev() {
        let level = usize::from(level);
        span.end = next[level].max(span.end);
        next[level..].fill(span.start);
    }
}
