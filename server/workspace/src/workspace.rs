//! The state that clients change.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex, MutexGuard};
use rpds::HashTrieMapSync;
use text::{Change, PositionEncoding};

use crate::awaited::{Awaited, Landing};
use crate::indexer::{Indexer, Stale};
use crate::journal::Journal;
use crate::uri::normal_uri;
use crate::{Document, DocumentEdit, Root, Snapshot};

/// The documents, roots and index that one server keeps. All methods are quick: the rope edit of a
/// change is done when [`Workspace::change`] returns.
pub struct Workspace {
    state: Mutex<State>,
    changed: Condvar,
    writes: Mutex<()>,
    indexer: Arc<Indexer>,
}

struct State {
    revision: u64,
    roots: Arc<[Arc<Root>]>,
    documents: HashTrieMapSync<Arc<str>, Arc<Document>>,
    awaited: Vec<Awaited>,
}

/// The right to write, which one call has at a time: what it reads is what it changes.
pub struct Turn<'a>(#[allow(dead_code)] MutexGuard<'a, ()>);

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
        let roots: Arc<[Arc<Root>]> = roots.into_iter().map(Arc::new).collect();
        recover(&roots);
        let state = State {
            revision: 0,
            roots,
            documents: HashTrieMapSync::new_sync(),
            awaited: Vec::new(),
        };
        Self {
            state: Mutex::new(state),
            changed: Condvar::new(),
            writes: Mutex::default(),
            indexer: Arc::default(),
        }
    }

    /// The state at this moment. O(1).
    #[must_use]
    pub fn snapshot(&self) -> Snapshot {
        self.snapshot_of(&self.state.lock())
    }

    fn snapshot_of(&self, state: &State) -> Snapshot {
        Snapshot {
            revision: state.revision,
            roots: state.roots.clone(),
            documents: state.documents.clone(),
            indexer: self.indexer.clone(),
        }
    }

    /// Waits for the turn to write. `None` once `interrupt` is set.
    pub fn turn(&self, interrupt: &AtomicBool) -> Option<Turn<'_>> {
        loop {
            if interrupt.load(Ordering::Relaxed) {
                return None;
            }
            if let Some(guard) = self.writes.try_lock_for(Duration::from_millis(20)) {
                return Some(Turn(guard));
            }
        }
    }

    /// Takes up a document that the client has opened.
    pub fn open(&self, uri: &str, lsp_id: &str, version: i32, text: &str) -> Arc<Document> {
        let mut state = self.state.lock();
        state.revision += 1;
        let document = Arc::new(Document::new(uri, lsp_id, version, text, state.revision));
        state.documents.insert_mut(document.key().clone(), document.clone());
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
        for change in changes {
            changed.clamped |= text.apply(change, encoding).clamped;
            for awaited in state.awaited.iter_mut().filter(|awaited| awaited.key.as_ref() == key) {
                awaited.reported(&text, encoding);
            }
        }
        state.revision += 1;
        let document = Arc::new(old.changed(version, text, state.revision));
        state.documents.insert_mut(document.key().clone(), document.clone());
        self.changed.notify_all();
        Some((document, changed))
    }

    /// Lets go of a document that the client has closed. `None` where it was not open.
    pub fn close(&self, uri: &str) -> Option<Arc<Document>> {
        let key = normal_uri(uri);
        let mut state = self.state.lock();
        let document = state.documents.get(key.as_str())?.clone();
        state.documents.remove_mut(key.as_str());
        state.revision += 1;
        self.indexer.mark([Stale::Closed(document.clone())]);
        self.changed.notify_all();
        Some(document)
    }

    /// Takes note of files that were created, changed or deleted on disk. They are read by
    /// [`Snapshot::catch_up`].
    pub fn files_changed(&self, uris: impl IntoIterator<Item = String>) {
        self.indexer.mark(uris.into_iter().map(Stale::File));
    }

    /// Exchanges workspace folders.
    pub fn set_roots(&self, roots: Vec<Arc<Root>>) {
        recover(&roots);
        let mut state = self.state.lock();
        state.roots = roots.into();
        state.revision += 1;
    }

    /// Begins to hold the client's reports against edits that it is about to be asked for.
    pub(crate) fn await_edits<'a>(&self, edits: impl Iterator<Item = (&'a DocumentEdit, &'a str)>) {
        let awaited = edits
            .map(|(edit, after)| Awaited::new(normal_uri(&edit.uri).into(), edit.clone(), after));
        self.state.lock().awaited = awaited.collect();
    }

    /// Waits, at most for `limit`, until each awaited edit has been reported or the document with
    /// it; ends the waiting and tells what became of each.
    pub(crate) fn landings(&self, limit: Duration) -> Vec<Landing> {
        let deadline = Instant::now() + limit;
        let mut state = self.state.lock();
        let is_seen = |awaited: &Awaited| {
            matches!(awaited.landing(), Landing::Whole | Landing::Misplaced { .. })
        };
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

fn recover(roots: &[Arc<Root>]) {
    if let Some(journal) = Journal::of_user().filter(|_| !roots.is_empty()) {
        journal.recover(roots);
    }
}
