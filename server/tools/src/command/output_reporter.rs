//! Reports a running program's output as progress.

use std::time::{Duration, Instant};

use crate::Context;

/// Interval between reports.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(250);
/// Limit for one report, in bytes.
const MAX_MESSAGE_BYTES: usize = 200;

/// Reports the last line of output at intervals.
pub struct OutputReporter<'c> {
    context: &'c Context<'c>,
    last_report: Instant,
}

impl<'c> OutputReporter<'c> {
    /// Reports through the editor of `context`.
    #[must_use]
    pub fn new(context: &'c Context<'c>) -> Self {
        Self { context, last_report: Instant::now() }
    }

    /// Reports the last line of `bytes`, if the last report is long enough ago.
    pub fn report(&mut self, bytes: &[u8]) {
        if self.last_report.elapsed() < PROGRESS_INTERVAL {
            return;
        }
        self.last_report = Instant::now();
        let last = &bytes[bytes.len().saturating_sub(MAX_MESSAGE_BYTES)..];
        let last = String::from_utf8_lossy(last);
        if let Some(line) = last.lines().rev().find(|line| !line.trim().is_empty()) {
            self.context.editor.progress(line.trim());
        }
    }
}
