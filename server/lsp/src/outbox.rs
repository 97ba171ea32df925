//! The messages on their way to the client: bounded by bytes, the newest notification of a kind only.
//!
//! Posting never waits. What would post more waits for room instead ([`Outbox::room`]): the reader before
//! it takes in a request, the pool before it computes an answer. So a client that does not read costs
//! [`FULL`] bytes and the answers under way, and one that reads slowly is read from slowly.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use parking_lot::Mutex;
use serde::Serialize;
use tokio::sync::Notify;

/// Bytes that wait for the client before it is asked for nothing more.
pub(crate) const FULL: usize = 16 << 20;

/// The messages on their way to one client.
#[derive(Clone, Default)]
pub(crate) struct Outbox(Arc<Shared>);

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    /// Bytes posted and not yet written.
    waiting: AtomicUsize,
    /// Nothing more is taken.
    is_closed: AtomicBool,
    /// Notified of messages, and of the end.
    posted: Notify,
    /// Notified when there is room again, and of the end.
    room: Notify,
}

#[derive(Default)]
struct Queue {
    messages: VecDeque<Message>,
    /// Messages taken out so far: the number of the first one in `messages`.
    taken: u64,
    /// The number of the message that a newer one with the same key replaces.
    replaceable: HashMap<String, u64>,
}

impl Queue {
    /// The message that a newer one with this key replaces.
    fn replaceable(&mut self, key: &str) -> Option<&mut Message> {
        let number = self.replaceable.get(key)?;
        self.messages.get_mut(usize::try_from(number - self.taken).ok()?)
    }
}

struct Message {
    key: Option<String>,
    body: Vec<u8>,
}

impl Outbox {
    /// Whether so much waits that nothing more should be asked for.
    pub(crate) fn is_full(&self) -> bool {
        self.0.waiting.load(Ordering::Relaxed) > FULL
    }

    /// Waits until the outbox is not full, or closed.
    pub(crate) async fn room(&self) {
        while self.is_full() && !self.is_closed() {
            let room = self.0.room.notified();
            // Checked again: the change may have come before the wait was set up.
            if self.is_full() && !self.is_closed() {
                room.await;
            }
        }
    }

    pub(crate) fn post(&self, message: &impl Serialize) {
        self.push(None, message);
    }

    /// Posts a message; one with the same key that has not been written yet gives its place to it.
    pub(crate) fn post_newest(&self, key: String, message: &impl Serialize) {
        self.push(Some(key), message);
    }

    fn push(&self, key: Option<String>, message: &impl Serialize) {
        let Ok(body) = serde_json::to_vec(message) else { return };
        {
            let mut queue = self.0.queue.lock();
            if self.is_closed() {
                return;
            }
            self.0.waiting.fetch_add(body.len(), Ordering::Relaxed);
            if let Some(key) = &key {
                if let Some(older) = queue.replaceable(key) {
                    let older = std::mem::replace(&mut older.body, body);
                    self.written(older.len());
                    return;
                }
                let number = queue.taken + queue.messages.len() as u64;
                queue.replaceable.insert(key.clone(), number);
            }
            queue.messages.push_back(Message { key, body });
        }
        self.0.posted.notify_one();
    }

    /// The next message, if there is one now.
    pub(crate) fn try_next(&self) -> Option<Vec<u8>> {
        let mut queue = self.0.queue.lock();
        let Message { key, body } = queue.messages.pop_front()?;
        queue.taken += 1;
        if let Some(key) = key {
            queue.replaceable.remove(&key);
        }
        Some(body)
    }

    /// The next message; `None` once the outbox is closed and empty. For one writer.
    pub(crate) async fn next(&self) -> Option<Vec<u8>> {
        loop {
            let is_closed = self.is_closed();
            if let Some(body) = self.try_next() {
                return Some(body);
            }
            if is_closed {
                return None;
            }
            self.0.posted.notified().await;
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.queue.lock().messages.is_empty()
    }

    /// Reports that a message of so many bytes is written.
    pub(crate) fn written(&self, bytes: usize) {
        let before = self.0.waiting.fetch_sub(bytes, Ordering::Relaxed);
        if before > FULL && before - bytes <= FULL {
            self.0.room.notify_waiters();
        }
    }

    /// Takes no more messages; those posted before are still written.
    pub(crate) fn close(&self) {
        {
            // Under the lock: a message is either posted before the end or not at all.
            let _queue = self.0.queue.lock();
            self.0.is_closed.store(true, Ordering::Relaxed);
        }
        self.0.posted.notify_one();
        self.0.room.notify_waiters();
    }

    fn is_closed(&self) -> bool {
        self.0.is_closed.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use serde_json::{Value, json};

    use super::*;

    fn drain(outbox: &Outbox) -> Vec<Value> {
        std::iter::from_fn(|| outbox.try_next())
            .inspect(|body| outbox.written(body.len()))
            .map(|body| serde_json::from_slice(&body).unwrap())
            .collect()
    }

    #[test]
    fn the_newest_message_of_a_key_is_kept_and_nothing_else_is_lost() {
        let outbox = Outbox::default();
        for n in 0..1_000 {
            outbox.post_newest("a".to_owned(), &json!({ "a": n }));
            if n % 400 == 0 {
                outbox.post(&json!({ "answer": n }));
                outbox.post_newest("b".to_owned(), &json!({ "b": n }));
            }
        }
        let expected = [
            json!({ "a": 999 }),
            json!({ "answer": 0 }),
            json!({ "b": 800 }),
            json!({ "answer": 400 }),
            json!({ "answer": 800 }),
        ];
        assert_eq!(drain(&outbox), expected);
        // Of what was written nothing is replaced.
        outbox.post_newest("a".to_owned(), &json!({ "a": 1_000 }));
        assert_eq!(drain(&outbox), [json!({ "a": 1_000 })]);
        assert_eq!(outbox.0.waiting.load(Ordering::Relaxed), 0);
        assert!(outbox.0.queue.lock().replaceable.is_empty());
    }

    #[tokio::test]
    async fn room_comes_with_reading_and_with_the_end() {
        let outbox = Outbox::default();
        outbox.room().await;
        outbox.post(&"x".repeat(FULL));
        assert!(outbox.is_full());
        let waiting = || {
            let own = outbox.clone();
            tokio::spawn(async move { own.room().await })
        };
        let one = waiting();
        tokio::time::sleep(Duration::from_millis(20)).await;
        assert!(!one.is_finished());
        drain(&outbox);
        tokio::time::timeout(Duration::from_secs(5), one).await.unwrap().unwrap();
        outbox.post(&"x".repeat(FULL));
        let other = waiting();
        tokio::time::sleep(Duration::from_millis(20)).await;
        assert!(!other.is_finished());
        outbox.close();
        tokio::time::timeout(Duration::from_secs(5), other).await.unwrap().unwrap();
        // Of what was posted before the end, all is written; nothing after it.
        outbox.post(&"late");
        assert!(outbox.next().await.is_some_and(|body| body.len() > FULL));
        assert!(outbox.next().await.is_none());
    }
}
