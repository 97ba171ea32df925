//! Notifies others of calls, without waiting for them.

use std::sync::{Arc, Weak};

use parking_lot::RwLock;

/// Must not block: it runs on the call's thread.
type Notify<T> = Box<dyn Fn(&T) + Send + Sync>;

/// What happens, for all who follow it.
pub struct Feed<T>(RwLock<Followers<T>>);

struct Followers<T> {
    last: u64,
    all: Vec<(u64, Notify<T>)>,
}

impl<T> Default for Feed<T> {
    fn default() -> Self {
        Self(RwLock::new(Followers { last: 0, all: Vec::new() }))
    }
}

impl<T> Feed<T> {
    /// Calls `notify` of all that happens from now on. It must not block.
    pub fn follow_forever(&self, notify: impl Fn(&T) + Send + Sync + 'static) {
        self.add(Box::new(notify));
    }

    /// Calls `notify` of all that happens from now on, until the result is dropped. It must not block.
    #[must_use]
    pub fn follow(self: &Arc<Self>, notify: impl Fn(&T) + Send + Sync + 'static) -> Follower<T> {
        Follower { feed: Arc::downgrade(self), number: self.add(Box::new(notify)) }
    }

    fn add(&self, notify: Notify<T>) -> u64 {
        let mut followers = self.0.write();
        followers.last += 1;
        let number = followers.last;
        followers.all.push((number, notify));
        number
    }

    /// Notifies all who follow; `news` is made only if somebody does.
    pub fn publish(&self, news: impl FnOnce() -> T) {
        let followers = self.0.read();
        if !followers.all.is_empty() {
            let news = news();
            followers.all.iter().for_each(|(_, notify)| notify(&news));
        }
    }
}

/// Follows a [`Feed`] until it is dropped.
pub struct Follower<T> {
    feed: Weak<Feed<T>>,
    number: u64,
}

impl<T> Drop for Follower<T> {
    fn drop(&mut self) {
        if let Some(feed) = self.feed.upgrade() {
            feed.0.write().all.retain(|(number, _)| *number != self.number);
        }
    }
}

#[cfg(test)]
mod tests {
    use parking_lot::Mutex;

    use super::*;

    #[test]
    fn followers_hear_until_they_are_dropped() {
        let (feed, heard) = (Arc::new(Feed::default()), Arc::new(Mutex::new(Vec::new())));
        feed.publish(|| unreachable!("nobody follows"));
        let note = |who: &'static str| {
            let heard = heard.clone();
            move |news: &u32| heard.lock().push((who, *news))
        };
        feed.follow_forever(note("a"));
        let follower = feed.follow(note("b"));
        feed.publish(|| 1);
        drop(follower);
        feed.publish(|| 2);
        assert_eq!(*heard.lock(), [("a", 1), ("b", 1), ("a", 2)]);
        // A feed that is gone does no harm.
        let follower = feed.follow(note("c"));
        drop(feed);
        drop(follower);
    }
}
