//! What a session keeps of the repositories that its documents lie in.
//!
//! git's work is done on threads outside the wall of the others, each behind a narrower one of its
//! own ([`git::Layout::behind`]), a bounded number at a time. What a repository keeps of a document
//! is held in memory, so that a keystroke asks the disk only whether it still holds.

pub(crate) mod blame;
pub(crate) mod configuration;
pub(crate) mod conflicts;
pub(crate) mod hunks;
pub(crate) mod options;
mod push;
mod tracked;

use std::collections::{BTreeSet, HashMap};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use tokio::sync::{Notify, Semaphore};
use workspace::Places;

pub(crate) use push::{schedule, start};
pub(crate) use tracked::layout_of;

use crate::git::options::Options;
use crate::git::push::refresh;
use crate::git::tracked::Tracked;
use crate::pool::{Interrupt, Panicked};
use crate::session::Session;

/// Questions about git that are worked on at a time: each takes a thread. What looks through history
/// never keeps hunks waiting.
const QUICK: usize = 2;
const SLOW: usize = 3;
/// Most places in history that are remembered to be shown, and most messages.
const MOST: usize = 256;
/// Longest URI of such a place, in bytes.
const LONGEST_URI: usize = 8 << 10;

/// A session's side of git.
pub(crate) struct Git {
    /// The documents that repositories hold, by URI.
    tracked: Mutex<HashMap<Arc<str>, Arc<Tracked>>>,
    pub(crate) blames: blame::Blames,
    pub(crate) options: Options,
    /// The messages of commits, by URI, where the client says that they are such.
    messages: Mutex<BTreeSet<String>>,
    /// What is shown of history under names that may come to mean something else.
    showed: Mutex<BTreeSet<String>>,
    /// The client is told of hunks.
    tells: AtomicBool,
    /// The digests of the hunks that it was told last.
    told: Mutex<HashMap<Arc<str>, u64>>,
    /// Watches the repositories' own folders.
    places: Mutex<Option<Places>>,
    changed: Arc<Notify>,
    quick: Arc<Semaphore>,
    slow: Arc<Semaphore>,
}

impl Git {
    /// `tells`: whether the client says that it shows hunks.
    pub(crate) fn new(tells: bool, options: Options) -> Self {
        Self {
            tracked: Mutex::default(),
            blames: blame::Blames::default(),
            options,
            messages: Mutex::default(),
            showed: Mutex::default(),
            tells: AtomicBool::new(tells),
            told: Mutex::default(),
            places: Mutex::default(),
            changed: Arc::default(),
            quick: Arc::new(Semaphore::new(QUICK)),
            slow: Arc::new(Semaphore::new(SLOW)),
        }
    }

    /// A client that asks for hunks is told of them from then on.
    pub(crate) fn asked_for_hunks(&self) {
        self.tells.store(true, Ordering::Relaxed);
    }

    /// Forgets a document that was closed.
    pub(crate) fn closed(&self, uri: &str) {
        self.tracked.lock().remove(uri);
        self.told.lock().remove(uri);
        self.messages.lock().remove(uri);
    }

    /// Notes the language that the client says a document is in.
    pub(crate) fn opened(&self, uri: &str, language: &str) {
        let mut messages = self.messages.lock();
        if matches!(language, "git-commit" | "gitcommit") && messages.len() < MOST {
            messages.insert(uri.to_owned());
        }
    }

    /// Whether the client says that a document is a commit's message.
    pub(crate) fn is_message(&self, uri: &str) -> bool {
        self.messages.lock().contains(uri)
    }

    /// Notes that the client shows a place in history.
    pub(crate) fn showed(&self, uri: &str) {
        let mut showed = self.showed.lock();
        if showed.len() < MOST && uri.len() <= LONGEST_URI {
            showed.insert(uri.to_owned());
        }
    }
}

/// How much a question has to look through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pace {
    /// What is kept of a document.
    Quick,
    /// History, and other files.
    Slow,
}

/// Does git's work. Dropping the future gives it up: `work` sees its flag set.
pub(crate) async fn ask<R: Send + 'static>(
    session: &Session,
    pace: Pace,
    work: impl FnOnce(&AtomicBool) -> R + Send + 'static,
) -> Result<R, Panicked> {
    let interrupt = Interrupt::new();
    let flag = interrupt.flag();
    let slots = match pace {
        Pace::Quick => &session.git.quick,
        Pace::Slow => &session.git.slow,
    };
    let slot = slots.clone().acquire_owned().await;
    let done = tokio::task::spawn_blocking(move || {
        // Kept until the work has ended, also when nobody waits for it any more.
        let _kept = slot;
        catch_unwind(AssertUnwindSafe(|| work(&flag)))
    });
    match done.await {
        Ok(Ok(done)) => Ok(done),
        _ => Err(Panicked),
    }
}
