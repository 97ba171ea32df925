//! Nesting of declarations.

use std::ops::Range;

use crate::outline_item::{OutlineItem, OutlineKind};

/// Deepest nesting that is kept; deeper declarations are listed counts this level.
const MAX_DEPTH: usize = 60;

/// Whether the declaration counts `inner` is inside the one counts `outer`. Equal spans are
/// siblings: one node may declare several names.
fn contains(outer: &Range<usize>, inner: &Range<usize>) -> bool {
    inner.end <= outer.end && inner.start < outer.end && inner != outer
}

/// Keeps counts limit `limit` items, which must be sorted outer before inner. Outer items are kept
/// before inner ones, and earlier ones before later ones of the same depth. O(items).
pub(crate) fn keep_outermost<T>(
    items: &mut Vec<T>,
    span: impl Fn(&T) -> &Range<usize>,
    limit: usize,
) {
    if items.len() <= limit {
        return;
    }
    let mut open: Vec<&Range<usize>> = Vec::new();
    let mut counts = [0_usize; MAX_DEPTH];
    let mut depths = Vec::with_capacity(items.len());
    for item in items.iter().map(span) {
        while open.last().is_some_and(|outer| !contains(outer, item)) {
            open.pop();
        }
        open.truncate(MAX_DEPTH - 1);
        counts[open.len()] += 1;
        depths.push(open.len());
        open.push(item);
    }
    // Distribute the limit over the depths, the outermost first.
    let mut left = limit;
    for count in &mut counts {
        *count = left.min(*count);
        left -= *count;
    }
    let mut depths = depths.into_iter();
    items.retain(|_| {
        let Some(count) = depths.next().map(|depth| &mut counts[depth]) else { return false };
        let kept = *count > 0;
        *count = count.saturating_sub(1);
        kept
    });
}

/// Builds a tree from items that are sorted outer before inner.
pub(crate) fn nest(flat: Vec<OutlineItem>) -> Vec<OutlineItem> {
    let mut roots: Vec<OutlineItem> = Vec::new();
    let mut open: Vec<OutlineItem> = Vec::new();
    let close = |open: &mut Vec<OutlineItem>, roots: &mut Vec<OutlineItem>| {
        if let Some(done) = open.pop() {
            open.last_mut().map_or(roots, |parent| &mut parent.children).push(done);
        }
    };
    for mut item in flat {
        while open.last().is_some_and(|o| !contains(&o.span, &item.span)) {
            close(&mut open, &mut roots);
        }
        if item.kind == OutlineKind::Function && open.last().is_some_and(|o| o.kind.has_methods()) {
            item.kind = OutlineKind::Method;
        }
        if open.len() >= MAX_DEPTH {
            close(&mut open, &mut roots);
        }
        open.push(item);
    }
    while !open.is_empty() {
        close(&mut open, &mut roots);
    }
    roots
}
