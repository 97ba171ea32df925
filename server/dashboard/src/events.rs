//! What pages learn as it happens: calls, approvals that wait, sessions, the server's health. One JSON object a
//! line.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use bytes::Bytes;
use process::own_usage;
use serde::Serialize;
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::time::{MissedTickBehavior, interval};
use tools::{Activity, Feed, Follower, PendingApproval, recent_calls};
use workspace::Snapshot;

use crate::calls::is_shown;
use crate::limits::{HEALTH_INTERVAL, MAX_QUEUED_BYTES, MAX_RECENT};

/// What pages follow.
#[derive(Clone)]
pub(crate) struct Sources {
    pub(crate) activities: Arc<Feed<Activity>>,
    pub(crate) chat: Arc<Feed<Value>>,
    pub(crate) approvals: Arc<Feed<Vec<PendingApproval>>>,
}

/// An approval in an event.
#[derive(Serialize)]
struct Approval<'a> {
    id: String,
    tool: &'a str,
    question: &'a str,
    asked_at: String,
    answers: Vec<Answer>,
}

#[derive(Serialize)]
struct Answer {
    name: &'static str,
    title: &'static str,
}

/// Follows all sources until it is dropped.
pub(crate) struct Events {
    queue: Queue,
    waiting: UnboundedReceiver<Bytes>,
    health: tokio::time::Interval,
    _activities: Follower<Activity>,
    _chat: Follower<Value>,
    _approvals: Follower<Vec<PendingApproval>>,
}

impl Events {
    /// Begins with all that there is: `pending` are the approvals that wait.
    pub(crate) fn new(
        sources: &Sources,
        snapshot: &Snapshot,
        pending: impl FnOnce() -> Vec<PendingApproval>,
    ) -> Self {
        let (sender, waiting) = unbounded_channel();
        let queue = Queue { sender, bytes: Arc::default(), is_full: Arc::default() };
        // Followed first, so that nothing is missed between.
        let activities = {
            let queue = queue.clone();
            sources.activities.follow(move |call: &Activity| {
                if is_shown(call) {
                    queue.push(&json!({ "type": "call", "data": call }));
                }
            })
        };
        let chat = {
            let queue = queue.clone();
            sources.chat.follow(move |news| queue.push(&json!({ "type": "chat", "data": news })))
        };
        let approvals = {
            let queue = queue.clone();
            let push = move |all: &Vec<PendingApproval>| queue.push(&approvals_event(all));
            sources.approvals.follow(push)
        };
        let calls = recent_calls(snapshot, MAX_RECENT).unwrap_or_else(|error| {
            tracing::warn!("the dashboard begins without earlier calls: {error}");
            Vec::new()
        });
        let calls: Vec<_> = calls.into_iter().filter(is_shown).collect();
        let root = snapshot.roots().first().map(|root| root.path().display().to_string());
        let hello = json!({
            "type": "hello",
            "workspace": root.unwrap_or_default(),
            "version": env!("CARGO_PKG_VERSION"),
            "calls": calls,
        });
        queue.push(&hello);
        queue.push(&approvals_event(&pending()));
        let mut health = interval(HEALTH_INTERVAL);
        health.set_missed_tick_behavior(MissedTickBehavior::Delay);
        Self { queue, waiting, health, _activities: activities, _chat: chat, _approvals: approvals }
    }

    /// The next line. `None` if the page has not kept up: it connects again, and gets all that there is.
    pub(crate) async fn next(&mut self) -> Option<Bytes> {
        if self.queue.is_full.load(Ordering::Relaxed) {
            return None;
        }
        tokio::select! {
            line = self.waiting.recv() => {
                let line = line?;
                self.queue.bytes.fetch_sub(line.len(), Ordering::Relaxed);
                Some(line)
            }
            _ = self.health.tick() => {
                let usage = own_usage();
                let health = json!({ "memory_bytes": usage.memory_bytes, "threads": usage.threads });
                Some(line(&json!({ "type": "health", "data": health })))
            }
        }
    }
}

fn line(event: &Value) -> Bytes {
    Bytes::from(format!("{event}\n"))
}

/// The lines that wait for a page, bounded in bytes.
#[derive(Clone)]
struct Queue {
    sender: UnboundedSender<Bytes>,
    bytes: Arc<AtomicUsize>,
    is_full: Arc<AtomicBool>,
}

impl Queue {
    /// Never waits: it runs on the threads of calls. A full queue ends the connection.
    fn push(&self, event: &Value) {
        let line = line(event);
        let before = self.bytes.fetch_add(line.len(), Ordering::Relaxed);
        if before > MAX_QUEUED_BYTES || self.is_full.load(Ordering::Relaxed) {
            self.bytes.fetch_sub(line.len(), Ordering::Relaxed);
            self.is_full.store(true, Ordering::Relaxed);
            return;
        }
        // A page that is gone takes nothing.
        let _ = self.sender.send(line);
    }
}

fn approvals_event(all: &[PendingApproval]) -> Value {
    let all: Vec<_> = all
        .iter()
        .map(|one| Approval {
            id: one.id.to_string(),
            tool: &one.tool,
            question: &one.question,
            asked_at: one.asked_at.to_string(),
            answers: one
                .answers
                .iter()
                .map(|answer| Answer { name: answer.name(), title: answer.title() })
                .collect(),
        })
        .collect();
    json!({ "type": "approvals", "data": all })
}
