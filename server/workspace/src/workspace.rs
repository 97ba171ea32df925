//! The state that clients change.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};
use rpds::HashTrieMapSync;
use text::{Change, PositionEncoding};

use crate::actions::{Action, ActionHistory, HistoryError, OnConflict, Undo, UndoError};
use crate::awaited::{Awaited, Landing};
use crate::document::LONGEST;
use crate::editor_state::EditorState;
use crate::entries::GuardedTracker;
use crate::history::{History, Splice, carry};
use crate::indexer::{Indexer, MANY_CHANGES, Stale};
use crate::platform::give_back_memory;
use crate::state::cache_dir;
use crate::uri::normal_uri;
use crate::{CommitError, Committed, Document, DocumentEdit, Editor, Root, Snapshot};

/// The documents, roots and index that one server keeps. All methods are quick: the rope edit of a
/// change is done when [`Workspace::change`] returns.
pub struct Workspace {
    pub(crate) state: Mutex<State>,
    changed: Condvar,
    writes: Mutex<()>,
    indexer: Arc<Indexer>,
    guarded: Arc<GuardedTracker>,
    actions: Mutex<Option<Arc<ActionHistory>>>,
    /// Longest open document that is parsed, in bytes.
    longest: Arc<AtomicUsize>,
    /// Bytes of the documents that were closed since memory was last given back.
    closed: AtomicUsize,
}

pub(crate) struct State {
    revision: u64,
    roots: Arc<[Arc<Root>]>,
    pub(crate) documents: HashTrieMapSync<Arc<str>, Arc<Document>>,
    pub(crate) histories: HashMap<Arc<str>, History>,
    pub(crate) editor: Arc<EditorState>,
    awaited: Vec<Awaited>,
    /// Edits that are no longer waited for, and until when they are watched.
    late: Vec<(Awaited, Instant)>,
}

/// Bytes of closed documents that leave much memory behind, some hundred times as many.
const MUCH_CLOSED: usize = 1 << 20;
/// Bytes of an open document whose parses leave much memory behind.
const MUCH_PARSED: usize = 256 << 10;
/// How long an edit that nobody waits for any more is watched.
const LATE: Duration = Duration::from_secs(120);
/// Most of them.
const MOST_LATE: usize = 64;

/// The right to write, which one call has at a time: what it reads is what it changes.
pub struct Turn<'a> {
    _guard: MutexGuard<'a, ()>,
    interrupt: &'a AtomicBool,
}

impl Turn<'_> {
    /// Set once nobody wants the call's result any more.
    pub(crate) fn interrupt(&self) -> &AtomicBool {
        self.interrupt
    }
}

/// What became of a reported change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Changed {
    /// A range lay outside the text and was clamped.
    pub clamped: bool,
    /// The version is not newer than the one before.
    pub stale: bool,
}

impl Workspace {
    /// A workspace of these folders, with nothing open and nothing indexed. What a process that
    /// died left half done in them is taken back first.
    #[must_use]
    pub fn new(roots: Vec<Root>) -> Self {
        Self::keeping_index_in(cache_dir(), roots)
    }

    /// The same; what can be made again is kept in the folder `cache`, and not at all without one.
    #[must_use]
    pub fn keeping_index_in(cache: Option<PathBuf>, roots: Vec<Root>) -> Self {
        let roots: Arc<[Arc<Root>]> = roots.into_iter().map(Arc::new).collect();
        recover(&roots);
        let indexer = Arc::new(Indexer::new(cache));
        indexer.find_libraries(&roots);
        let state = State {
            revision: 0,
            roots,
            documents: HashTrieMapSync::new_sync(),
            histories: HashMap::new(),
            editor: Arc::default(),
            awaited: Vec::new(),
            late: Vec::new(),
        };
        Self {
            state: Mutex::new(state),
            changed: Condvar::new(),
            writes: Mutex::default(),
            indexer,
            guarded: Arc::default(),
            actions: Mutex::default(),
            longest: Arc::new(AtomicUsize::new(LONGEST)),
            closed: AtomicUsize::new(0),
        }
    }

    /// The state at this moment. O(1).
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        self.snapshot_of(&self.state.lock())
    }

    pub(crate) fn snapshot_of(&self, state: &State) -> Snapshot {
        Snapshot {
            revision: state.revision,
            roots: state.roots.clone(),
            documents: state.documents.clone(),
            editor: state.editor.clone(),
            indexer: self.indexer.clone(),
            guarded: self.guarded.clone(),
            patience: None,
        }
    }

    /// Waits for the turn to write. `None` once `interrupt` is set.
    pub fn turn<'a>(&'a self, interrupt: &'a AtomicBool) -> Option<Turn<'a>> {
        loop {
            if interrupt.load(Ordering::Relaxed) {
                return None;
            }
            if let Some(guard) = self.writes.try_lock_for(Duration::from_millis(20)) {
                return Some(Turn { _guard: guard, interrupt });
            }
        }
    }

    /// Sets from which length on, in bytes, open documents are plain text.
    pub fn parse_up_to(&self, longest: usize) {
        self.longest.store(longest, Ordering::Relaxed);
    }

    /// Takes up a document that the client has opened.
    pub fn open(&self, uri: &str, lsp_id: &str, version: i32, text: &str) -> Arc<Document> {
        let mut state = self.state.lock();
        state.revision += 1;
        let document = Document::new(uri, lsp_id, version, text, state.revision);
        let document = Arc::new(document.with_longest(&self.longest));
        state.documents.insert_mut(document.key().clone(), document.clone());
        state.histories.remove(document.key());
        if state.editor.is_active(document.key()) {
            Arc::make_mut(&mut state.editor).opened(&document);
        }
        self.changed.notify_all();
        document
    }

    /// Applies changes that the client reports, in order, each to the result of the one before.
    /// The order on the wire is the truth: stale versions are applied too. `None` where the
    /// document is not open.
    pub fn change(
        &self,
        uri: &str,
        version: i32,
        changes: &[Change],
        encoding: PositionEncoding,
    ) -> Option<(Arc<Document>, Changed)> {
        let key = normal_uri(uri);
        let mut state = self.state.lock();
        let old = state.documents.get(key.as_str())?.clone();
        let mut text = old.text().clone();
        let mut changed = Changed { clamped: false, stale: version <= old.version() };
        let mut splices = Vec::with_capacity(changes.len());
        for change in changes {
            let before = text.clone();
            changed.clamped |= text.apply(change, encoding).clamped;
            splices.extend(Splice::of(&before, &text, change, encoding));
            let State { awaited, late, .. } = &mut *state;
            let watched = awaited.iter_mut().chain(late.iter_mut().map(|(late, _)| late));
            for awaited in watched.filter(|awaited| awaited.key.as_ref() == key) {
                awaited.reported(&text, encoding);
            }
        }
        state.revision += 1;
        let document = Arc::new(old.changed(version, text, state.revision));
        state.documents.insert_mut(document.key().clone(), document.clone());
        if state.editor.is_active(&key) {
            let editor = Arc::make_mut(&mut state.editor);
            editor.changed(&document, |selections| carry(&splices, selections));
        }
        let whole = changes.iter().any(|change| change.range.is_none());
        state.histories.entry(document.key().clone()).or_default().record(&old, splices, whole);
        self.changed.notify_all();
        Some((document, changed))
    }

    /// Lets go of a document that the client has closed. `None` where it was not open.
    pub fn close(&self, uri: &str) -> Option<Arc<Document>> {
        let key = normal_uri(uri);
        let mut state = self.state.lock();
        let document = state.documents.get(key.as_str())?.clone();
        state.documents.remove_mut(key.as_str());
        state.histories.remove(key.as_str());
        if state.editor.is_active(&key) {
            Arc::make_mut(&mut state.editor).closed(&key);
        }
        state.revision += 1;
        self.indexer.mark([Stale::Closed(document.clone())]);
        self.changed.notify_all();
        Some(document)
    }

    /// Drops what is closed, and gives memory back to the system once that was much: trees are made
    /// of small pieces, which the C library keeps.
    pub fn let_go(&self, document: Arc<Document>) {
        let length = document.text().len();
        drop(document);
        if self.closed.fetch_add(length, Ordering::Relaxed) + length >= MUCH_CLOSED {
            self.closed.store(0, Ordering::Relaxed);
            give_back_memory();
        }
    }

    /// Gives memory back to the system once a long document rests: parsing and colouring it again and
    /// again leaves as much behind in small pieces, which the C library keeps, as it holds itself.
    pub fn rests(&self, document: &Document) {
        if document.text().len() >= MUCH_PARSED {
            give_back_memory();
        }
    }

    /// Takes note of files that were created, changed or deleted on disk. They are read by
    /// [`Snapshot::catch_up`].
    pub fn files_changed(&self, uris: impl IntoIterator<Item = String>) {
        let mut are_libraries = false;
        let uris = uris.into_iter().inspect(|uri| are_libraries |= says_libraries(uri));
        let stale: Vec<_> = uris.map(Stale::File).collect();
        match stale.len() > MANY_CHANGES {
            true => self.files_may_have_changed(),
            false => self.indexer.mark(stale),
        }
        if are_libraries {
            self.indexer.find_libraries(&self.snapshot().roots);
        }
    }

    pub(crate) fn indexer(&self) -> &Indexer {
        &self.indexer
    }

    /// Exchanges workspace folders.
    pub fn set_roots(&self, roots: Vec<Arc<Root>>) {
        recover(&roots);
        self.indexer.find_libraries(&roots);
        let mut state = self.state.lock();
        state.roots = roots.into();
        state.revision += 1;
    }

    /// The history of the workspace of these roots; the reason where none can be kept.
    pub(crate) fn history(&self, roots: &[Arc<Root>]) -> Result<Arc<ActionHistory>, String> {
        let mut history = self.actions.lock();
        if let Some(history) = history.as_ref().filter(|history| history.is_of(roots)) {
            return Ok(history.clone());
        }
        let opened = Arc::new(ActionHistory::open(roots).map_err(|error| error.to_string())?);
        *history = Some(opened.clone());
        Ok(opened)
    }

    /// The actions that were done before the one with the number `before`, newest first, at most
    /// `limit` of them; with `path`, as results show it, only those that changed it or something
    /// below it.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn actions(
        &self,
        limit: usize,
        before: Option<i64>,
        path: Option<&str>,
    ) -> Result<Vec<Action>, HistoryError> {
        let roots = self.snapshot().roots;
        if !ActionHistory::exists(&roots) {
            return Ok(Vec::new());
        }
        let history = self.history(&roots).map_err(HistoryError::Unavailable)?;
        history.actions(limit, before, path)
    }

    /// Works out what undoing the action `id` takes, by default the last one that is not undone. Places that
    /// are as they were before it are left as they are.
    ///
    /// # Errors
    /// When it cannot be undone, and why.
    pub fn undo(&self, id: Option<i64>, on_conflict: OnConflict) -> Result<Undo, UndoError> {
        let now = self.snapshot();
        let history = self.history(&now.roots).map_err(HistoryError::Unavailable)?;
        history.undo(id, on_conflict, &now)
    }

    /// Undoes an action, as [`Workspace::commit`] does changes: that is an action, too.
    ///
    /// # Errors
    /// As [`Workspace::commit`].
    pub fn commit_undo(
        &self,
        turn: &Turn<'_>,
        tool: &str,
        undo: &Undo,
        editor: &dyn Editor,
    ) -> Result<Committed, CommitError> {
        let now = self.snapshot();
        if undo.changes.is_empty() {
            // Somebody has undone all of it by hand; the next "last action" is another.
            let history = self.history(&now.roots).map_err(CommitError::Journal)?;
            history.mark_undone(undo.action.id);
            return Ok(Committed::default());
        }
        self.commit_as(turn, tool.into(), Some(undo.action.id), &now, &undo.changes, editor)
    }

    /// Begins to hold the client's reports against edits that it is about to be asked for.
    ///
    /// False, and nothing is watched, where a document is not as the edit has it any more. An editor
    /// that does not check versions would put the edit in the wrong place, and what was typed before
    /// the watching began would not be known.
    #[must_use]
    pub(crate) fn await_edits<'a>(
        &self,
        edits: impl Iterator<Item = (&'a DocumentEdit, &'a str)>,
    ) -> bool {
        let awaited: Vec<Awaited> = edits
            .map(|(edit, after)| Awaited::new(normal_uri(&edit.uri).into(), edit.clone(), after))
            .collect();
        let mut state = self.state.lock();
        let is_current = awaited.iter().all(|awaited| {
            let now = state.documents.get(&awaited.key);
            now.is_some_and(|now| now.text().is_same(&awaited.edit.text))
        });
        if is_current {
            state.awaited = awaited;
        }
        is_current
    }

    /// Goes on watching for edits that an editor has not answered in time.
    pub(crate) fn watch_late<'a>(&self, edits: impl Iterator<Item = (&'a DocumentEdit, &'a str)>) {
        let until = Instant::now() + LATE;
        let late = edits.map(|(edit, after)| {
            (Awaited::new(normal_uri(&edit.uri).into(), edit.clone(), after), until)
        });
        let mut state = self.state.lock();
        state.late.extend(late.take(MOST_LATE));
        let over = state.late.len().saturating_sub(MOST_LATE);
        state.late.drain(..over);
    }

    /// Whether an edit has landed that is no longer waited for.
    #[must_use]
    pub fn has_late_landing(&self) -> bool {
        self.state.lock().late.iter().any(|(late, _)| is_seen(late))
    }

    /// The edits that have landed late; they are watched no longer.
    pub(crate) fn late_landings(&self) -> Vec<Awaited> {
        let mut state = self.state.lock();
        let now = Instant::now();
        state.late.retain(|(late, until)| *until > now || is_seen(late));
        let landed = state.late.extract_if(.., |(late, _)| is_seen(late));
        landed.map(|(late, _)| late).collect()
    }

    /// Waits, at most for `limit`, until each awaited edit has been reported or the document with
    /// it; ends the waiting and tells what became of each.
    pub(crate) fn landings(&self, limit: Duration) -> Vec<Landing> {
        let deadline = Instant::now() + limit;
        let mut state = self.state.lock();
        let before = state.revision;
        while !state.awaited.iter().all(is_seen) {
            // Changes reported from now on were made before or after the edit, but it is in them.
            let is_reported = state.awaited.iter().all(|awaited| {
                let document = state.documents.get(&awaited.key);
                is_seen(awaited) || document.is_none_or(|d| d.revision() > before)
            });
            if is_reported || self.changed.wait_until(&mut state, deadline).timed_out() {
                break;
            }
        }
        state.awaited.drain(..).map(|awaited| awaited.landing().clone()).collect()
    }
}

/// Whether a file says which dependencies a project has.
pub(crate) fn says_libraries(uri: &str) -> bool {
    ["/Cargo.lock", "/go.mod", "/pyvenv.cfg"].iter().any(|name| uri.ends_with(name))
}

fn is_seen(awaited: &Awaited) -> bool {
    matches!(awaited.landing(), Landing::Whole | Landing::Misplaced { .. })
}

/// Takes back, or finishes, what processes that have died left half done.
fn recover(roots: &[Arc<Root>]) {
    if roots.is_empty() || !ActionHistory::exists(roots) {
        return;
    }
    let recovered = ActionHistory::open(roots).and_then(|history| history.lock(roots));
    if let Err(error) = recovered {
        tracing::error!("{error}");
    }
}
