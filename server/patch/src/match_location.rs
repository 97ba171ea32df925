//! Where `old_text` occurs: what the tiers return.

use std::ops::Range;

use crate::indent::IndentMap;
use crate::plan::Strategy;

/// A match of `old_text` in the snapshot.
#[derive(Debug, Clone)]
pub(crate) struct MatchLocation {
    /// Bytes of the snapshot.
    pub(crate) span: Range<usize>,
    pub(crate) strategy: Strategy,
    /// How the indentation of the patch becomes the file's.
    pub(crate) map: IndentMap,
    /// For each line of `old_text` the matching line, counted from the first line of the span.
    /// `None` if lines correspond one to one.
    pub(crate) aligned: Option<Vec<Option<usize>>>,
    /// Whether whole lines matched. An unterminated blank line at the end of either text of the
    /// patch is dropped then.
    pub(crate) whole_lines: bool,
    pub(crate) similarity: Option<f64>,
}

impl MatchLocation {
    pub(crate) fn from_span(span: Range<usize>, strategy: Strategy) -> MatchLocation {
        MatchLocation {
            span,
            strategy,
            map: IndentMap::Identity,
            aligned: None,
            whole_lines: false,
            similarity: None,
        }
    }
}

/// All matches of the deciding tier.
#[derive(Debug, Default)]
pub(crate) struct MatchSet {
    pub(crate) places: Vec<MatchLocation>,
    /// More candidates exist than were examined.
    pub(crate) more: bool,
}

impl MatchSet {
    pub(crate) fn is_empty(&self) -> bool {
        self.places.is_empty() && !self.more
    }
}
