//! Session events, as DAP events.

use ::debug::{Session as Debugged, SessionEnd, SessionPhase, StopInfo};
use serde_json::json;

use super::{DapConnection, Flow};

/// Most output sent at a time, and to a client that joins late, in bytes.
const MAX_BYTES: usize = 256 << 10;

impl DapConnection {
    pub(super) fn send_phase(&mut self, session: &Debugged) -> Flow {
        match session.phase() {
            SessionPhase::Stopped(stop) => self.send_stop(&stop),
            SessionPhase::Ended(ending) => self.send_end(&ending),
            SessionPhase::Starting | SessionPhase::Running => self.send_continued(),
        }
    }

    pub(super) fn send_stop(&mut self, stop: &StopInfo) -> Flow {
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
        self.send_event("stopped", body)
    }

    pub(super) fn send_continued(&mut self) -> Flow {
        self.send_event(
            "continued",
            json!({ "threadId": self.thread, "allThreadsContinued": true }),
        )
    }

    /// Sends the end of the session. No events follow.
    pub(super) fn send_end(&mut self, ending: &SessionEnd) -> Flow {
        if let Some(fault) = &ending.fault {
            let text = format!("{fault}\n");
            let _ = self.send_event("output", json!({ "category": "important", "output": text }));
        }
        // DAP requires a number.
        if let Some(code) = ending.exit_code {
            let _ = self.send_event("exited", json!({ "exitCode": code }));
        }
        let _ = self.send_event("terminated", json!({}));
        self.is_attached = false;
        self.owns_session = false;
        // The client disconnects by itself.
        Flow::Continue
    }

    /// Sends new output, or only its end if there is too much.
    pub(super) fn send_output(&mut self, session: &Debugged) -> Flow {
        let end = session.output(u64::MAX, 0, None).cursor;
        let from = end.saturating_sub(MAX_BYTES as u64).max(self.cursor);
        let chunk = session.output(from, MAX_BYTES, None);
        let lost = from - self.cursor + chunk.lost;
        if lost > 0 {
            let text = format!("[{lost} bytes of output omitted]\n");
            let _ = self.send_event("output", json!({ "category": "console", "output": text }));
        }
        self.cursor = chunk.cursor;
        for piece in chunk.pieces {
            let body = json!({ "category": piece.category, "output": piece.text });
            if self.send_event("output", body) == Flow::Stop {
                return Flow::Stop;
            }
        }
        Flow::Continue
    }
}
