//! Collects one page of results: the first ones in path order, in whatever order threads find
//! them.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering as Memory};

use parking_lot::Mutex;
use workspace::path_order;

use tools::budget::{BYTES, LINES};

/// Position of a result: root number, and path below the root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FilePosition {
    pub(super) root: usize,
    pub(super) path: Vec<u8>,
}

impl Ord for FilePosition {
    fn cmp(&self, other: &Self) -> Ordering {
        self.root.cmp(&other.root).then_with(|| path_order(&self.path, &other.path))
    }
}

impl PartialOrd for FilePosition {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// A result that uses part of the output budget.
pub(super) trait Hit {
    /// Its approximate size in bytes and lines of output.
    fn cost(&self) -> Cost;

    /// Its line, by which a later page continues. Unique and increasing within a file.
    fn line(&self) -> u64;
}

/// Part of the output budget.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Cost {
    pub(super) bytes: usize,
    pub(super) lines: usize,
}

impl Cost {
    pub(super) fn add(&mut self, other: Self) {
        self.bytes += other.bytes;
        self.lines += other.lines;
    }

    fn subtract(&mut self, other: Self) {
        self.bytes -= other.bytes;
        self.lines -= other.lines;
    }

    /// Whether it exceeds the output budget.
    pub(super) fn is_over(self) -> bool {
        self.bytes > BYTES || self.lines > LINES
    }
}

/// Files with their results, sorted by path.
pub(super) type Files<H> = Vec<(FilePosition, Vec<H>)>;
/// File and line of a page's last result.
pub(super) type LastHit = (FilePosition, u64);

/// Collects the first results, and rejects those that cannot be among them.
pub(super) struct Page<H> {
    limit: usize,
    max_per_file: usize,
    /// Whether the results are output, which has a budget.
    is_output: bool,
    full: AtomicBool,
    state: Mutex<PageState<H>>,
}

struct PageState<H> {
    files: BTreeMap<FilePosition, (Vec<H>, Cost)>,
    hits: usize,
    cost: Cost,
}

impl<H: Hit> Page<H> {
    /// A page of at most `limit` results.
    pub(super) fn new(limit: usize) -> Self {
        // One more than the page, to detect a next one.
        Self::with_limits(limit, limit + 1, true)
    }

    /// A page of the first `limit` files, with one result each.
    pub(super) fn of_files(limit: usize) -> Self {
        Self::with_limits(limit, 1, false)
    }

    fn with_limits(limit: usize, max_per_file: usize, is_output: bool) -> Self {
        let state = PageState { files: BTreeMap::new(), hits: 0, cost: Cost::default() };
        let full = AtomicBool::new(false);
        Self { limit, max_per_file, is_output, full, state: Mutex::new(state) }
    }

    /// Limit for the results of one file.
    pub(super) fn max_per_file(&self) -> usize {
        self.max_per_file
    }

    /// Whether results at or below `path` can be on this page.
    pub(super) fn may_matter(&self, root: usize, path: &[u8]) -> bool {
        if !self.full.load(Memory::Relaxed) {
            return true;
        }
        let state = self.state.lock();
        state.files.last_key_value().is_none_or(|(last, _)| {
            root.cmp(&last.root).then_with(|| path_order(path, &last.path)).is_le()
        })
    }

    /// Adds the results of one file.
    pub(super) fn add(&self, place: FilePosition, hits: Vec<H>) {
        let mut cost = Cost::default();
        hits.iter().for_each(|hit| cost.add(hit.cost()));
        let mut state = self.state.lock();
        state.hits += hits.len();
        state.cost.add(cost);
        state.files.insert(place, (hits, cost));
        while self.is_full(&state) {
            self.full.store(true, Memory::Relaxed);
            // Drop the last file if the page is full without it.
            let Some((place, (hits, cost))) = state.files.pop_last() else { return };
            state.hits -= hits.len();
            state.cost.subtract(cost);
            if !self.is_full(&state) {
                state.hits += hits.len();
                state.cost.add(cost);
                state.files.insert(place, (hits, cost));
                return;
            }
        }
    }

    fn is_full(&self, state: &PageState<H>) -> bool {
        state.hits > self.limit || (self.is_output && state.cost.is_over())
    }

    /// The results that fit, sorted, and the last one's position if there are more.
    pub(super) fn finish(self) -> (Files<H>, Option<LastHit>) {
        let mut room = Cost::default();
        let (mut count, mut files) = (0, Vec::new());
        let mut last = None;
        for (place, (hits, _)) in self.state.into_inner().files {
            let mut kept = Vec::new();
            for hit in hits {
                room.add(hit.cost());
                let is_over = self.is_output && room.is_over();
                if count == self.limit || (count > 0 && is_over) {
                    if !kept.is_empty() {
                        files.push((place, kept));
                    }
                    return (files, last);
                }
                count += 1;
                last = Some((place.clone(), hit.line()));
                kept.push(hit);
            }
            files.push((place, kept));
        }
        (files, None)
    }
}

/// The length of a text in JSON, in bytes.
pub(super) fn json_bytes(text: &str) -> usize {
    let escaped = |byte: u8| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' => 2,
        0..0x20 => 6,
        _ => 1,
    };
    text.bytes().map(escaped).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Hit for (u64, usize) {
        fn cost(&self) -> Cost {
            Cost { bytes: self.1, lines: 1 }
        }

        fn line(&self) -> u64 {
            self.0
        }
    }

    fn place(path: &str) -> FilePosition {
        FilePosition { root: 0, path: path.into() }
    }

    #[test]
    fn keeps_the_first_results_in_any_arrival_order() {
        let page = Page::new(3);
        for path in ["z", "m/b", "m.a", "b"] {
            page.add(place(path), vec![(1, 10), (2, 10)]);
        }
        assert!(page.may_matter(0, b"a") && page.may_matter(0, b"m"));
        assert!(!page.may_matter(0, b"m.a") && !page.may_matter(1, b"a"));
        let (files, next) = page.finish();
        let kept: Vec<_> =
            files.iter().map(|(place, hits)| (&place.path[..], hits.len())).collect();
        assert_eq!(kept, [(b"b".as_slice(), 2), (b"m/b", 1)]);
        assert_eq!(next, Some((place("m/b"), 1)));
    }

    #[test]
    fn the_last_page_has_no_cursor() {
        let page = Page::new(2);
        page.add(place("a"), vec![(1, 10), (2, 10)]);
        let (files, next) = page.finish();
        assert_eq!((files.len(), next), (1, None));
    }

    #[test]
    fn a_page_is_limited_in_bytes_but_has_one_result() {
        let page = Page::new(100);
        page.add(place("a"), vec![(1, 2 * BYTES), (2, 10)]);
        page.add(place("b"), vec![(1, 10)]);
        let (files, next) = page.finish();
        assert_eq!((files.len(), files[0].1.len()), (1, 1));
        assert_eq!(next, Some((place("a"), 1)));
    }
}
