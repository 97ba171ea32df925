//! `experimental/serverStatus`: how the server is, for a status bar.

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

/// What is told is gathered for so long: calls come and go quickly.
const GATHER: Duration = Duration::from_millis(100);
/// How often it is looked whether the workspace is still there.
const LOOK: Duration = Duration::from_secs(10);

/// What makes up a session's status.
#[derive(Debug, Default)]
pub(crate) struct Status {
    /// Tool calls that are under way.
    calls: AtomicUsize,
    files: AtomicUsize,
    /// The workspace has been read.
    is_read: AtomicBool,
    /// What went wrong inside, last.
    last_error: Mutex<Option<String>>,
    changed: Notify,
}

/// As the client is told.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Told {
    health: &'static str,
    quiescent: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    files: usize,
    agents: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_error: Option<String>,
}

/// A tool call under way; over when dropped.
pub(crate) struct UnderWay(Arc<Session>);

impl UnderWay {
    pub(crate) fn new(session: &Arc<Session>) -> Self {
        session.status.calls.fetch_add(1, Ordering::Relaxed);
        session.status.changed.notify_one();
        Self(session.clone())
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.status.calls.fetch_sub(1, Ordering::Relaxed);
        self.0.status.changed.notify_one();
    }
}

impl Status {
    /// The workspace is being read.
    pub(crate) fn reading(&self) {
        self.is_read.store(false, Ordering::Relaxed);
        self.changed.notify_one();
    }

    /// It has so many files.
    pub(crate) fn files(&self, files: usize) {
        self.files.store(files, Ordering::Relaxed);
    }

    /// It has been read.
    pub(crate) fn read(&self) {
        self.is_read.store(true, Ordering::Relaxed);
        self.changed.notify_one();
    }

    /// Notes a call that failed by the server's own fault.
    pub(crate) fn note(&self, call: &Activity) {
        let is_ours =
            |code: &String| [Code::Internal, Code::Io].iter().any(|ours| ours.as_str() == code);
        if call.code.as_ref().is_some_and(is_ours) {
            self.last_error.lock().clone_from(&call.error);
            self.changed.notify_one();
        }
    }
}

/// Tells the client how the server is, whenever that changes, if it wants to know.
pub(crate) fn start(session: &Arc<Session>) {
    if session.features.server_status {
        session.status.changed.notify_one();
        // Whoever tells does not keep the session.
        tokio::spawn(tell(Arc::downgrade(session)));
    }
}

async fn tell(session: Weak<Session>) {
    let mut told = None;
    loop {
        let Some(own) = session.upgrade().filter(|own| !own.stop.load(Ordering::Relaxed)) else {
            return;
        };
        let (sender, status) = tokio::sync::oneshot::channel();
        let asked = own.clone();
        own.pool.background(move || {
            let _ = sender.send(status_of(&asked));
        });
        if let Ok(status) = status.await
            && told.as_ref() != Some(&status)
        {
            let message = Request::build(METHOD).params(json!(status)).finish();
            own.outbox.post_newest(METHOD.to_owned(), &message);
            told = Some(status);
        }
        tokio::select! {
            () = own.status.changed.notified() => {}
            () = tokio::time::sleep(LOOK) => {}
        }
        drop(own);
        tokio::time::sleep(GATHER).await;
    }
}

fn status_of(session: &Session) -> Told {
    let snapshot = session.workspace.snapshot();
    let gone = snapshot.roots().iter().find(|root| !root.is_in_place());
    let (mut health, mut message) = ("ok", None);
    let tools = session.tools();
    if let Some(complaint) = tools.policy.complaints().into_iter().next() {
        (health, message) = ("warning", Some(complaint));
    }
    if tools.audit.lost() > 0 {
        (health, message) = ("warning", Some("calls cannot be put on record".to_owned()));
    }
    if let Some(root) = gone {
        let path = root.path().display();
        let what = format!("{path}: the workspace folder was moved, replaced or deleted");
        (health, message) = ("error", Some(what));
    }
    Told {
        health,
        quiescent: session.status.is_read.load(Ordering::Relaxed),
        message,
        files: session.status.files.load(Ordering::Relaxed),
        agents: session.status.calls.load(Ordering::Relaxed),
        last_error: session.status.last_error.lock().clone(),
    }
}
