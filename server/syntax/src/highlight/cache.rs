//! A cache of all highlights of a text that is updated incrementally, so that a keystroke costs
//! what it changes instead of a pass over the whole text.
//!
//! To find what differs, both states run the query on the changed region. A match that touches
//! nothing edited or reparsed is the same in both, so the captures and injections that only one
//! state has there are all that changed. The span from the first to the last of these is
//! highlighted again; the rest is copied and shifted.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::{Highlight, HighlightCapture, HighlightOptions, MAX_HIGHLIGHTS};
use crate::Syntax;
use crate::differing::differing;

/// All highlights of one state of a text.
#[derive(Debug, Clone)]
pub struct HighlightCache {
    syntax: Syntax,
    injections: bool,
    highlights: Arc<[Highlight]>,
}

/// A text change: `to` replaces `from`.
struct TextChange {
    from: Range<usize>,
    to: Range<usize>,
}

impl TextChange {
    /// Maps an offset of the old text to the new one; `None` inside the replaced text.
    fn map_forward(&self, offset: usize) -> Option<usize> {
        match offset {
            _ if offset <= self.from.start => Some(offset),
            _ if offset >= self.from.end => Some(offset - self.from.end + self.to.end),
            _ => None,
        }
    }

    /// Maps a span of the old text to the new one, and reports whether all of it is left.
    fn map_span_forward(&self, span: &Range<usize>) -> (Range<usize>, bool) {
        let (start, end) = (self.map_forward(span.start), self.map_forward(span.end));
        let whole = start.is_some() && end.is_some();
        // What is left of a cut span ends or starts at the new text.
        (start.unwrap_or(self.to.end)..end.unwrap_or(self.to.end), whole)
    }

    /// Maps a span of the new text, extended by the change, to the old one.
    fn map_span_back(&self, span: &Range<usize>) -> Range<usize> {
        let end = span.end.max(self.to.end) - self.to.end + self.from.end;
        span.start.min(self.from.start)..end
    }
}

fn cover(span: &mut Range<usize>, other: &Range<usize>) {
    span.start = span.start.min(other.start);
    span.end = span.end.max(other.end);
}

impl HighlightCache {
    /// Computes all highlights of a text. `None` once `interrupt` is set.
    #[must_use]
    pub fn new(
        syntax: &Syntax,
        options: HighlightOptions<'_>,
        interrupt: &AtomicBool,
    ) -> Option<Self> {
        let highlights = syntax.highlights(0..syntax.text().len(), options, interrupt)?;
        let highlights = highlights.into();
        Some(Self { syntax: syntax.clone(), injections: options.injections, highlights })
    }

    /// The highlights of another state, updated from this one: O(what differs), plus one pass over
    /// the highlights.
    #[must_use]
    pub fn updated(
        &self,
        syntax: &Syntax,
        options: HighlightOptions<'_>,
        interrupt: &AtomicBool,
    ) -> Option<Self> {
        let update = match options.injections == self.injections {
            true => self.update(syntax, options, interrupt),
            false => None,
        };
        match update {
            Some(highlights) => {
                Some(Self { syntax: syntax.clone(), injections: self.injections, highlights })
            }
            None => Self::new(syntax, options, interrupt),
        }
    }

    /// The highlights, in order.
    #[must_use]
    pub fn highlights(&self) -> &Arc<[Highlight]> {
        &self.highlights
    }

    /// `None` if everything must be computed again.
    fn update(
        &self,
        syntax: &Syntax,
        options: HighlightOptions<'_>,
        interrupt: &AtomicBool,
    ) -> Option<Arc<[Highlight]>> {
        let old = &self.syntax;
        if old.language() != syntax.language() || self.highlights.len() > MAX_HIGHLIGHTS / 10 * 9 {
            return None;
        }
        let Some((from, to)) = old.text().difference(syntax.text()) else {
            return Some(self.highlights.clone());
        };
        let (end_before, end) = (old.text().len(), syntax.text().len());
        let edit = TextChange { from, to };
        let moved = old.with_edited_tree(syntax.text(), &edit.from, &edit.to);
        let mut reparsed = edit.to.clone();
        // `changed_ranges` misses differences below error nodes, see `differing`.
        if old.root().has_error() || syntax.root().has_error() {
            let changed = differing(moved.tree(), syntax.tree());
            changed.iter().for_each(|span| cover(&mut reparsed, span));
        } else {
            for range in moved.tree().changed_ranges(syntax.tree()) {
                cover(&mut reparsed, &(range.start_byte..range.end_byte));
            }
        }
        // Include neighbours, so that the span is never empty and covers what was deleted between
        // them.
        reparsed = reparsed.start.saturating_sub(1)..(reparsed.end + 1).min(end);
        let old_span = edit.map_span_back(&reparsed);
        if reparsed.len() > end / 2
            || old_span.is_empty()
            || reparsed.is_empty()
            || old_span.end > end_before
        {
            return None;
        }
        // Texts with long runs of stray tokens are searched differently, see `query_roots`.
        if old.query_roots().len() != 1 || syntax.query_roots().len() != 1 {
            return None;
        }
        // A match that overlaps `reparsed` may have captures outside of it, so the changed span can
        // be larger.
        let mut changed = reparsed.clone();
        let old_items = old.captures_touching(old_span.clone(), interrupt)?;
        let new_items = syntax.captures_touching(reparsed.clone(), interrupt)?;
        cover_differences(old_items, new_items, &edit, &mut changed);
        if options.injections {
            let old_items = old.injections_around(old_span, interrupt)?;
            let new_items = syntax.injections_around(reparsed.clone(), interrupt)?;
            super::injection::cover_differences(
                old_items,
                new_items,
                |span| edit.map_span_forward(span),
                &reparsed,
                &mut changed,
            );
        }
        changed.end = changed.end.min(end);
        if changed.len() > end / 2 {
            return None;
        }
        // Include neighbours, to see which highlights cross the edges.
        let wide = changed.start.saturating_sub(1)..(changed.end + 1).min(end);
        let inside = syntax.highlights(wide, options, interrupt)?;
        Some(self.with_replaced(&edit, &changed, inside))
    }

    /// Replaces the highlights within `changed` by `inside`.
    fn with_replaced(
        &self,
        edit: &TextChange,
        changed: &Range<usize>,
        inside: Vec<Highlight>,
    ) -> Arc<[Highlight]> {
        let old_span = edit.map_span_back(changed);
        let old = &self.highlights;
        let first = old.partition_point(|h| h.span.end <= old_span.start);
        let after = old.partition_point(|h| h.span.end <= old_span.end);
        let now = |offset: usize| edit.map_forward(offset).unwrap_or(changed.end);
        let mut all = Vec::with_capacity(first + inside.len() + old.len() - after + 2);
        all.extend_from_slice(&old[..first]);
        // A highlight that crosses an edge is merged if both sides have the same class.
        if let Some(over) = old.get(first).filter(|h| h.span.start < old_span.start) {
            all.push(Highlight { span: over.span.start..changed.start, class: over.class });
        }
        let mut rest = &old[after..];
        let within = |h: &Highlight| h.span.start < changed.end && h.span.end > changed.start;
        for highlight in inside.into_iter().filter(within) {
            let span = highlight.span.start.max(changed.start)..highlight.span.end.min(changed.end);
            let goes_over = highlight.span.start < changed.start;
            match all.last_mut().filter(|l| goes_over && l.span.end == changed.start) {
                Some(last) if last.class == highlight.class => last.span.end = span.end,
                _ => all.push(Highlight { span, class: highlight.class }),
            }
            if highlight.span.end > changed.end {
                let over = rest.split_first().filter(|(over, _)| {
                    over.span.start <= old_span.end && over.class == highlight.class
                });
                if let (Some(last), Some((over, after))) = (all.last_mut(), over) {
                    last.span.end = now(over.span.end);
                    rest = after;
                }
            }
        }
        if let Some(over) = rest.first().filter(|h| h.span.start < old_span.end) {
            all.push(Highlight { span: changed.end..now(over.span.end), class: over.class });
            rest = &rest[1..];
        }
        let moved = rest
            .iter()
            .map(|h| Highlight { span: now(h.span.start)..now(h.span.end), ..h.clone() });
        all.extend(moved);
        all.into()
    }
}

/// Extends `changed` by captures that only one of two states has.
fn cover_differences(
    old_items: Vec<HighlightCapture>,
    new_items: Vec<HighlightCapture>,
    edit: &TextChange,
    changed: &mut Range<usize>,
) {
    let key = |capture: &HighlightCapture| {
        (capture.span.start, capture.span.end, capture.pattern, capture.class)
    };
    let mut moved = Vec::with_capacity(old_items.len());
    for capture in old_items {
        match edit.map_span_forward(&capture.span) {
            (span, true) => moved.push(HighlightCapture { span, ..capture }),
            (span, false) => cover(changed, &span),
        }
    }
    let mut new_items = new_items;
    moved.sort_by_key(key);
    new_items.sort_by_key(key);
    let (mut old, mut new) = (moved.iter().peekable(), new_items.iter().peekable());
    while let (Some(a), Some(b)) = (old.peek(), new.peek()) {
        match key(a).cmp(&key(b)) {
            std::cmp::Ordering::Equal => drop((old.next(), new.next())),
            std::cmp::Ordering::Less => {
                old.next().into_iter().for_each(|m| cover(changed, &m.span))
            }
            std::cmp::Ordering::Greater => {
                new.next().into_iter().for_each(|m| cover(changed, &m.span));
            }
        }
    }
    old.chain(new).for_each(|capture| cover(changed, &capture.span));
}
