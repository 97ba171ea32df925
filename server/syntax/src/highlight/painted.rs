//! Highlights of a whole text that are carried from state to state: a keystroke pays for what it
//! changes, not for the text.
//!
//! What differs between two states is found by asking both trees about the same place: a match that
//! touches nothing that was edited or parsed otherwise is the same in both, so the marks and the
//! injected code that only one of them has there are all that is new. From the first to the last of
//! these is highlighted anew; what stands before and behind is taken over.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::{Highlight, HighlightOptions, MOST, Marked};
use crate::Syntax;
use crate::differing::differing;

/// All highlights of one state of a text.
#[derive(Debug, Clone)]
pub struct Painted {
    syntax: Syntax,
    injections: bool,
    highlights: Arc<[Highlight]>,
}

/// How a text became another: `to` stands where `from` stood.
struct Edit {
    from: Range<usize>,
    to: Range<usize>,
}

impl Edit {
    /// Where an offset of the earlier text stands now; inside of what was replaced, nowhere.
    fn now(&self, offset: usize) -> Option<usize> {
        match offset {
            _ if offset <= self.from.start => Some(offset),
            _ if offset >= self.from.end => Some(offset - self.from.end + self.to.end),
            _ => None,
        }
    }

    /// Where a span of the earlier text stands now, and whether all of it is left.
    fn span_now(&self, span: &Range<usize>) -> (Range<usize>, bool) {
        let (start, end) = (self.now(span.start), self.now(span.end));
        let whole = start.is_some() && end.is_some();
        // What is left of it ends or starts where the new text does.
        (start.unwrap_or(self.to.end)..end.unwrap_or(self.to.end), whole)
    }

    /// Where a span of the later text stood that holds what is new, or touches it.
    fn before(&self, span: &Range<usize>) -> Range<usize> {
        let end = span.end.max(self.to.end) - self.to.end + self.from.end;
        span.start.min(self.from.start)..end
    }
}

fn cover(span: &mut Range<usize>, other: &Range<usize>) {
    span.start = span.start.min(other.start);
    span.end = span.end.max(other.end);
}

impl Painted {
    /// All highlights of a text. `None` once `interrupt` is set.
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

    /// The same from those of another state: O(what differs), plus one pass over the highlights.
    #[must_use]
    pub fn again(
        &self,
        syntax: &Syntax,
        options: HighlightOptions<'_>,
        interrupt: &AtomicBool,
    ) -> Option<Self> {
        let carried = match options.injections == self.injections {
            true => self.carried(syntax, options, interrupt),
            false => None,
        };
        match carried {
            Some(highlights) => {
                Some(Self { syntax: syntax.clone(), injections: self.injections, highlights })
            }
            None => Self::new(syntax, options, interrupt),
        }
    }

    /// What was found, in order.
    #[must_use]
    pub fn highlights(&self) -> &Arc<[Highlight]> {
        &self.highlights
    }

    /// `None` where everything is to be looked at anew.
    fn carried(
        &self,
        syntax: &Syntax,
        options: HighlightOptions<'_>,
        interrupt: &AtomicBool,
    ) -> Option<Arc<[Highlight]>> {
        let old = &self.syntax;
        if old.language() != syntax.language() || self.highlights.len() > MOST / 10 * 9 {
            return None;
        }
        let Some((from, to)) = old.text().difference(syntax.text()) else {
            return Some(self.highlights.clone());
        };
        let (end_before, end) = (old.text().len(), syntax.text().len());
        let edit = Edit { from, to };
        let moved = old.moved_to(syntax.text(), &edit.from, &edit.to);
        let mut anew = edit.to.clone();
        if old.root().has_error() || syntax.root().has_error() {
            let parsed_otherwise = differing(moved.tree(), syntax.tree());
            parsed_otherwise.iter().for_each(|span| cover(&mut anew, span));
        } else {
            for range in moved.tree().changed_ranges(syntax.tree()) {
                cover(&mut anew, &(range.start_byte..range.end_byte));
            }
        }
        // Neighbours, so that it is never empty and what vanished between them counts.
        anew = anew.start.saturating_sub(1)..(anew.end + 1).min(end);
        let place = edit.before(&anew);
        if anew.len() > end / 2 || place.is_empty() || anew.is_empty() || place.end > end_before {
            return None;
        }
        // Long runs of stray tokens are searched otherwise than the rest.
        if old.searchable().len() != 1 || syntax.searchable().len() != 1 {
            return None;
        }
        let mut changed = anew.clone();
        let was = old.marked_around(place.clone(), interrupt)?;
        let is = syntax.marked_around(anew.clone(), interrupt)?;
        only_in_one(was, is, &edit, &mut changed);
        if options.injections {
            let was = old.injections_around(place, interrupt)?;
            let is = syntax.injections_around(anew.clone(), interrupt)?;
            super::injection::only_in_one(was, is, |span| edit.span_now(span), &anew, &mut changed);
        }
        changed.end = changed.end.min(end);
        if changed.len() > end / 2 {
            return None;
        }
        // With neighbours, to see what goes over the edges.
        let wide = changed.start.saturating_sub(1)..(changed.end + 1).min(end);
        let inside = syntax.highlights(wide, options, interrupt)?;
        Some(self.spliced(&edit, &changed, inside))
    }

    /// The highlights with those `inside` of `changed` in place of what was there.
    fn spliced(
        &self,
        edit: &Edit,
        changed: &Range<usize>,
        inside: Vec<Highlight>,
    ) -> Arc<[Highlight]> {
        let place = edit.before(changed);
        let old = &self.highlights;
        let first = old.partition_point(|h| h.span.end <= place.start);
        let behind = old.partition_point(|h| h.span.end <= place.end);
        let now = |offset: usize| edit.now(offset).unwrap_or(changed.end);
        let mut all = Vec::with_capacity(first + inside.len() + old.len() - behind + 2);
        all.extend_from_slice(&old[..first]);
        // What goes over an edge is one piece again where both sides say the same of it.
        if let Some(over) = old.get(first).filter(|h| h.span.start < place.start) {
            all.push(Highlight { span: over.span.start..changed.start, class: over.class });
        }
        let mut rest = &old[behind..];
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
                    over.span.start <= place.end && over.class == highlight.class
                });
                if let (Some(last), Some((over, behind))) = (all.last_mut(), over) {
                    last.span.end = now(over.span.end);
                    rest = behind;
                }
            }
        }
        if let Some(over) = rest.first().filter(|h| h.span.start < place.end) {
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

/// Adds to `changed` where marks are that only one of two states has.
fn only_in_one(was: Vec<Marked>, is: Vec<Marked>, edit: &Edit, changed: &mut Range<usize>) {
    let key = |mark: &Marked| (mark.span.start, mark.span.end, mark.pattern, mark.class);
    let mut moved = Vec::with_capacity(was.len());
    for mark in was {
        match edit.span_now(&mark.span) {
            (span, true) => moved.push(Marked { span, ..mark }),
            (span, false) => cover(changed, &span),
        }
    }
    let mut is = is;
    moved.sort_by_key(key);
    is.sort_by_key(key);
    let (mut old, mut new) = (moved.iter().peekable(), is.iter().peekable());
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
    old.chain(new).for_each(|mark| cover(changed, &mark.span));
}
