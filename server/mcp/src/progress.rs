//! Progress notifications of one call.

use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext, RoleServer};
use rmcp::task_manager::TaskContext;
use tokio::runtime::Handle;
use tools::Throttle;

/// Longest status of a task, in characters.
const MAX_STATUS_CHARS: usize = 200;

/// Sends progress of one call.
#[derive(Clone)]
pub(crate) struct Progress {
    target: Option<(Peer<RoleServer>, ProgressToken)>,
    runtime: Handle,
    throttle: Arc<Throttle>,
    /// The task that the call has become. Then no notification follows the response.
    task: Arc<OnceLock<TaskContext>>,
    state: Arc<Mutex<ProgressState>>,
}

#[derive(Default)]
struct ProgressState {
    count: u32,
    /// Whether a notification is being written.
    is_writing: bool,
    /// The newest message that arrived meanwhile.
    newest: Option<String>,
}

impl Progress {
    /// Without a progress token nothing is sent.
    pub(crate) fn new(context: &RequestContext<RoleServer>) -> Self {
        let token = context.meta.get_progress_token();
        Self {
            target: token.map(|token| (context.peer.clone(), token)),
            runtime: Handle::current(),
            throttle: Arc::default(),
            task: Arc::default(),
            state: Arc::default(),
        }
    }

    /// Sends progress, at most once per interval. Does not wait: of the messages that arrive while one is
    /// being written, the newest follows it.
    pub(crate) fn report(&self, message: &str) {
        if let Some(task) = self.task.get() {
            self.throttle.admit(|| {
                task.set_status_message(message.chars().take(MAX_STATUS_CHARS).collect::<String>());
                true
            });
        } else if self.target.is_some() {
            self.throttle.admit(|| {
                self.send(message);
                true
            });
        }
    }

    /// Makes progress the status of a task from now on.
    pub(crate) fn report_to(&self, task: TaskContext) {
        // A call becomes a task at most once.
        let _ = self.task.set(task);
    }

    /// Progress that nobody asked for.
    #[cfg(test)]
    pub(crate) fn to_nobody() -> Self {
        Self {
            target: None,
            runtime: Handle::current(),
            throttle: Arc::default(),
            task: Arc::default(),
            state: Arc::default(),
        }
    }

    fn send(&self, message: &str) {
        let Some((peer, token)) = self.target.clone() else { return };
        let mut count = {
            let mut state = self.state.lock();
            if state.is_writing {
                state.newest = Some(message.to_owned());
                return;
            }
            state.is_writing = true;
            state.count += 1;
            state.count
        };
        let (state, mut message) = (Arc::downgrade(&self.state), message.to_owned());
        self.runtime.spawn(async move {
            loop {
                let notification = ProgressNotificationParam::new(token.clone(), f64::from(count));
                // An error means that the client is gone.
                let _ = peer.notify_progress(notification.with_message(message)).await;
                // No progress after the call has ended.
                let Some(state) = state.upgrade() else { return };
                let mut state = state.lock();
                match state.newest.take() {
                    Some(newest) => message = newest,
                    None => {
                        state.is_writing = false;
                        return;
                    }
                }
                state.count += 1;
                count = state.count;
            }
        });
    }
}
