//! How far a call is, for a client that wants to know.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext, RoleServer};
use tokio::runtime::Handle;

/// The least time between two reports.
const PAUSE: Duration = Duration::from_millis(100);

/// Reports of one call.
#[derive(Clone)]
pub(crate) struct Progress {
    to: Option<(Peer<RoleServer>, ProgressToken)>,
    runtime: Handle,
    told: Arc<Mutex<Told>>,
}

#[derive(Default)]
struct Told {
    last: Option<Instant>,
    count: u32,
}

impl Progress {
    /// Without a token nobody wants to know.
    pub(crate) fn new(context: &RequestContext<RoleServer>) -> Self {
        let token = context.meta.get_progress_token();
        Self {
            to: token.map(|token| (context.peer.clone(), token)),
            runtime: Handle::current(),
            told: Arc::default(),
        }
    }

    /// Tells how far the call is; too soon after the last time, nothing is told. Does not wait.
    pub(crate) fn tell(&self, message: &str) {
        let Some((peer, token)) = self.to.clone() else { return };
        let count = {
            let mut told = self.told.lock();
            if told.last.is_some_and(|last| last.elapsed() < PAUSE) {
                return;
            }
            told.last = Some(Instant::now());
            told.count += 1;
            told.count
        };
        let report = ProgressNotificationParam::new(token, f64::from(count));
        let report = report.with_message(message.to_owned());
        self.runtime.spawn(async move {
            // A client that has gone hears nothing.
            let _ = peer.notify_progress(report).await;
        });
    }
}
