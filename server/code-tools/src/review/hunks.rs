//! Hunks between two texts, and texts with only some of them applied.

use std::ops::Range;
use std::time::Duration;

use similar::{DiffOp, TextDiff};
use workspace::ProposedHunk;

/// Time limit for a comparison; the rest counts as one hunk.
const DIFF_TIMEOUT: Duration = Duration::from_millis(500);

/// Hunks of two texts, by lines.
pub(super) struct Hunks {
    /// By line numbers.
    pub(super) proposed: Vec<ProposedHunk>,
    /// By byte ranges of the old and the new text.
    spans: Vec<(Range<usize>, Range<usize>)>,
}

impl Hunks {
    /// Compares two texts. Time is bounded; O(n) if they differ little.
    pub(super) fn between(old: &str, new: &str) -> Self {
        let diff = TextDiff::configure().timeout(DIFF_TIMEOUT).diff_lines(old, new);
        let old_ends = line_ends(diff.iter_old_slices());
        let new_ends = line_ends(diff.iter_new_slices());
        let mut hunks = Self { proposed: Vec::new(), spans: Vec::new() };
        let mut open: Option<(Range<usize>, Range<usize>)> = None;
        let mut differs = |hunks: &mut Self, next: Option<(Range<usize>, Range<usize>)>| {
            let joined = match (open.take(), next) {
                (Some((old, new)), Some((more_old, more_new))) => {
                    Some((old.start..more_old.end, new.start..more_new.end))
                }
                (Some((old, new)), None) => {
                    hunks.push(old, new, &old_ends, &new_ends);
                    None
                }
                (None, next) => next,
            };
            open = joined;
        };
        for op in diff.ops() {
            let next = match op {
                DiffOp::Equal { .. } => None,
                op => Some((op.old_range(), op.new_range())),
            };
            differs(&mut hunks, next);
        }
        differs(&mut hunks, None);
        hunks
    }

    /// All hunks joined into one, to be accepted or rejected as a whole.
    pub(super) fn joined(self) -> Self {
        let (Some((first_old, first_new)), Some((last_old, last_new))) =
            (self.spans.first(), self.spans.last())
        else {
            return self;
        };
        let spans = vec![(first_old.start..last_old.end, first_new.start..last_new.end)];
        let (first, last) = (self.proposed[0], self.proposed[self.proposed.len() - 1]);
        // First line and line count; for an empty range, the line before it.
        let lines = |start: usize, lines: usize| {
            let from = start + usize::from(lines == 0);
            from..from + lines
        };
        let olds = lines(first.old_start, first.old_lines).start
            ..lines(last.old_start, last.old_lines).end;
        let news = lines(first.new_start, first.new_lines).start
            ..lines(last.new_start, last.new_lines).end;
        let proposed = vec![ProposedHunk {
            old_start: olds.start - usize::from(olds.is_empty()),
            old_lines: olds.len(),
            new_start: news.start - usize::from(news.is_empty()),
            new_lines: news.len(),
        }];
        Self { proposed, spans }
    }

    fn push(&mut self, old: Range<usize>, new: Range<usize>, olds: &[usize], news: &[usize]) {
        let start = |span: &Range<usize>| span.start + usize::from(!span.is_empty());
        self.proposed.push(ProposedHunk {
            old_start: start(&old),
            old_lines: old.len(),
            new_start: start(&new),
            new_lines: new.len(),
        });
        let bytes = |span: Range<usize>, ends: &[usize]| ends[span.start]..ends[span.end];
        self.spans.push((bytes(old, olds), bytes(new, news)));
    }

    /// The edits of the old text for the accepted hunks, sorted.
    pub(super) fn edits(&self, new: &str, accepted: &[usize]) -> Vec<(Range<usize>, String)> {
        let edit = |hunk: &usize| {
            let (from, to) = &self.spans[*hunk];
            (from.clone(), new[to.clone()].to_owned())
        };
        accepted.iter().map(edit).collect()
    }
}

/// The byte offsets at which lines begin, and the end of the last.
fn line_ends<'a>(lines: impl Iterator<Item = &'a str>) -> Vec<usize> {
    let mut ends = vec![0];
    let mut at = 0;
    ends.extend(lines.map(|line| {
        at += line.len();
        at
    }));
    ends
}

/// `text` with `edits` applied; they must be sorted and disjoint.
pub(super) fn apply_edits(text: &str, edits: &[(Range<usize>, String)]) -> String {
    let mut after = String::with_capacity(text.len());
    let mut at = 0;
    for (span, new) in edits {
        after.push_str(&text[at..span.start]);
        after.push_str(new);
        at = span.end;
    }
    after.push_str(&text[at..]);
    after
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hunk(of: [usize; 4]) -> ProposedHunk {
        let [old_start, old_lines, new_start, new_lines] = of;
        ProposedHunk { old_start, old_lines, new_start, new_lines }
    }

    #[test]
    fn hunks_are_runs_of_differing_lines() {
        let (old, new) = ("a\nb\nc\nd\ne\n", "A\nB\nc\nx\nd\n");
        let hunks = Hunks::between(old, new);
        assert_eq!(hunks.proposed, [hunk([1, 2, 1, 2]), hunk([3, 0, 4, 1]), hunk([5, 1, 5, 0])]);
        let some = |accepted: &[usize]| apply_edits(old, &hunks.edits(new, accepted));
        assert_eq!(some(&[0, 1, 2]), new);
        assert_eq!(some(&[]), old);
        assert_eq!(some(&[1]), "a\nb\nc\nx\nd\ne\n");
        assert_eq!(some(&[0, 2]), "A\nB\nc\nd\n");
        assert_eq!(hunks.joined().proposed, [hunk([1, 5, 1, 5])]);
    }

    #[test]
    fn line_endings_are_kept() {
        for (old, new) in [
            ("a\r\nb", "a\r\nb\r\n"),
            ("", "x"),
            ("x", ""),
            ("a\rb\rc", "a\rB\rc"),
            ("\u{e9}\n\u{1F600}", "\u{e9}\n\u{1F601}\nz"),
        ] {
            let hunks = Hunks::between(old, new);
            let all: Vec<_> = (0..hunks.proposed.len()).collect();
            assert_eq!(apply_edits(old, &hunks.edits(new, &all)), new, "{old:?}");
            let whole = Hunks::between(old, new).joined();
            assert_eq!(whole.proposed.len(), 1);
            assert_eq!(apply_edits(old, &whole.edits(new, &[0])), new, "{old:?}");
        }
        assert!(Hunks::between("same\n", "same\n").proposed.is_empty());
    }
}
