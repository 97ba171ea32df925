//! What is known of a session, from what its adapter says.

use std::collections::HashMap;
use std::fmt;
use std::time::Duration;

use parking_lot::Mutex;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tokio::sync::watch;

use crate::body::{self, Continued, Stopped};
use crate::client::Listener;
use crate::output::Ring;
use crate::transport::Errors;
use crate::wire::{Event, Request};
use crate::{Bound, BoundBreakpoint, Chunk};

/// How long the adapter may take from the program's end to its own word that all is over.
const OVER: Duration = Duration::from_millis(1_500);

/// How a session is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Phase {
    /// It is being started.
    Starting,
    /// The program runs.
    Running,
    /// The program is stopped.
    Stopped(Stop),
    /// It is over.
    Ended(Ending),
}

/// Why and where a program stopped.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stop {
    /// `breakpoint`, `step`, `exception`, `pause`, `entry`, or the adapter's own word.
    pub reason: String,
    /// The same in a sentence, where the adapter has one.
    pub description: Option<String>,
    /// More: an exception's text.
    pub text: Option<String>,
    /// The thread.
    pub thread: Option<i64>,
    /// The numbers of the breakpoints that were hit.
    pub breakpoints: Vec<u64>,
    /// The number of the stop: of what was known at an earlier one, nothing holds.
    pub number: u64,
}

/// How a session ended.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ending {
    /// What the program exited with, where the adapter told.
    pub exit_code: Option<i64>,
    /// What was wrong with the adapter, with the last lines of its errors.
    pub fault: Option<String>,
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (&self.fault, self.exit_code) {
            (Some(fault), _) => write!(f, "{fault}"),
            (None, Some(code)) => write!(f, "the program exited with {code}"),
            (None, None) => write!(f, "the program is gone"),
        }
    }
}

/// What those who watch have been told of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Told {
    pub(super) phase: Phase,
    pub(super) output: u64,
    pub(super) bindings: u64,
}

impl Default for Told {
    fn default() -> Self {
        Self { phase: Phase::Starting, output: 0, bindings: 0 }
    }
}

/// What is known of a session, and who waits for it to change.
pub(super) struct Shared {
    state: Mutex<State>,
    changed: watch::Sender<u64>,
    errors: Errors,
}

struct State {
    phase: Phase,
    stops: u64,
    is_initialized: bool,
    exit_code: Option<i64>,
    process: Option<i64>,
    output: Ring,
    /// How far the output was given out by itself.
    given: u64,
    bound: HashMap<u64, Bound>,
    /// How often `bound` has changed.
    bindings: u64,
    is_gone: bool,
}

impl Shared {
    pub(super) fn new(errors: Errors) -> Self {
        let state = State {
            phase: Phase::Starting,
            stops: 0,
            is_initialized: false,
            exit_code: None,
            process: None,
            output: Ring::default(),
            given: 0,
            bound: HashMap::new(),
            bindings: 0,
            is_gone: false,
        };
        Self { state: Mutex::new(state), changed: watch::Sender::new(0), errors }
    }

    pub(super) fn phase(&self) -> Phase {
        self.state.lock().phase.clone()
    }

    pub(super) fn process(&self) -> Option<i64> {
        self.state.lock().process
    }

    pub(super) fn output(&self, cursor: u64, most: usize, category: Option<&str>) -> Chunk {
        let wanted = |own: &str| category.is_none_or(|category| category == own);
        self.state.lock().output.since(cursor, most, wanted)
    }

    pub(super) fn new_output(&self, most: usize) -> Chunk {
        let mut state = self.state.lock();
        let end = state.output.end();
        let chunk = state.output.since(state.given, most, |_| true);
        // What did not fit is read by the cursor.
        state.given = end;
        chunk
    }

    pub(super) fn bound(&self) -> HashMap<u64, Bound> {
        self.state.lock().bound.clone()
    }

    /// Takes in what became of the breakpoints of a file.
    pub(super) fn bind(&self, gone: &[u64], new: Vec<(u64, Bound)>) {
        let mut state = self.state.lock();
        for id in gone {
            state.bound.remove(id);
        }
        state.bound.extend(new);
        state.bindings += 1;
        drop(state);
        self.tell();
    }

    /// Sets it to run, before it is told to, as its next stop may come first. Gives back where it
    /// was; `None` where it was not stopped.
    pub(super) fn run(&self) -> Option<Stop> {
        let mut state = self.state.lock();
        let Phase::Stopped(stop) = &state.phase else { return None };
        let stop = stop.clone();
        state.phase = Phase::Running;
        drop(state);
        self.tell();
        Some(stop)
    }

    /// It was not told to run after all.
    pub(super) fn stay(&self, stop: Stop) {
        let mut state = self.state.lock();
        if state.phase == Phase::Running {
            state.phase = Phase::Stopped(stop);
        }
    }

    /// The start is over; it may have stopped or ended meanwhile.
    pub(super) fn started(&self) {
        let mut state = self.state.lock();
        if state.phase == Phase::Starting {
            state.phase = Phase::Running;
        }
        drop(state);
        self.tell();
    }

    /// The adapter is given up.
    pub(super) fn give_up(&self, fault: &str) {
        self.end(Some(fault));
    }

    fn end(&self, fault: Option<&str>) {
        let fault = fault.map(|fault| {
            let said = self.errors.last_lines();
            if said.is_empty() { fault.to_owned() } else { format!("{fault}; it said:\n{said}") }
        });
        let mut state = self.state.lock();
        if !matches!(state.phase, Phase::Ended(_)) {
            state.phase = Phase::Ended(Ending { exit_code: state.exit_code, fault });
        }
        drop(state);
        self.tell();
    }

    pub(super) fn is_gone(&self) {
        self.end(None);
        self.state.lock().is_gone = true;
        self.tell();
    }

    fn tell(&self) {
        self.changed.send_modify(|version| *version += 1);
    }

    /// Waits until something holds.
    async fn until<T>(&self, holds: impl Fn(&State) -> Option<T>) -> T {
        let mut changed = self.changed.subscribe();
        loop {
            if let Some(found) = holds(&self.state.lock()) {
                return found;
            }
            // The sender is ours: it does not go.
            let _ = changed.changed().await;
        }
    }

    /// Waits until something is not as it was told.
    pub(super) async fn changed_since(&self, last: &Told) -> Told {
        self.until(|state| {
            let now = Told {
                phase: state.phase.clone(),
                output: state.output.end(),
                bindings: state.bindings,
            };
            (now != *last).then_some(now)
        })
        .await
    }

    /// Waits until a phase holds.
    pub(super) async fn until_phase(&self, holds: impl Fn(&Phase) -> bool) {
        self.until(|state| holds(&state.phase).then_some(())).await;
    }

    /// Waits until the adapter wants to be told of breakpoints, or it is over.
    pub(super) async fn initialized(&self) {
        let is_over = |state: &State| matches!(state.phase, Phase::Ended(_));
        self.until(|state| (state.is_initialized || is_over(state)).then_some(())).await;
    }

    /// Waits until the program is stopped or over.
    pub(super) async fn halted(&self) -> Phase {
        self.until(|state| match &state.phase {
            Phase::Starting | Phase::Running => None,
            halted => Some(halted.clone()),
        })
        .await
    }

    pub(super) async fn ended(&self) {
        self.until(|state| matches!(state.phase, Phase::Ended(_)).then_some(())).await;
    }

    pub(super) async fn gone(&self) {
        self.until(|state| state.is_gone.then_some(())).await;
    }
}

/// What an event says; what is not understood is as if it were not there.
fn read<T: DeserializeOwned + Default>(body: Value) -> T {
    serde_json::from_value(body)
        .inspect_err(|error| tracing::debug!("an event that is not understood: {error}"))
        .unwrap_or_default()
}

/// A listener that knows when the program has exited, to see to the end.
pub(super) struct Ear(pub(super) std::sync::Arc<Shared>);

impl Listener for Ear {
    fn event(&self, event: Event) {
        let shared = &self.0;
        match event.event.as_str() {
            "output" => {
                let output: body::Output = read(event.body);
                let category = output.category.as_deref().unwrap_or("console");
                if category != "telemetry" {
                    shared.state.lock().output.push(category, &output.output);
                }
            }
            "initialized" => shared.state.lock().is_initialized = true,
            "stopped" => shared.stop(read(event.body)),
            "continued" => shared.go(&read(event.body)),
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
            "terminated" => return shared.end(None),
            other => {
                tracing::debug!("an event `{other:.100}`, of which nothing is made");
                return;
            }
        }
        shared.tell();
    }

    fn request(&self, request: &Request) -> Result<Value, String> {
        Err(match request.command.as_str() {
            "runInTerminal" => "there is no terminal here: use the internal console".to_owned(),
            "startDebugging" => "child sessions are not opened here yet".to_owned(),
            other => format!("`{other:.100}` is not known here"),
        })
    }

    fn closed(&self, fault: Option<String>) {
        let is_expected = self.0.state.lock().exit_code.is_some();
        let fault = fault.map(|fault| format!("the debug adapter broke the protocol: {fault}"));
        let gone = || "the debug adapter ended without a word".to_owned();
        self.0.end(fault.or_else(|| (!is_expected).then(gone)).as_deref());
    }
}

impl Shared {
    fn stop(&self, stopped: Stopped) {
        let mut state = self.state.lock();
        if matches!(state.phase, Phase::Ended(_)) {
            return;
        }
        let (thread, is_alone) = (stopped.thread_id, stopped.all_threads_stopped == Some(false));
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
            reason: stopped.reason,
            description: stopped.description.filter(|text| !text.is_empty()),
            text: stopped.text.filter(|text| !text.is_empty()),
            thread,
            breakpoints,
            number: state.stops,
        });
    }

    fn go(&self, continued: &Continued) {
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
