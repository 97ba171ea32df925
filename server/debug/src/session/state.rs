//! What is known of a session, from what its adapter says.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;
use tokio::sync::watch;

use super::reverse::Wanted;
use super::seen::Seen;
use crate::output::Ring;
use crate::transport::Errors;
use crate::{Bound, Chunk};

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
    pub(super) state: Mutex<State>,
    /// Its own, and of those that were started beneath it or it beneath.
    changed: Arc<watch::Sender<u64>>,
    pub(super) wanted: Wanted,
    /// How many programs write that the adapter wanted run in a terminal.
    pub(super) in_terminals: Arc<AtomicUsize>,
    pub(super) errors: Errors,
    pub(super) quirks: Quirks,
    pub(super) seen: Seen,
}

/// What an adapter does differently from others.
#[derive(Debug, Default)]
pub(super) struct Quirks {
    /// What it writes before the number that a program exited with.
    pub(super) exits: Option<String>,
    /// Whether it may tell what its program wrote last after it has said that all is over.
    pub(super) late_output: bool,
    /// Whether its programs' lines end with a return, too.
    pub(super) has_returns: bool,
    /// Whether the program is to be brought from its stop on entry to its first line.
    pub(super) is_entered: bool,
}

pub(super) struct State {
    pub(super) phase: Phase,
    pub(super) stops: u64,
    pub(super) is_initialized: bool,
    /// It has stopped where it is brought on from to its first line.
    pub(super) is_at_entry: bool,
    /// The adapter has said that all is over, and is asked what the program exited with.
    pub(super) is_ending: bool,
    pub(super) exit_code: Option<i64>,
    pub(super) process: Option<i64>,
    pub(super) output: Ring,
    /// What was written last ended with a return.
    pub(super) has_return: bool,
    /// How far the output was given out by itself.
    pub(super) given: u64,
    pub(super) bound: HashMap<u64, Bound>,
    /// How often `bound` has changed.
    pub(super) bindings: u64,
    /// The number of the last stop that whoever waits was told of.
    pub(super) told_stop: u64,
    pub(super) is_gone: bool,
}

impl Shared {
    pub(super) fn new(changed: Arc<watch::Sender<u64>>, errors: Errors, quirks: Quirks) -> Self {
        let state = State {
            phase: Phase::Starting,
            stops: 0,
            is_initialized: false,
            is_at_entry: false,
            is_ending: false,
            exit_code: None,
            process: None,
            output: Ring::default(),
            has_return: false,
            given: 0,
            bound: HashMap::new(),
            bindings: 0,
            told_stop: 0,
            is_gone: false,
        };
        let wanted = Wanted::default();
        let in_terminals = Arc::default();
        let seen = Seen::default();
        Self { state: Mutex::new(state), changed, wanted, in_terminals, errors, quirks, seen }
    }

    /// One that stands alone.
    #[cfg(test)]
    pub(super) fn alone(quirks: Quirks) -> Self {
        Self::new(Arc::new(watch::Sender::new(0)), Errors::default(), quirks)
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

    pub(super) fn end(&self, fault: Option<&str>) {
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

    pub(super) fn tell(&self) {
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

    /// Waits until it has stopped where it is brought on from, or is over.
    pub(super) async fn at_entry(&self) {
        let is_over = |state: &State| matches!(state.phase, Phase::Ended(_));
        self.until(|state| (state.is_at_entry || is_over(state)).then_some(())).await;
    }

    /// Waits until the program is stopped or over, or `another` has stopped.
    pub(super) async fn halted(&self, another: impl Fn() -> bool) -> Phase {
        let mut changed = self.changed.subscribe();
        loop {
            {
                let mut state = self.state.lock();
                match &state.phase {
                    Phase::Starting | Phase::Running => {}
                    Phase::Stopped(stop) => {
                        state.told_stop = stop.number;
                        return state.phase.clone();
                    }
                    Phase::Ended(_) => return state.phase.clone(),
                }
            }
            if another() {
                return self.phase();
            }
            let _ = changed.changed().await;
        }
    }

    /// Its stop, where nobody who waits was told of that.
    pub(super) fn news(&self, is_told: bool) -> Option<Stop> {
        let mut state = self.state.lock();
        let Phase::Stopped(stop) = &state.phase else { return None };
        let stop = stop.clone();
        if stop.number <= state.told_stop {
            return None;
        }
        if is_told {
            state.told_stop = stop.number;
        }
        Some(stop)
    }

    /// Waits until it is over, or the adapter has said that it is.
    pub(super) async fn ending(&self) {
        let is_over = |state: &State| state.is_ending || matches!(state.phase, Phase::Ended(_));
        self.until(|state| is_over(state).then_some(())).await;
    }

    /// Waits until no program in a terminal writes any more.
    pub(super) async fn written(&self) {
        self.until(|_| (self.in_terminals.load(Ordering::Relaxed) == 0).then_some(())).await;
    }

    pub(super) async fn gone(&self) {
        self.until(|state| state.is_gone.then_some(())).await;
    }
}
