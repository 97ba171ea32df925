//! Keeps the names index true to the files and the open documents.

mod again;
mod counts;
mod kept;
mod near;
mod occurrences;
mod patience;
#[cfg(test)]
mod tests;
mod unread;

pub use counts::{IndexCounts, LanguageCounts};
pub use occurrences::NamedFile;
pub(crate) use patience::Patience;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Instant, SystemTime};

use names::{Facts, FileId, Index, Packed};
use parking_lot::{Condvar, Mutex, RwLock};
use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};
use rustc_hash::FxHashMap;
use syntax::Language;
use text::{Text, decode};

use self::unread::UnreadFiles;
use crate::document::until_late;
use crate::index_cache::IndexCache;
use crate::libraries::{Environment, Libraries, indexed};
use crate::platform::give_back_memory;
use crate::uri::normal_uri;
use crate::walk::{is_project_file, language_of, project_walk};
use crate::{
    Document, FileError, FilePath, FileText, Snapshot, Source, Stamp, WalkOptions, is_left_out,
    path_of_uri, uri_of_path,
};

/// The index and which of its numbers means which file.
#[derive(Default)]
pub(crate) struct Indexer {
    /// Where the index is kept for the next start; nowhere without it.
    cache: Option<PathBuf>,
    pub(crate) index: RwLock<Index>,
    /// Taken after the index where both are, so that whoever reads the index may ask for entries.
    files: Mutex<Files>,
    pub(crate) progress: Mutex<IndexProgress>,
    pub(crate) progressed: Condvar,
    /// What has been reported and is still to be read, in the order of the reports.
    stale: Mutex<Vec<Stale>>,
    /// The first question that needs the index builds it.
    pub(crate) on_demand: AtomicBool,
    /// One thread at a time reads what is stale; others wait until it has.
    reading: Mutex<()>,
    /// Where dependencies lie.
    libraries: RwLock<Arc<Libraries>>,
    /// What has been looked for in them, and when.
    pub(crate) absent: Mutex<FxHashMap<Box<str>, Instant>>,
    /// What the first reading has found, while it is under way.
    unread: Mutex<Option<Arc<UnreadFiles>>>,
    /// Files parsed since memory was given back.
    parsed: AtomicUsize,
    /// How many questions have files read before their turn, and how long they may.
    hurried: Mutex<(usize, Option<Instant>)>,
}

/// Tells one state of a file's facts from another: the file's state on disk, the open document's
/// revision.
pub(crate) type FileState = (Option<Stamp>, u64);

/// Something whose facts are no longer true.
pub(crate) enum Stale {
    /// A file that was created, changed or deleted.
    File(String),
    /// A document that was closed: what is on disk counts again.
    Closed(Arc<Document>),
    /// Any file may have changed.
    Everything,
}

impl Indexer {
    /// An index of nothing, which is kept for the next start in the folder `cache`.
    pub(crate) fn new(cache: Option<PathBuf>) -> Self {
        Self { cache, ..Self::default() }
    }

    /// Which state of a file the facts are of.
    pub(crate) fn state(&self, id: FileId) -> FileState {
        let entry = self.entry(id);
        (entry.stamp, entry.revision)
    }

    /// The number of the file with a URI.
    pub(crate) fn number_of(&self, uri: &str) -> Option<FileId> {
        self.files.lock().ids.get(uri).copied()
    }

    /// What is known of a file.
    pub(crate) fn entry(&self, id: FileId) -> Entry {
        self.files.lock().entry(id).clone()
    }

    /// Looks for the dependencies of the project in `roots`.
    pub(crate) fn find_libraries(&self, roots: &[Arc<crate::Root>]) {
        let plain: Vec<&crate::Root> = roots.iter().map(Arc::as_ref).collect();
        self.take_libraries(Libraries::find(&plain, &Environment::own()));
    }

    pub(crate) fn take_libraries(&self, found: Libraries) {
        self.index.write().set_libraries(found.folders().to_vec());
        self.absent.lock().clear();
        *self.libraries.write() = Arc::new(found);
    }

    /// Forgets what questions had unpacked, once that is much and nobody is asking.
    pub(crate) fn trim(&self) {
        let is_swollen = self.index.read().is_swollen();
        if is_swollen && let Some(mut index) = self.index.try_write() {
            index.trim();
            drop(index);
            give_back_memory();
        }
    }

    /// Gives memory back to the system, once as many files were parsed as leave much behind.
    fn give_back(&self) {
        if self.parsed.load(Ordering::Relaxed) >= MANY_PARSED {
            self.parsed.store(0, Ordering::Relaxed);
            give_back_memory();
        }
    }

    pub(crate) fn mark(&self, stale: impl IntoIterator<Item = Stale>) {
        self.stale.lock().extend(stale);
    }
}

#[derive(Default)]
struct Files {
    ids: FxHashMap<Arc<str>, FileId>,
    entries: Vec<Entry>,
    /// The states of project files that were read, by URI.
    projects: FxHashMap<Arc<str>, Stamp>,
}

/// What is known of a file of the index.
#[derive(Clone)]
pub(crate) struct Entry {
    pub(crate) uri: Arc<str>,
    pub(crate) path: Option<FilePath>,
    /// The state on disk that the facts are of.
    pub(crate) stamp: Option<Stamp>,
    /// The revision of the open document that the facts are of; 0 while it is closed.
    pub(crate) revision: u64,
    /// The last revision of a document that was closed: whoever still looks at a state from before
    /// does not bring its text back.
    closed: u64,
}

/// How far the first reading of the workspace is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IndexProgress {
    /// Files read.
    pub done: usize,
    /// Files to read.
    pub total: usize,
    /// Of them, those of which the facts were kept from an earlier time, and which were not opened.
    pub kept: usize,
    /// Every file has been read.
    pub complete: bool,
}

/// The largest file that is read for its names: larger ones are data.
const LARGEST: u64 = 4 << 20;
/// So many parsed files leave much memory behind.
const MANY_PARSED: usize = 64;
/// So many changed files are looked for, instead of being reported one by one.
pub(crate) const MANY_CHANGES: usize = 1_000;

impl Files {
    fn id(&mut self, uri: &str, path: Option<&FilePath>) -> FileId {
        if let Some(id) = self.ids.get(uri) {
            return *id;
        }
        let id = FileId(u32::try_from(self.entries.len()).unwrap_or(u32::MAX));
        let uri: Arc<str> = uri.into();
        let path = path.cloned();
        self.entries.push(Entry { uri: uri.clone(), path, stamp: None, revision: 0, closed: 0 });
        self.ids.insert(uri, id);
        id
    }

    fn entry(&mut self, id: FileId) -> &mut Entry {
        &mut self.entries[id.0 as usize]
    }
}

impl Snapshot {
    /// Where dependencies lie.
    pub(crate) fn libraries(&self) -> Arc<Libraries> {
        self.indexer.libraries.read().clone()
    }

    /// How far the first reading of the workspace is.
    #[must_use]
    pub fn index_progress(&self) -> IndexProgress {
        *self.indexer.progress.lock()
    }

    /// Reads every source file of the roots for its names, on the threads of the current pool.
    /// `report` is called now and then.
    pub fn build_index(&self, interrupt: &AtomicBool, report: &(dyn Fn(IndexProgress) + Sync)) {
        let (begun, kept) = (SystemTime::now(), self.kept_index());
        let mut files = Vec::new();
        if let Some(root) = self.roots().first() {
            self.indexer.index.write().set_root(&root.path().to_string_lossy());
        }
        for root in self.roots() {
            let (sources, projects) = project_walk(root, interrupt);
            let libraries = self.libraries();
            let is_own = |path: &FilePath| libraries.place(&path.absolute()).is_none();
            files.extend(sources.into_iter().filter(|(path, _)| is_own(path)));
            projects.iter().filter(|path| is_own(path)).for_each(|path| self.configure(path));
        }
        let files = self.expect(files);
        let total = files.files().len();
        let (done, unread) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let fresh = AtomicUsize::new(0);
        let step = (total / 100).max(1);
        files.files().par_iter().with_max_len(1).for_each(|file| {
            self.indexer.give_way(interrupt);
            if interrupt.load(Ordering::Relaxed) {
                return;
            }
            if self.take_up_kept(&file.path, &kept) {
                unread.fetch_add(1, Ordering::Relaxed);
            } else if self.is_read_early(file.id, &file.path) {
                fresh.fetch_add(1, Ordering::Relaxed);
            } else {
                match self.index_file(&file.path, file.language, interrupt) {
                    Ok(_) => drop(fresh.fetch_add(1, Ordering::Relaxed)),
                    Err(error) => tracing::debug!("not indexed: {error}"),
                }
                self.indexer.index.write().remove_unread(file.id);
            }
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            if done.is_multiple_of(step) || done == total {
                let kept = unread.load(Ordering::Relaxed);
                let progress = IndexProgress { done, total, kept, complete: false };
                *self.indexer.progress.lock() = progress;
                report(progress);
            }
        });
        drop(kept);
        *self.indexer.unread.lock() = None;
        drop(files);
        let complete = !interrupt.load(Ordering::Relaxed);
        let (done, kept) = (done.into_inner(), unread.into_inner());
        let progress = IndexProgress { done, total, kept, complete };
        *self.indexer.progress.lock() = progress;
        self.indexer.progressed.notify_all();
        report(progress);
        if complete {
            self.indexer.index.write().shrink();
            self.keep_index(fresh.into_inner(), total, begun);
        }
        self.indexer.give_back();
    }

    fn kept_index(&self) -> IndexCache {
        IndexCache::open(self.indexer.cache.as_deref(), &self.roots)
    }

    /// Tells the index which files there are: names of modules lead to them before they are read.
    fn expect(&self, files: Vec<(FilePath, Language)>) -> Arc<UnreadFiles> {
        let mut expected = Vec::with_capacity(files.len());
        // Piece by piece: others want the index meanwhile.
        for piece in files.chunks(1_024) {
            let mut index = self.indexer.index.write();
            let mut known = self.indexer.files.lock();
            for (path, language) in piece {
                let id = known.id(&uri_of_path(&path.absolute()), Some(path));
                index.insert_unread(id, &index_name(&self.roots, path), *language);
                expected.push((path.clone(), *language, id));
            }
        }
        let unread = Arc::new(UnreadFiles::new(expected));
        *self.indexer.unread.lock() = Some(unread.clone());
        self.indexer.progressed.notify_all();
        unread
    }

    /// Whether a question has had a file read in its present state, before its turn.
    fn is_read_early(&self, id: FileId, path: &FilePath) -> bool {
        let known = self.indexer.entry(id).stamp;
        known.is_some_and(|known| {
            path.root.stat(&path.relative).is_ok_and(|stat| Stamp::of(&stat) == known)
        })
    }

    /// Reads what has been reported as changed since. Every question does so first.
    pub fn catch_up(&self, interrupt: &AtomicBool) {
        let _reading = self.indexer.reading.lock();
        let stale = std::mem::take(&mut *self.indexer.stale.lock());
        let mut stale = stale.into_iter();
        for one in stale.by_ref() {
            match one {
                Stale::File(uri) => {
                    if let Ok(path) = self.locate(&uri)
                        && (self.is_met(&uri) || !self.is_left_out(&path))
                    {
                        self.refresh(&path, interrupt);
                    }
                }
                Stale::Closed(document) => self.closed(&document, interrupt),
                Stale::Everything => self.look_again(interrupt),
            }
            if interrupt.load(Ordering::Relaxed) {
                break;
            }
        }
        self.indexer.give_back();
        // Given up half-way: the rest is for the next one.
        self.indexer.stale.lock().splice(0..0, stale);
    }

    /// Whether a file has been read before.
    fn is_met(&self, uri: &str) -> bool {
        let (files, uri) = (self.indexer.files.lock(), normal_uri(uri));
        files.ids.contains_key(uri.as_str()) || files.projects.contains_key(uri.as_str())
    }

    /// Whether the walk of the project passes over a file.
    fn is_left_out(&self, path: &FilePath) -> bool {
        let is_read = language_of(&path.relative).is_some() || is_project_file(path);
        let root = FilePath::new(&path.root, PathBuf::new());
        !is_read || is_left_out(path, &root, WalkOptions::default())
    }

    pub(crate) fn refresh(&self, path: &FilePath, interrupt: &AtomicBool) {
        let in_library = self.libraries().place(&path.absolute());
        if in_library.is_some() && self.known_file(path).is_none() {
            return;
        }
        let Some(language) = language_of(&path.relative) else {
            if is_project_file(path) {
                self.configure(path);
            }
            return;
        };
        if let Err(error) = self.index_file(path, language, interrupt) {
            tracing::debug!("no longer indexed: {error}");
            self.forget(&uri_of_path(&path.absolute()));
        }
    }

    fn closed(&self, document: &Document, interrupt: &AtomicBool) {
        let is_open_again = |d: &Arc<Document>| d.revision() > document.revision();
        if self.document(document.uri()).is_some_and(is_open_again) {
            return;
        }
        let path = self.place_of(document);
        let uri = index_uri(document, path.as_ref());
        {
            let mut files = self.indexer.files.lock();
            let id = files.id(&uri, path.as_ref());
            let entry = files.entry(id);
            if entry.revision <= document.revision() {
                entry.revision = 0;
            }
            entry.closed = entry.closed.max(document.revision());
        }
        match path {
            Some(path) => self.refresh(&path, interrupt),
            None => self.forget(&uri),
        }
    }

    fn forget(&self, uri: &str) {
        let mut index = self.indexer.index.write();
        let mut files = self.indexer.files.lock();
        if let Some(id) = files.ids.get(uri).copied()
            && files.entry(id).revision == 0
        {
            files.entry(id).stamp = None;
            index.remove(id);
        }
    }

    /// Tells the index what a project file says; a deleted one says nothing any more.
    fn configure(&self, path: &FilePath) {
        let file = self.read_disk(path);
        let uri = uri_of_path(&path.absolute());
        match &file {
            Ok(FileText { source: Source::Disk(stamp), .. }) => {
                self.indexer.files.lock().projects.insert(uri.into(), *stamp);
            }
            _ => drop(self.indexer.files.lock().projects.remove(uri.as_str())),
        }
        let text = file.map(|file| file.text.to_string()).unwrap_or_default();
        let name = index_name(&self.roots, path);
        self.indexer.index.write().configure(&name, &text);
    }

    fn index_file(
        &self,
        path: &FilePath,
        language: Language,
        interrupt: &AtomicBool,
    ) -> Result<(), FileError> {
        self.index_under(path, &index_name(&self.roots, path), language, interrupt).map(drop)
    }

    /// Takes up a file under the path that it is to have in the index.
    ///
    /// # Errors
    /// When it cannot be read, or is in no known language.
    pub(crate) fn index_as(
        &self,
        path: &FilePath,
        name: &str,
        interrupt: &AtomicBool,
    ) -> Result<FileId, FileError> {
        let none = || FileError::NotFound { path: path.shown() };
        let language = language_of(&path.relative).ok_or_else(none)?;
        self.index_under(path, name, language, interrupt)?.ok_or_else(none)
    }

    /// The number of a file that is in the index.
    pub(crate) fn known_file(&self, path: &FilePath) -> Option<FileId> {
        self.indexer.files.lock().ids.get(uri_of_path(&path.absolute()).as_str()).copied()
    }

    fn index_under(
        &self,
        path: &FilePath,
        name: &str,
        language: Language,
        interrupt: &AtomicBool,
    ) -> Result<Option<FileId>, FileError> {
        let shown = path.shown();
        let (bytes, stat) = path.root.read_within(&path.relative, &shown, LARGEST)?;
        let decoded =
            decode(bytes).map_err(|source| FileError::Encoding { path: shown, source })?;
        let language = Language::detect(&path.file_name().to_string_lossy(), &decoded.text)
            .unwrap_or(language);
        let text = Text::new(&decoded.text);
        self.indexer.parsed.fetch_add(1, Ordering::Relaxed);
        let facts = match Facts::of_text(language, &text, interrupt, &mut until_late(interrupt)) {
            Some(facts) => facts,
            None if interrupt.load(Ordering::Relaxed) => return Ok(None),
            // It is read again once it changes, and has no names until then.
            None => {
                tracing::warn!("{}: not parsed in time: none of its names are known", path.shown());
                Facts::blank(language)
            }
        };
        let packed = Packed::of(&facts);
        let uri = uri_of_path(&path.absolute());
        let mut index = self.indexer.index.write();
        let mut files = self.indexer.files.lock();
        let id = files.id(&uri, Some(path));
        let entry = files.entry(id);
        // Unsaved text counts.
        if entry.revision == 0 {
            entry.stamp = Some(Stamp::of(&stat));
            index.insert_packed(id, name, packed);
        }
        Ok(Some(id))
    }

    /// Takes up a document's text. `None` once interrupted, or without a known language.
    pub fn index_document(&self, document: &Document, interrupt: &AtomicBool) -> Option<FileId> {
        let facts = document.facts(interrupt)?;
        let path = self.place_of(document);
        let uri = index_uri(document, path.as_ref());
        // An open document's text counts, not the file's below it.
        let is_newer = |entry: &Entry| match document.stamp() {
            Some(_) => entry.revision == 0,
            None => entry.revision.max(entry.closed) < document.revision(),
        };
        {
            // As a rule nothing is new, and nobody who reads the index is to be waited for.
            let mut files = self.indexer.files.lock();
            let id = files.id(&uri, path.as_ref());
            if !is_newer(files.entry(id)) {
                return Some(id);
            }
        }
        let mut index = self.indexer.index.write();
        let mut files = self.indexer.files.lock();
        let id = files.id(&uri, path.as_ref());
        let entry = files.entry(id);
        if is_newer(entry) {
            entry.revision = document.revision();
            entry.stamp = document.stamp();
            let name = path.as_ref().map_or_else(|| uri.clone(), |p| index_name(&self.roots, p));
            index.insert(id, &name, facts);
        }
        Some(id)
    }

    /// The file that a document stands for, if the index has taken up one of its states while it was
    /// open, which may be an earlier one.
    pub(crate) fn indexed_file(&self, document: &Document) -> Option<FileId> {
        let uri = index_uri(document, self.place_of(document).as_ref());
        let mut files = self.indexer.files.lock();
        let id = files.ids.get(uri.as_str()).copied()?;
        (files.entry(id).revision > 0).then_some(id)
    }

    /// The file that a document stands for, one of a dependency included.
    fn place_of(&self, document: &Document) -> Option<FilePath> {
        let own = document.path(&self.roots);
        let absolute = match &own {
            Some(path) => path.absolute(),
            None => path_of_uri(document.uri()).ok()?,
        };
        self.libraries().place(&absolute).or(own)
    }
}

fn index_uri(document: &Document, path: Option<&FilePath>) -> String {
    path.map_or_else(|| document.key().to_string(), |path| uri_of_path(&path.absolute()))
}

/// A file's name in the index: its path below its root, other roots' told apart by number.
pub(crate) fn index_name(roots: &[Arc<crate::Root>], path: &FilePath) -> String {
    if let Some(name) = indexed(path) {
        return name;
    }
    match roots.iter().position(|root| root.path() == path.root.path()) {
        None | Some(0) => path.shown(),
        Some(n) => format!("//{n}/{}", path.shown()),
    }
}
