//! Turns overlapping captures into disjoint highlights.

use std::ops::Range;

use super::{Highlight, HighlightClass};

/// A span captured by a highlight query.
#[derive(Debug, Clone)]
pub(crate) struct HighlightCapture {
    pub(crate) span: Range<usize>,
    /// The injection depth; deeper layers win.
    pub(crate) layer: u32,
    /// Of nodes with the same span, the inner one has a higher value.
    pub(crate) inside: u32,
    /// Of patterns that match one node, the last wins.
    pub(crate) pattern: u32,
    pub(crate) class: HighlightClass,
}

/// The visible captures: at every position, the capture of the deepest layer wins, then the one
/// that starts last, then the innermost. O(n log n).
pub(crate) fn flatten(mut captures: Vec<HighlightCapture>) -> Vec<Highlight> {
    captures.sort_by_key(|m| (m.span.start, m.layer, usize::MAX - m.span.end, m.inside, m.pattern));
    // Of captures of one span in one layer, keep the last.
    captures.dedup_by(|later, kept| {
        let same = later.span == kept.span && later.layer == kept.layer;
        if same {
            *kept = later.clone();
        }
        same
    });
    let mut flattener = Flattener {
        highlights: Vec::with_capacity(captures.len()),
        open: Vec::new(),
        at: 0,
        last: None,
    };
    for capture in captures {
        flattener.advance_to(capture.span.start);
        let open = &mut flattener.open;
        let position =
            open.iter().rposition(|o| o.layer <= capture.layer).map_or(0, |under| under + 1);
        open.insert(position, capture);
    }
    flattener.advance_to(usize::MAX);
    flattener.highlights
}

struct Flattener {
    highlights: Vec<Highlight>,
    /// The captures that contain the current position, the visible one last.
    open: Vec<HighlightCapture>,
    /// How far the highlights have been emitted.
    at: usize,
    /// The capture of the last highlight.
    last: Option<(Range<usize>, u32)>,
}

impl Flattener {
    fn advance_to(&mut self, position: usize) {
        while let Some(top) = self.open.last() {
            let stop = top.span.end.min(position);
            if stop > self.at {
                // A capture that is interrupted only by invisible ones stays in one piece.
                let current = Some((top.span.clone(), top.layer));
                match self.highlights.last_mut().filter(|_| self.last == current) {
                    Some(last) if last.span.end == self.at => last.span.end = stop,
                    _ => self.highlights.push(Highlight { span: self.at..stop, class: top.class }),
                }
                (self.at, self.last) = (stop, current);
            }
            if top.span.end > position {
                break;
            }
            self.open.pop();
        }
        self.at = position;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(span: Range<usize>, layer: u32, class: &str) -> HighlightCapture {
        let class = HighlightClass::from_capture(class).unwrap();
        HighlightCapture { span, layer, inside: 0, pattern: 0, class }
    }

    fn flat(captures: Vec<HighlightCapture>) -> Vec<(Range<usize>, &'static str)> {
        flatten(captures).into_iter().map(|h| (h.span, h.class.name())).collect()
    }

    #[test]
    fn inner_captures_interrupt_outer_ones() {
        let captures =
            vec![mark(0..10, 0, "string"), mark(3..5, 0, "escape"), mark(12..13, 0, "tag")];
        assert_eq!(
            flat(captures),
            [(0..3, "string"), (3..5, "escape"), (5..10, "string"), (12..13, "tag")]
        );
    }

    #[test]
    fn embedded_languages_win() {
        let captures = vec![
            mark(0..10, 0, "string"),
            mark(2..4, 1, "keyword"),
            mark(3..9, 0, "escape"),
            mark(6..8, 1, "number"),
        ];
        assert_eq!(
            flat(captures),
            [
                (0..2, "string"),
                (2..4, "keyword"),
                (4..6, "escape"),
                (6..8, "number"),
                (8..9, "escape"),
                (9..10, "string"),
            ]
        );
    }

    #[test]
    fn crossing_captures_do_no_harm() {
        let captures = vec![mark(0..6, 1, "string"), mark(4..9, 0, "number")];
        assert_eq!(flat(captures), [(0..6, "string"), (6..9, "number")]);
        let captures = vec![mark(0..6, 0, "string"), mark(4..9, 1, "number")];
        assert_eq!(flat(captures), [(0..4, "string"), (4..9, "number")]);
    }
}
