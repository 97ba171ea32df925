//! What an adapter says by itself, taken in.

use std::sync::Arc;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::Phase;
use super::state::{Shared, Stop};
use crate::BoundBreakpoint;
use crate::body::{self, Continued, Stopped};
use crate::client::{End, Listener};
use crate::wire::{Event, Request};

/// How long the adapter may take from the program's end to its own word that all is over.
const OVER: Duration = Duration::from_millis(1_500);

/// How long what a program wrote last may come after the adapter's word that all is over, where the
/// adapter has a thread of its own for output.
const LATE: Duration = Duration::from_millis(150);

/// How long the last words of an adapter that has ended may take.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// The reason of the first stop of a program that is to stop before anything else.
const ENTRY: &str = "entry";

/// What an event says; what is not understood is as if it were not there.
fn read<T: DeserializeOwned + Default>(body: Value) -> T {
    serde_json::from_value(body)
        .inspect_err(|error| tracing::debug!("an event that is not understood: {error}"))
        .unwrap_or_default()
}

/// A listener that knows when the program has exited, to see to the end.
pub(super) struct Ear(pub(super) Arc<Shared>);

impl Listener for Ear {
    fn event(&self, event: Event) {
        let shared = &self.0;
        match event.event.as_str() {
            "output" => {
                let output: body::Output = read(event.body);
                let category = output.category.as_deref().unwrap_or("console");
                if category != "telemetry" {
                    shared.write(category, &output.output);
                }
            }
            "initialized" => shared.state.lock().is_initialized = true,
            "stopped" => shared.stop(read(event.body)),
            "continued" => shared.go(&read(event.body)),
            "invalidated" | "memory" => return shared.seen.changed(),
            "breakpoint" => return shared.rebind(read(event.body["breakpoint"].clone())),
            "process" => {
                shared.state.lock().process = event.body["systemProcessId"].as_i64();
                return;
            }
            "exited" => {
                shared.state.lock().exit_code = event.body["exitCode"].as_i64();
                // Not every adapter says more.
                let shared = shared.clone();
                tokio::spawn(async move {
                    tokio::time::sleep(OVER).await;
                    shared.end(None);
                });
                return;
            }
            "terminated" if shared.quirks.exits.is_some() => {
                shared.state.lock().is_ending = true;
            }
            "terminated" => {
                // What its programs in terminals wrote last comes another way.
                let shared = shared.clone();
                tokio::spawn(async move {
                    let _ = tokio::time::timeout(OVER, shared.written()).await;
                    if shared.quirks.late_output {
                        tokio::time::sleep(LATE).await;
                    }
                    shared.end(None);
                });
                return;
            }
            other => {
                tracing::debug!("an event `{other:.100}`, of which nothing is made");
                return;
            }
        }
        shared.tell();
    }

    fn request(&self, request: Request) -> Option<(Request, Result<Value, String>)> {
        self.0.ask(request)
    }

    async fn closed(&self, end: End) {
        let fault = match end {
            End::Closed(fault) => {
                // Its words of the very last moment come over another pipe.
                if !matches!(self.0.phase(), Phase::Ended(_)) {
                    self.0.errors.drained(LAST_WORDS).await;
                }
                fault
            }
            End::Broken(fault) => Some(fault),
        };
        let is_expected = self.0.state.lock().exit_code.is_some();
        let fault = fault.map(|fault| format!("the debug adapter broke the protocol: {fault}"));
        let gone = || "the debug adapter ended without a word".to_owned();
        self.0.end(fault.or_else(|| (!is_expected).then(gone)).as_deref());
    }
}

impl Shared {
    pub(super) fn write(&self, category: &str, text: &str) {
        let mut state = self.state.lock();
        if let (Some(before), "console") = (&self.quirks.exits, category)
            && let Some((_, code)) = text.split_once(before.as_str())
        {
            let is_part = |c: char| c.is_ascii_digit() || c == '-';
            let end = code.find(|c| !is_part(c)).unwrap_or(code.len());
            state.exit_code = code[..end].parse().ok().or(state.exit_code);
        }
        if !self.quirks.has_returns {
            return state.output.push(category, text);
        }
        // A return that ends a piece may belong to the line's end that begins the next.
        if std::mem::take(&mut state.has_return) && !text.starts_with('\n') {
            state.output.push(category, "\r");
        }
        let whole = text.strip_suffix('\r');
        state.has_return = whole.is_some();
        state.output.push(category, &whole.unwrap_or(text).replace("\r\n", "\n"));
    }

    fn stop(&self, stopped: Stopped) {
        let mut state = self.state.lock();
        if matches!(state.phase, Phase::Ended(_)) {
            return;
        }
        let is_first = self.quirks.is_entered && state.stops == 0;
        if is_first && !state.is_at_entry && stopped.reason == ENTRY {
            state.is_at_entry = true;
            return;
        }
        let (thread, is_alone) = (stopped.thread_id, stopped.all_threads_stopped == Some(false));
        self.seen.changed();
        // One more thread has stopped by itself: the first is the one that is looked at.
        if is_alone && matches!(&state.phase, Phase::Stopped(stop) if stop.thread != thread) {
            return;
        }
        let hit = |number: &i64| {
            let mut bound = state.bound.iter();
            bound.find(|(_, bound)| bound.number == Some(*number)).map(|(id, _)| *id)
        };
        let breakpoints = stopped.hit_breakpoint_ids.iter().filter_map(hit).collect();
        state.stops += 1;
        state.phase = Phase::Stopped(Stop {
            // Brought there by a step.
            reason: if is_first && stopped.reason == "step" {
                ENTRY.to_owned()
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

    fn go(&self, continued: &Continued) {
        self.seen.changed();
        let mut state = self.state.lock();
        if let Phase::Stopped(stop) = &state.phase {
            let is_all = continued.all_threads_continued != Some(false);
            if is_all || continued.thread_id == stop.thread {
                state.phase = Phase::Running;
            }
        }
    }

    fn rebind(&self, now: BoundBreakpoint) {
        let mut state = self.state.lock();
        let Some(number) = now.id else { return };
        if let Some(bound) = state.bound.values_mut().find(|bound| bound.number == Some(number)) {
            bound.verified = now.verified;
            bound.line = now.line.and_then(|line| u32::try_from(line).ok()).or(bound.line);
            bound.message = now.message;
            state.bindings += 1;
            drop(state);
            self.tell();
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::state::Quirks;
    use super::*;

    fn told(quirks: Quirks, pieces: &[&str]) -> (Arc<Shared>, String) {
        let shared = Arc::new(Shared::alone(quirks));
        let ear = Ear(shared.clone());
        for output in pieces {
            let body = json!({ "category": "console", "output": output });
            ear.event(Event { event: "output".to_owned(), body });
        }
        let text = shared.output(0, 1_000, None).pieces.iter().map(|p| p.text.clone()).collect();
        (shared, text)
    }

    #[test]
    fn what_adapters_do_differently_is_made_good() {
        let quirks = Quirks { has_returns: true, ..Quirks::default() };
        let (_, text) = told(quirks, &["a\r\nb\r", "\nc\r", "d\r\n"]);
        assert_eq!(text, "a\nb\nc\rd\n");
        let quirks = Quirks { exits: Some("exited with ".to_owned()), ..Quirks::default() };
        let (shared, _) = told(quirks, &["it exited with -11\r\n"]);
        assert_eq!(shared.state.lock().exit_code, Some(-11));
        Ear(shared.clone()).event(Event { event: "terminated".to_owned(), body: Value::Null });
        assert!(shared.state.lock().is_ending);
        shared.is_gone();
        let Phase::Ended(ending) = shared.phase() else { panic!("it is over") };
        assert_eq!(ending.exit_code, Some(-11));
    }

    #[tokio::test(start_paused = true)]
    async fn what_comes_late_is_waited_for_where_that_is_known() {
        for late_output in [true, false] {
            let shared = Arc::new(Shared::alone(Quirks { late_output, ..Quirks::default() }));
            let ear = Ear(shared.clone());
            ear.event(Event { event: "terminated".to_owned(), body: Value::Null });
            tokio::time::sleep(LATE / 2).await;
            assert_eq!(matches!(shared.phase(), Phase::Ended(_)), !late_output);
            tokio::time::sleep(LATE).await;
            assert!(matches!(shared.phase(), Phase::Ended(_)));
        }
    }
}
