//! Publishes the events of a session.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Weak};
use std::time::Duration;

use serde_json::json;

use super::Session;
use super::inspect::StackTraceBody;
use super::state::ReportedState;
use crate::events::{DebugEvent, Events};
use crate::phase::SessionPhase;
use crate::{StackFrame, StopInfo, WaitLimits};

/// Minimal interval of output events.
const OUTPUT_INTERVAL: Duration = Duration::from_millis(30);
/// Timeout for the frame of a stop.
const FRAME_TIMEOUT: Duration = Duration::from_secs(5);

impl Session {
    /// Publishes events from the session's start to its end.
    pub(crate) fn publish_events(self: &Arc<Self>, events: Events) {
        events.publish(DebugEvent::Started { session: self.id });
        let (session, shared) = (Arc::downgrade(self), self.shared.clone());
        let mut last = ReportedState { phase: SessionPhase::Running, ..ReportedState::default() };
        self.runtime.spawn(async move {
            loop {
                let current = shared.changed_since(&last).await;
                let is_over = matches!(current.phase, SessionPhase::Ended(_));
                if !publish_difference(&session, &events, &last, &current).await || is_over {
                    break;
                }
                // Stops are reported at once, output at intervals.
                if current.phase == last.phase {
                    let same = |phase: &SessionPhase| *phase == current.phase;
                    let _ = tokio::time::timeout(OUTPUT_INTERVAL, shared.until_phase(|p| !same(p)))
                        .await;
                }
                last = current;
            }
        });
    }

    /// The innermost frame of the stopped thread. Same request as in a report, so that the response
    /// cache serves both.
    async fn top_frame(&self, stop: &StopInfo) -> Option<Box<StackFrame>> {
        let no_interrupt = AtomicBool::new(false);
        let patience = WaitLimits { timeout: FRAME_TIMEOUT, interrupt: &no_interrupt };
        let arguments = json!({ "threadId": stop.thread?, "startFrame": 0, "levels": 1 });
        let frames: StackTraceBody =
            self.cached_request("stackTrace", &arguments, patience).await.ok()?;
        frames.stack_frames.into_iter().next().map(Box::new)
    }
}

/// Publishes the differences between two states. False if the session is gone.
async fn publish_difference(
    session: &Weak<Session>,
    events: &Events,
    last: &ReportedState,
    current: &ReportedState,
) -> bool {
    let Some(session) = session.upgrade() else { return false };
    let id = session.id;
    if current.bindings != last.bindings {
        events.publish(DebugEvent::Breakpoints);
    }
    // Report output before the stop or end that follows it.
    if current.output != last.output {
        events.publish(DebugEvent::Output { session: id, end: current.output });
    }
    if current.phase == last.phase {
        return true;
    }
    match &current.phase {
        SessionPhase::Starting => {}
        SessionPhase::Running => events.publish(DebugEvent::Continued { session: id }),
        SessionPhase::Ended(ending) => {
            events.publish(DebugEvent::Exited { session: id, ending: ending.clone() });
        }
        SessionPhase::Stopped(stop) => {
            // Without subscribers, save the request.
            let frame = if events.has_subscribers() { session.top_frame(stop).await } else { None };
            events.publish(DebugEvent::Stopped { session: id, stop: stop.clone(), frame });
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::client::AdapterListener;
    use crate::session::event_handler::EventHandler;
    use crate::session::state::{Quirks, SharedState};
    use crate::wire;

    #[tokio::test]
    async fn changes_are_reported_as_the_current_state() {
        let shared = Arc::new(SharedState::without_tree(Quirks::default()));
        let handler = EventHandler(shared.clone());
        let event = |name: &str, body| handler.event(wire::Event { event: name.to_owned(), body });
        let first = ReportedState { phase: SessionPhase::Running, ..ReportedState::default() };
        shared.set_started();
        event("output", json!({ "category": "stdout", "output": "1\n" }));
        let written = shared.changed_since(&first).await;
        assert_eq!((written.output, &written.phase), (2, &SessionPhase::Running));
        event("stopped", json!({ "reason": "step", "threadId": 7 }));
        event("continued", json!({ "threadId": 7 }));
        event("stopped", json!({ "reason": "pause", "threadId": 7 }));
        let current = shared.changed_since(&written).await;
        let SessionPhase::Stopped(stop) = &current.phase else { panic!("{current:?}") };
        assert_eq!((stop.reason.as_str(), stop.number), ("pause", 2));
        event("terminated", json!({}));
        assert!(matches!(shared.changed_since(&current).await.phase, SessionPhase::Ended(_)));
    }
}
