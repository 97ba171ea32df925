//! The channels that a client follows.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use process::Supervisor;
use serde::Serialize;
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio_tungstenite::tungstenite::Utf8Bytes;
use tools::{Activity, Feed, Follower};

use crate::event_queue::{EventQueue, Overflow};
use crate::limits::MAX_SUBSCRIPTIONS;
use crate::messages::Message;
use crate::output::{Next, OutputFollower};

/// The prefix of the channels of processes.
const PROCESS: &str = "process:";
/// Tool calls, when they start and when they end.
const ACTIVITY: &str = "activity";
/// The prefix of the channels of sessions with agents.
const CHAT: &str = "chat:";
/// Entries of the audit log.
const AUDIT: &str = "audit";

/// What the channels report.
pub(crate) struct Sources {
    pub(crate) supervisor: Arc<Supervisor>,
    pub(crate) activities: Arc<Feed<Activity>>,
    pub(crate) audit: Arc<Feed<Value>>,
    pub(crate) chat: Arc<Feed<Value>>,
}

/// The number of clients of each channel.
#[derive(Default)]
pub(crate) struct ChannelCounts(Mutex<HashMap<String, usize>>);

impl ChannelCounts {
    /// The number of channels that somebody follows.
    pub(crate) fn len(&self) -> usize {
        self.0.lock().len()
    }

    fn add(&self, channel: &str) {
        *self.0.lock().entry(channel.to_owned()).or_default() += 1;
    }

    fn remove(&self, channel: &str) {
        let mut counts = self.0.lock();
        if let Some(count) = counts.get_mut(channel) {
            *count -= 1;
            if *count == 0 {
                counts.remove(channel);
            }
        }
    }
}

/// The channels of one client.
pub(crate) struct Subscriptions {
    sources: Arc<Sources>,
    counts: Arc<ChannelCounts>,
    wake: Arc<Notify>,
    events: Arc<EventQueue>,
    all: Vec<Subscription>,
    /// The one that is next, so that each gets its turn.
    turn: usize,
}

struct Subscription {
    /// As the client named it.
    channel: String,
    /// As it is counted: the same process may be named in two ways.
    counted: String,
    source: Source,
}

enum Source {
    Output(OutputFollower),
    Activity(#[expect(dead_code, reason = "follows until it is dropped")] Follower<Activity>),
    News(#[expect(dead_code, reason = "follows until it is dropped")] Follower<Value>),
}

impl Subscriptions {
    pub(crate) fn new(
        sources: Arc<Sources>,
        counts: Arc<ChannelCounts>,
        wake: Arc<Notify>,
    ) -> Self {
        let events = Arc::new(EventQueue::new(wake.clone()));
        Self { sources, counts, wake, events, all: Vec::new(), turn: 0 }
    }

    /// Follows a channel. Returns the first message.
    pub(crate) fn add(&mut self, channel: &str, cursor: Option<u64>) -> Result<Utf8Bytes, String> {
        self.remove(channel);
        if self.all.len() >= MAX_SUBSCRIPTIONS {
            return Err(format!("{MAX_SUBSCRIPTIONS} channels are followed, which is the limit"));
        }
        let subscribed =
            || Message { kind: "subscribed", channel: Some(channel), ..Message::default() }.json();
        let (source, counted, first) = match channel {
            ACTIVITY => {
                let push = self.push_events::<Activity>(ACTIVITY);
                let follower = self.sources.activities.follow(push);
                (Source::Activity(follower), channel.to_owned(), subscribed())
            }
            AUDIT => {
                let push = self.push_events::<Value>(AUDIT);
                (Source::News(self.sources.audit.follow(push)), channel.to_owned(), subscribed())
            }
            _ if channel.starts_with(CHAT) => {
                // A session may be created later, and may be in another server's hands.
                let session = channel.strip_prefix(CHAT).unwrap_or_default().to_owned();
                let push = self.push_events::<Value>(channel);
                let push = move |news: &Value| {
                    if news["session"] == *session {
                        push(news);
                    }
                };
                (Source::News(self.sources.chat.follow(push)), channel.to_owned(), subscribed())
            }
            _ => {
                let id = channel.strip_prefix(PROCESS).ok_or_else(|| {
                    format!("`{channel:.100}` is no channel; they are `process:ID`, `chat:ID`, `activity` and `audit`")
                })?;
                let process = self.sources.supervisor.find(id).ok_or_else(|| {
                    format!("there is no process `{id:.100}`; the tool `process_list` lists them")
                })?;
                let follower = OutputFollower::new(&process, cursor, self.wake.clone());
                let first = follower.first_message(channel);
                (Source::Output(follower), format!("{PROCESS}{}", process.id()), first)
            }
        };
        self.counts.add(&counted);
        self.all.push(Subscription { channel: channel.to_owned(), counted, source });
        // What is there already is sent without a change.
        self.wake.notify_one();
        Ok(first)
    }

    /// Puts news of a channel in the queue, on the thread where they happen.
    fn push_events<T: Serialize>(
        &self,
        channel: &str,
    ) -> impl Fn(&T) + Send + Sync + 'static + use<T> {
        let (events, channel) = (self.events.clone(), channel.to_owned());
        move |news| {
            let message = Message {
                kind: "event",
                channel: Some(&channel),
                data: Some(json!(news)),
                ..Message::default()
            };
            events.push(message.json());
        }
    }

    /// Ends a subscription. False if there is none.
    pub(crate) fn remove(&mut self, channel: &str) -> bool {
        let found = self.all.iter().position(|one| one.channel == channel);
        if let Some(at) = found {
            let removed = self.all.swap_remove(at);
            self.counts.remove(&removed.counted);
        }
        found.is_some()
    }

    /// The next message to send, if there is one.
    pub(crate) fn next(&mut self) -> Result<Option<Utf8Bytes>, Overflow> {
        if let Some(event) = self.events.pop()? {
            return Ok(Some(event));
        }
        for _ in 0..self.all.len() {
            self.turn = (self.turn + 1) % self.all.len();
            let Subscription { channel, source, .. } = &mut self.all[self.turn];
            let Source::Output(follower) = source else { continue };
            match follower.next(channel) {
                Next::Nothing => {}
                Next::Message(message) => return Ok(Some(message)),
                Next::Last(message) => {
                    let channel = channel.clone();
                    self.remove(&channel);
                    return Ok(Some(message));
                }
            }
        }
        Ok(None)
    }
}

impl Drop for Subscriptions {
    fn drop(&mut self) {
        self.all.iter().for_each(|one| self.counts.remove(&one.counted));
    }
}
