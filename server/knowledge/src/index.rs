//! The index of a workspace's passages: kept in memory, compared with the workspace before each query.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rustc_hash::{FxHashMap, FxHashSet};
use workspace::{FilePath, FileText, Snapshot, Source, Stamp};

use crate::file_passages::{FilePassages, passage_vector};
use crate::files::{FileKind, indexed_files};
use crate::passages::line_starts;
use crate::rank::{PassageId, Query, RankedSource, Rankings, rank};
use crate::store::Store;
use crate::terms::{Term, for_each_term};

/// How long a look at all files counts, unless the workspace reports a change. Files of results are always
/// compared with the disk.
const LOOK_COUNTS: Duration = Duration::from_millis(1_500);
/// Largest file that is indexed, in bytes.
const MAX_FILE_BYTES: usize = 1 << 20;
/// Longest average line of a file, in bytes: longer ones are made by programs.
const MAX_LINE_BYTES: usize = 300;
/// Files that are indexed before they are stored.
const STORED_TOGETHER: usize = 400;
/// How often importance is computed anew, at most.
const IMPORTANCE_COUNTS: Duration = Duration::from_secs(60);
/// What files in use count more: open ones, and unsaved changes.
const OPEN_BOOST: f32 = 1.15;
/// What the most important file counts more than the least.
const IMPORTANCE_BOOST: f32 = 0.1;
/// What documents count beside code.
const PROSE_BOOST: f32 = 0.9;

/// Passages of all files of a workspace.
#[derive(Default)]
pub struct PassageIndex {
    files: FxHashMap<PathBuf, IndexedFile>,
    looked: Option<(u64, Instant)>,
    importance: Option<(FxHashMap<PathBuf, f32>, Instant)>,
    store: Option<Store>,
    is_store_opened: bool,
}

struct IndexedFile {
    path: FilePath,
    kind: FileKind,
    version: Version,
    passages: Arc<FilePassages>,
    path_terms: Vec<Term>,
}

/// Which text of a file is indexed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Version {
    Disk(Stamp),
    Open(u64),
}

/// What was found.
#[derive(Debug)]
pub struct FoundPassage {
    /// Its file.
    pub path: FilePath,
    /// Whether it is code or prose.
    pub kind: FileKind,
    /// Its lines, from 0.
    pub lines: std::ops::Range<usize>,
    /// What it declares, or its section's heading; may be empty.
    pub name: String,
    /// Its text now.
    pub text: String,
    /// From 0 to about 1.
    pub score: f32,
}

/// How large an index is.
#[derive(Debug, Clone, Copy, Default)]
pub struct IndexSize {
    /// Files.
    pub files: usize,
    /// Passages.
    pub passages: usize,
    /// Bytes in memory, about.
    pub bytes: usize,
}

/// What is searched.
pub struct PassageQuery<'q> {
    /// The query's text.
    pub text: &'q str,
    /// How passages are ranked.
    pub rankings: Rankings,
    /// Most results.
    pub limit: usize,
    /// Which files count.
    pub wanted: &'q dyn Fn(&FilePath, FileKind) -> bool,
}

impl PassageIndex {
    /// Compares the index with the workspace, and indexes what has changed. Returns whether it is complete:
    /// false once `interrupt` is set. What is indexed by then is kept.
    pub fn update(&mut self, snapshot: &Snapshot, interrupt: &AtomicBool) -> bool {
        if !self.is_store_opened {
            self.is_store_opened = true;
            self.store = Store::open();
        }
        let changes = snapshot.disk_changes();
        let is_fresh =
            |(known, at): &(u64, Instant)| *known == changes && at.elapsed() < LOOK_COUNTS;
        if self.looked.as_ref().is_some_and(is_fresh) {
            let typed = self.changed_documents(snapshot);
            return self.index(snapshot, typed, interrupt);
        }
        let begun = Instant::now();
        let Some(files) = indexed_files(snapshot, interrupt) else { return false };
        let changed = self.changed_files(snapshot, files);
        let is_complete = self.index(snapshot, changed, interrupt);
        self.update_importance(snapshot);
        if is_complete {
            self.looked = Some((changes, begun));
        }
        is_complete
    }

    /// The open documents whose indexed texts are not the current ones, and files that were closed.
    fn changed_documents(&self, snapshot: &Snapshot) -> Vec<(FilePath, FileKind)> {
        let mut open: FxHashSet<PathBuf> = FxHashSet::default();
        let mut changed = Vec::new();
        for document in snapshot.documents() {
            let Some(path) = snapshot.path_of(document) else { continue };
            let absolute = path.absolute();
            let known = self.files.get(&absolute);
            let version = Version::Open(document.revision());
            // Ignored files are not indexed when they are opened.
            let kind = known.map(|known| known.kind);
            if let Some(kind) = kind.filter(|_| known.is_none_or(|known| known.version != version))
            {
                changed.push((path, kind));
            }
            open.insert(absolute);
        }
        let was_open = |file: &&IndexedFile| {
            matches!(file.version, Version::Open(_)) && !open.contains(&file.path.absolute())
        };
        changed.extend(
            self.files.values().filter(was_open).map(|file| (file.path.clone(), file.kind)),
        );
        changed
    }

    /// The files whose indexed texts are not the current ones. Files that are gone are removed.
    fn changed_files(
        &mut self,
        snapshot: &Snapshot,
        files: Vec<(FilePath, FileKind)>,
    ) -> Vec<(FilePath, FileKind)> {
        let open: FxHashMap<PathBuf, u64> = snapshot
            .documents()
            .filter_map(|document| {
                Some((snapshot.path_of(document)?.absolute(), document.revision()))
            })
            .collect();
        let mut present: FxHashSet<PathBuf> = FxHashSet::default();
        let mut changed = Vec::new();
        for (path, kind) in files {
            let absolute = path.absolute();
            let version = match open.get(&absolute) {
                Some(revision) => Some(Version::Open(*revision)),
                None => snapshot.disk_stamp(&path).map(Version::Disk),
            };
            let Some(version) = version else { continue };
            if self.files.get(&absolute).is_none_or(|known| known.version != version) {
                changed.push((path, kind));
            }
            present.insert(absolute);
        }
        self.files.retain(|path, _| present.contains(path));
        changed
    }

    /// Indexes files on several threads. Threads that a confined thread starts are confined as well.
    fn index(
        &mut self,
        snapshot: &Snapshot,
        files: Vec<(FilePath, FileKind)>,
        interrupt: &AtomicBool,
    ) -> bool {
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get).min(8);
        for files in files.chunks(STORED_TOGETHER) {
            let next = std::sync::atomic::AtomicUsize::new(0);
            let store = Mutex::new(self.store.take());
            let done = Mutex::new(Vec::new());
            let work = || {
                while !interrupt.load(Ordering::Relaxed) {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some((path, kind)) = files.get(at) else { break };
                    let indexed = index_file(snapshot, path, &store, interrupt);
                    done.lock().push((path.clone(), *kind, indexed));
                }
            };
            match files.len() {
                1 => work(),
                _ => std::thread::scope(|scope| {
                    for _ in 0..threads.min(files.len()) {
                        scope.spawn(work);
                    }
                }),
            }
            self.store = store.into_inner();
            let mut new = Vec::new();
            for (path, kind, indexed) in done.into_inner() {
                let absolute = path.absolute();
                let Some(indexed) = indexed else {
                    self.files.remove(&absolute);
                    continue;
                };
                if let Some(key) = indexed.new {
                    new.push((key, indexed.passages.clone()));
                }
                let mut path_terms = Vec::new();
                for_each_term(&path.relative().to_string_lossy(), |term| path_terms.push(term));
                let passages = indexed.passages;
                let file =
                    IndexedFile { path, kind, version: indexed.version, passages, path_terms };
                self.files.insert(absolute, file);
            }
            if let Some(store) = self.store.as_mut().filter(|_| !new.is_empty()) {
                store.put(new.iter().map(|(key, passages)| (key.clone(), &**passages)));
            }
        }
        !interrupt.load(Ordering::Relaxed)
    }

    fn update_importance(&mut self, snapshot: &Snapshot) {
        if self.importance.as_ref().is_some_and(|(_, at)| at.elapsed() < IMPORTANCE_COUNTS) {
            return;
        }
        let Some(ranked) = snapshot.file_importance() else { return };
        let most = ranked.first().map_or(1.0, |(_, share)| *share).max(f32::MIN_POSITIVE);
        // Shares fall off steeply; their roots tell files apart.
        let scaled =
            ranked.into_iter().map(|(path, share)| (path.absolute(), (share / most).sqrt()));
        self.importance = Some((scaled.collect(), Instant::now()));
    }

    /// The passages that fit a query, best first. Each is read again: its lines are those of its file now. Files
    /// that have changed since the last update are left out, and named in the second value.
    #[must_use]
    pub fn search(
        &self,
        snapshot: &Snapshot,
        query: &PassageQuery<'_>,
    ) -> (Vec<FoundPassage>, Vec<FilePath>) {
        let open: FxHashSet<PathBuf> = snapshot
            .documents()
            .filter_map(|document| Some(snapshot.path_of(document)?.absolute()))
            .collect();
        let importance = self.importance.as_ref().map(|(importance, _)| importance);
        let wanted = |(_, file): &(&PathBuf, &IndexedFile)| (query.wanted)(&file.path, file.kind);
        let files: Vec<(&PathBuf, &IndexedFile)> = self.files.iter().filter(wanted).collect();
        let sources = files.iter().map(|(absolute, file)| {
            let importance = importance.and_then(|all| all.get(*absolute)).copied();
            let mut boost = 1.0 + IMPORTANCE_BOOST * importance.unwrap_or(0.0);
            if open.contains(*absolute) {
                boost *= OPEN_BOOST;
            }
            if file.kind == FileKind::Prose {
                boost *= PROSE_BOOST;
            }
            RankedSource { passages: &file.passages, path_terms: &file.path_terms, boost }
        });
        let sources: Vec<RankedSource<'_>> = sources.collect();
        let taken_apart = Query::new(query.text);
        let mut texts = CurrentTexts { snapshot, files: &files, read: FxHashMap::default() };
        let ranked = rank(&sources, &taken_apart, query.rankings, query.limit, &mut |id| {
            let (name, text) = texts.passage(id)?;
            Some(embedding::similarity(&passage_vector(name, text), &taken_apart.vector))
        });
        let found = ranked.into_iter().filter_map(|scored| {
            let file = files[scored.id.0 as usize].1;
            let passage = &file.passages.passages[scored.id.1 as usize];
            let (_, text) = texts.passage(scored.id)?;
            Some(FoundPassage {
                path: file.path.clone(),
                kind: file.kind,
                lines: passage.lines.start as usize..passage.lines.end as usize,
                name: passage.name.to_string(),
                text: text.to_owned(),
                score: scored.score,
            })
        });
        let found = found.collect();
        let changed = texts.read.iter().filter(|(_, text)| text.is_none());
        let changed = changed.map(|(file, _)| files[*file as usize].1.path.clone()).collect();
        (found, changed)
    }

    /// How large it is.
    #[must_use]
    pub fn size(&self) -> IndexSize {
        let all = self.files.values().map(|file| &file.passages);
        IndexSize {
            files: self.files.len(),
            passages: all.clone().map(|passages| passages.passages.len()).sum(),
            bytes: all.map(|passages| passages.bytes()).sum(),
        }
    }

    /// Forgets when files were looked at, so that the next update looks again.
    pub fn look_again(&mut self) {
        self.looked = None;
    }
}

/// A file that was read and indexed.
struct NewlyIndexed {
    version: Version,
    passages: Arc<FilePassages>,
    /// Its key, if it is to be stored.
    new: Option<Vec<u8>>,
}

fn index_file(
    snapshot: &Snapshot,
    path: &FilePath,
    store: &Mutex<Option<Store>>,
    interrupt: &AtomicBool,
) -> Option<NewlyIndexed> {
    let file = snapshot.read(path).ok()?;
    let version = version_of(&file);
    let done = |passages, new| Some(NewlyIndexed { version, passages: Arc::new(passages), new });
    if file.size > MAX_FILE_BYTES || file.size / file.text.line_count().max(1) > MAX_LINE_BYTES {
        return done(FilePassages::default(), None);
    }
    let language = file.language().map_or("", |language| language.id());
    // Half of the hash is enough to tell contents apart.
    let mut key = file.hash.to_string();
    key.truncate(32);
    key.push_str(language);
    let key = key.into_bytes();
    if let Some(passages) = store.lock().as_ref().and_then(|store| store.get(&key)) {
        return done(passages, None);
    }
    let outline = snapshot.document_of(&file).outline(interrupt);
    let items = outline.as_ref().map_or(&[][..], |outline| &outline.items);
    let passages = FilePassages::new(&file.text.to_string(), items);
    // An outline that was interrupted is not kept. Texts that are being typed are not stored.
    if interrupt.load(Ordering::Relaxed) {
        return None;
    }
    done(passages, matches!(version, Version::Disk(_)).then_some(key))
}

fn version_of(file: &FileText) -> Version {
    match &file.source {
        Source::Open(document) => Version::Open(document.revision()),
        Source::Disk(stamp) => Version::Disk(*stamp),
    }
}

/// The texts of files as they are now, if they are those that were indexed.
struct CurrentTexts<'f> {
    snapshot: &'f Snapshot,
    files: &'f [(&'f PathBuf, &'f IndexedFile)],
    /// Texts with the starts of their lines.
    read: FxHashMap<u32, Option<(String, Vec<usize>)>>,
}

impl<'f> CurrentTexts<'f> {
    fn passage(&mut self, id: PassageId) -> Option<(&'f str, &str)> {
        let file = self.files[id.0 as usize].1;
        let read = self.read.entry(id.0).or_insert_with(|| {
            let now = self.snapshot.read(&file.path).ok()?;
            let text = (version_of(&now) == file.version).then(|| now.text.to_string())?;
            let starts = line_starts(&text);
            Some((text, starts))
        });
        let (text, starts) = read.as_ref()?;
        let passage = &file.passages.passages[id.1 as usize];
        let start = *starts.get(passage.lines.start as usize)?;
        let end = *starts.get(passage.lines.end as usize)?;
        Some((&passage.name, &text[start..end]))
    }
}
