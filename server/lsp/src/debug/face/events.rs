//! What comes about in the session, as events of the protocol.

use ::debug::{Ending, Phase, Session as Debugged, Stop};
use serde_json::json;

use super::{Next, View};

/// Most output that is told at a time, in bytes, and most that who comes later is told.
const MOST: usize = 256 << 10;

impl View {
    pub(super) fn tell_phase(&mut self, session: &Debugged) -> Next {
        match session.phase() {
            Phase::Stopped(stop) => self.tell_stop(&stop),
            Phase::Ended(ending) => self.tell_ending(&ending),
            Phase::Starting | Phase::Running => self.tell_continued(),
        }
    }

    pub(super) fn tell_stop(&mut self, stop: &Stop) -> Next {
        self.thread = stop.thread.unwrap_or(self.thread);
        let mut body = json!({ "reason": stop.reason, "allThreadsStopped": true });
        if let Some(thread) = stop.thread {
            body["threadId"] = thread.into();
        }
        if let Some(description) = &stop.description {
            body["description"] = description.as_str().into();
        }
        if let Some(text) = &stop.text {
            body["text"] = text.as_str().into();
        }
        if !stop.breakpoints.is_empty() {
            body["hitBreakpointIds"] = json!(stop.breakpoints);
        }
        self.tell("stopped", body)
    }

    pub(super) fn tell_continued(&mut self) -> Next {
        self.tell("continued", json!({ "threadId": self.thread, "allThreadsContinued": true }))
    }

    /// The end. Nothing comes after it.
    pub(super) fn tell_ending(&mut self, ending: &Ending) -> Next {
        if let Some(fault) = &ending.fault {
            let text = format!("{fault}\n");
            let _ = self.tell("output", json!({ "category": "important", "output": text }));
        }
        // The protocol wants a number.
        if let Some(code) = ending.exit_code {
            let _ = self.tell("exited", json!({ "exitCode": code }));
        }
        let _ = self.tell("terminated", json!({}));
        self.is_attached = false;
        self.is_own = false;
        // The interface says goodbye by itself.
        Next::On
    }

    /// What was written since, the end of it where that is much.
    pub(super) fn output(&mut self, session: &Debugged) -> Next {
        let end = session.output(u64::MAX, 0, None).cursor;
        let from = end.saturating_sub(MOST as u64).max(self.cursor);
        let chunk = session.output(from, MOST, None);
        let lost = from - self.cursor + chunk.lost;
        if lost > 0 {
            let text = format!("[{lost} bytes of output are left out]\n");
            let _ = self.tell("output", json!({ "category": "console", "output": text }));
        }
        self.cursor = chunk.cursor;
        for piece in chunk.pieces {
            let body = json!({ "category": piece.category, "output": piece.text });
            if self.tell("output", body) == Next::Over {
                return Next::Over;
            }
        }
        Next::On
    }
}
