//! Keeps the names index true to the files and the open documents, and asks it.

use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use names::{Facts, FileId, Index, Target};
use parking_lot::{Condvar, Mutex, RwLock};
use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
use rustc_hash::FxHashMap;
use syntax::{Language, Syntax};
use text::{Text, decode};
use thiserror::Error;

use crate::walk::{language_of, source_files};
use crate::{Document, FileError, FilePath, Snapshot, Stamp, uri_of_path};

/// The index and which of its numbers means which file.
#[derive(Default)]
pub(crate) struct Indexer {
    index: RwLock<Index>,
    files: Mutex<Files>,
    progress: Mutex<IndexProgress>,
    progressed: Condvar,
    /// What has been reported and is still to be read, in the order of the reports.
    stale: Mutex<Vec<Stale>>,
    /// One thread at a time reads what is stale; others wait until it has.
    reading: Mutex<()>,
}

/// Something whose facts are no longer true.
pub(crate) enum Stale {
    /// A file that was created, changed or deleted.
    File(String),
    /// A document that was closed: what is on disk counts again.
    Closed(Arc<Document>),
}

impl Indexer {
    pub(crate) fn mark(&self, stale: impl IntoIterator<Item = Stale>) {
        self.stale.lock().extend(stale);
    }
}

#[derive(Default)]
struct Files {
    ids: FxHashMap<Arc<str>, FileId>,
    entries: Vec<Entry>,
}

struct Entry {
    uri: Arc<str>,
    path: Option<FilePath>,
    /// The state on disk that the facts are of.
    stamp: Option<Stamp>,
    /// The revision of the open document that the facts are of; 0 while it is closed.
    revision: u64,
}

/// How far the first reading of the workspace is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IndexProgress {
    /// Files read.
    pub done: usize,
    /// Files to read.
    pub total: usize,
    /// Every file has been read.
    pub complete: bool,
}

/// A place that a name leads to.
#[derive(Debug, Clone)]
pub struct Location {
    /// The document's URI: the client's spelling where it is open.
    pub uri: Arc<str>,
    /// The text that the spans are of.
    pub text: Text,
    /// The whole definition, in bytes.
    pub span: Range<usize>,
    /// Its name, in bytes.
    pub name_span: Range<usize>,
    /// How it was found.
    pub origin: names::Origin,
    /// How sure that is, up to 1.
    pub confidence: f32,
}

/// Why a question of names has no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[allow(missing_docs)]
pub enum QueryError {
    #[error("the question was cancelled")]
    Interrupted,
    #[error("the document has changed since the question was asked")]
    Moved,
}

/// The largest file that is read for its names: larger ones are data.
const LARGEST: u64 = 4 << 20;
/// A definition this sure, in the file of the question, needs no other files.
const SURE: f32 = 0.9;
/// Rounds of re-reading files that changed while they were asked for.
const ROUNDS: usize = 3;

impl Files {
    fn id(&mut self, uri: &str, path: Option<&FilePath>) -> FileId {
        if let Some(id) = self.ids.get(uri) {
            return *id;
        }
        let id = FileId(u32::try_from(self.entries.len()).unwrap_or(u32::MAX));
        let uri: Arc<str> = uri.into();
        let path = path.cloned();
        self.entries.push(Entry { uri: uri.clone(), path, stamp: None, revision: 0 });
        self.ids.insert(uri, id);
        id
    }

    fn entry(&mut self, id: FileId) -> &mut Entry {
        &mut self.entries[id.0 as usize]
    }
}

impl Snapshot {
    /// How far the first reading of the workspace is.
    #[must_use]
    pub fn index_progress(&self) -> IndexProgress {
        *self.indexer.progress.lock()
    }

    /// Reads every source file of the roots for its names, on the threads of the current pool.
    /// `report` is called now and then.
    pub fn build_index(&self, interrupt: &AtomicBool, report: &(dyn Fn(IndexProgress) + Sync)) {
        let roots = self.roots().iter();
        let files: Vec<_> = roots.flat_map(|root| source_files(root, interrupt)).collect();
        let total = files.len();
        let done = AtomicUsize::new(0);
        let step = (total / 100).max(1);
        files.par_iter().for_each(|(path, language)| {
            if interrupt.load(Ordering::Relaxed) {
                return;
            }
            if let Err(error) = self.index_file(path, *language, interrupt) {
                tracing::debug!("not indexed: {error}");
            }
            let done = done.fetch_add(1, Ordering::Relaxed) + 1;
            if done.is_multiple_of(step) || done == total {
                let progress = IndexProgress { done, total, complete: false };
                *self.indexer.progress.lock() = progress;
                report(progress);
            }
        });
        let complete = !interrupt.load(Ordering::Relaxed);
        let progress = IndexProgress { done: done.into_inner(), total, complete };
        *self.indexer.progress.lock() = progress;
        self.indexer.progressed.notify_all();
        report(progress);
    }

    /// Reads what has been reported as changed since. Every question does so first.
    pub fn catch_up(&self, interrupt: &AtomicBool) {
        let _reading = self.indexer.reading.lock();
        let stale = std::mem::take(&mut *self.indexer.stale.lock());
        let mut stale = stale.into_iter();
        for one in stale.by_ref() {
            match one {
                Stale::File(uri) => {
                    if let Ok(path) = self.locate(&uri) {
                        self.refresh(&path, interrupt);
                    }
                }
                Stale::Closed(document) => self.closed(&document, interrupt),
            }
            if interrupt.load(Ordering::Relaxed) {
                break;
            }
        }
        // Given up half-way: the rest is for the next one.
        self.indexer.stale.lock().splice(0..0, stale);
    }

    fn refresh(&self, path: &FilePath, interrupt: &AtomicBool) {
        let Some(language) = language_of(&path.relative) else { return };
        if let Err(error) = self.index_file(path, language, interrupt) {
            tracing::debug!("no longer indexed: {error}");
            self.forget(&uri_of_path(&path.absolute()));
        }
    }

    fn closed(&self, document: &Document, interrupt: &AtomicBool) {
        if self.document(document.uri()).is_some() {
            return;
        }
        let uri = self.index_uri(document);
        {
            let mut files = self.indexer.files.lock();
            let id = files.id(&uri, document.path(&self.roots));
            files.entry(id).revision = 0;
        }
        match document.path(&self.roots) {
            Some(path) => self.refresh(path, interrupt),
            None => self.forget(&uri),
        }
    }

    fn forget(&self, uri: &str) {
        let mut files = self.indexer.files.lock();
        if let Some(id) = files.ids.get(uri).copied()
            && files.entry(id).revision == 0
        {
            files.entry(id).stamp = None;
            self.indexer.index.write().remove(id);
        }
    }

    fn index_file(
        &self,
        path: &FilePath,
        language: Language,
        interrupt: &AtomicBool,
    ) -> Result<(), FileError> {
        let shown = path.shown();
        let (_, stat) = path.root.open_file(&path.relative, &shown)?;
        let size = u64::try_from(stat.st_size).unwrap_or(u64::MAX);
        if size > LARGEST {
            return Err(FileError::TooLarge { path: shown, size, limit: LARGEST });
        }
        let (bytes, stat) = path.root.read(&path.relative, &shown)?;
        let decoded =
            decode(bytes).map_err(|source| FileError::Encoding { path: shown, source })?;
        let text = Text::new(&decoded.text);
        let Some(facts) = Syntax::parse(language, &text, None, interrupt)
            .and_then(|syntax| Facts::of(&syntax, interrupt))
        else {
            return Ok(());
        };
        let uri = uri_of_path(&path.absolute());
        let mut files = self.indexer.files.lock();
        let id = files.id(&uri, Some(path));
        let entry = files.entry(id);
        // Unsaved text counts.
        if entry.revision == 0 {
            entry.stamp = Some(Stamp::of(&stat));
            let name = index_name(&self.roots, path);
            self.indexer.index.write().insert(id, &name, Arc::new(facts));
        }
        Ok(())
    }

    fn index_uri(&self, document: &Document) -> String {
        document
            .path(&self.roots)
            .map_or_else(|| document.key().to_string(), |path| uri_of_path(&path.absolute()))
    }

    /// Takes up a document's text. `None` once interrupted, or without a known language.
    pub fn index_document(&self, document: &Document, interrupt: &AtomicBool) -> Option<FileId> {
        let facts = document.facts(interrupt)?;
        let uri = self.index_uri(document);
        let path = document.path(&self.roots);
        let mut files = self.indexer.files.lock();
        let id = files.id(&uri, path);
        let entry = files.entry(id);
        // An open document's text counts, not the file's below it.
        let newer = match document.stamp() {
            Some(_) => entry.revision == 0,
            None => entry.revision < document.revision(),
        };
        if newer {
            entry.revision = document.revision();
            entry.stamp = document.stamp();
            let name = path.map_or_else(|| uri.clone(), |p| index_name(&self.roots, p));
            self.indexer.index.write().insert(id, &name, facts);
        }
        Some(id)
    }

    /// Where the name at `offset` of a document is defined, best first; empty where nothing
    /// is sure. Waits for the index where other files matter.
    ///
    /// # Errors
    /// When interrupted, or when the document has moved on.
    pub fn definition(
        &self,
        document: &Document,
        offset: usize,
        interrupt: &AtomicBool,
    ) -> Result<Vec<Location>, QueryError> {
        self.catch_up(interrupt);
        for other in self.documents() {
            self.index_document(other, interrupt);
        }
        let (Some(id), Some(facts)) =
            (self.index_document(document, interrupt), document.facts(interrupt))
        else {
            return if interrupt.load(Ordering::Relaxed) {
                Err(QueryError::Interrupted)
            } else {
                Ok(Vec::new())
            };
        };
        if facts.name_at(offset).is_none() {
            return Ok(Vec::new());
        }
        for _ in 0..ROUNDS {
            let ask = || {
                // The same state of a file on disk is the same text.
                let stamp = self.indexer.files.lock().entry(id).stamp;
                let index = self.indexer.index.read();
                let current = index.facts(id).is_some_and(|f| Arc::ptr_eq(f, &facts))
                    || (stamp.is_some() && stamp == document.stamp());
                current.then(|| index.definition(id, offset)).ok_or(QueryError::Moved)
            };
            let mut targets = ask()?;
            let local = targets.iter().all(|t| t.file == id && t.confidence >= SURE);
            if targets.is_empty() || !local {
                self.wait_for_index(interrupt)?;
                targets = ask()?;
            }
            let found: Option<Vec<_>> =
                targets.iter().map(|target| self.location(target, interrupt)).collect();
            if let Some(found) = found {
                return Ok(found);
            }
        }
        Err(QueryError::Moved)
    }

    /// The name at `offset` of a document, in bytes.
    #[must_use]
    pub fn name_span(
        &self,
        document: &Document,
        offset: usize,
        interrupt: &AtomicBool,
    ) -> Option<Range<usize>> {
        Some(document.facts(interrupt)?.name_at(offset)?.span)
    }

    fn wait_for_index(&self, interrupt: &AtomicBool) -> Result<(), QueryError> {
        let mut progress = self.indexer.progress.lock();
        while !progress.complete {
            if interrupt.load(Ordering::Relaxed) {
                return Err(QueryError::Interrupted);
            }
            let nap = Duration::from_millis(20);
            self.indexer.progressed.wait_for(&mut progress, nap);
        }
        Ok(())
    }

    /// The text that a target's spans are of. `None` where the file has changed since: it has
    /// been read again, and the question is to be asked again.
    fn location(&self, target: &Target, interrupt: &AtomicBool) -> Option<Location> {
        let (uri, path, stamp) = {
            let mut files = self.indexer.files.lock();
            let entry = files.entry(target.file);
            (entry.uri.clone(), entry.path.clone(), entry.stamp)
        };
        let open = match &path {
            Some(path) => self.open_document(path),
            None => self.document(&uri),
        };
        let (uri, text) = match (open, &path) {
            (Some(document), _) => (document.uri().clone(), document.text().clone()),
            (None, Some(path)) => {
                let file = self.read_disk(path).ok();
                match file
                    .filter(|f| matches!(f.source, crate::Source::Disk(s) if Some(s) == stamp))
                {
                    Some(file) => (uri, file.text),
                    None => {
                        self.refresh(path, interrupt);
                        return None;
                    }
                }
            }
            (None, None) => return None,
        };
        Some(Location {
            uri,
            text,
            span: target.span.clone(),
            name_span: target.name_span.clone(),
            origin: target.origin,
            confidence: target.confidence,
        })
    }
}

/// A file's name in the index: its path below its root, other roots' told apart by number.
fn index_name(roots: &[Arc<crate::Root>], path: &FilePath) -> String {
    match roots.iter().position(|root| root.path() == path.root.path()) {
        None | Some(0) => path.shown(),
        Some(n) => format!("//{n}/{}", path.shown()),
    }
}
