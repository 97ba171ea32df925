//! Keeps the names index in sync with the files and the open documents.

mod counts;
mod early_indexing;
mod occurrences;
mod persistence;
mod query_deadline;
mod rescan;
mod shared_facts;
mod similar_names;
#[cfg(test)]
mod tests;
mod threads;

pub use counts::{IndexCounts, LanguageCounts};
pub use occurrences::FileOccurrences;
pub(crate) use query_deadline::QueryDeadline;
pub use threads::with_indexing_threads;

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Instant, SystemTime};

use names::{Facts, FileId, Index, PackedFacts};
use parking_lot::{Condvar, Mutex, RwLock};
use rayon::iter::{IndexedParallelIterator, IntoParallelRefIterator, ParallelIterator};
use rustc_hash::FxHashMap;
use syntax::Language;
use text::{Text, decode};

use self::early_indexing::UnindexedFiles;
use self::shared_facts::share;
use crate::document::parse_stop_condition;
use crate::index_cache::IndexCache;
use crate::libraries::{Environment, Libraries, indexed_path};
use crate::platform::trim_heap;
use crate::uri::normal_uri;
use crate::walk::{is_project_file, language_of, project_walk};
use crate::{
    Document, FileError, FilePath, FileText, Snapshot, Source, Stamp, WalkOptions,
    is_excluded_from_walk, path_of_uri, uri_of_path,
};

/// The names index, and the files behind its file ids.
#[derive(Default)]
pub(crate) struct Indexer {
    /// The folder where the index is stored for the next start; `None` to store nothing.
    cache: Option<PathBuf>,
    pub(crate) index: RwLock<Index>,
    /// Lock order: after `index`, so that holders of `index` may look up entries.
    files: Mutex<FileTable>,
    pub(crate) progress: Mutex<IndexProgress>,
    pub(crate) progressed: Condvar,
    /// Reported changes that are not applied yet, in the order of the reports.
    stale: Mutex<Vec<Stale>>,
    /// How often files on disk have changed, or may have.
    disk_changes: AtomicU64,
    /// Whether the first query that needs the index builds it.
    pub(crate) on_demand: AtomicBool,
    /// Held while stale files are re-indexed; other threads wait until that is done.
    catch_up_lock: Mutex<()>,
    /// The folders of dependencies.
    libraries: RwLock<Arc<Libraries>>,
    /// Modules that were not found in the libraries, with the time of the lookup.
    pub(crate) missing_lookups: Mutex<FxHashMap<Box<str>, Instant>>,
    /// The files that the initial indexing found, while it runs.
    unindexed: Mutex<Option<Arc<UnindexedFiles>>>,
    /// Number of files parsed since memory was last returned to the system.
    parsed: AtomicUsize,
    /// The number of queries that index files early, and the deadline of the latest.
    early_queries: Mutex<(usize, Option<Instant>)>,
}

/// Identifies the content that a file's facts come from: the stamp of the file on disk and the
/// revision of the open document.
pub(crate) type FileState = (Option<Stamp>, u64);

/// A change that makes facts outdated.
pub(crate) enum Stale {
    /// A file that was created, changed or deleted.
    File(String),
    /// A document that was closed: its file on disk counts again.
    Closed(Arc<Document>),
    /// Any file may have changed.
    Everything,
}

impl Indexer {
    /// An empty index that is stored for the next start in the folder `cache`.
    pub(crate) fn new(cache: Option<PathBuf>) -> Self {
        Self { cache, ..Self::default() }
    }

    /// The content that a file's facts come from.
    pub(crate) fn state(&self, id: FileId) -> FileState {
        let entry = self.entry(id);
        (entry.stamp, entry.revision)
    }

    /// The id of the file with this URI.
    pub(crate) fn file_id(&self, uri: &str) -> Option<FileId> {
        self.files.lock().ids.get(uri).copied()
    }

    /// The id of a file, which may be new.
    pub(crate) fn register(&self, uri: &str, path: &FilePath) -> FileId {
        self.files.lock().id(uri, Some(path))
    }

    /// The entry of a file.
    pub(crate) fn entry(&self, id: FileId) -> IndexEntry {
        self.files.lock().entry(id).clone()
    }

    /// Finds the dependencies of the project in `roots`.
    pub(crate) fn find_libraries(&self, roots: &[Arc<crate::Root>]) {
        let plain: Vec<&crate::Root> = roots.iter().map(Arc::as_ref).collect();
        self.set_libraries(Libraries::find(&plain, &Environment::from_process()));
    }

    pub(crate) fn set_libraries(&self, found: Libraries) {
        self.index.write().set_dependency_folders(found.folders().to_vec());
        self.missing_lookups.lock().clear();
        *self.libraries.write() = Arc::new(found);
    }

    /// Drops facts that queries unpacked if they take much memory and no query is running.
    pub(crate) fn trim(&self) {
        let is_swollen = self.index.read().should_trim();
        if is_swollen && let Some(mut index) = self.index.try_write() {
            index.trim();
            drop(index);
            trim_heap();
        }
    }

    /// Returns memory to the system after [`PARSES_PER_MEMORY_TRIM`] parses.
    fn give_back(&self) {
        if self.parsed.load(Ordering::Relaxed) >= PARSES_PER_MEMORY_TRIM {
            self.parsed.store(0, Ordering::Relaxed);
            trim_heap();
        }
    }

    /// How often files on disk have changed, or may have.
    pub(crate) fn disk_changes(&self) -> u64 {
        self.disk_changes.load(Ordering::Relaxed)
    }

    /// Notes that files on disk have changed, or may have.
    pub(crate) fn count_disk_change(&self) {
        self.disk_changes.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn mark_stale(&self, stale: impl IntoIterator<Item = Stale>) {
        self.stale.lock().extend(stale);
    }
}

#[derive(Default)]
struct FileTable {
    ids: FxHashMap<Arc<str>, FileId>,
    entries: Vec<IndexEntry>,
    /// The stamps of project files that were read, by URI.
    projects: FxHashMap<Arc<str>, Stamp>,
}

/// A file of the index.
#[derive(Clone)]
pub(crate) struct IndexEntry {
    pub(crate) uri: Arc<str>,
    pub(crate) path: Option<FilePath>,
    /// The stamp on disk that the facts come from.
    pub(crate) stamp: Option<Stamp>,
    /// The revision of the open document that the facts come from; 0 while it is closed.
    pub(crate) revision: u64,
    /// The last revision before the document was closed, so that an older snapshot does not bring
    /// its text back.
    closed_revision: u64,
}

/// The progress of the initial indexing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IndexProgress {
    /// Number of files processed.
    pub done: usize,
    /// Number of files in total.
    pub total: usize,
    /// Number of processed files whose facts came from the stored index.
    pub cached: usize,
    /// Whether all files have been processed.
    pub complete: bool,
}

/// Size limit of indexed files: larger ones are data.
const MAX_FILE_BYTES: u64 = 4 << 20;
/// Number of parsed files after which memory is returned to the system.
const PARSES_PER_MEMORY_TRIM: usize = 64;
/// Number of changed files beyond which the workspace is rescanned instead.
pub(crate) const MAX_REPORTED_CHANGES: usize = 1_000;

impl FileTable {
    fn id(&mut self, uri: &str, path: Option<&FilePath>) -> FileId {
        if let Some(id) = self.ids.get(uri) {
            return *id;
        }
        let id = FileId(u32::try_from(self.entries.len()).unwrap_or(u32::MAX));
        let uri: Arc<str> = uri.into();
        let path = path.cloned();
        self.entries.push(IndexEntry {
            uri: uri.clone(),
            path,
            stamp: None,
            revision: 0,
            closed_revision: 0,
        });
        self.ids.insert(uri, id);
        id
    }

    fn entry(&mut self, id: FileId) -> &mut IndexEntry {
        &mut self.entries[id.0 as usize]
    }
}

impl Snapshot {
    /// The folders of dependencies.
    pub(crate) fn libraries(&self) -> Arc<Libraries> {
        self.indexer.libraries.read().clone()
    }

    /// The progress of the initial indexing.
    #[must_use]
    pub fn index_progress(&self) -> IndexProgress {
        *self.indexer.progress.lock()
    }

    /// Indexes every source file of the roots on the threads of the current pool, which need deep stacks
    /// ([`with_indexing_threads`](crate::with_indexing_threads)). `report` is called from time to time.
    pub fn build_index(&self, interrupt: &AtomicBool, report: &(dyn Fn(IndexProgress) + Sync)) {
        let (begun, kept) = (SystemTime::now(), self.open_index_cache());
        let mut files = Vec::new();
        if let Some(root) = self.roots().first() {
            self.indexer.index.write().set_root(&root.path().to_string_lossy());
        }
        for root in self.roots() {
            let (sources, projects) = project_walk(root, interrupt);
            let libraries = self.libraries();
            let is_own = |path: &FilePath| libraries.locate(&path.absolute()).is_none();
            files.extend(sources.into_iter().filter(|(path, _)| is_own(path)));
            projects
                .iter()
                .filter(|path| is_own(path))
                .for_each(|path| self.apply_project_file(path));
        }
        let files = self.register_files(files);
        let total = files.files().len();
        let (done, cached) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let fresh = AtomicUsize::new(0);
        let step = (total / 100).max(1);
        files.files().par_iter().with_max_len(1).for_each(|file| {
            // Queries that index files early have priority over this loop.
            self.indexer.wait_for_early_queries(interrupt);
            if interrupt.load(Ordering::Relaxed) {
                return;
            }
            if self.load_cached_facts(&file.path, &kept) {
                cached.fetch_add(1, Ordering::Relaxed);
            } else if self.is_already_indexed(file.id, &file.path) {
                fresh.fetch_add(1, Ordering::Relaxed);
            } else {
                match self.index_file(&file.path, file.language, interrupt) {
                    Ok(_) => drop(fresh.fetch_add(1, Ordering::Relaxed)),
                    Err(error) => tracing::debug!("not indexed: {error}"),
                }
                self.indexer.index.write().remove_unindexed(file.id);
            }
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            if done.is_multiple_of(step) || done == total {
                let kept = cached.load(Ordering::Relaxed);
                let progress = IndexProgress { done, total, cached: kept, complete: false };
                *self.indexer.progress.lock() = progress;
                report(progress);
            }
        });
        drop(kept);
        *self.indexer.unindexed.lock() = None;
        drop(files);
        let complete = !interrupt.load(Ordering::Relaxed);
        let (done, kept) = (done.into_inner(), cached.into_inner());
        let progress = IndexProgress { done, total, cached: kept, complete };
        *self.indexer.progress.lock() = progress;
        self.indexer.progressed.notify_all();
        report(progress);
        if complete {
            self.indexer.index.write().shrink_to_fit();
            self.store_index(fresh.into_inner(), total, begun);
        }
        self.indexer.give_back();
    }

    fn open_index_cache(&self) -> IndexCache {
        IndexCache::open(self.indexer.cache.as_deref(), &self.roots)
    }

    /// Registers files before they are indexed, so that module names already resolve to them.
    fn register_files(&self, files: Vec<(FilePath, Language)>) -> Arc<UnindexedFiles> {
        let mut expected = Vec::with_capacity(files.len());
        // In chunks, so that other threads can use the index in between.
        for piece in files.chunks(1_024) {
            let mut index = self.indexer.index.write();
            let mut known = self.indexer.files.lock();
            for (path, language) in piece {
                let id = known.id(&uri_of_path(&path.absolute()), Some(path));
                index.insert_unindexed(id, &index_name(&self.roots, path), *language);
                expected.push((path.clone(), *language, id));
            }
        }
        let unindexed = Arc::new(UnindexedFiles::new(expected));
        *self.indexer.unindexed.lock() = Some(unindexed.clone());
        self.indexer.progressed.notify_all();
        unindexed
    }

    /// Whether a query has indexed the current content of a file early.
    fn is_already_indexed(&self, id: FileId, path: &FilePath) -> bool {
        let known = self.indexer.entry(id).stamp;
        known.is_some_and(|known| {
            path.root.stat(&path.relative).is_ok_and(|stat| Stamp::from_stat(&stat) == known)
        })
    }

    /// Re-indexes the files reported as changed. Every query calls this first.
    pub fn apply_file_changes(&self, interrupt: &AtomicBool) {
        let _guard = self.indexer.catch_up_lock.lock();
        let stale = std::mem::take(&mut *self.indexer.stale.lock());
        let mut stale = stale.into_iter();
        for one in stale.by_ref() {
            match one {
                Stale::File(uri) => {
                    if let Ok(path) = self.locate(&uri)
                        && (self.was_indexed(&uri) || !self.is_left_out(&path))
                    {
                        self.refresh(&path, interrupt);
                    }
                }
                Stale::Closed(document) => self.reindex_closed(&document, interrupt),
                Stale::Everything => self.rescan(interrupt),
            }
            if interrupt.load(Ordering::Relaxed) {
                break;
            }
        }
        self.indexer.give_back();
        // If interrupted, the rest is left for the next call.
        self.indexer.stale.lock().splice(0..0, stale);
    }

    /// Whether a file was indexed before.
    fn was_indexed(&self, uri: &str) -> bool {
        let (files, uri) = (self.indexer.files.lock(), normal_uri(uri));
        files.ids.contains_key(uri.as_str()) || files.projects.contains_key(uri.as_str())
    }

    /// Whether the walk of the project skips a file.
    fn is_left_out(&self, path: &FilePath) -> bool {
        let is_read = language_of(&path.relative).is_some() || is_project_file(path);
        let root = FilePath::new(&path.root, PathBuf::new());
        !is_read || is_excluded_from_walk(path, &root, WalkOptions::default())
    }

    pub(crate) fn refresh(&self, path: &FilePath, interrupt: &AtomicBool) {
        let in_library = self.libraries().locate(&path.absolute());
        if in_library.is_some() && self.file_id_of(path).is_none() {
            return;
        }
        let Some(language) = language_of(&path.relative) else {
            if is_project_file(path) {
                self.apply_project_file(path);
            }
            return;
        };
        if let Err(error) = self.index_file(path, language, interrupt) {
            tracing::debug!("no longer indexed: {error}");
            self.remove_file(&uri_of_path(&path.absolute()));
        }
    }

    fn reindex_closed(&self, document: &Document, interrupt: &AtomicBool) {
        let is_open_again = |d: &Arc<Document>| d.revision() > document.revision();
        if self.document(document.uri()).is_some_and(is_open_again) {
            return;
        }
        let path = self.file_of(document);
        let uri = index_uri(document, path.as_ref());
        {
            let mut files = self.indexer.files.lock();
            let id = files.id(&uri, path.as_ref());
            let entry = files.entry(id);
            if entry.revision <= document.revision() {
                entry.revision = 0;
            }
            entry.closed_revision = entry.closed_revision.max(document.revision());
        }
        match path {
            Some(path) => self.refresh(&path, interrupt),
            None => self.remove_file(&uri),
        }
    }

    fn remove_file(&self, uri: &str) {
        let mut index = self.indexer.index.write();
        let mut files = self.indexer.files.lock();
        if let Some(id) = files.ids.get(uri).copied()
            && files.entry(id).revision == 0
        {
            files.entry(id).stamp = None;
            index.remove(id);
        }
    }

    /// Applies the content of a project file to the index; of a deleted one, an empty text.
    fn apply_project_file(&self, path: &FilePath) {
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

    /// Indexes a file under the path `name`.
    ///
    /// # Errors
    /// When it cannot be read, or is in no known language.
    pub(crate) fn index_as(
        &self,
        path: &FilePath,
        name: &str,
        interrupt: &AtomicBool,
    ) -> Result<FileId, FileError> {
        let none = || FileError::NotFound { path: path.display_path() };
        let language = language_of(&path.relative).ok_or_else(none)?;
        self.index_under(path, name, language, interrupt)?.ok_or_else(none)
    }

    /// The id of a file, if it is in the index.
    pub(crate) fn file_id_of(&self, path: &FilePath) -> Option<FileId> {
        self.indexer.files.lock().ids.get(uri_of_path(&path.absolute()).as_str()).copied()
    }

    fn index_under(
        &self,
        path: &FilePath,
        name: &str,
        language: Language,
        interrupt: &AtomicBool,
    ) -> Result<Option<FileId>, FileError> {
        let shown = path.display_path();
        let (bytes, stat) = path.root.read_within(&path.relative, &shown, MAX_FILE_BYTES)?;
        let decoded =
            decode(bytes).map_err(|source| FileError::Encoding { path: shown, source })?;
        let language = Language::detect(&path.file_name().to_string_lossy(), &decoded.text)
            .unwrap_or(language);
        let text = Text::new(&decoded.text);
        self.indexer.parsed.fetch_add(1, Ordering::Relaxed);
        let facts = match Facts::parse_and_lower(
            language,
            &text,
            interrupt,
            &mut parse_stop_condition(interrupt),
        ) {
            Some(facts) => facts,
            None if interrupt.load(Ordering::Relaxed) => return Ok(None),
            // It has no names until it changes and is parsed again.
            None => {
                tracing::warn!(
                    "{}: parsing timed out, so its names are not indexed",
                    path.display_path()
                );
                Facts::empty(language)
            }
        };
        let packed = PackedFacts::pack(&facts);
        let uri = uri_of_path(&path.absolute());
        let mut index = self.indexer.index.write();
        let mut files = self.indexer.files.lock();
        let id = files.id(&uri, Some(path));
        let entry = files.entry(id);
        // The text of an open document takes precedence.
        if entry.revision == 0 {
            entry.stamp = Some(Stamp::from_stat(&stat));
            index.insert_packed(id, name, share(packed));
        }
        Ok(Some(id))
    }

    /// Indexes a document's text. `None` once interrupted, or without a known language.
    pub fn index_document(&self, document: &Document, interrupt: &AtomicBool) -> Option<FileId> {
        let facts = document.facts(interrupt)?;
        let path = self.file_of(document);
        let uri = index_uri(document, path.as_ref());
        // The text of an open document takes precedence over its file on disk.
        let is_newer = |entry: &IndexEntry| match document.stamp() {
            Some(_) => entry.revision == 0,
            None => entry.revision.max(entry.closed_revision) < document.revision(),
        };
        {
            // Usually nothing is new: check without the index lock, so as not to wait for its
            // readers.
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

    /// The file id of a document, if the index has an open version of it, which may be an earlier
    /// one.
    pub(crate) fn indexed_file(&self, document: &Document) -> Option<FileId> {
        let uri = index_uri(document, self.file_of(document).as_ref());
        let mut files = self.indexer.files.lock();
        let id = files.ids.get(uri.as_str()).copied()?;
        (files.entry(id).revision > 0).then_some(id)
    }

    /// The file of a document, also if it belongs to a dependency.
    fn file_of(&self, document: &Document) -> Option<FilePath> {
        let own = document.path(&self.roots);
        let absolute = match &own {
            Some(path) => path.absolute(),
            None => path_of_uri(document.uri()).ok()?,
        };
        self.libraries().locate(&absolute).or(own)
    }
}

fn index_uri(document: &Document, path: Option<&FilePath>) -> String {
    path.map_or_else(|| document.key().to_string(), |path| uri_of_path(&path.absolute()))
}

/// A file's name in the index: its path below its root, prefixed with the root's number except for
/// the first.
pub(crate) fn index_name(roots: &[Arc<crate::Root>], path: &FilePath) -> String {
    if let Some(name) = indexed_path(path) {
        return name;
    }
    match roots.iter().position(|root| root.path() == path.root.path()) {
        None | Some(0) => path.display_path(),
        Some(n) => format!("//{n}/{}", path.display_path()),
    }
}
