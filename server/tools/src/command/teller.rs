//! What a program says while it runs, told to whoever waits.

use std::time::{Duration, Instant};

use crate::Context;

/// How often it is told what comes out.
const TELL: Duration = Duration::from_millis(250);
/// Longest message about it, in bytes.
const LONGEST_MESSAGE: usize = 200;

/// Tells whoever waits what comes out, now and then.
pub(crate) struct Teller<'c> {
    context: &'c Context<'c>,
    told: Instant,
}

impl<'c> Teller<'c> {
    pub(crate) fn new(context: &'c Context<'c>) -> Self {
        Self { context, told: Instant::now() }
    }

    pub(crate) fn tell(&mut self, bytes: &[u8]) {
        if self.told.elapsed() < TELL {
            return;
        }
        self.told = Instant::now();
        let last = &bytes[bytes.len().saturating_sub(LONGEST_MESSAGE)..];
        let last = String::from_utf8_lossy(last);
        if let Some(line) = last.lines().rev().find(|line| !line.trim().is_empty()) {
            self.context.editor.progress(line.trim());
        }
    }
}
