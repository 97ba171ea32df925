//! The state of a session, as its adapter reports it.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use parking_lot::Mutex;
use tokio::sync::watch;

use super::response_cache::ResponseCache;
use super::reverse_requests::ReverseRequests;
use crate::output::Ring;
use crate::phase::{SessionEnd, SessionPhase, StopInfo};
use crate::transport::StderrTail;
use crate::{BreakpointBinding, OutputChunk};

/// The state that subscribers know.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ReportedState {
    pub(super) phase: SessionPhase,
    pub(super) output: u64,
    pub(super) bindings: u64,
}

impl Default for ReportedState {
    fn default() -> Self {
        Self { phase: SessionPhase::Starting, output: 0, bindings: 0 }
    }
}

/// The state shared by a session and its connection, with change notification.
pub(super) struct SharedState {
    pub(super) state: Mutex<SessionState>,
    /// Notifies of changes in all sessions of one launch.
    changed: Arc<watch::Sender<u64>>,
    pub(super) reverse_requests: ReverseRequests,
    /// Number of open output streams of programs in terminals.
    pub(super) terminal_streams: Arc<AtomicUsize>,
    pub(super) stderr_tail: StderrTail,
    pub(super) quirks: Quirks,
    pub(super) responses: ResponseCache,
}

/// Deviations of an adapter from others.
#[derive(Debug, Default)]
pub(super) struct Quirks {
    /// The console text that it prints before the program's exit code.
    pub(super) exits: Option<String>,
    /// Whether the program's last output may follow `terminated`.
    pub(super) late_output: bool,
    /// Whether its programs' lines end with `\r\n`.
    pub(super) has_crlf: bool,
    /// Whether the program must be moved from its entry stop to its first line.
    pub(super) needs_entry_request: bool,
}

pub(super) struct SessionState {
    pub(super) phase: SessionPhase,
    pub(super) stops: u64,
    pub(super) is_initialized: bool,
    /// The program has reached the entry stop from which it is moved on.
    pub(super) is_at_entry: bool,
    /// The adapter has sent `terminated`; its exit code may still come.
    pub(super) is_ending: bool,
    pub(super) exit_code: Option<i64>,
    pub(super) process: Option<i64>,
    pub(super) output: Ring,
    /// The last output ended with `\r`.
    pub(super) ends_with_cr: bool,
    /// The cursor of [`Shared::new_output`].
    pub(super) new_output_cursor: u64,
    pub(super) bound: HashMap<u64, BreakpointBinding>,
    /// Incremented when `bound` changes.
    pub(super) bindings: u64,
    /// The number of the last stop that a waiting call has returned.
    pub(super) reported_stop: u64,
    pub(super) is_closed: bool,
}

impl SharedState {
    pub(super) fn new(
        changed: Arc<watch::Sender<u64>>,
        stderr_tail: StderrTail,
        quirks: Quirks,
    ) -> Self {
        let state = SessionState {
            phase: SessionPhase::Starting,
            stops: 0,
            is_initialized: false,
            is_at_entry: false,
            is_ending: false,
            exit_code: None,
            process: None,
            output: Ring::default(),
            ends_with_cr: false,
            new_output_cursor: 0,
            bound: HashMap::new(),
            bindings: 0,
            reported_stop: 0,
            is_closed: false,
        };
        let reverse_requests = ReverseRequests::default();
        let terminal_streams = Arc::default();
        let responses = ResponseCache::default();
        Self {
            state: Mutex::new(state),
            changed,
            reverse_requests,
            terminal_streams,
            stderr_tail,
            quirks,
            responses,
        }
    }

    /// A session without others.
    #[cfg(test)]
    pub(super) fn without_tree(quirks: Quirks) -> Self {
        Self::new(Arc::new(watch::Sender::new(0)), StderrTail::default(), quirks)
    }

    pub(super) fn phase(&self) -> SessionPhase {
        self.state.lock().phase.clone()
    }

    pub(super) fn process(&self) -> Option<i64> {
        self.state.lock().process
    }

    pub(super) fn output(&self, cursor: u64, most: usize, category: Option<&str>) -> OutputChunk {
        let is_selected = |own: &str| category.is_none_or(|category| category == own);
        self.state.lock().output.since(cursor, most, is_selected)
    }

    pub(super) fn new_output(&self, most: usize) -> OutputChunk {
        let mut state = self.state.lock();
        let end = state.output.end();
        let chunk = state.output.since(state.new_output_cursor, most, |_| true);
        // Output over the limit can still be read with the chunk's cursor.
        state.new_output_cursor = end;
        chunk
    }

    pub(super) fn bound(&self) -> HashMap<u64, BreakpointBinding> {
        self.state.lock().bound.clone()
    }

    /// Updates the state of breakpoints.
    pub(super) fn bind(&self, removed: &[u64], new: Vec<(u64, BreakpointBinding)>) {
        let mut state = self.state.lock();
        for id in removed {
            state.bound.remove(id);
        }
        state.bound.extend(new);
        state.bindings += 1;
        drop(state);
        self.notify_changed();
    }

    /// Changes to running before the request is sent, as the next stop may precede the response.
    /// Returns the previous stop; `None` if it was not stopped.
    pub(super) fn set_running(&self) -> Option<StopInfo> {
        let mut state = self.state.lock();
        let SessionPhase::Stopped(stop) = &state.phase else { return None };
        let stop = stop.clone();
        state.phase = SessionPhase::Running;
        drop(state);
        self.notify_changed();
        Some(stop)
    }

    /// Restores the stop after the adapter refused to run.
    pub(super) fn restore_stop(&self, stop: StopInfo) {
        let mut state = self.state.lock();
        if state.phase == SessionPhase::Running {
            state.phase = SessionPhase::Stopped(stop);
        }
    }

    /// Ends the starting phase, unless the program has stopped or ended meanwhile.
    pub(super) fn set_started(&self) {
        let mut state = self.state.lock();
        if state.phase == SessionPhase::Starting {
            state.phase = SessionPhase::Running;
        }
        drop(state);
        self.notify_changed();
    }

    /// Ends the session because of an adapter's failure.
    pub(super) fn fail(&self, fault: &str) {
        self.end(Some(fault));
    }

    pub(super) fn end(&self, fault: Option<&str>) {
        let fault = fault.map(|fault| {
            let stderr = self.stderr_tail.last_lines();
            if stderr.is_empty() {
                fault.to_owned()
            } else {
                format!("{fault}; its output:\n{stderr}")
            }
        });
        let mut state = self.state.lock();
        if !matches!(state.phase, SessionPhase::Ended(_)) {
            state.phase = SessionPhase::Ended(SessionEnd { exit_code: state.exit_code, fault });
        }
        drop(state);
        self.notify_changed();
    }

    pub(super) fn set_closed(&self) {
        self.end(None);
        self.state.lock().is_closed = true;
        self.notify_changed();
    }

    pub(super) fn notify_changed(&self) {
        self.changed.send_modify(|version| *version += 1);
    }

    /// Waits until `holds` returns a value.
    async fn until<T>(&self, holds: impl Fn(&SessionState) -> Option<T>) -> T {
        let mut changed = self.changed.subscribe();
        loop {
            if let Some(found) = holds(&self.state.lock()) {
                return found;
            }
            // `self` owns the sender, so this cannot fail.
            let _ = changed.changed().await;
        }
    }

    /// Waits until the state differs from `last`.
    pub(super) async fn changed_since(&self, last: &ReportedState) -> ReportedState {
        self.until(|state| {
            let now = ReportedState {
                phase: state.phase.clone(),
                output: state.output.end(),
                bindings: state.bindings,
            };
            (now != *last).then_some(now)
        })
        .await
    }

    /// Waits until the phase satisfies `holds`.
    pub(super) async fn until_phase(&self, holds: impl Fn(&SessionPhase) -> bool) {
        self.until(|state| holds(&state.phase).then_some(())).await;
    }

    /// Waits for the `initialized` event, or the end.
    pub(super) async fn until_initialized(&self) {
        let is_over = |state: &SessionState| matches!(state.phase, SessionPhase::Ended(_));
        self.until(|state| (state.is_initialized || is_over(state)).then_some(())).await;
    }

    /// Waits for the entry stop, or the end.
    pub(super) async fn until_entry_stop(&self) {
        let is_over = |state: &SessionState| matches!(state.phase, SessionPhase::Ended(_));
        self.until(|state| (state.is_at_entry || is_over(state)).then_some(())).await;
    }

    /// Waits until the program is stopped or has ended, or `another` session of the launch has
    /// stopped.
    pub(super) async fn until_halted(&self, another: impl Fn() -> bool) -> SessionPhase {
        let mut changed = self.changed.subscribe();
        loop {
            {
                let mut state = self.state.lock();
                match &state.phase {
                    SessionPhase::Starting | SessionPhase::Running => {}
                    SessionPhase::Stopped(stop) => {
                        state.reported_stop = stop.number;
                        return state.phase.clone();
                    }
                    SessionPhase::Ended(_) => return state.phase.clone(),
                }
            }
            if another() {
                return self.phase();
            }
            let _ = changed.changed().await;
        }
    }

    /// The current stop, unless a waiting call has returned it already.
    pub(super) fn unreported_stop(&self, mark_reported: bool) -> Option<StopInfo> {
        let mut state = self.state.lock();
        let SessionPhase::Stopped(stop) = &state.phase else { return None };
        let stop = stop.clone();
        if stop.number <= state.reported_stop {
            return None;
        }
        if mark_reported {
            state.reported_stop = stop.number;
        }
        Some(stop)
    }

    /// Waits for the end, or the `terminated` event.
    pub(super) async fn until_ending(&self) {
        let is_over =
            |state: &SessionState| state.is_ending || matches!(state.phase, SessionPhase::Ended(_));
        self.until(|state| is_over(state).then_some(())).await;
    }

    /// Waits until no program in a terminal can write any more.
    pub(super) async fn until_terminals_closed(&self) {
        self.until(|_| (self.terminal_streams.load(Ordering::Relaxed) == 0).then_some(())).await;
    }

    pub(super) async fn until_closed(&self) {
        self.until(|state| state.is_closed.then_some(())).await;
    }
}
