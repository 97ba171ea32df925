//! Names that are spelled much like one, while the workspace is first read.
//!
//! Which names there are only the whole index knows. What is not there is asked for often, by people and
//! agents who guess, so they are not kept waiting for that: the texts are searched for words like
//! the name, and few files that seem to define some are read before their turn.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use names::Spelling;
use rustc_hash::FxHashSet;

use super::unread::{Hurry, each, is_call_of_member, is_word};
use crate::Snapshot;

/// Most files that are read for names like one.
const MOST_FILES: usize = 24;
/// Longest time that this takes, but for the search of the texts.
const TIME: Duration = Duration::from_secs(1);
/// Words that come right before the name of what they define, in one language or another. They decide
/// which files are read first, and nothing else.
const DEFINING: &[&[u8]] = &[
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

/// How near the nearest word of a text is; less is nearer.
type Nearness = (usize, bool);

impl Snapshot {
    /// Defined names that are spelled much like one, the nearest first. Never waits for files that
    /// have not been read, of which few are read before their turn.
    #[must_use]
    pub fn names_near(&self, name: &str, limit: usize, interrupt: &AtomicBool) -> Vec<String> {
        self.read_near(name, interrupt);
        let index = self.indexer.index.read();
        index.names_near(name, limit).into_iter().map(str::to_owned).collect()
    }

    fn read_near(&self, name: &str, interrupt: &AtomicBool) {
        let Ok(Some(unread)) = self.unread_files(interrupt) else { return };
        let deadline = Instant::now() + TIME;
        let _hurry = Hurry::new(&self.indexer, deadline);
        let spelling = Spelling::new(name);
        let mut found = self.search_unread(
            &unread,
            |_| true,
            |text| (!interrupt.load(Ordering::Relaxed)).then(|| nearest(text, &spelling))?,
        );
        found.sort_unstable_by_key(|(n, nearness)| (*nearness, *n));
        found.truncate(MOST_FILES);
        each(&found, |(n, _)| {
            if !interrupt.load(Ordering::Relaxed) && Instant::now() < deadline {
                self.read_early(&unread.files()[*n], interrupt);
            }
        });
    }
}

/// The nearest word of a text that may be defined there: how many letters differ, and whether nothing
/// says that it is defined. O(text), and a comparison for each different word of about the length.
fn nearest(text: &[u8], spelling: &Spelling<'_>) -> Option<Nearness> {
    let mut best: Option<Nearness> = None;
    let (mut seen, mut before) = (FxHashSet::default(), 0..0);
    let mut at = 0;
    while let Some(start) = text[at..].iter().position(|byte| is_word(*byte)).map(|n| at + n) {
        let len = text[start..].iter().position(|byte| !is_word(*byte));
        let end = len.map_or(text.len(), |len| start + len);
        let (word, last) = (&text[start..end], before);
        (at, before) = (end, start..end);
        if !spelling.may_be_of_length(word.len()) || is_call_of_member(text, start..end) {
            continue;
        }
        let is_apart = text[last.end..start].iter().any(|byte| !matches!(byte, b' ' | b'\t'));
        let is_unsure = is_apart || !DEFINING.contains(&&text[last]);
        if seen.insert((word, is_unsure))
            && let Some(distance) = str::from_utf8(word).ok().and_then(|w| spelling.distance(w))
            && distance > 0
        {
            let nearness = (distance, is_unsure);
            best = Some(best.map_or(nearness, |best| best.min(nearness)));
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_word_that_may_be_defined_counts() {
        let near = |text: &str| nearest(text.as_bytes(), &Spelling::new("get_object"));
        assert_eq!(near("def get_objects(): pass"), Some((1, false)));
        assert_eq!(near("from a import get_objects"), Some((1, true)));
        assert_eq!(near("x.get_objects()\ndef get_subject(): pass"), Some((2, false)));
        assert_eq!(near("def\nget_objects"), Some((1, true)));
        assert_eq!(near("get_object = 1; something = 2"), None);
        assert_eq!(near(""), None);
    }
}
