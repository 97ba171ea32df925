//! From marks that lie over each other to pieces that do not.

use std::ops::Range;

use super::{Highlight, HighlightClass};

/// A span that a query marks.
#[derive(Debug, Clone)]
pub(crate) struct Marked {
    pub(crate) span: Range<usize>,
    /// How deep in injected code; deeper lies over what is around.
    pub(crate) layer: u32,
    /// Of nodes with one span, the inner has more.
    pub(crate) inside: u32,
    /// Of patterns for one node, the later counts.
    pub(crate) pattern: u32,
    pub(crate) class: HighlightClass,
}

/// What is seen from above: of marks over one place, that of the deepest layer, there the one that
/// starts last and is innermost. O(n log n).
pub(crate) fn flatten(mut marked: Vec<Marked>) -> Vec<Highlight> {
    marked.sort_by_key(|m| (m.span.start, m.layer, usize::MAX - m.span.end, m.inside, m.pattern));
    // Of marks for one span in one layer, the last is the one that counts.
    marked.dedup_by(|later, kept| {
        let same = later.span == kept.span && later.layer == kept.layer;
        if same {
            *kept = later.clone();
        }
        same
    });
    let mut pieces = Pieces {
        highlights: Vec::with_capacity(marked.len()),
        open: Vec::new(),
        at: 0,
        last: None,
    };
    for mark in marked {
        pieces.go_to(mark.span.start);
        let open = &mut pieces.open;
        let above = open.iter().rposition(|o| o.layer <= mark.layer).map_or(0, |under| under + 1);
        open.insert(above, mark);
    }
    pieces.go_to(usize::MAX);
    pieces.highlights
}

struct Pieces {
    highlights: Vec<Highlight>,
    /// The marks over this place, the uppermost last.
    open: Vec<Marked>,
    /// How far the pieces have been cut.
    at: usize,
    /// The mark that the last piece is of.
    last: Option<(Range<usize>, u32)>,
}

impl Pieces {
    fn go_to(&mut self, place: usize) {
        while let Some(top) = self.open.last() {
            let stop = top.span.end.min(place);
            if stop > self.at {
                // A mark that a hidden one begins or ends under stays in one piece.
                let of = Some((top.span.clone(), top.layer));
                match self.highlights.last_mut().filter(|_| self.last == of) {
                    Some(last) if last.span.end == self.at => last.span.end = stop,
                    _ => self.highlights.push(Highlight { span: self.at..stop, class: top.class }),
                }
                (self.at, self.last) = (stop, of);
            }
            if top.span.end > place {
                break;
            }
            self.open.pop();
        }
        self.at = place;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(span: Range<usize>, layer: u32, class: &str) -> Marked {
        let class = HighlightClass::of_capture(class).unwrap();
        Marked { span, layer, inside: 0, pattern: 0, class }
    }

    fn flat(marked: Vec<Marked>) -> Vec<(Range<usize>, &'static str)> {
        flatten(marked).into_iter().map(|h| (h.span, h.class.name())).collect()
    }

    #[test]
    fn what_is_inside_interrupts_what_is_around() {
        let marked =
            vec![mark(0..10, 0, "string"), mark(3..5, 0, "escape"), mark(12..13, 0, "tag")];
        assert_eq!(
            flat(marked),
            [(0..3, "string"), (3..5, "escape"), (5..10, "string"), (12..13, "tag")]
        );
    }

    #[test]
    fn injected_code_lies_over_what_is_around() {
        let marked = vec![
            mark(0..10, 0, "string"),
            mark(2..4, 1, "keyword"),
            mark(3..9, 0, "escape"),
            mark(6..8, 1, "number"),
        ];
        assert_eq!(
            flat(marked),
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
    fn marks_that_cross_do_no_harm() {
        let marked = vec![mark(0..6, 1, "string"), mark(4..9, 0, "number")];
        assert_eq!(flat(marked), [(0..6, "string"), (6..9, "number")]);
        let marked = vec![mark(0..6, 0, "string"), mark(4..9, 1, "number")];
        assert_eq!(flat(marked), [(0..4, "string"), (4..9, "number")]);
    }
}
