//! Events of debug sessions, for editors and other front ends.

use tokio::sync::broadcast;

use crate::body::StackFrame;
use crate::phase::{SessionEnd, StopInfo};

/// Events queued for one subscriber; a slower one misses the oldest and learns that it did.
const QUEUE_CAPACITY: usize = 256;

/// A change in a debug session. Only the latest state counts: of two changes in quick succession,
/// the first may be left out. A subscriber that missed events reads
/// [`Debugger::sessions`](crate::Debugger) again.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum DebugEvent {
    /// A session has started. If it stops at entry, that event follows.
    Started {
        /// Its id.
        session: u64,
    },
    /// A program has stopped.
    Stopped {
        /// The session.
        session: u64,
        /// The reason and thread.
        stop: StopInfo,
        /// The innermost frame of that thread, if it could be read.
        frame: Option<Box<StackFrame>>,
    },
    /// A program has resumed.
    Continued {
        /// The session.
        session: u64,
    },
    /// A program or its adapter has written output: at most one event in about 30 ms. Read the text
    /// with [`Session::output`](crate::Session::output), from a cursor of your own.
    Output {
        /// The session.
        session: u64,
        /// The cursor after its output so far.
        end: u64,
    },
    /// A session has ended.
    Exited {
        /// The session.
        session: u64,
        /// How it ended.
        ending: SessionEnd,
    },
    /// The workspace's breakpoints, or their state in a session, have changed.
    Breakpoints,
}

/// Publishes events.
#[derive(Debug, Clone)]
pub(crate) struct Events(broadcast::Sender<DebugEvent>);

impl Default for Events {
    fn default() -> Self {
        Self(broadcast::Sender::new(QUEUE_CAPACITY))
    }
}

impl Events {
    /// Sends an event to all subscribers. Never blocks.
    pub(crate) fn publish(&self, event: DebugEvent) {
        // Fails only without subscribers.
        let _ = self.0.send(event);
    }

    /// Whether there are subscribers.
    pub(crate) fn has_subscribers(&self) -> bool {
        self.0.receiver_count() > 0
    }

    pub(crate) fn subscribe(&self) -> broadcast::Receiver<DebugEvent> {
        self.0.subscribe()
    }
}
