//! What comes about in debug sessions, for whoever watches: an editor, another front end.

use tokio::sync::broadcast;

use crate::{Ending, Frame, Stop};

/// Events that wait for one watcher; one that is slower misses the oldest and is told so.
const WAITING: usize = 256;

/// Something that came about. It tells how things are now: of two changes in a moment, the first
/// may be left out. Whoever has missed some looks at [`Debugger::sessions`](crate::Debugger) anew.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Event {
    /// There is one more session. Its first stop, if it is held, comes next.
    Started {
        /// Its number.
        session: u64,
    },
    /// A program has stopped.
    Stopped {
        /// The session.
        session: u64,
        /// Why, and in which thread.
        stop: Stop,
        /// The newest frame of that thread, where it could be had: file, line, function.
        frame: Option<Box<Frame>>,
    },
    /// A program goes on.
    Continued {
        /// The session.
        session: u64,
    },
    /// A program, or its debugger, has written something: at most one of these in some 30 ms.
    /// The text is read by [`Session::output`](crate::Session::output), from a watcher's own cursor.
    Output {
        /// The session.
        session: u64,
        /// Where its output ends now.
        end: u64,
    },
    /// A session is over.
    Exited {
        /// The session.
        session: u64,
        /// How it ended.
        ending: Ending,
    },
    /// The workspace's breakpoints have changed, or where a session has bound them.
    Breakpoints,
}

/// Where events are told.
#[derive(Debug, Clone)]
pub(crate) struct Events(broadcast::Sender<Event>);

impl Default for Events {
    fn default() -> Self {
        Self(broadcast::Sender::new(WAITING))
    }
}

impl Events {
    /// Tells all who watch. Never waits.
    pub(crate) fn tell(&self, event: Event) {
        // Nobody may watch.
        let _ = self.0.send(event);
    }

    /// Whether anybody watches.
    pub(crate) fn is_watched(&self) -> bool {
        self.0.receiver_count() > 0
    }

    pub(crate) fn watch(&self) -> broadcast::Receiver<Event> {
        self.0.subscribe()
    }
}
