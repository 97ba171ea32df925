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
    /// Whether a report is being written.
    is_under_way: bool,
    /// The newest report that came meanwhile.
    newest: Option<String>,
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

    /// Reports how far the call is; too soon after the last time, nothing is reported. Does not wait: of
    /// the reports that come while one is being written, the newest follows it.
    pub(crate) fn tell(&self, message: &str) {
        let Some((peer, token)) = self.to.clone() else { return };
        let mut count = {
            let mut told = self.told.lock();
            if told.last.is_some_and(|last| last.elapsed() < PAUSE) {
                return;
            }
            told.last = Some(Instant::now());
            if told.is_under_way {
                told.newest = Some(message.to_owned());
                return;
            }
            told.is_under_way = true;
            told.count += 1;
            told.count
        };
        let (told, mut message) = (Arc::downgrade(&self.told), message.to_owned());
        self.runtime.spawn(async move {
            loop {
                let report = ProgressNotificationParam::new(token.clone(), f64::from(count));
                // A client that has gone hears nothing.
                let _ = peer.notify_progress(report.with_message(message)).await;
                // Nothing is reported of a call that has ended.
                let Some(told) = told.upgrade() else { return };
                let mut told = told.lock();
                match told.newest.take() {
                    Some(newest) => message = newest,
                    None => {
                        told.is_under_way = false;
                        return;
                    }
                }
                told.count += 1;
                count = told.count;
            }
        });
    }
}
