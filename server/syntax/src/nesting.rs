//! Which declarations stand inside which.

use std::ops::Range;

use crate::{OutlineItem, OutlineKind};

/// Deepest nesting that is kept; deeper declarations are listed at this level.
const DEEPEST: usize = 60;

/// Whether a declaration at `inner` is inside the one at `outer`. One span may declare several
/// names, side by side.
fn holds(outer: &Range<usize>, inner: &Range<usize>) -> bool {
    inner.end <= outer.end && inner.start < outer.end && inner != outer
}

/// Leaves `most` of items that are in order, outer before inner: of those that are left out, none
/// stands further out than one that is kept, nor before one as far in. O(items).
pub(crate) fn keep_outermost<T>(
    items: &mut Vec<T>,
    span: impl Fn(&T) -> &Range<usize>,
    most: usize,
) {
    if items.len() <= most {
        return;
    }
    let mut open: Vec<&Range<usize>> = Vec::new();
    let mut at = [0_usize; DEEPEST];
    let mut depths = Vec::with_capacity(items.len());
    for item in items.iter().map(span) {
        while open.last().is_some_and(|outer| !holds(outer, item)) {
            open.pop();
        }
        open.truncate(DEEPEST - 1);
        at[open.len()] += 1;
        depths.push(open.len());
        open.push(item);
    }
    let mut left = most;
    for count in &mut at {
        *count = left.min(*count);
        left -= *count;
    }
    let mut depths = depths.into_iter();
    items.retain(|_| {
        let Some(count) = depths.next().map(|depth| &mut at[depth]) else { return false };
        let kept = *count > 0;
        *count = count.saturating_sub(1);
        kept
    });
}

/// Puts items that are in order, outer before inner, into each other.
pub(crate) fn nest(flat: Vec<OutlineItem>) -> Vec<OutlineItem> {
    let mut roots: Vec<OutlineItem> = Vec::new();
    let mut open: Vec<OutlineItem> = Vec::new();
    let close = |open: &mut Vec<OutlineItem>, roots: &mut Vec<OutlineItem>| {
        if let Some(done) = open.pop() {
            open.last_mut().map_or(roots, |parent| &mut parent.children).push(done);
        }
    };
    for mut item in flat {
        while open.last().is_some_and(|o| !holds(&o.span, &item.span)) {
            close(&mut open, &mut roots);
        }
        if item.kind == OutlineKind::Function && open.last().is_some_and(|o| o.kind.has_methods()) {
            item.kind = OutlineKind::Method;
        }
        if open.len() >= DEEPEST {
            close(&mut open, &mut roots);
        }
        open.push(item);
    }
    while !open.is_empty() {
        close(&mut open, &mut roots);
    }
    roots
}
