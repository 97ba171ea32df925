//! Finds similarly spelled names during the initial indexing.
//!
//! Only the complete index knows all names. But people and agents often guess names that do not
//! exist, and should not wait for it. So the texts are searched for words similar to the name, and
//! the few files that seem to define one are indexed early.
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use names::NameSimilarity;
use rustc_hash::FxHashSet;

use super::early_indexing::{BackgroundPause, for_each_parallel, is_call_of_member, is_word};
use crate::Snapshot;

/// Maximum number of files indexed early for one name.
const MAX_FILES: usize = 24;
/// Time limit, excluding the search of the texts.
const TIME_LIMIT: Duration = Duration::from_secs(1);
/// Keywords before the name in a definition, in any language. They only decide which files are
/// indexed first.
const DEFINING_KEYWORDS: &[&[u8]] = &[
    b"class",
    b"const",
    b"def",
    b"define",
    b"enum",
    b"fn",
    b"func",
    b"function",
    b"interface",
    b"let",
    b"macro_rules",
    b"mod",
    b"module",
    b"namespace",
    b"record",
    b"static",
    b"struct",
    b"trait",
    b"type",
    b"typedef",
    b"union",
    b"var",
];

/// The distance of a text's most similar word, and whether it is not preceded by a keyword.
type WordDistance = (usize, bool);

impl Snapshot {
    /// Defined names that are spelled similarly, most similar first. It does not wait for the
    /// initial indexing; a few files are indexed early.
    #[must_use]
    pub fn similar_names(&self, name: &str, limit: usize, interrupt: &AtomicBool) -> Vec<String> {
        self.index_similar(name, interrupt);
        let index = self.indexer.index.read();
        index.similar_names(name, limit).into_iter().map(str::to_owned).collect()
    }

    /// Indexes early the files that contain the most similar words.
    fn index_similar(&self, name: &str, interrupt: &AtomicBool) {
        let Ok(Some(unindexed)) = self.unindexed_files(interrupt) else { return };
        let deadline = Instant::now() + TIME_LIMIT;
        let _pause = BackgroundPause::new(&self.indexer, deadline);
        let spelling = NameSimilarity::new(name);
        let mut found = self.search_unindexed(
            &unindexed,
            |_| true,
            |text| (!interrupt.load(Ordering::Relaxed)).then(|| nearest_word(text, &spelling))?,
        );
        found.sort_unstable_by_key(|(n, distance_rank)| (*distance_rank, *n));
        found.truncate(MAX_FILES);
        for_each_parallel(&found, |(n, _)| {
            if !interrupt.load(Ordering::Relaxed) && Instant::now() < deadline {
                self.index_early(&unindexed.files()[*n], interrupt);
            }
        });
    }
}

/// The most similar word that the text may define. O(text), plus one comparison for each distinct
/// word of similar length.
fn nearest_word(text: &[u8], spelling: &NameSimilarity<'_>) -> Option<WordDistance> {
    let mut best: Option<WordDistance> = None;
    let (mut seen, mut before) = (FxHashSet::default(), 0..0);
    let mut at = 0;
    while let Some(start) = text[at..].iter().position(|byte| is_word(*byte)).map(|n| at + n) {
        let len = text[start..].iter().position(|byte| !is_word(*byte));
        let end = len.map_or(text.len(), |len| start + len);
        let (word, last) = (&text[start..end], before);
        (at, before) = (end, start..end);
        if !spelling.can_match_length(word.len()) || is_call_of_member(text, start..end) {
            continue;
        }
        let is_separated = text[last.end..start].iter().any(|byte| !matches!(byte, b' ' | b'\t'));
        let has_no_keyword = is_separated || !DEFINING_KEYWORDS.contains(&&text[last]);
        if seen.insert((word, has_no_keyword))
            && let Some(distance) = str::from_utf8(word).ok().and_then(|w| spelling.distance(w))
            && distance > 0
        {
            let distance_rank = (distance, has_no_keyword);
            best = Some(best.map_or(distance_rank, |best| best.min(distance_rank)));
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_most_similar_word_that_may_be_defined_counts() {
        let near = |text: &str| nearest_word(text.as_bytes(), &NameSimilarity::new("get_object"));
        assert_eq!(near("def get_objects(): pass"), Some((1, false)));
        assert_eq!(near("from a import get_objects"), Some((1, true)));
        assert_eq!(near("x.get_objects()\ndef get_subject(): pass"), Some((2, false)));
        assert_eq!(near("def\nget_objects"), Some((1, true)));
        assert_eq!(near("get_object = 1; something = 2"), None);
        assert_eq!(near(""), None);
    }
}
