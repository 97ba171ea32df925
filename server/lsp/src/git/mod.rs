//! What a session keeps of the repositories that its documents lie in.
//!
//! git's work is done on threads outside the wall of the others, each behind a narrower one of its
//! own ([`git::Layout::behind`]), a bounded number at a time. What a repository keeps of a document
//! is held in memory, so that a keystroke asks the disk only whether it still holds.

pub(crate) mod hunks;
mod push;
mod tracked;

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::Mutex;
use tokio::sync::{Notify, Semaphore};
use workspace::Places;

pub(crate) use push::{schedule, start};

use crate::git::tracked::Tracked;
use crate::pool::{Interrupt, Panicked};
use crate::session::Session;

/// Questions about git that are worked on at a time: each takes a thread.
const SLOTS: usize = 4;

/// A session's side of git.
pub(crate) struct Git {
    /// The documents that repositories hold, by URI.
    tracked: Mutex<HashMap<Arc<str>, Arc<Tracked>>>,
    /// The client is told of hunks.
    tells: AtomicBool,
    /// The digests of the hunks that it was told last.
    told: Mutex<HashMap<Arc<str>, u64>>,
    /// Watches the repositories' own folders.
    places: Mutex<Option<Places>>,
    changed: Arc<Notify>,
    slots: Arc<Semaphore>,
}

impl Git {
    /// `tells`: whether the client says that it shows hunks.
    pub(crate) fn new(tells: bool) -> Self {
        Self {
            tracked: Mutex::default(),
            tells: AtomicBool::new(tells),
            told: Mutex::default(),
            places: Mutex::default(),
            changed: Arc::default(),
            slots: Arc::new(Semaphore::new(SLOTS)),
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
    }
}

/// Does git's work. Dropping the future gives it up: `work` sees its flag set.
pub(crate) async fn ask<R: Send + 'static>(
    session: &Session,
    work: impl FnOnce(&AtomicBool) -> R + Send + 'static,
) -> Result<R, Panicked> {
    let interrupt = Interrupt::new();
    let flag = interrupt.flag();
    let slot = session.git.slots.clone().acquire_owned().await;
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
