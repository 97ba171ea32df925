//! Problems that the language servers of the editor found, as the editor reports them.
//!
//! A report belongs to one source and one version of a document. Reports of a few versions are kept, so
//! that an edit can be compared with what was known before it.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};

use crate::uri::normal_uri;

/// Versions kept of each source and document.
const MAX_VERSIONS: usize = 4;
/// Sources kept of each document.
const MAX_SOURCES: usize = 16;
/// Documents kept; those that were reported longest ago are dropped.
const MAX_DOCUMENTS: usize = 500;
/// Problems kept of each report.
const MAX_PROBLEMS: usize = 500;
/// How often a wait looks for cancellation.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// A problem that a language server found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditorProblem {
    /// 0-based line.
    pub line: usize,
    /// 0-based column, in the editor's encoding.
    pub column: usize,
    /// LSP's number: 1 is an error, 4 a hint.
    pub severity: u8,
    /// Its code, if it has one.
    pub code: String,
    /// The message.
    pub message: String,
}

/// What one source found in one version of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DiagnosticsReport {
    /// The version of the document, as the client counts.
    pub version: i32,
    /// Whether the source itself named the version. Otherwise it is the version at which the report
    /// arrived, and the problems may be of an earlier text.
    pub is_exact: bool,
    /// The problems.
    pub problems: Vec<EditorProblem>,
}

/// The reports of the editor.
#[derive(Debug, Default)]
pub struct EditorDiagnostics {
    state: Mutex<State>,
    arrived: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// By document: its sources, each with its reports, the newest last.
    documents: HashMap<String, Vec<(String, VecDeque<DiagnosticsReport>)>>,
    /// The documents by the time of their last report, the newest last.
    order: VecDeque<String>,
    /// Whether the editor reports at all.
    is_known: bool,
}

impl EditorDiagnostics {
    /// Adds a report.
    pub fn report(&self, uri: &str, source: &str, mut report: DiagnosticsReport) {
        report.problems.truncate(MAX_PROBLEMS);
        let key = normal_uri(uri);
        let mut state = self.state.lock();
        state.is_known = true;
        state.order.retain(|known| *known != key);
        state.order.push_back(key.clone());
        if state.order.len() > MAX_DOCUMENTS
            && let Some(oldest) = state.order.pop_front()
        {
            state.documents.remove(&oldest);
        }
        let sources = state.documents.entry(key).or_default();
        let at = match sources.iter().position(|(known, _)| known == source) {
            Some(at) => at,
            None if sources.len() >= MAX_SOURCES => return,
            None => {
                sources.push((source.to_owned(), VecDeque::new()));
                sources.len() - 1
            }
        };
        let reports = &mut sources[at].1;
        reports.retain(|known| known.version != report.version);
        let at = reports.partition_point(|known| known.version < report.version);
        reports.insert(at, report);
        if reports.len() > MAX_VERSIONS {
            reports.pop_front();
        }
        drop(state);
        self.arrived.notify_all();
    }

    /// Forgets a document's reports: it was closed, and its versions begin anew.
    pub fn forget(&self, uri: &str) {
        let key = normal_uri(uri);
        let mut state = self.state.lock();
        state.documents.remove(&key);
        state.order.retain(|known| *known != key);
    }

    /// Whether the editor reports what its language servers find.
    #[must_use]
    pub fn is_known(&self) -> bool {
        self.state.lock().is_known
    }

    /// What every source that knows a document reported of its version `before`, and of `after`.
    /// Waits up to `wait` until all have reported on `after`.
    #[must_use]
    pub fn around(
        &self,
        uri: &str,
        (before, after): (i32, i32),
        wait: Duration,
        interrupt: &AtomicBool,
    ) -> Vec<SourceReports> {
        let key = normal_uri(uri);
        let deadline = Instant::now() + wait;
        let mut state = self.state.lock();
        loop {
            let found = state.around(&key, before, after);
            let left = deadline.saturating_duration_since(Instant::now());
            let is_complete = !found.is_empty() && found.iter().all(|one| one.after.is_some());
            if is_complete || left.is_zero() || interrupt.load(Ordering::Relaxed) {
                return found;
            }
            self.arrived.wait_for(&mut state, left.min(POLL_INTERVAL));
        }
    }
}

/// The reports of one source on two versions of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceReports {
    /// The source: a language server's name.
    pub source: String,
    /// On the version before; `None` if it has not reported on exactly that one.
    pub before: Option<DiagnosticsReport>,
    /// On the version after.
    pub after: Option<DiagnosticsReport>,
}

impl State {
    fn around(&self, key: &str, before: i32, after: i32) -> Vec<SourceReports> {
        let sources = self.documents.get(key).map(Vec::as_slice).unwrap_or_default();
        let of_source = |(source, reports): &(String, VecDeque<DiagnosticsReport>)| {
            let of = |version| reports.iter().find(|report| report.version == version).cloned();
            SourceReports { source: source.clone(), before: of(before), after: of(after) }
        };
        sources.iter().map(of_source).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn report(version: i32, messages: &[&str]) -> DiagnosticsReport {
        let problem = |message: &&str| EditorProblem {
            line: 0,
            column: 0,
            severity: 1,
            code: String::new(),
            message: (*message).to_owned(),
        };
        let problems = messages.iter().map(problem).collect();
        DiagnosticsReport { version, is_exact: true, problems }
    }

    #[test]
    fn a_report_counts_for_its_version_only() {
        let (all, never) = (EditorDiagnostics::default(), AtomicBool::new(false));
        assert!(!all.is_known());
        let around = |versions| all.around("file:///a", versions, Duration::ZERO, &never);
        all.report("file:///a", "server", report(1, &["old"]));
        let found = around((1, 2));
        assert_eq!(found[0].before, Some(report(1, &["old"])));
        assert_eq!(found[0].after, None);
        all.report("file:///a", "server", report(2, &["new"]));
        assert_eq!(around((1, 2))[0].after, Some(report(2, &["new"])));
        // A report on an older version that arrives late changes nothing for the newer one.
        all.report("file:///a", "server", report(1, &["late"]));
        assert_eq!(around((1, 2))[0].before, Some(report(1, &["late"])));
        assert_eq!(around((1, 2))[0].after, Some(report(2, &["new"])));
        all.forget("file:///a");
        assert!(around((1, 2)).is_empty() && all.is_known());
    }

    #[test]
    fn waits_for_every_source() {
        let (all, never) = (Arc::new(EditorDiagnostics::default()), AtomicBool::new(false));
        all.report("file:///a", "one", report(1, &[]));
        all.report("file:///a", "two", report(1, &[]));
        all.report("file:///a", "one", report(2, &[]));
        let late = all.clone();
        let thread = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(30));
            late.report("file:///a", "two", report(2, &["late"]));
        });
        let found = all.around("file:///a", (1, 2), Duration::from_secs(20), &never);
        thread.join().unwrap();
        assert!(found.iter().all(|one| one.after.is_some()), "{found:?}");
        let found = all.around("file:///a", (2, 3), Duration::from_millis(30), &never);
        assert!(found.iter().all(|one| one.after.is_none()), "{found:?}");
    }
}
