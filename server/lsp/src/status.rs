//! `experimental/serverStatus`: the server's health, for a status bar.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use parking_lot::Mutex;
use serde::Serialize;
use serde_json::json;
use tokio::sync::Notify;
use tools::{Activity, Code};
use tower_lsp_server::jsonrpc::Request;

use crate::session::Session;

const METHOD: &str = "experimental/serverStatus";

/// Debounce: calls start and end in quick succession.
const DEBOUNCE: Duration = Duration::from_millis(100);
/// How often to check that the workspace folders still exist.
const POLL_INTERVAL: Duration = Duration::from_secs(10);

/// The inputs of a session's status.
#[derive(Debug, Default)]
pub(crate) struct Status {
    /// Tool calls that are running.
    calls: AtomicUsize,
    files: AtomicUsize,
    /// The index is complete.
    is_indexed: AtomicBool,
    /// The last internal error.
    last_error: Mutex<Option<String>>,
    changed: Notify,
}

/// The parameters of the notification.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct ServerStatusParams {
    health: &'static str,
    quiescent: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    files: usize,
    agents: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_error: Option<String>,
}

/// Counts a running tool call until dropped.
pub(crate) struct RunningCall(Arc<Session>);

impl RunningCall {
    pub(crate) fn new(session: &Arc<Session>) -> Self {
        session.status.calls.fetch_add(1, Ordering::Relaxed);
        session.status.changed.notify_one();
        Self(session.clone())
    }
}

impl Drop for RunningCall {
    fn drop(&mut self) {
        self.0.status.calls.fetch_sub(1, Ordering::Relaxed);
        self.0.status.changed.notify_one();
    }
}

impl Status {
    /// Indexing has started.
    pub(crate) fn indexing_started(&self) {
        self.is_indexed.store(false, Ordering::Relaxed);
        self.changed.notify_one();
    }

    /// Sets the number of files in the workspace.
    pub(crate) fn set_file_count(&self, files: usize) {
        self.files.store(files, Ordering::Relaxed);
    }

    /// Indexing has finished.
    pub(crate) fn indexing_finished(&self) {
        self.is_indexed.store(true, Ordering::Relaxed);
        self.changed.notify_one();
    }

    /// Records a call that failed with an internal error.
    pub(crate) fn record_failure(&self, call: &Activity) {
        let is_ours =
            |code: &String| [Code::Internal, Code::Io].iter().any(|ours| ours.as_str() == code);
        if call.code.as_ref().is_some_and(is_ours) {
            self.last_error.lock().clone_from(&call.error);
            self.changed.notify_one();
        }
    }
}

/// Starts sending the status whenever it changes, if the client supports it.
pub(crate) fn start(session: &Arc<Session>) {
    if session.features.server_status {
        session.status.changed.notify_one();
        // The task must not keep the session alive.
        tokio::spawn(publish_changes(Arc::downgrade(session)));
    }
}

async fn publish_changes(weak: Weak<Session>) {
    let mut last_sent = None;
    loop {
        let Some(session) =
            weak.upgrade().filter(|session| !session.is_stopping.load(Ordering::Relaxed))
        else {
            return;
        };
        let (sender, status) = tokio::sync::oneshot::channel();
        let for_status = session.clone();
        session.threads.spawn_background(move || {
            let _ = sender.send(compute_status(&for_status));
        });
        if let Ok(status) = status.await
            && last_sent.as_ref() != Some(&status)
        {
            let message = Request::build(METHOD).params(json!(status)).finish();
            session.outbox.post_newest(METHOD.to_owned(), &message);
            last_sent = Some(status);
        }
        tokio::select! {
            () = session.status.changed.notified() => {}
            () = tokio::time::sleep(POLL_INTERVAL) => {}
        }
        drop(session);
        tokio::time::sleep(DEBOUNCE).await;
    }
}

fn compute_status(session: &Session) -> ServerStatusParams {
    let snapshot = session.workspace.snapshot();
    let missing_root = snapshot.roots().iter().find(|root| !root.is_in_place());
    let (mut health, mut message) = ("ok", None);
    let tools = session.tools();
    if let Some(complaint) = tools.policy.complaints().into_iter().next() {
        (health, message) = ("warning", Some(complaint));
    }
    if tools.audit.lost() > 0 {
        (health, message) =
            ("warning", Some("calls cannot be recorded in the audit log".to_owned()));
    }
    if let Some(root) = missing_root {
        let path = root.path().display();
        let what = format!("the workspace folder {path} was moved, replaced or deleted");
        (health, message) = ("error", Some(what));
    }
    ServerStatusParams {
        health,
        quiescent: session.status.is_indexed.load(Ordering::Relaxed),
        message,
        files: session.status.files.load(Ordering::Relaxed),
        agents: session.status.calls.load(Ordering::Relaxed),
        last_error: session.status.last_error.lock().clone(),
    }
}
