//! Files that the first reading of the workspace has not come to, read before their turn.
//!
//! A question that cannot wait for the whole index has the texts searched for the names that its
//! answer depends on, and the files that hold them read first.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use memchr::memmem::Finder;
use names::{FileId, NamePath, Unread, noting_unread, same_family};
use parking_lot::Mutex;
use rustc_hash::{FxHashMap, FxHashSet};
use syntax::Language;

use super::Indexer;
use crate::{FilePath, QueryError, Snapshot};

/// Rounds of reading what the answer so far depends on.
const ROUNDS: usize = 24;
/// Most files that one question has read before their turn.
const MOST_FILES: usize = 1_500;
/// Longest time that one question reads. What is read before its turn is not read again, so a question
/// that has to wait for the whole index in the end loses little.
const TIME: Duration = Duration::from_secs(3);
/// Most bytes of texts that are kept to be searched again.
const MOST_TEXT: usize = 64 << 20;
/// Most threads of one question.
const MOST_THREADS: usize = 8;
/// Deep trees are walked by recursion in places.
const STACK: usize = 16 << 20;

/// The files that the first reading found, while it is under way.
pub(super) struct UnreadFiles {
    files: Vec<UnreadFile>,
    by_id: FxHashMap<FileId, usize>,
    held: AtomicUsize,
}

pub(super) struct UnreadFile {
    pub(super) path: FilePath,
    pub(super) language: Language,
    pub(super) id: FileId,
    /// Its text, once it has been searched; empty where it cannot be read.
    text: OnceLock<Box<[u8]>>,
}

impl UnreadFiles {
    pub(super) fn new(files: Vec<(FilePath, Language, FileId)>) -> Self {
        let by_id = files.iter().enumerate().map(|(n, (_, _, id))| (*id, n)).collect();
        let files = files.into_iter().map(|(path, language, id)| {
            let text = OnceLock::new();
            UnreadFile { path, language, id, text }
        });
        Self { files: files.collect(), by_id, held: AtomicUsize::new(0) }
    }

    pub(super) fn files(&self) -> &[UnreadFile] {
        &self.files
    }

    /// What `look` finds in the text of a file, which is empty where it cannot be read.
    fn with_text<T>(&self, file: &UnreadFile, look: impl FnOnce(&[u8]) -> T) -> T {
        if let Some(text) = file.text.get() {
            return look(text);
        }
        let text = match file.path.root.read(&file.path.relative, "") {
            Ok((bytes, _)) if bytes.len() as u64 <= super::LARGEST => bytes.into_boxed_slice(),
            _ => Box::default(),
        };
        let found = look(&text);
        if self.held.fetch_add(text.len(), Ordering::Relaxed) < MOST_TEXT {
            let _ = file.text.set(text);
        }
        found
    }
}

/// Whether a text spells names in other bytes than UTF-8 does, so that searching it says nothing.
fn spells_otherwise(text: &[u8]) -> bool {
    text.iter().take(2).any(|byte| matches!(byte, 0 | 0xfe | 0xff))
}

pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

/// Whether a text occurs where no word goes on before or behind it.
fn occurs(text: &[u8], finder: &Finder<'_>) -> bool {
    occurrences(text, finder).next().is_some()
}

/// Whether a name occurs where it may be defined. `.name(` is a call in every language that the index
/// knows: what is defined behind a dot (`self.name = …`, `exports.name = …`, `M.name::<T>`) has no
/// parenthesis right behind it.
fn may_be_defined(text: &[u8], finder: &Finder<'_>) -> bool {
    let len = finder.needle().len();
    occurrences(text, finder).any(|at| !is_call_of_member(text, at..at + len))
}

/// Whether a word is called as a member.
pub(super) fn is_call_of_member(text: &[u8], word: Range<usize>) -> bool {
    word.start > 0 && text[word.start - 1] == b'.' && text.get(word.end) == Some(&b'(')
}

/// Where a text occurs and no word goes on before or behind it.
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

/// Does work of each, on as many threads as there are cores. Not on those of a pool: they would
/// take up other questions while they wait, and some of these wait for the whole index.
pub(super) fn each<T: Sync>(all: &[T], work: impl Fn(&T) + Sync) {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let next = AtomicUsize::new(0);
    let run = || {
        while let Some(one) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
            work(one);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..cores.min(MOST_THREADS).min(all.len()) {
            let thread = std::thread::Builder::new().name("early".to_owned()).stack_size(STACK);
            // What cannot be had is done here.
            let _ = thread.spawn_scoped(scope, run);
        }
        run();
    });
}

/// Has the reading in the background wait while a question does not.
pub(super) struct Hurry<'a>(&'a Indexer);

impl<'a> Hurry<'a> {
    pub(super) fn new(indexer: &'a Indexer, until: Instant) -> Self {
        let mut hurried = indexer.hurried.lock();
        hurried.0 += 1;
        hurried.1 = Some(until);
        drop(hurried);
        Self(indexer)
    }
}

impl Drop for Hurry<'_> {
    fn drop(&mut self) {
        self.0.hurried.lock().0 -= 1;
    }
}

impl Indexer {
    /// Waits while questions have files read before their turn, as long as they may.
    pub(super) fn give_way(&self, interrupt: &AtomicBool) {
        let is_hurried = || {
            let hurried = *self.hurried.lock();
            hurried.0 > 0 && hurried.1.is_some_and(|until| Instant::now() < until)
        };
        while is_hurried() && !interrupt.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Snapshot {
    /// Asks while the workspace is being read: has read what the answer depends on, and asks
    /// again, until the answer is the one that the whole index would give. `None` where that takes
    /// too much, or everything has been read. Only files of the family of `language` matter, where
    /// it is given.
    pub(crate) fn ask_early<T>(
        &self,
        language: Option<Language>,
        interrupt: &AtomicBool,
        mut ask: impl FnMut() -> Result<T, QueryError>,
    ) -> Result<Option<T>, QueryError> {
        let Some(unread) = self.unread_files(interrupt)? else { return Ok(None) };
        let deadline = Instant::now() + TIME;
        let _hurry = Hurry::new(&self.indexer, deadline);
        let (mut searched, mut read) = (FxHashSet::default(), FxHashSet::default());
        for _ in 0..ROUNDS {
            let (answer, wanted) = noting_unread(&mut ask);
            let answer = answer?;
            if wanted.everything {
                return Ok(None);
            }
            let new = self.wanted_files(&unread, wanted, language, &mut searched);
            let new: Vec<_> = new.into_iter().filter(|n| read.insert(*n)).collect();
            if interrupt.load(Ordering::Relaxed) {
                return Err(QueryError::Interrupted);
            }
            if new.is_empty() {
                return Ok(Some(answer));
            }
            if read.len() > MOST_FILES || Instant::now() > deadline {
                return Ok(None);
            }
            each(&new, |n| self.read_early(&unread.files[*n], interrupt));
        }
        Ok(None)
    }

    pub(super) fn read_early(&self, file: &UnreadFile, interrupt: &AtomicBool) {
        if let Err(error) = self.index_file(&file.path, file.language, interrupt) {
            tracing::debug!("not indexed: {error}");
            self.indexer.index.write().remove_unread(file.id);
        }
    }

    /// The files that a question depends on and that have not been read.
    fn wanted_files(
        &self,
        unread: &UnreadFiles,
        wanted: Unread,
        language: Option<Language>,
        searched: &mut FxHashSet<Box<str>>,
    ) -> Vec<usize> {
        let texts: Vec<_> =
            wanted.texts.into_iter().filter(|text| searched.insert(text.clone())).collect();
        let finders: Vec<_> = texts.iter().map(|text| Finder::new(text.as_bytes())).collect();
        let known = |id: &FileId| unread.by_id.get(id).copied();
        let mut all: Vec<usize> = wanted.files.iter().filter_map(known).collect();
        if !finders.is_empty() {
            let is_alike = |file: &UnreadFile| {
                language.is_none_or(|own| same_family(file.language.id(), own.id()))
            };
            let names_one = |text: &[u8]| finders.iter().any(|finder| occurs(text, finder));
            all.extend(self.files_that_say(unread, is_alike, names_one));
        }
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Those that have not been read, are `candidate` and say what is `wanted`: their numbers. One
    /// that cannot be searched counts as if it said so.
    fn files_that_say(
        &self,
        unread: &UnreadFiles,
        candidate: impl Fn(&UnreadFile) -> bool,
        wanted: impl Fn(&[u8]) -> bool + Sync,
    ) -> Vec<usize> {
        let says = |text: &[u8]| (spells_otherwise(text) || wanted(text)).then_some(());
        let found = self.search_unread(unread, candidate, says);
        found.into_iter().map(|(n, ())| n).collect()
    }

    /// What `look` finds in the texts of those that have not been read and are `candidate`, with
    /// their numbers, in no order.
    pub(super) fn search_unread<T: Send>(
        &self,
        unread: &UnreadFiles,
        candidate: impl Fn(&UnreadFile) -> bool,
        look: impl Fn(&[u8]) -> Option<T> + Sync,
    ) -> Vec<(usize, T)> {
        let left: Vec<usize> = {
            let index = self.indexer.index.read();
            let is_left = |n: &usize| {
                let file = &unread.files[*n];
                index.is_unread(file.id) && candidate(file)
            };
            (0..unread.files.len()).filter(is_left).collect()
        };
        let found = Mutex::new(Vec::new());
        each(&left, |n| {
            if let Some(seen) = unread.with_text(&unread.files[*n], &look) {
                found.lock().push((*n, seen));
            }
        });
        found.into_inner()
    }

    /// Has the files at or below a place read that may define the last name of a path and mention the
    /// others, before their turn. False where that takes too long.
    pub(crate) fn read_mentioning(
        &self,
        path: &NamePath,
        below: &FilePath,
        interrupt: &AtomicBool,
    ) -> Result<bool, QueryError> {
        let Some(unread) = self.unread_files(interrupt)? else { return Ok(true) };
        if self.is_out_of_patience() {
            return Ok(false);
        }
        let deadline = Instant::now() + TIME;
        let _hurry = Hurry::new(&self.indexer, deadline);
        let last = path.parts().len().saturating_sub(1);
        let is_word = |text: &str| text.chars().all(|c| c.is_alphanumeric() || c == '_');
        let finder = |(n, part): (usize, &'_ String)| {
            let is_whole = is_word(part) && !(n == last && path.is_substring());
            (Finder::new(part.as_bytes()).into_owned(), is_whole, n == last)
        };
        let finders: Vec<_> = path.parts().iter().enumerate().map(finder).collect();
        let names_all = |text: &[u8]| {
            finders.iter().all(|(finder, is_whole, is_last)| match (is_whole, is_last) {
                (true, true) => may_be_defined(text, finder),
                (true, false) => occurs(text, finder),
                (false, _) => finder.find(text).is_some(),
            })
        };
        let found = self.files_that_say(&unread, |file| file.path.is_within(below), names_all);
        let is_late = AtomicBool::new(false);
        each(&found, |n| {
            if Instant::now() > deadline {
                is_late.store(true, Ordering::Relaxed);
            } else if !interrupt.load(Ordering::Relaxed) {
                self.read_early(&unread.files[*n], interrupt);
            }
        });
        match interrupt.load(Ordering::Relaxed) {
            true => Err(QueryError::Interrupted),
            false => Ok(!is_late.into_inner()),
        }
    }

    /// What is being read; `None` where that is over, or has not begun for as long as this snapshot
    /// waits.
    pub(super) fn unread_files(
        &self,
        interrupt: &AtomicBool,
    ) -> Result<Option<Arc<UnreadFiles>>, QueryError> {
        self.begin_index();
        let mut progress = self.indexer.progress.lock();
        loop {
            if progress.complete {
                return Ok(None);
            }
            if let Some(unread) = self.indexer.unread.lock().clone() {
                return Ok(Some(unread));
            }
            if interrupt.load(Ordering::Relaxed) {
                return Err(QueryError::Interrupted);
            }
            if self.patience.as_ref().is_some_and(|patience| patience.ends(*progress)) {
                return Ok(None);
            }
            self.indexer.progressed.wait_for(&mut progress, Duration::from_millis(5));
        }
    }

    /// Whether this snapshot waits no longer for what has not been read.
    pub(super) fn is_out_of_patience(&self) -> bool {
        let progress = *self.indexer.progress.lock();
        self.patience.as_ref().is_some_and(|patience| patience.ends(progress))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_occur_as_whole_words() {
        let occurs = |text: &str, needle: &str| occurs(text.as_bytes(), &Finder::new(needle));
        assert!(occurs("area", "area") && occurs("x.area(1)", "area") && occurs("r#area", "area"));
        assert!(!occurs("areas", "area") && !occurs("my_area", "area") && !occurs("", "area"));
        assert!(occurs("areas area", "area") && !occurs("\u{e9}area", "area"));
        assert!(occurs("package a.b;x", "package a.b;") && !occurs("package a.bc", "package a.b"));
    }

    #[test]
    fn a_called_member_is_not_defined_there() {
        let defined = |text: &str| may_be_defined(text.as_bytes(), &Finder::new("save"));
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
