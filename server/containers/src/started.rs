//! The containers of a session: they end with it.

use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;

use http::Method;
use parking_lot::Mutex;
use tools::{Command, Context, CreatedGuarded, FamilyState, GuardedBefore};

use crate::client::{Client, Content, Dial, path};
use crate::failure::Failure;
use crate::limits::{END_TIMEOUT, STARTED};

/// The containers that a session has started, and that have not been removed.
#[derive(Default)]
pub(crate) struct StartedContainers {
    session: OnceLock<String>,
    started: Mutex<Vec<Started>>,
}

/// A container that was started.
pub(crate) struct Started {
    pub(crate) id: String,
    pub(crate) dial: Dial,
    /// Whether it stays when the session ends.
    pub(crate) keep: bool,
    /// If it may write to the workspace: the guarded places before it was started.
    pub(crate) watch: Option<(GuardedBefore, Command)>,
}

impl StartedContainers {
    /// The label of this session.
    pub(crate) fn session(&self) -> String {
        let random = || {
            let mut bytes = [0; 8];
            // Without random numbers the label says less; the containers are known by their ids.
            let _ = getrandom::fill(&mut bytes);
            bytes.iter().map(|byte| format!("{byte:02x}")).collect()
        };
        self.session.get_or_init(random).clone()
    }

    /// Whether no more may be started.
    pub(crate) fn is_full(&self) -> bool {
        self.started.lock().len() >= STARTED
    }

    /// Remembers a container, before it runs.
    pub(crate) fn add(&self, started: Started) {
        self.started.lock().push(started);
    }

    /// Forgets a container that was removed, and judges what it left in guarded places.
    pub(crate) fn removed(&self, context: &Context<'_>, id: &str) -> Vec<CreatedGuarded> {
        let mut started = self.started.lock();
        let Some(at) = started.iter().position(|one| one.id == id) else { return Vec::new() };
        let gone = started.remove(at);
        drop(started);
        match gone.watch {
            Some((before, command)) => before.settle_all(context, &command),
            None => Vec::new(),
        }
    }

    /// Judges what running containers have created in guarded places so far.
    pub(crate) fn settle(&self, context: &Context<'_>) -> Vec<CreatedGuarded> {
        // A question to the person must not hold the list.
        let mut watched: Vec<_> = {
            let mut started = self.started.lock();
            started.iter_mut().filter_map(|one| Some((one.id.clone(), one.watch.take()?))).collect()
        };
        let mut created = Vec::new();
        for (id, (before, command)) in watched.drain(..) {
            created.extend(before.settle_so_far(context, &command));
            let mut started = self.started.lock();
            if let Some(one) = started.iter_mut().find(|one| one.id == id) {
                one.watch = Some((before, command));
            }
        }
        created
    }
}

/// Removes a container, whether it runs or not, with its anonymous volumes.
pub(crate) async fn remove(dial: &Dial, id: &str) -> Result<(), Failure> {
    let path = path(&format!("/containers/{id}"), &[("force", "1"), ("v", "1")]);
    match dial.order(Method::DELETE, &path, Content::Nothing).await {
        // It is gone, or on its way.
        Err(Failure::Refused { status: 404 | 409, .. }) => Ok(()),
        result => result,
    }
}

/// The same at the end of a call that may have been cancelled.
pub(crate) fn remove_anyway(dial: &Dial, id: &str) -> Result<(), Failure> {
    let never = AtomicBool::new(false);
    Client::new(&never)?.run(END_TIMEOUT, remove(dial, id))
}

impl FamilyState for StartedContainers {
    fn stop(&self) {
        let mut left: Vec<Started> = std::mem::take(&mut *self.started.lock());
        left.retain(|one| !one.keep);
        if left.is_empty() {
            return;
        }
        let work = || {
            let never = AtomicBool::new(false);
            let all = async {
                let all = left
                    .iter()
                    .map(|one| async move { (&one.id, remove(&one.dial, &one.id).await) });
                Ok(futures_util::future::join_all(all).await)
            };
            let removed = Client::new(&never).and_then(|client| client.run(END_TIMEOUT, all));
            let removed = removed.unwrap_or_else(|failure| {
                tracing::warn!("containers were not removed: {failure:?}");
                Vec::new()
            });
            for (id, result) in removed {
                if let Err(failure) = result {
                    tracing::warn!("container {id:.12} was not removed: {failure:?}");
                }
            }
        };
        // The caller may be a task of a runtime, which cannot wait for another runtime.
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().name("containers".to_owned());
            if let Ok(thread) = thread.spawn_scoped(scope, work) {
                // It has reported what it could not do.
                let _ = thread.join();
            }
        });
    }
}

// A command such as `tandem call` ends without a stop.
impl Drop for StartedContainers {
    fn drop(&mut self) {
        self.stop();
    }
}
