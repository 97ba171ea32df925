//! Telling those who watch how a session goes.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Weak};
use std::time::Duration;

use serde_json::json;

use super::look::Frames;
use super::state::Told;
use super::{Phase, Session};
use crate::events::{Event, Events};
use crate::{Frame, Patience, Stop};

/// The pause between two looks: what comes about meanwhile is told at once.
const PAUSE: Duration = Duration::from_millis(30);
/// How long the place of a stop may take.
const PLACE: Duration = Duration::from_secs(5);

impl Session {
    /// Tells of the session from its start to its end.
    pub(crate) fn tell(self: &Arc<Self>, events: Events) {
        events.tell(Event::Started { session: self.id });
        let (session, shared) = (Arc::downgrade(self), self.shared.clone());
        let mut last = Told { phase: Phase::Running, ..Told::default() };
        self.runtime.spawn(async move {
            loop {
                let now = shared.changed_since(&last).await;
                let is_over = matches!(now.phase, Phase::Ended(_));
                if !tell_difference(&session, &events, &last, &now).await || is_over {
                    break;
                }
                // A stop is told at once, a flood of output now and then.
                if now.phase == last.phase {
                    let same = |phase: &Phase| *phase == now.phase;
                    let _ = tokio::time::timeout(PAUSE, shared.until_phase(|p| !same(p))).await;
                }
                last = now;
            }
        });
    }

    /// The newest frame of the thread that stopped; in the words of a report, which asks the same.
    async fn place(&self, stop: &Stop) -> Option<Box<Frame>> {
        let never = AtomicBool::new(false);
        let patience = Patience { longest: PLACE, interrupt: &never };
        let arguments = json!({ "threadId": stop.thread?, "startFrame": 0, "levels": 1 });
        let frames: Frames = self.ask_once("stackTrace", &arguments, patience).await.ok()?;
        frames.stack_frames.into_iter().next().map(Box::new)
    }
}

/// False where the session is gone.
async fn tell_difference(
    session: &Weak<Session>,
    events: &Events,
    last: &Told,
    now: &Told,
) -> bool {
    let Some(session) = session.upgrade() else { return false };
    let id = session.id;
    if now.bindings != last.bindings {
        events.tell(Event::Breakpoints);
    }
    // What was written before a stop or the end is told before it.
    if now.output != last.output {
        events.tell(Event::Output { session: id, end: now.output });
    }
    if now.phase == last.phase {
        return true;
    }
    match &now.phase {
        Phase::Starting => {}
        Phase::Running => events.tell(Event::Continued { session: id }),
        Phase::Ended(ending) => {
            events.tell(Event::Exited { session: id, ending: ending.clone() });
        }
        Phase::Stopped(stop) => {
            // Who watches nothing costs nothing.
            let frame = if events.is_watched() { session.place(stop).await } else { None };
            events.tell(Event::Stopped { session: id, stop: stop.clone(), frame });
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::Listener;
    use crate::session::ear::Ear;
    use crate::session::state::{Quirks, Shared};
    use crate::wire;

    #[tokio::test]
    async fn what_is_told_is_how_things_are_now() {
        let shared = Arc::new(Shared::alone(Quirks::default()));
        let ear = Ear(shared.clone());
        let event = |name: &str, body| ear.event(wire::Event { event: name.to_owned(), body });
        let first = Told { phase: Phase::Running, ..Told::default() };
        shared.started();
        event("output", json!({ "category": "stdout", "output": "1\n" }));
        let written = shared.changed_since(&first).await;
        assert_eq!((written.output, &written.phase), (2, &Phase::Running));
        event("stopped", json!({ "reason": "step", "threadId": 7 }));
        event("continued", json!({ "threadId": 7 }));
        event("stopped", json!({ "reason": "pause", "threadId": 7 }));
        let now = shared.changed_since(&written).await;
        let Phase::Stopped(stop) = &now.phase else { panic!("{now:?}") };
        assert_eq!((stop.reason.as_str(), stop.number), ("pause", 2));
        event("terminated", json!({}));
        assert!(matches!(shared.changed_since(&now).await.phase, Phase::Ended(_)));
    }
}
