//! A hunk: lines marked with blank, minus and plus, in diffs and envelopes.

use crate::lines::TextLine;
use crate::patch::Patch;

/// The two texts of a hunk.
#[derive(Default)]
pub(super) struct Hunk {
    texts: HunkTexts,
    /// The same, under the assumption that context lines have no marker: a leading blank is
    /// indentation.
    unmarked: HunkTexts,
    /// Whether the two readings differ.
    readings_differ: bool,
    /// Endings of empty lines at the end. They are context if more lines follow, otherwise separators.
    pending: Vec<&'static str>,
    /// Whether the last line belongs to the old and to the new text.
    last: (bool, bool),
}

#[derive(Default)]
struct HunkTexts {
    old: String,
    new: String,
    /// Lines of each.
    count: (usize, usize),
}

impl HunkTexts {
    fn push(&mut self, (old, new): (bool, bool), text: &str, ending: &str) {
        for (is_side, side) in [(old, &mut self.old), (new, &mut self.new)] {
            if is_side {
                side.push_str(text);
                side.push_str(ending);
            }
        }
        self.count.0 += usize::from(old);
        self.count.1 += usize::from(new);
    }

    fn without_ending(&mut self, last: (bool, bool)) {
        for (is_side, side) in [(last.0, &mut self.old), (last.1, &mut self.new)] {
            if is_side && side.ends_with('\n') {
                side.pop();
                if side.ends_with('\r') {
                    side.pop();
                }
            }
        }
    }
}

impl Hunk {
    pub(super) fn add(&mut self, line: &TextLine<'_>) {
        let ending = if line.ending.as_str() == "\r\n" { "\r\n" } else { "\n" };
        if line.content.is_empty() {
            self.pending.push(ending);
            return;
        }
        self.flush_pending();
        let (mark, text) = line.content.split_at_checked(1).unwrap_or(("", line.content));
        let (old, new, text) = match mark {
            " " => (true, true, text),
            "-" => (true, false, text),
            "+" => (false, true, text),
            // A context line whose marker is missing.
            _ => (true, true, line.content),
        };
        self.texts.push((old, new), text, ending);
        let whole = if old && new { line.content } else { text };
        self.unmarked.push((old, new), whole, ending);
        self.readings_differ |= whole != text && !whole.trim().is_empty();
        self.last = (old, new);
    }

    fn flush_pending(&mut self) {
        for ending in std::mem::take(&mut self.pending) {
            self.texts.push((true, true), "", ending);
            self.unmarked.push((true, true), "", ending);
            self.last = (true, true);
        }
    }

    /// The last line has no ending in the texts it belongs to.
    pub(super) fn without_ending(&mut self) {
        self.flush_pending();
        self.texts.without_ending(self.last);
        self.unmarked.without_ending(self.last);
    }

    /// Number of lines of the old and the new text.
    pub(super) fn count(&self) -> (usize, usize) {
        let (old, new) = self.texts.count;
        (old + self.pending.len(), new + self.pending.len())
    }

    pub(super) fn is_empty(&self) -> bool {
        self.texts.old.is_empty() && self.texts.new.is_empty()
    }

    pub(super) fn patch(self) -> Patch {
        let unmarked = self.readings_differ.then_some((self.unmarked.old, self.unmarked.new));
        Patch { unmarked, ..Patch::new(self.texts.old, self.texts.new) }
    }
}
