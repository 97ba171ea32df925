//! The queue of messages to the client, bounded by bytes.
//!
//! Posting never waits. Producers wait for capacity beforehand ([`Outbox::wait_for_capacity`]): the
//! reader before it accepts a request, the pool before it computes an answer. So a client that does not
//! read costs [`MAX_QUEUED_BYTES`] plus the running answers. A keyed notification replaces the queued
//! one with the same key.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use parking_lot::Mutex;
use serde::Serialize;
use tokio::sync::Notify;

/// Bytes queued before no further request is accepted.
pub(crate) const MAX_QUEUED_BYTES: usize = 16 << 20;

/// The queue of messages to one client.
#[derive(Clone, Default)]
pub(crate) struct Outbox(Arc<Shared>);

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    /// Bytes posted and not yet written.
    queued_bytes: AtomicUsize,
    /// No more messages are accepted.
    is_closed: AtomicBool,
    /// Notified when a message is posted, and at the end.
    posted: Notify,
    /// Notified when there is capacity again, and at the end.
    capacity: Notify,
}

#[derive(Default)]
struct Queue {
    messages: VecDeque<Message>,
    /// Messages dequeued so far, which is the sequence number of the first one in `messages`.
    dequeued: u64,
    /// The sequence number of the queued message with each key.
    by_key: HashMap<String, u64>,
}

impl Queue {
    /// The queued message with this key.
    fn queued_with_key(&mut self, key: &str) -> Option<&mut Message> {
        let number = self.by_key.get(key)?;
        self.messages.get_mut(usize::try_from(number - self.dequeued).ok()?)
    }
}

struct Message {
    key: Option<String>,
    body: Vec<u8>,
}

impl Outbox {
    /// Whether the queue is over its capacity.
    pub(crate) fn is_full(&self) -> bool {
        self.0.queued_bytes.load(Ordering::Relaxed) > MAX_QUEUED_BYTES
    }

    /// Waits until the queue has capacity or is closed.
    pub(crate) async fn wait_for_capacity(&self) {
        while self.is_full() && !self.is_closed() {
            let capacity = self.0.capacity.notified();
            // Checked again: the state may have changed before `notified` was registered.
            if self.is_full() && !self.is_closed() {
                capacity.await;
            }
        }
    }

    pub(crate) fn post(&self, message: &impl Serialize) {
        self.push(None, message);
    }

    /// Posts a message. It replaces a queued one with the same key.
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
            self.0.queued_bytes.fetch_add(body.len(), Ordering::Relaxed);
            if let Some(key) = &key {
                if let Some(older) = queue.queued_with_key(key) {
                    let older = std::mem::replace(&mut older.body, body);
                    self.mark_written(older.len());
                    return;
                }
                let number = queue.dequeued + queue.messages.len() as u64;
                queue.by_key.insert(key.clone(), number);
            }
            queue.messages.push_back(Message { key, body });
        }
        self.0.posted.notify_one();
    }

    /// Dequeues a message without waiting.
    pub(crate) fn try_next(&self) -> Option<Vec<u8>> {
        let mut queue = self.0.queue.lock();
        let Message { key, body } = queue.messages.pop_front()?;
        queue.dequeued += 1;
        if let Some(key) = key {
            queue.by_key.remove(&key);
        }
        Some(body)
    }

    /// Dequeues a message, or waits for one. `None` once closed and empty. For a single writer.
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

    /// Releases the bytes of a message that has been written.
    pub(crate) fn mark_written(&self, bytes: usize) {
        let before = self.0.queued_bytes.fetch_sub(bytes, Ordering::Relaxed);
        if before > MAX_QUEUED_BYTES && before - bytes <= MAX_QUEUED_BYTES {
            self.0.capacity.notify_waiters();
        }
    }

    /// Accepts no more messages. Queued ones are still written.
    pub(crate) fn close(&self) {
        {
            // Under the lock, so that a message is queued either before the close or not at all.
            let _queue = self.0.queue.lock();
            self.0.is_closed.store(true, Ordering::Relaxed);
        }
        self.0.posted.notify_one();
        self.0.capacity.notify_waiters();
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
            .inspect(|body| outbox.mark_written(body.len()))
            .map(|body| serde_json::from_slice(&body).unwrap())
            .collect()
    }

    #[test]
    fn a_newer_message_replaces_the_queued_one_with_its_key() {
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
        // A message that was written is not replaced.
        outbox.post_newest("a".to_owned(), &json!({ "a": 1_000 }));
        assert_eq!(drain(&outbox), [json!({ "a": 1_000 })]);
        assert_eq!(outbox.0.queued_bytes.load(Ordering::Relaxed), 0);
        assert!(outbox.0.queue.lock().by_key.is_empty());
    }

    #[tokio::test]
    async fn waiters_wake_on_capacity_and_on_close() {
        let outbox = Outbox::default();
        outbox.wait_for_capacity().await;
        outbox.post(&"x".repeat(MAX_QUEUED_BYTES));
        assert!(outbox.is_full());
        let spawn_waiter = || {
            let outbox = outbox.clone();
            tokio::spawn(async move { outbox.wait_for_capacity().await })
        };
        let one = spawn_waiter();
        tokio::time::sleep(Duration::from_millis(20)).await;
        assert!(!one.is_finished());
        drain(&outbox);
        tokio::time::timeout(Duration::from_secs(5), one).await.unwrap().unwrap();
        outbox.post(&"x".repeat(MAX_QUEUED_BYTES));
        let other = spawn_waiter();
        tokio::time::sleep(Duration::from_millis(20)).await;
        assert!(!other.is_finished());
        outbox.close();
        tokio::time::timeout(Duration::from_secs(5), other).await.unwrap().unwrap();
        // What was queued before the close is written; nothing after it.
        outbox.post(&"late");
        assert!(outbox.next().await.is_some_and(|body| body.len() > MAX_QUEUED_BYTES));
        assert!(outbox.next().await.is_none());
    }
}
