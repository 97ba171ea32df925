//! Indexes the files that a query needs before the initial indexing reaches them.
//!
//! A query that cannot wait for the whole index searches the texts of unindexed files for the names
//! that its result depends on, and indexes the files that contain them.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use memchr::memmem::Finder;
use names::{
    FileId, NamePath, QueryDependencies, is_same_language_family, with_dependency_tracking,
};
use parking_lot::Mutex;
use rustc_hash::{FxHashMap, FxHashSet};
use syntax::Language;

use super::Indexer;
use super::threads::STACK_BYTES;
use crate::{FilePath, QueryError, Snapshot};

/// Maximum number of rounds: each indexes the files that the previous result depends on.
const MAX_ROUNDS: usize = 24;
/// Maximum number of files that one query indexes early.
const MAX_FILES: usize = 1_500;
/// Time limit of one query. Files are not indexed twice, so a query that must wait for the whole
/// index in the end loses little.
const TIME_LIMIT: Duration = Duration::from_secs(3);
/// Maximum number of bytes of texts that are cached for later searches.
const MAX_CACHED_TEXT_BYTES: usize = 64 << 20;
/// Maximum number of threads per query.
const MAX_THREADS: usize = 8;

/// The files that the initial indexing found, while it runs.
pub(super) struct UnindexedFiles {
    files: Vec<UnindexedFile>,
    by_id: FxHashMap<FileId, usize>,
    cached_bytes: AtomicUsize,
}

pub(super) struct UnindexedFile {
    pub(super) path: FilePath,
    pub(super) language: Language,
    pub(super) id: FileId,
    /// Its text once it was searched; empty if it cannot be read.
    text: OnceLock<Box<[u8]>>,
}

impl UnindexedFiles {
    pub(super) fn new(files: Vec<(FilePath, Language, FileId)>) -> Self {
        let by_id = files.iter().enumerate().map(|(n, (_, _, id))| (*id, n)).collect();
        let files = files.into_iter().map(|(path, language, id)| {
            let text = OnceLock::new();
            UnindexedFile { path, language, id, text }
        });
        Self { files: files.collect(), by_id, cached_bytes: AtomicUsize::new(0) }
    }

    pub(super) fn files(&self) -> &[UnindexedFile] {
        &self.files
    }

    /// Calls `search` with the text of a file, which is empty if it cannot be read.
    fn with_text<T>(&self, file: &UnindexedFile, search: impl FnOnce(&[u8]) -> T) -> T {
        if let Some(text) = file.text.get() {
            return search(text);
        }
        let text = match file.path.root.read(&file.path.relative, "") {
            Ok((bytes, _)) if bytes.len() as u64 <= super::MAX_FILE_BYTES => {
                bytes.into_boxed_slice()
            }
            _ => Box::default(),
        };
        let found = search(&text);
        if self.cached_bytes.fetch_add(text.len(), Ordering::Relaxed) < MAX_CACHED_TEXT_BYTES {
            let _ = file.text.set(text);
        }
        found
    }
}

/// Whether a text is probably not UTF-8 (NUL or a UTF-16 byte order mark), so that searching it for
/// names is meaningless.
fn is_not_utf8(text: &[u8]) -> bool {
    text.iter().take(2).any(|byte| matches!(byte, 0 | 0xfe | 0xff))
}

pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Whether a text contains the needle as a whole word.
fn is_word_in(text: &[u8], finder: &Finder<'_>) -> bool {
    occurrences(text, finder).next().is_some()
}

/// Whether a text contains a name where it may be defined. `.name(` is a call in every indexed
/// language: definitions after a dot (`self.name = …`, `exports.name = …`, `M.name::<T>`) have no
/// parenthesis directly after the name.
fn may_define(text: &[u8], finder: &Finder<'_>) -> bool {
    let len = finder.needle().len();
    occurrences(text, finder).any(|at| !is_call_of_member(text, at..at + len))
}

/// Whether a word is a called member: `.word(`.
pub(super) fn is_call_of_member(text: &[u8], word: Range<usize>) -> bool {
    word.start > 0 && text[word.start - 1] == b'.' && text.get(word.end) == Some(&b'(')
}

/// The offsets where the needle occurs as a whole word.
fn occurrences<'t>(text: &'t [u8], finder: &'t Finder<'_>) -> impl Iterator<Item = usize> + 't {
    let needle = finder.needle();
    finder.find_iter(text).filter(move |&at| {
        let before = at.checked_sub(1).map(|at| text[at]);
        let behind = text.get(at + needle.len()).copied();
        let goes_on =
            needle.last().is_some_and(|last| is_word(*last)) && behind.is_some_and(is_word);
        !goes_on && !before.is_some_and(is_word)
    })
}

/// Runs `work` for each item on as many threads as there are cores. It does not use a thread pool:
/// a waiting pool thread would pick up other queries, and some of those wait for the whole index.
pub(super) fn for_each_parallel<T: Sync>(all: &[T], work: impl Fn(&T) + Sync) {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    let run = || {
        while let Some(one) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
            work(one);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..cores.min(MAX_THREADS).min(all.len()) {
            let thread =
                std::thread::Builder::new().name("early".to_owned()).stack_size(STACK_BYTES);
            // If no thread can be started, this thread does the work.
            let _ = thread.spawn_scoped(scope, run);
        }
        run();
    });
}

/// Pauses the initial indexing while a query indexes files early.
pub(super) struct BackgroundPause<'a>(&'a Indexer);

impl<'a> BackgroundPause<'a> {
    pub(super) fn new(indexer: &'a Indexer, deadline: Instant) -> Self {
        let mut early_queries = indexer.early_queries.lock();
        early_queries.0 += 1;
        early_queries.1 = Some(deadline);
        drop(early_queries);
        Self(indexer)
    }
}

impl Drop for BackgroundPause<'_> {
    fn drop(&mut self) {
        self.0.early_queries.lock().0 -= 1;
    }
}

impl Indexer {
    /// Waits while queries index files early, up to their deadline.
    pub(super) fn wait_for_early_queries(&self, interrupt: &AtomicBool) {
        let has_early_query = || {
            let early_queries = *self.early_queries.lock();
            early_queries.0 > 0 && early_queries.1.is_some_and(|until| Instant::now() < until)
        };
        while has_early_query() && !interrupt.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Snapshot {
    /// Runs `query` during the initial indexing: indexes the files that its result depends on and
    /// runs it again, until the result equals that of the complete index. `None` if this exceeds
    /// the limits or indexing is complete. If `language` is given, only files of its family matter.
    pub(crate) fn query_early<T>(
        &self,
        language: Option<Language>,
        interrupt: &AtomicBool,
        mut query: impl FnMut() -> Result<T, QueryError>,
    ) -> Result<Option<T>, QueryError> {
        let Some(unindexed) = self.unindexed_files(interrupt)? else { return Ok(None) };
        let deadline = Instant::now() + TIME_LIMIT;
        let _pause = BackgroundPause::new(&self.indexer, deadline);
        let (mut searched, mut read) = (FxHashSet::default(), FxHashSet::default());
        let mut rounds = 0;
        while rounds < MAX_ROUNDS {
            let left = self.indexer.index.read().unindexed_count();
            let (result, missing) = with_dependency_tracking(&mut query);
            let result = result?;
            if missing.everything {
                return Ok(None);
            }
            // Each text is searched once and each file indexed once, so the rounds converge: when
            // a result depends on nothing new, the complete index would give the same one.
            let new = self.missing_files(&unindexed, missing, language, &mut searched);
            let new: Vec<_> = new.into_iter().filter(|n| read.insert(*n)).collect();
            if interrupt.load(Ordering::Relaxed) {
                return Err(QueryError::Interrupted);
            }
            // A file that another thread indexed after the query read the index, and before its text
            // was searched, is missing in both.
            let is_current = self.indexer.index.read().unindexed_count() == left;
            if new.is_empty() && is_current {
                return Ok(Some(result));
            }
            if read.len() > MAX_FILES || Instant::now() > deadline {
                return Ok(None);
            }
            rounds += usize::from(!new.is_empty());
            for_each_parallel(&new, |n| self.index_early(&unindexed.files[*n], interrupt));
        }
        Ok(None)
    }

    pub(super) fn index_early(&self, file: &UnindexedFile, interrupt: &AtomicBool) {
        if let Err(error) = self.index_file(&file.path, file.language, interrupt) {
            tracing::debug!("not indexed: {error}");
            self.indexer.index.write().remove_unindexed(file.id);
        }
    }

    /// The unindexed files that a result depends on.
    fn missing_files(
        &self,
        unindexed: &UnindexedFiles,
        missing: QueryDependencies,
        language: Option<Language>,
        searched: &mut FxHashSet<Box<str>>,
    ) -> Vec<usize> {
        let texts: Vec<_> =
            missing.texts.into_iter().filter(|text| searched.insert(text.clone())).collect();
        let finders: Vec<_> = texts.iter().map(|text| Finder::new(text.as_bytes())).collect();
        let known = |id: &FileId| unindexed.by_id.get(id).copied();
        let mut all: Vec<usize> = missing.unindexed_files.iter().filter_map(known).collect();
        if !finders.is_empty() {
            let is_same_family = |file: &UnindexedFile| {
                language.is_none_or(|own| is_same_language_family(file.language.id(), own.id()))
            };
            let contains_any = |text: &[u8]| finders.iter().any(|finder| is_word_in(text, finder));
            all.extend(self.files_containing(unindexed, is_same_family, contains_any));
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    /// The numbers of unindexed `candidate` files whose text satisfies `matches`. Files that cannot
    /// be searched are included.
    fn files_containing(
        &self,
        unindexed: &UnindexedFiles,
        candidate: impl Fn(&UnindexedFile) -> bool,
        matches: impl Fn(&[u8]) -> bool + Sync,
    ) -> Vec<usize> {
        let is_match = |text: &[u8]| (is_not_utf8(text) || matches(text)).then_some(());
        let found = self.search_unindexed(unindexed, candidate, is_match);
        found.into_iter().map(|(n, ())| n).collect()
    }

    /// The results of `search` on the texts of unindexed `candidate` files, with their numbers, in
    /// no particular order.
    pub(super) fn search_unindexed<T: Send>(
        &self,
        unindexed: &UnindexedFiles,
        candidate: impl Fn(&UnindexedFile) -> bool,
        search: impl Fn(&[u8]) -> Option<T> + Sync,
    ) -> Vec<(usize, T)> {
        let left: Vec<usize> = {
            let index = self.indexer.index.read();
            let is_unindexed = |n: &usize| {
                let file = &unindexed.files[*n];
                index.is_unindexed(file.id) && candidate(file)
            };
            (0..unindexed.files.len()).filter(is_unindexed).collect()
        };
        let found = Mutex::new(Vec::new());
        for_each_parallel(&left, |n| {
            if let Some(seen) = unindexed.with_text(&unindexed.files[*n], &search) {
                found.lock().push((*n, seen));
            }
        });
        found.into_inner()
    }

    /// Indexes early the files at or below `below` that may define the last part of a name path and
    /// mention the others. False if this exceeds the time limit.
    pub(crate) fn index_files_mentioning(
        &self,
        path: &NamePath,
        below: &FilePath,
        interrupt: &AtomicBool,
    ) -> Result<bool, QueryError> {
        let Some(unindexed) = self.unindexed_files(interrupt)? else { return Ok(true) };
        if self.has_deadline_passed() {
            return Ok(false);
        }
        let deadline = Instant::now() + TIME_LIMIT;
        let _pause = BackgroundPause::new(&self.indexer, deadline);
        let last = path.parts().len().saturating_sub(1);
        let is_word = |text: &str| text.chars().all(|c| c.is_alphanumeric() || c == '_');
        let finder = |(n, part): (usize, &'_ String)| {
            let is_whole = is_word(part) && !(n == last && path.is_substring());
            (Finder::new(part.as_bytes()).into_owned(), is_whole, n == last)
        };
        let finders: Vec<_> = path.parts().iter().enumerate().map(finder).collect();
        let contains_all = |text: &[u8]| {
            finders.iter().all(|(finder, is_whole, is_last)| match (is_whole, is_last) {
                (true, true) => may_define(text, finder),
                (true, false) => is_word_in(text, finder),
                (false, _) => finder.find(text).is_some(),
            })
        };
        let found =
            self.files_containing(&unindexed, |file| file.path.is_within(below), contains_all);
        let is_timed_out = AtomicBool::new(false);
        for_each_parallel(&found, |n| {
            if Instant::now() > deadline {
                is_timed_out.store(true, Ordering::Relaxed);
            } else if !interrupt.load(Ordering::Relaxed) {
                self.index_early(&unindexed.files[*n], interrupt);
            }
        });
        match interrupt.load(Ordering::Relaxed) {
            true => Err(QueryError::Interrupted),
            false => Ok(!is_timed_out.into_inner()),
        }
    }

    /// The files of the running initial indexing; `None` if it is complete, or has not begun by
    /// this snapshot's deadline.
    pub(super) fn unindexed_files(
        &self,
        interrupt: &AtomicBool,
    ) -> Result<Option<Arc<UnindexedFiles>>, QueryError> {
        self.begin_index();
        let mut progress = self.indexer.progress.lock();
        loop {
            if progress.complete {
                return Ok(None);
            }
            if let Some(unindexed) = self.indexer.unindexed.lock().clone() {
                return Ok(Some(unindexed));
            }
            if interrupt.load(Ordering::Relaxed) {
                return Err(QueryError::Interrupted);
            }
            if self.query_deadline.as_ref().is_some_and(|deadline| deadline.has_passed(*progress)) {
                return Ok(None);
            }
            self.indexer.progressed.wait_for(&mut progress, Duration::from_millis(5));
        }
    }

    /// Whether this snapshot's deadline for the index has passed.
    pub(super) fn has_deadline_passed(&self) -> bool {
        let progress = *self.indexer.progress.lock();
        self.query_deadline.as_ref().is_some_and(|deadline| deadline.has_passed(progress))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn needles_match_whole_words() {
        let is_word_in =
            |text: &str, needle: &str| is_word_in(text.as_bytes(), &Finder::new(needle));
        assert!(
            is_word_in("area", "area")
                && is_word_in("x.area(1)", "area")
                && is_word_in("r#area", "area")
        );
        assert!(
            !is_word_in("areas", "area")
                && !is_word_in("my_area", "area")
                && !is_word_in("", "area")
        );
        assert!(is_word_in("areas area", "area") && !is_word_in("\u{e9}area", "area"));
        assert!(
            is_word_in("package a.b;x", "package a.b;")
                && !is_word_in("package a.bc", "package a.b")
        );
    }

    #[test]
    fn a_called_member_is_not_a_definition() {
        let defined = |text: &str| may_define(text.as_bytes(), &Finder::new("save"));
        assert!(!defined("x.save()") && !defined("a.b.save(1).save(2)") && !defined("saves = 1"));
        for text in [
            "def save(self)",
            "self.save = 1",
            "exports.save = function () {}",
            "func (m *Model) save() {}",
            "x.save()\nsave = 2",
            "void Model::save() {}",
        ] {
            assert!(defined(text), "{text}");
        }
    }
}
