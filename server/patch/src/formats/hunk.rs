//! A run of lines marked with blank, minus and plus, as diffs and envelopes have them.

use crate::lines::Piece;
use crate::patch::Patch;

/// The two texts of a hunk.
#[derive(Default)]
pub(super) struct Hunk {
    sides: Sides,
    /// The same lines, for a hunk whose context was written without marks: a line that begins
    /// with a blank has it from its indentation.
    unmarked: Sides,
    /// Whether the two readings differ.
    differs: bool,
    /// Unmarked empty lines, which may be context or only stand before what follows.
    pending: Vec<&'static str>,
    /// Which texts the last line went to.
    last: (bool, bool),
}

#[derive(Default)]
struct Sides {
    old: String,
    new: String,
    /// Lines of each.
    count: (usize, usize),
}

impl Sides {
    fn push(&mut self, (old, new): (bool, bool), text: &str, ending: &str) {
        for (wanted, side) in [(old, &mut self.old), (new, &mut self.new)] {
            if wanted {
                side.push_str(text);
                side.push_str(ending);
            }
        }
        self.count.0 += usize::from(old);
        self.count.1 += usize::from(new);
    }

    fn without_ending(&mut self, last: (bool, bool)) {
        for (wanted, side) in [(last.0, &mut self.old), (last.1, &mut self.new)] {
            if wanted && side.ends_with('\n') {
                side.pop();
                if side.ends_with('\r') {
                    side.pop();
                }
            }
        }
    }
}

impl Hunk {
    pub(super) fn add(&mut self, line: &Piece<'_>) {
        let ending = if line.ending.as_str() == "\r\n" { "\r\n" } else { "\n" };
        if line.content.is_empty() {
            self.pending.push(ending);
            return;
        }
        self.settle();
        let (mark, text) = line.content.split_at_checked(1).unwrap_or(("", line.content));
        let (old, new, text) = match mark {
            " " => (true, true, text),
            "-" => (true, false, text),
            "+" => (false, true, text),
            // A line of context whose mark was forgotten.
            _ => (true, true, line.content),
        };
        self.sides.push((old, new), text, ending);
        let whole = if old && new { line.content } else { text };
        self.unmarked.push((old, new), whole, ending);
        self.differs |= whole != text && !whole.trim().is_empty();
        self.last = (old, new);
    }

    fn settle(&mut self) {
        for ending in std::mem::take(&mut self.pending) {
            self.sides.push((true, true), "", ending);
            self.unmarked.push((true, true), "", ending);
            self.last = (true, true);
        }
    }

    /// The last line has no ending in the texts it belongs to.
    pub(super) fn without_ending(&mut self) {
        self.settle();
        self.sides.without_ending(self.last);
        self.unmarked.without_ending(self.last);
    }

    /// Lines before and after the change.
    pub(super) fn count(&self) -> (usize, usize) {
        let (old, new) = self.sides.count;
        (old + self.pending.len(), new + self.pending.len())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.sides.old.is_empty() && self.sides.new.is_empty()
    }

    pub(super) fn patch(self) -> Patch {
        let unmarked = self.differs.then_some((self.unmarked.old, self.unmarked.new));
        Patch { unmarked, ..Patch::new(self.sides.old, self.sides.new) }
    }
}
