//! Handles the events and the end of an adapter's connection.

use std::sync::Arc;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::state::SharedState;
use crate::BoundBreakpoint;
use crate::body::{self, Continued, Stopped};
use crate::client::{AdapterListener, ConnectionEnd};
use crate::phase::{SessionPhase, StopInfo};
use crate::wire::{Event, Request};

/// How long the adapter may take from the program's exit to its `terminated` event.
const TERMINATED_TIMEOUT: Duration = Duration::from_millis(1_500);

/// How long a program's last output may follow `terminated`, with adapters that send output from a
/// thread of their own.
const LATE_OUTPUT_DELAY: Duration = Duration::from_millis(150);

/// How long the rest of an exited adapter's standard error may take.
const STDERR_TIMEOUT: Duration = Duration::from_secs(1);

/// The reason of a stop at the program's start.
const ENTRY_REASON: &str = "entry";

/// Deserializes an event's body; the default if it is invalid.
fn parse_body<T: DeserializeOwned + Default>(body: Value) -> T {
    serde_json::from_value(body)
        .inspect_err(|error| tracing::debug!("an invalid event: {error}"))
        .unwrap_or_default()
}

/// Updates the session's state from the adapter's messages.
pub(super) struct EventHandler(pub(super) Arc<SharedState>);

impl AdapterListener for EventHandler {
    fn event(&self, event: Event) {
        let shared = &self.0;
        match event.event.as_str() {
            "output" => {
                let output: body::Output = parse_body(event.body);
                let category = output.category.as_deref().unwrap_or("console");
                if category != "telemetry" {
                    shared.write_output(category, &output.output);
                }
            }
            "initialized" => shared.state.lock().is_initialized = true,
            "stopped" => shared.stop(parse_body(event.body)),
            "continued" => shared.resume(&parse_body(event.body)),
            "invalidated" | "memory" => return shared.responses.changed(),
            "breakpoint" => {
                return shared.update_breakpoint(parse_body(event.body["breakpoint"].clone()));
            }
            "process" => {
                shared.state.lock().process = event.body["systemProcessId"].as_i64();
                return;
            }
            "exited" => {
                shared.state.lock().exit_code = event.body["exitCode"].as_i64();
                // Some adapters send no `terminated`.
                let shared = shared.clone();
                tokio::spawn(async move {
                    tokio::time::sleep(TERMINATED_TIMEOUT).await;
                    shared.end(None);
                });
                return;
            }
            "terminated" if shared.quirks.exits.is_some() => {
                shared.state.lock().is_ending = true;
            }
            "terminated" => {
                // The last output of its programs in terminals comes over other pipes.
                let shared = shared.clone();
                tokio::spawn(async move {
                    let _ =
                        tokio::time::timeout(TERMINATED_TIMEOUT, shared.until_terminals_closed())
                            .await;
                    if shared.quirks.late_output {
                        tokio::time::sleep(LATE_OUTPUT_DELAY).await;
                    }
                    shared.end(None);
                });
                return;
            }
            other => {
                tracing::debug!("ignored the event `{other:.100}`");
                return;
            }
        }
        shared.notify_changed();
    }

    fn request(&self, request: Request) -> Option<(Request, Result<Value, String>)> {
        self.0.enqueue_request(request)
    }

    async fn closed(&self, end: ConnectionEnd) {
        let fault = match end {
            ConnectionEnd::Closed(fault) => {
                // The last lines of standard error come over another pipe.
                if !matches!(self.0.phase(), SessionPhase::Ended(_)) {
                    self.0.stderr_tail.until_drained(STDERR_TIMEOUT).await;
                }
                fault
            }
            ConnectionEnd::Broken(fault) => Some(fault),
        };
        let is_expected = self.0.state.lock().exit_code.is_some();
        let fault = fault.map(|fault| format!("the debug adapter broke the protocol: {fault}"));
        let no_reason = || "the debug adapter exited without a reason".to_owned();
        self.0.end(fault.or_else(|| (!is_expected).then(no_reason)).as_deref());
    }
}

impl SharedState {
    pub(super) fn write_output(&self, category: &str, text: &str) {
        let mut state = self.state.lock();
        if let (Some(marker), "console") = (&self.quirks.exits, category)
            && let Some((_, code)) = text.split_once(marker.as_str())
        {
            let is_part = |c: char| c.is_ascii_digit() || c == '-';
            let end = code.find(|c| !is_part(c)).unwrap_or(code.len());
            state.exit_code = code[..end].parse().ok().or(state.exit_code);
        }
        if !self.quirks.has_crlf {
            return state.output.push(category, text);
        }
        // A `\r` at the end may be the first half of a `\r\n`.
        if std::mem::take(&mut state.ends_with_cr) && !text.starts_with('\n') {
            state.output.push(category, "\r");
        }
        let whole = text.strip_suffix('\r');
        state.ends_with_cr = whole.is_some();
        state.output.push(category, &whole.unwrap_or(text).replace("\r\n", "\n"));
    }

    fn stop(&self, stopped: Stopped) {
        let mut state = self.state.lock();
        if matches!(state.phase, SessionPhase::Ended(_)) {
            return;
        }
        let is_first = self.quirks.needs_entry_request && state.stops == 0;
        // Hide this stop: the handshake moves the program on to its first line.
        if is_first && !state.is_at_entry && stopped.reason == ENTRY_REASON {
            state.is_at_entry = true;
            return;
        }
        let (thread, is_alone) = (stopped.thread_id, stopped.all_threads_stopped == Some(false));
        self.responses.changed();
        // If single threads stop, the first one remains the current stop.
        if is_alone && matches!(&state.phase, SessionPhase::Stopped(stop) if stop.thread != thread)
        {
            return;
        }
        let hit = |number: &i64| {
            let mut bound = state.bound.iter();
            bound.find(|(_, bound)| bound.number == Some(*number)).map(|(id, _)| *id)
        };
        let breakpoints = stopped.hit_breakpoint_ids.iter().filter_map(hit).collect();
        state.stops += 1;
        state.phase = SessionPhase::Stopped(StopInfo {
            // The adapter reports the step that led to the first line.
            reason: if is_first && stopped.reason == "step" {
                ENTRY_REASON.to_owned()
            } else {
                stopped.reason
            },
            description: stopped.description.filter(|text| !text.is_empty()),
            text: stopped.text.filter(|text| !text.is_empty()),
            thread,
            breakpoints,
            number: state.stops,
        });
    }

    fn resume(&self, continued: &Continued) {
        self.responses.changed();
        let mut state = self.state.lock();
        if let SessionPhase::Stopped(stop) = &state.phase {
            let is_all = continued.all_threads_continued != Some(false);
            if is_all || continued.thread_id == stop.thread {
                state.phase = SessionPhase::Running;
            }
        }
    }

    fn update_breakpoint(&self, update: BoundBreakpoint) {
        let mut state = self.state.lock();
        let Some(number) = update.id else { return };
        if let Some(bound) = state.bound.values_mut().find(|bound| bound.number == Some(number)) {
            bound.verified = update.verified;
            bound.line = update.line.and_then(|line| u32::try_from(line).ok()).or(bound.line);
            bound.message = update.message;
            state.bindings += 1;
            drop(state);
            self.notify_changed();
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::state::Quirks;
    use super::*;

    fn output_after(quirks: Quirks, outputs: &[&str]) -> (Arc<SharedState>, String) {
        let shared = Arc::new(SharedState::without_tree(quirks));
        let handler = EventHandler(shared.clone());
        for output in outputs {
            let body = json!({ "category": "console", "output": output });
            handler.event(Event { event: "output".to_owned(), body });
        }
        let text = shared.output(0, 1_000, None).pieces.iter().map(|p| p.text.clone()).collect();
        (shared, text)
    }

    #[test]
    fn adapter_quirks_are_handled() {
        let quirks = Quirks { has_crlf: true, ..Quirks::default() };
        let (_, text) = output_after(quirks, &["a\r\nb\r", "\nc\r", "d\r\n"]);
        assert_eq!(text, "a\nb\nc\rd\n");
        let quirks = Quirks { exits: Some("exited with ".to_owned()), ..Quirks::default() };
        let (shared, _) = output_after(quirks, &["it exited with -11\r\n"]);
        assert_eq!(shared.state.lock().exit_code, Some(-11));
        EventHandler(shared.clone())
            .event(Event { event: "terminated".to_owned(), body: Value::Null });
        assert!(shared.state.lock().is_ending);
        shared.set_closed();
        let SessionPhase::Ended(ending) = shared.phase() else { panic!("it is over") };
        assert_eq!(ending.exit_code, Some(-11));
    }

    #[tokio::test(start_paused = true)]
    async fn late_output_is_waited_for_if_the_adapter_has_any() {
        for late_output in [true, false] {
            let shared =
                Arc::new(SharedState::without_tree(Quirks { late_output, ..Quirks::default() }));
            let handler = EventHandler(shared.clone());
            handler.event(Event { event: "terminated".to_owned(), body: Value::Null });
            tokio::time::sleep(LATE_OUTPUT_DELAY / 2).await;
            assert_eq!(matches!(shared.phase(), SessionPhase::Ended(_)), !late_output);
            tokio::time::sleep(LATE_OUTPUT_DELAY).await;
            assert!(matches!(shared.phase(), SessionPhase::Ended(_)));
        }
    }
}
