//! What has become of an open document's places since an earlier state of it.

use std::collections::VecDeque;
use std::ops::Range as Span;

use text::{Change, PositionEncoding, Text};

use crate::Document;
use crate::editor_state::Selection;

/// One span of a text replaced by something else.
#[derive(Debug, Clone)]
pub(crate) struct Splice {
    span: Span<usize>,
    new_len: usize,
}

impl Splice {
    /// What `change` did, which made `after` of `before`; `None` where that is nothing.
    pub(crate) fn of(
        before: &Text,
        after: &Text,
        change: &Change,
        encoding: PositionEncoding,
    ) -> Option<Self> {
        match change.range {
            Some(range) => {
                let span = before.span(range, encoding);
                Some(Self { span, new_len: change.text.len() })
            }
            None => {
                let (span, new) = before.difference(after)?;
                Some(Self { span, new_len: new.len() })
            }
        }
    }

    /// Where a selection is afterwards. `None` where the splice touches it: nobody but the editor
    /// knows where it is then.
    pub(crate) fn carry(&self, selection: Selection) -> Option<Selection> {
        let (changed, selected) = (&self.span, selection.span());
        if changed.is_empty() && self.new_len == 0 {
            return Some(selection);
        }
        if changed.is_empty() && selected.is_empty() && changed.start == selected.start {
            return None;
        }
        if changed.end <= selected.start {
            let carry = |at: usize| at - changed.len() + self.new_len;
            return Some(Selection {
                anchor: carry(selection.anchor),
                cursor: carry(selection.cursor),
            });
        }
        (changed.start >= selected.end).then_some(selection)
    }
}

/// The last states of one open document, oldest first; not the one that it has now.
#[derive(Default)]
pub(crate) struct History {
    states: VecDeque<Past>,
    weight: usize,
}

struct Past {
    version: i32,
    revision: u64,
    text: Text,
    /// What led from this state to the next.
    splices: Vec<Splice>,
    weight: usize,
}

/// Most states kept of a document; an editor's report is behind by a few.
const STATES: usize = 128;
/// Most bytes that are kept for states' sake: what their changes took out and put in.
const WEIGHT: usize = 1 << 20;

impl History {
    /// Takes note of a state that has just been left. After a change of the whole text, the two
    /// states share nothing.
    pub(crate) fn record(&mut self, left: &Document, splices: Vec<Splice>, whole: bool) {
        let bytes = splices.iter().map(|s| s.span.len() + s.new_len + size_of::<Splice>());
        let weight = bytes.sum::<usize>() + if whole { left.text().len() } else { 0 };
        let (version, revision) = (left.version(), left.revision());
        let text = left.text().clone();
        self.states.push_back(Past { version, revision, text, splices, weight });
        self.weight += weight;
        while self.states.len() > STATES || self.weight > WEIGHT {
            let Some(oldest) = self.states.pop_front() else { break };
            self.weight -= oldest.weight;
        }
    }

    /// The texts that had this version.
    pub(crate) fn of_version(&self, version: i32) -> impl Iterator<Item = (u64, &Text)> {
        let has = move |past: &&Past| past.version == version;
        self.states.iter().filter(has).map(|past| (past.revision, &past.text))
    }

    /// Where selections of the state with this revision are now. `None` where it is not kept, or
    /// one of them has been touched.
    pub(crate) fn carry(&self, revision: u64, selections: &[Selection]) -> Option<Vec<Selection>> {
        let from = self.states.iter().position(|past| past.revision == revision)?;
        let splices = self.states.range(from..).flat_map(|past| &past.splices);
        carry(splices, selections)
    }
}

/// Where selections are after `splices`, each of the text that the one before made.
pub(crate) fn carry<'a>(
    splices: impl IntoIterator<Item = &'a Splice>,
    selections: &[Selection],
) -> Option<Vec<Selection>> {
    let mut carried = selections.to_vec();
    for splice in splices {
        for selection in &mut carried {
            *selection = splice.carry(*selection)?;
        }
    }
    Some(carried)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn carried(
        span: Span<usize>,
        new_len: usize,
        anchor: usize,
        cursor: usize,
    ) -> Option<(usize, usize)> {
        let carried = Splice { span, new_len }.carry(Selection { anchor, cursor });
        carried.map(|s| (s.anchor, s.cursor))
    }

    #[test]
    fn what_is_beside_a_change_is_carried_and_what_it_touches_is_not() {
        // Before, after, and just beside what is selected.
        assert_eq!(carried(0..2, 5, 4, 6), Some((7, 9)));
        assert_eq!(carried(7..9, 0, 4, 6), Some((4, 6)));
        assert_eq!(carried(2..4, 0, 4, 6), Some((2, 4)));
        assert_eq!(carried(4..4, 3, 4, 6), Some((7, 9)));
        assert_eq!(carried(6..6, 3, 4, 6), Some((4, 6)));
        assert_eq!(carried(6..9, 3, 6, 4), Some((6, 4)));
        // Inside, over an end, the very same, over all.
        for span in [5..5, 3..5, 5..7, 4..6, 0..9] {
            assert_eq!(carried(span, 1, 4, 6), None);
        }
        // A cursor: the change beside it is clear, one in its place is not.
        assert_eq!(carried(3..4, 0, 4, 4), Some((3, 3)));
        assert_eq!(carried(4..5, 0, 4, 4), Some((4, 4)));
        assert_eq!(carried(4..4, 1, 4, 4), None);
        assert_eq!(carried(4..4, 0, 4, 4), Some((4, 4)));
        assert_eq!(carried(3..5, 2, 4, 4), None);
    }

    #[test]
    fn history_is_bounded() {
        let mut history = History::default();
        let document = Document::new("file:///a", "", 1, "x", 1);
        for _ in 0..10_000 {
            history.record(&document, vec![Splice { span: 0..0, new_len: 1 }], false);
        }
        assert_eq!(history.states.len(), STATES);
        history.record(&document, vec![Splice { span: 0..0, new_len: 2 * WEIGHT }], false);
        assert_eq!((history.states.len(), history.weight), (0, 0));
        let large = Document::new("file:///a", "", 1, &"x".repeat(WEIGHT / 2), 1);
        for _ in 0..10 {
            history.record(&large, Vec::new(), true);
        }
        assert_eq!(history.states.len(), 2);
    }
}
