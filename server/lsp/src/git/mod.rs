//! The repositories of a session's documents.
//!
//! git work runs on threads outside of the workspace's Landlock ruleset, a bounded number at a time,
//! each confined to one repository ([`git::Layout::behind`]). The index's version of each document is
//! cached in memory, so that a keystroke only checks whether the cache is current.

pub(crate) mod blame;
pub(crate) mod configuration;
pub(crate) mod conflicts;
mod hunk_notifications;
pub(crate) mod hunks;
pub(crate) mod options;
mod tracked;

use std::collections::{BTreeSet, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use tokio::sync::{Notify, Semaphore};
use workspace::FolderWatcher;

pub(crate) use hunk_notifications::{schedule, start};
pub(crate) use tracked::layout_of;

use crate::git::hunk_notifications::refresh_blame;
use crate::git::options::GitOptions;
use crate::git::tracked::TrackedFile;
use crate::session::Session;
use crate::session_threads::Interrupt;
use tools::Panicked;

/// Concurrent git queries; each takes a thread. Separate limits keep history from delaying hunks.
const MAX_QUICK: usize = 2;
const MAX_HISTORY: usize = 3;
/// Most URIs of historic content that are remembered, and most commit messages.
const MAX_REMEMBERED: usize = 256;
/// Longest such URI, in bytes.
const MAX_URI_BYTES: usize = 8 << 10;

/// The git state of a session.
pub(crate) struct GitState {
    /// The files of the open documents, by URI.
    tracked_files: Mutex<HashMap<Arc<str>, Arc<TrackedFile>>>,
    pub(crate) blames: blame::BlameCache,
    pub(crate) options: GitOptions,
    /// URIs of commit message documents, by the client's language id.
    commit_messages: Mutex<BTreeSet<String>>,
    /// URIs of historic content that the client shows and whose revision may move.
    shown_uris: Mutex<BTreeSet<String>>,
    /// The client receives hunks by notification.
    sends_hunks: AtomicBool,
    /// The digests of the hunks last sent.
    sent_digests: Mutex<HashMap<Arc<str>, u64>>,
    /// Watches the repositories' `.git` folders.
    watcher: Mutex<Option<FolderWatcher>>,
    changed: Arc<Notify>,
    quick_permits: Arc<Semaphore>,
    history_permits: Arc<Semaphore>,
}

impl GitState {
    /// `sends_hunks`: whether the client displays hunks.
    pub(crate) fn new(sends_hunks: bool, options: GitOptions) -> Self {
        Self {
            tracked_files: Mutex::default(),
            blames: blame::BlameCache::default(),
            options,
            commit_messages: Mutex::default(),
            shown_uris: Mutex::default(),
            sends_hunks: AtomicBool::new(sends_hunks),
            sent_digests: Mutex::default(),
            watcher: Mutex::default(),
            changed: Arc::default(),
            quick_permits: Arc::new(Semaphore::new(MAX_QUICK)),
            history_permits: Arc::new(Semaphore::new(MAX_HISTORY)),
        }
    }

    /// Enables hunk notifications, since the client has requested hunks.
    pub(crate) fn enable_hunks(&self) {
        self.sends_hunks.store(true, Ordering::Relaxed);
    }

    /// Forgets a closed document.
    pub(crate) fn forget(&self, uri: &str) {
        self.tracked_files.lock().remove(uri);
        self.sent_digests.lock().remove(uri);
        self.commit_messages.lock().remove(uri);
    }

    /// Records a document's language id.
    pub(crate) fn record_language(&self, uri: &str, language: &str) {
        let mut commit_messages = self.commit_messages.lock();
        if matches!(language, "git-commit" | "gitcommit") && commit_messages.len() < MAX_REMEMBERED
        {
            commit_messages.insert(uri.to_owned());
        }
    }

    /// Whether a document is a commit message.
    pub(crate) fn is_commit_message(&self, uri: &str) -> bool {
        self.commit_messages.lock().contains(uri)
    }

    /// Records a URI of historic content that the client shows.
    pub(crate) fn record_shown(&self, uri: &str) {
        let mut shown_uris = self.shown_uris.lock();
        if shown_uris.len() < MAX_REMEMBERED && uri.len() <= MAX_URI_BYTES {
            shown_uris.insert(uri.to_owned());
        }
    }
}

/// How much work a git query is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum GitWork {
    /// It reads one document and the index.
    Quick,
    /// It reads history or other files.
    History,
}

/// Runs git work. Dropping the future cancels: `work` sees its flag set.
pub(crate) async fn run<R: Send + 'static>(
    session: &Session,
    kind: GitWork,
    work: impl FnOnce(&AtomicBool) -> R + Send + 'static,
) -> Result<R, Panicked> {
    let interrupt = Interrupt::new();
    let flag = interrupt.flag();
    let permits = match kind {
        GitWork::Quick => &session.git.quick_permits,
        GitWork::History => &session.git.history_permits,
    };
    let permit = permits.clone().acquire_owned().await;
    let done = tokio::task::spawn_blocking(move || {
        // Held until the work has ended, even if the future was dropped.
        let _kept = permit;
        catch_unwind(AssertUnwindSafe(|| work(&flag)))
    });
    match done.await {
        Ok(Ok(done)) => Ok(done),
        _ => Err(Panicked),
    }
}
