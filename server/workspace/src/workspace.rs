//! The mutable state of the workspace: open documents, roots, pending edits.

use std::collections::{HashMap, HashSet};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};
use rpds::HashTrieMapSync;
use text::{ContentChange, PositionEncoding};

use crate::action_history::{
    Action, ActionHistory, ActionLabel, HistoryError, OnConflict, UndoError, UndoPlan,
};
use crate::check_diagnostics::CheckDiagnostics;
use crate::document::DEFAULT_MAX_PARSED_BYTES;
use crate::document_edits::{EarlierTexts, Splice, map_selections};
use crate::editor_diagnostics::EditorDiagnostics;
use crate::editor_state::EditorState;
use crate::entries::GuardedTracker;
use crate::indexer::{Indexer, MAX_REPORTED_CHANGES, Stale};
use crate::pending_edit::{EditOutcome, PendingEdit};
use crate::platform::trim_heap;
use crate::state_folders::cache_dir;
use crate::uri::normal_uri;
use crate::{CommitError, Committed, Document, DocumentEdit, Editor, Root, Snapshot};

/// The documents, roots and index of one server. All methods are fast: a change is applied to the
/// rope when [`Workspace::change`] returns.
pub struct Workspace {
    pub(crate) state: Mutex<WorkspaceState>,
    changed: Condvar,
    writes: Mutex<()>,
    indexer: Arc<Indexer>,
    guarded: Arc<GuardedTracker>,
    check_diagnostics: CheckDiagnostics,
    editor_diagnostics: EditorDiagnostics,
    actions: Mutex<Option<Arc<ActionHistory>>>,
    /// Size limit of open documents that are parsed, in bytes.
    max_parsed_bytes: Arc<AtomicUsize>,
    /// Bytes of documents closed since memory was last returned to the system.
    closed_bytes: AtomicUsize,
}

pub(crate) struct WorkspaceState {
    revision: u64,
    roots: Arc<[Arc<Root>]>,
    pub(crate) documents: HashTrieMapSync<Arc<str>, Arc<Document>>,
    pub(crate) histories: HashMap<Arc<str>, EarlierTexts>,
    pub(crate) editor: Arc<EditorState>,
    pending_edits: Vec<PendingEdit>,
    /// Edits that the editor did not confirm in time, each watched until a deadline.
    late_edits: Vec<(PendingEdit, Instant)>,
}

/// Bytes of closed documents after which memory is returned to the system: freed trees take about a
/// hundred times as much.
const CLOSED_BYTES_PER_TRIM: usize = 1 << 20;
/// Size in bytes of an open document after whose parses memory is returned to the system.
const MIN_TRIMMED_BYTES: usize = 256 << 10;
/// How long an unconfirmed edit is watched after the timeout.
const LATE_EDIT_WATCH_TIME: Duration = Duration::from_secs(120);
/// Maximum number of such edits.
const MAX_LATE_EDITS: usize = 64;

/// The write lock, held by one call at a time, so that nothing changes between its reads and
/// writes.
pub struct WriteLock<'a> {
    _guard: MutexGuard<'a, ()>,
    interrupt: &'a AtomicBool,
}

impl WriteLock<'_> {
    /// The cancellation flag of the call.
    pub(crate) fn interrupt(&self) -> &AtomicBool {
        self.interrupt
    }
}

/// Irregularities of a reported change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AppliedChange {
    /// A range was outside the text and was clamped.
    pub clamped: bool,
    /// The version is not newer than the previous one.
    pub stale: bool,
}

impl Workspace {
    /// A workspace with these roots, without open documents and index. Actions that a crashed
    /// process left incomplete are recovered first.
    #[must_use]
    pub fn new(roots: Vec<Root>) -> Self {
        Self::with_index_cache(cache_dir(), roots)
    }

    /// As [`Workspace::new`], with the index stored in the folder `cache`, or not at all.
    #[must_use]
    pub fn with_index_cache(cache: Option<PathBuf>, roots: Vec<Root>) -> Self {
        let roots: Arc<[Arc<Root>]> = roots.into_iter().map(Arc::new).collect();
        recover(&roots);
        let indexer = Arc::new(Indexer::new(cache));
        indexer.find_libraries(&roots);
        let state = WorkspaceState {
            revision: 0,
            roots,
            documents: HashTrieMapSync::new_sync(),
            histories: HashMap::new(),
            editor: Arc::default(),
            pending_edits: Vec::new(),
            late_edits: Vec::new(),
        };
        Self {
            state: Mutex::new(state),
            changed: Condvar::new(),
            writes: Mutex::default(),
            indexer,
            guarded: Arc::default(),
            check_diagnostics: CheckDiagnostics::default(),
            editor_diagnostics: EditorDiagnostics::default(),
            actions: Mutex::default(),
            max_parsed_bytes: Arc::new(AtomicUsize::new(DEFAULT_MAX_PARSED_BYTES)),
            closed_bytes: AtomicUsize::new(0),
        }
    }

    /// What the last checks of the projects found.
    #[must_use]
    pub fn check_diagnostics(&self) -> &CheckDiagnostics {
        &self.check_diagnostics
    }

    /// What the language servers of the editor found.
    #[must_use]
    pub fn editor_diagnostics(&self) -> &EditorDiagnostics {
        &self.editor_diagnostics
    }

    /// The current state. O(1).
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        self.snapshot_of(&self.state.lock())
    }

    pub(crate) fn snapshot_of(&self, state: &WorkspaceState) -> Snapshot {
        Snapshot {
            revision: state.revision,
            roots: state.roots.clone(),
            documents: state.documents.clone(),
            editor: state.editor.clone(),
            indexer: self.indexer.clone(),
            guarded: self.guarded.clone(),
            query_deadline: None,
        }
    }

    /// Waits for the write lock. `None` once `interrupt` is set.
    pub fn write_lock<'a>(&'a self, interrupt: &'a AtomicBool) -> Option<WriteLock<'a>> {
        loop {
            if interrupt.load(Ordering::Relaxed) {
                return None;
            }
            if let Some(guard) = self.writes.try_lock_for(Duration::from_millis(20)) {
                return Some(WriteLock { _guard: guard, interrupt });
            }
        }
    }

    /// Sets the size in bytes up to which open documents are parsed.
    pub fn set_max_parsed_bytes(&self, max_parsed_bytes: usize) {
        self.max_parsed_bytes.store(max_parsed_bytes, Ordering::Relaxed);
    }

    /// Adds a document that the client has opened.
    pub fn open(&self, uri: &str, lsp_id: &str, version: i32, text: &str) -> Arc<Document> {
        let mut state = self.state.lock();
        state.revision += 1;
        let document = Document::new(uri, lsp_id, version, text, state.revision);
        let document = Arc::new(document.with_max_parsed_bytes(&self.max_parsed_bytes));
        state.documents.insert_mut(document.key().clone(), document.clone());
        state.histories.remove(document.key());
        if state.editor.is_active(document.key()) {
            Arc::make_mut(&mut state.editor).opened(&document);
        }
        self.changed.notify_all();
        document
    }

    /// Applies changes reported by the client, in order, each to the result of the previous one.
    /// The order of the messages decides: changes with a stale version are applied too. `None` if
    /// the document is not open.
    pub fn change(
        &self,
        uri: &str,
        version: i32,
        changes: &[ContentChange],
        encoding: PositionEncoding,
    ) -> Option<(Arc<Document>, AppliedChange)> {
        let key = normal_uri(uri);
        let mut state = self.state.lock();
        let old = state.documents.get(key.as_str())?.clone();
        let mut text = old.text().clone();
        let mut changed = AppliedChange { clamped: false, stale: version <= old.version() };
        let mut splices = Vec::with_capacity(changes.len());
        for change in changes {
            let before = text.clone();
            changed.clamped |= text.apply(change, encoding).clamped;
            splices.extend(Splice::from_change(&before, &text, change, encoding));
            let WorkspaceState { pending_edits, late_edits, .. } = &mut *state;
            let watched =
                pending_edits.iter_mut().chain(late_edits.iter_mut().map(|(edit, _)| edit));
            for edit in watched.filter(|edit| edit.key.as_ref() == key) {
                edit.observe(&text, encoding);
            }
        }
        state.revision += 1;
        let document = Arc::new(old.changed(version, text, state.revision));
        state.documents.insert_mut(document.key().clone(), document.clone());
        if state.editor.is_active(&key) {
            let editor = Arc::make_mut(&mut state.editor);
            editor.changed(&document, |selections| map_selections(&splices, selections));
        }
        let whole = changes.iter().any(|change| change.range.is_none());
        state.histories.entry(document.key().clone()).or_default().record(&old, splices, whole);
        self.changed.notify_all();
        Some((document, changed))
    }

    /// Removes a document that the client has closed. `None` if it was not open.
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
        self.indexer.mark_stale([Stale::Closed(document.clone())]);
        self.changed.notify_all();
        Some(document)
    }

    /// Drops a closed document, and returns memory to the system after many: trees consist of small
    /// blocks, which the C library keeps.
    pub fn drop_closed_document(&self, document: Arc<Document>) {
        let length = document.text().len();
        drop(document);
        if self.closed_bytes.fetch_add(length, Ordering::Relaxed) + length >= CLOSED_BYTES_PER_TRIM
        {
            self.closed_bytes.store(0, Ordering::Relaxed);
            trim_heap();
        }
    }

    /// Returns memory to the system when a large document is idle: repeated parsing and
    /// highlighting leaves as much freed memory in small blocks as the document itself uses.
    pub fn trim_memory_after(&self, document: &Document) {
        if document.text().len() >= MIN_TRIMMED_BYTES {
            trim_heap();
        }
    }

    /// Marks files as created, changed or deleted on disk. [`Snapshot::catch_up`] indexes them
    /// again.
    pub fn files_changed(&self, uris: impl IntoIterator<Item = String>) {
        let mut are_libraries = false;
        let uris = uris.into_iter().inspect(|uri| are_libraries |= lists_dependencies(uri));
        let stale: Vec<_> = uris.map(Stale::File).collect();
        match stale.len() > MAX_REPORTED_CHANGES {
            true => self.files_may_have_changed(),
            false => {
                self.indexer.count_disk_change();
                self.indexer.mark_stale(stale);
            }
        }
        if are_libraries {
            self.indexer.find_libraries(&self.snapshot().roots);
        }
    }

    pub(crate) fn indexer(&self) -> &Indexer {
        &self.indexer
    }

    /// Replaces the workspace folders.
    pub fn set_roots(&self, roots: Vec<Arc<Root>>) {
        recover(&roots);
        self.indexer.find_libraries(&roots);
        let mut state = self.state.lock();
        state.roots = roots.into();
        state.revision += 1;
    }

    /// The history of the workspace with these roots, or why it is not available.
    pub(crate) fn history(&self, roots: &[Arc<Root>]) -> Result<Arc<ActionHistory>, String> {
        let mut history = self.actions.lock();
        if let Some(history) = history.as_ref().filter(|history| history.is_of(roots)) {
            return Ok(history.clone());
        }
        let opened = Arc::new(ActionHistory::open(roots).map_err(|error| error.to_string())?);
        *history = Some(opened.clone());
        Ok(opened)
    }

    /// The actions before the one with the id `before`, newest first, at most `limit`; with `path`,
    /// as results show it, only those that changed it or something below it.
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

    /// Plans how to undo the action `id`, by default the last one that is not undone. Paths that
    /// already have their earlier content are left alone.
    ///
    /// # Errors
    /// Why it cannot be undone.
    pub fn undo(&self, id: Option<i64>, on_conflict: OnConflict) -> Result<UndoPlan, UndoError> {
        self.undo_after(id, on_conflict, &HashSet::new())
    }

    /// As [`Workspace::undo`], for an action that is undone after others: paths that they will have changed
    /// back (`undone_before`, absolute) are not checked.
    ///
    /// # Errors
    /// As [`Workspace::undo`].
    pub fn undo_after(
        &self,
        id: Option<i64>,
        on_conflict: OnConflict,
        undone_before: &HashSet<PathBuf>,
    ) -> Result<UndoPlan, UndoError> {
        let now = self.snapshot();
        let history = self.history(&now.roots).map_err(HistoryError::Unavailable)?;
        history.undo(id, on_conflict, &now, undone_before)
    }

    /// The last action that is not undone and undoes none.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn last_action(&self) -> Result<Option<Action>, HistoryError> {
        let roots = self.snapshot().roots;
        if !ActionHistory::exists(&roots) {
            return Ok(None);
        }
        let history = self.history(&roots).map_err(HistoryError::Unavailable)?;
        Ok(history.action(None)?.map(|(action, _)| action))
    }

    /// The actions of a group that are not undone, newest first: their ids and parts.
    ///
    /// # Errors
    /// When the history cannot be read.
    pub fn action_group(&self, name: &str) -> Result<Vec<(i64, String)>, HistoryError> {
        let roots = self.snapshot().roots;
        if !ActionHistory::exists(&roots) {
            return Ok(Vec::new());
        }
        let history = self.history(&roots).map_err(HistoryError::Unavailable)?;
        history.group(name)
    }

    /// Applies the plan that undoes an action, as [`Workspace::commit`]; this is recorded as an
    /// action.
    ///
    /// # Errors
    /// As [`Workspace::commit`].
    pub fn commit_undo<'l>(
        &self,
        write_lock: &WriteLock<'_>,
        label: impl Into<ActionLabel<'l>>,
        undo: &UndoPlan,
        editor: &dyn Editor,
    ) -> Result<Committed, CommitError> {
        let now = self.snapshot();
        if undo.changes.is_empty() {
            // Everything was already reverted by hand. Mark it, so that it is no longer the last
            // action.
            let history = self.history(&now.roots).map_err(CommitError::Journal)?;
            history.mark_undone(undo.action.id);
            return Ok(Committed::default());
        }
        self.commit_as(write_lock, label.into(), Some(undo.action.id), &now, &undo.changes, editor)
    }

    /// Registers edits that the client is about to be asked to apply, to compare them with its
    /// reports.
    ///
    /// Returns false, and registers nothing, if a document no longer has the text that an edit is
    /// for. An editor that does not check versions would apply the edit at the wrong position, and
    /// text typed before the registration would not be known.
    #[must_use]
    pub(crate) fn await_edits<'a>(
        &self,
        edits: impl Iterator<Item = (&'a DocumentEdit, &'a str)>,
    ) -> bool {
        let pending_edits: Vec<PendingEdit> = edits
            .map(|(edit, after)| {
                PendingEdit::new(normal_uri(&edit.uri).into(), edit.clone(), after)
            })
            .collect();
        let mut state = self.state.lock();
        let is_current = pending_edits.iter().all(|pending| {
            let now = state.documents.get(&pending.key);
            now.is_some_and(|now| now.text().is_same(&pending.edit.text))
        });
        if is_current {
            state.pending_edits = pending_edits;
        }
        is_current
    }

    /// Keeps watching edits that the editor did not confirm in time.
    pub(crate) fn watch_late_edits<'a>(
        &self,
        edits: impl Iterator<Item = (&'a DocumentEdit, &'a str)>,
    ) {
        let until = Instant::now() + LATE_EDIT_WATCH_TIME;
        let late_edits = edits.map(|(edit, after)| {
            (PendingEdit::new(normal_uri(&edit.uri).into(), edit.clone(), after), until)
        });
        let mut state = self.state.lock();
        state.late_edits.extend(late_edits.take(MAX_LATE_EDITS));
        let over = state.late_edits.len().saturating_sub(MAX_LATE_EDITS);
        state.late_edits.drain(..over);
    }

    /// Whether an edit was applied after its timeout.
    #[must_use]
    pub fn has_late_edit(&self) -> bool {
        self.state.lock().late_edits.iter().any(|(edit, _)| was_applied(edit))
    }

    /// Removes and returns the edits that were applied after their timeout.
    pub(crate) fn take_late_edits(&self) -> Vec<PendingEdit> {
        let mut state = self.state.lock();
        let now = Instant::now();
        state.late_edits.retain(|(edit, until)| *until > now || was_applied(edit));
        let applied = state.late_edits.extract_if(.., |(edit, _)| was_applied(edit));
        applied.map(|(edit, _)| edit).collect()
    }

    /// Waits, at most for `limit`, until each pending edit was reported, or a change of its
    /// document; removes the edits and returns their outcomes.
    pub(crate) fn edit_outcomes(&self, limit: Duration) -> Vec<EditOutcome> {
        let deadline = Instant::now() + limit;
        let mut state = self.state.lock();
        let before = state.revision;
        while !state.pending_edits.iter().all(was_applied) {
            // A report after this point includes the edit if the editor applied it.
            let is_reported = state.pending_edits.iter().all(|pending| {
                let document = state.documents.get(&pending.key);
                was_applied(pending) || document.is_none_or(|d| d.revision() > before)
            });
            if is_reported || self.changed.wait_until(&mut state, deadline).timed_out() {
                break;
            }
        }
        state.pending_edits.drain(..).map(|edit| edit.outcome().clone()).collect()
    }
}

/// Whether a file lists the dependencies of a project.
pub(crate) fn lists_dependencies(uri: &str) -> bool {
    ["/Cargo.lock", "/go.mod", "/pyvenv.cfg"].iter().any(|name| uri.ends_with(name))
}

fn was_applied(edit: &PendingEdit) -> bool {
    matches!(edit.outcome(), EditOutcome::Applied | EditOutcome::Misplaced { .. })
}

/// Reverts or finishes actions that crashed processes left incomplete.
fn recover(roots: &[Arc<Root>]) {
    if roots.is_empty() || !ActionHistory::exists(roots) {
        return;
    }
    let recovered = ActionHistory::open(roots).and_then(|history| history.lock_and_recover(roots));
    if let Err(error) = recovered {
        tracing::error!("{error}");
    }
}
