//! Maps selections from earlier texts of an open document to the current one.

use std::collections::VecDeque;
use std::ops::Range as Span;

use text::{ContentChange, PositionEncoding, Text};

use crate::Document;
use crate::editor_state::Selection;

/// The replacement of one span of a text.
#[derive(Debug, Clone)]
pub(crate) struct Splice {
    span: Span<usize>,
    new_len: usize,
}

impl Splice {
    /// The effect of `change` from `before` to `after`; `None` if it changed nothing.
    pub(crate) fn from_change(
        before: &Text,
        after: &Text,
        change: &ContentChange,
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

    /// Maps a selection over the splice. `None` if the splice touches it: only the editor knows its
    /// position then.
    pub(crate) fn map_selection(&self, selection: Selection) -> Option<Selection> {
        let (changed, selected) = (&self.span, selection.span());
        if changed.is_empty() && self.new_len == 0 {
            return Some(selection);
        }
        if changed.is_empty() && selected.is_empty() && changed.start == selected.start {
            return None;
        }
        if changed.end <= selected.start {
            let shift = |at: usize| at - changed.len() + self.new_len;
            return Some(Selection {
                anchor: shift(selection.anchor),
                cursor: shift(selection.cursor),
            });
        }
        (changed.start >= selected.end).then_some(selection)
    }
}

/// The recent texts of one open document, oldest first, without the current one.
#[derive(Default)]
pub(crate) struct EarlierTexts {
    texts: VecDeque<EarlierText>,
    bytes: usize,
}

struct EarlierText {
    version: i32,
    revision: u64,
    text: Text,
    /// The splices that lead to the next text.
    splices: Vec<Splice>,
    bytes: usize,
}

/// Maximum number of texts per document; an editor's report lags behind by a few.
const MAX_TEXTS: usize = 128;
/// Maximum number of bytes per document: removed and inserted text of the splices.
const MAX_BYTES: usize = 1 << 20;

impl EarlierTexts {
    /// Records a text that was just replaced. After a change of the `whole` text, the two texts
    /// share no memory, so the old one is counted in full.
    pub(crate) fn record(&mut self, replaced: &Document, splices: Vec<Splice>, whole: bool) {
        let bytes = splices.iter().map(|s| s.span.len() + s.new_len + size_of::<Splice>());
        let bytes = bytes.sum::<usize>() + if whole { replaced.text().len() } else { 0 };
        let (version, revision) = (replaced.version(), replaced.revision());
        let text = replaced.text().clone();
        self.texts.push_back(EarlierText { version, revision, text, splices, bytes });
        self.bytes += bytes;
        while self.texts.len() > MAX_TEXTS || self.bytes > MAX_BYTES {
            let Some(oldest) = self.texts.pop_front() else { break };
            self.bytes -= oldest.bytes;
        }
    }

    /// The texts with this version.
    pub(crate) fn with_version(&self, version: i32) -> impl Iterator<Item = (u64, &Text)> {
        let has = move |past: &&EarlierText| past.version == version;
        self.texts.iter().filter(has).map(|past| (past.revision, &past.text))
    }

    /// Maps selections from the text with this revision to the current one. `None` if it is not
    /// kept, or if a selection was touched.
    pub(crate) fn map_selections(
        &self,
        revision: u64,
        selections: &[Selection],
    ) -> Option<Vec<Selection>> {
        let from = self.texts.iter().position(|past| past.revision == revision)?;
        let splices = self.texts.range(from..).flat_map(|past| &past.splices);
        map_selections(splices, selections)
    }
}

/// Maps selections over successive `splices`.
pub(crate) fn map_selections<'a>(
    splices: impl IntoIterator<Item = &'a Splice>,
    selections: &[Selection],
) -> Option<Vec<Selection>> {
    let mut mapped = selections.to_vec();
    for splice in splices {
        for selection in &mut mapped {
            *selection = splice.map_selection(*selection)?;
        }
    }
    Some(mapped)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mapped(
        span: Span<usize>,
        new_len: usize,
        anchor: usize,
        cursor: usize,
    ) -> Option<(usize, usize)> {
        let mapped = Splice { span, new_len }.map_selection(Selection { anchor, cursor });
        mapped.map(|s| (s.anchor, s.cursor))
    }

    #[test]
    fn selections_beside_a_change_are_mapped_and_touched_ones_are_lost() {
        // Before, after and adjacent to the selection.
        assert_eq!(mapped(0..2, 5, 4, 6), Some((7, 9)));
        assert_eq!(mapped(7..9, 0, 4, 6), Some((4, 6)));
        assert_eq!(mapped(2..4, 0, 4, 6), Some((2, 4)));
        assert_eq!(mapped(4..4, 3, 4, 6), Some((7, 9)));
        assert_eq!(mapped(6..6, 3, 4, 6), Some((4, 6)));
        assert_eq!(mapped(6..9, 3, 6, 4), Some((6, 4)));
        // Inside, across an end, identical, around.
        for span in [5..5, 3..5, 5..7, 4..6, 0..9] {
            assert_eq!(mapped(span, 1, 4, 6), None);
        }
        // A cursor: a change beside it is unambiguous, an insertion at it is not.
        assert_eq!(mapped(3..4, 0, 4, 4), Some((3, 3)));
        assert_eq!(mapped(4..5, 0, 4, 4), Some((4, 4)));
        assert_eq!(mapped(4..4, 1, 4, 4), None);
        assert_eq!(mapped(4..4, 0, 4, 4), Some((4, 4)));
        assert_eq!(mapped(3..5, 2, 4, 4), None);
    }

    #[test]
    fn history_is_bounded() {
        let mut history = EarlierTexts::default();
        let document = Document::new("file:///a", "", 1, "x", 1);
        for _ in 0..10_000 {
            history.record(&document, vec![Splice { span: 0..0, new_len: 1 }], false);
        }
        assert_eq!(history.texts.len(), MAX_TEXTS);
        history.record(&document, vec![Splice { span: 0..0, new_len: 2 * MAX_BYTES }], false);
        assert_eq!((history.texts.len(), history.bytes), (0, 0));
        let large = Document::new("file:///a", "", 1, &"x".repeat(MAX_BYTES / 2), 1);
        for _ in 0..10 {
            history.record(&large, Vec::new(), true);
        }
        assert_eq!(history.texts.len(), 2);
    }
}
