//! What one call may cost: time, entries visited, bytes read, bytes kept; and whether it is still wanted.
//!
//! Every loop whose length comes from outside takes a [`Budget`] and counts against it. What a result may
//! be long is the tools' own (`tools::budget`). Crates without a clock take [`Budget::interrupt`] alone.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use thiserror::Error;

/// How long a call may compute. Waiting for a person or a program is not computing.
const LONGEST: Duration = Duration::from_secs(60);
/// Most files, folders and objects that it visits.
const MOST_ENTRIES: u64 = 5_000_000;
/// Most bytes that it reads, and that it keeps at a time.
const MOST_READ: u64 = 4 << 30;
const MOST_KEPT: u64 = 512 << 20;
/// Entries after which the clock is read again.
const CLOCK: u64 = 1 << 10;

/// What one call may cost. Threads that work for it share it.
#[derive(Debug)]
pub struct Budget<'a> {
    interrupt: &'a AtomicBool,
    until: Option<Instant>,
    entries: AtomicU64,
    read: AtomicU64,
    kept: AtomicU64,
}

/// Why a call ends early.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum Exhausted {
    /// Nobody wants the result any more.
    #[error("cancelled")]
    Cancelled,
    /// The time is up.
    #[error("not done after {} seconds", LONGEST.as_secs())]
    Time,
    /// Too many entries.
    #[error("more than {MOST_ENTRIES} files and folders to look through")]
    Entries,
    /// Too many bytes to read.
    #[error("more than {} GiB to read", MOST_READ >> 30)]
    Read,
    /// Too many bytes to keep.
    #[error("more than {} MiB to keep", MOST_KEPT >> 20)]
    Kept,
}

static NEVER: AtomicBool = AtomicBool::new(false);

impl<'a> Budget<'a> {
    /// The budget of a call that begins now, and ends once `interrupt` is set.
    #[must_use]
    pub fn new(interrupt: &'a AtomicBool) -> Self {
        Self::until(interrupt, Some(Instant::now() + LONGEST))
    }

    /// One without a cancel, for work that a caller waits for in any case.
    #[must_use]
    pub fn of_one_call() -> Budget<'static> {
        Budget::new(&NEVER)
    }

    fn until(interrupt: &'a AtomicBool, until: Option<Instant>) -> Self {
        let (entries, read, kept) = (AtomicU64::new(0), AtomicU64::new(0), AtomicU64::new(0));
        Self { interrupt, until, entries, read, kept }
    }

    /// The flag that is set once nobody wants the result any more.
    #[must_use]
    pub fn interrupt(&self) -> &'a AtomicBool {
        self.interrupt
    }

    /// # Errors
    /// When the call was cancelled, or its time is up.
    pub fn check(&self) -> Result<(), Exhausted> {
        if self.interrupt.load(Ordering::Relaxed) {
            return Err(Exhausted::Cancelled);
        }
        match self.until {
            Some(until) if Instant::now() > until => Err(Exhausted::Time),
            _ => Ok(()),
        }
    }

    /// Counts entries that are visited.
    ///
    /// # Errors
    /// When that is more than the call may visit, or as [`Budget::check`].
    pub fn visit(&self, entries: u64) -> Result<(), Exhausted> {
        let before = self.entries.fetch_add(entries, Ordering::Relaxed);
        let now = before.saturating_add(entries);
        if now > MOST_ENTRIES {
            return Err(Exhausted::Entries);
        }
        // Most loops do little for an entry: the clock would cost more.
        if before / CLOCK != now / CLOCK {
            return self.check();
        }
        match self.interrupt.load(Ordering::Relaxed) {
            true => Err(Exhausted::Cancelled),
            false => Ok(()),
        }
    }

    /// Counts bytes that are read.
    ///
    /// # Errors
    /// When that is more than the call may read, or as [`Budget::check`].
    pub fn read(&self, bytes: u64) -> Result<(), Exhausted> {
        let before = self.read.fetch_add(bytes, Ordering::Relaxed);
        if before.saturating_add(bytes) > MOST_READ {
            return Err(Exhausted::Read);
        }
        self.check()
    }

    /// Counts bytes that are kept until the call ends.
    ///
    /// # Errors
    /// When that is more than the call may keep, or as [`Budget::check`].
    pub fn keep(&self, bytes: u64) -> Result<(), Exhausted> {
        let before = self.kept.fetch_add(bytes, Ordering::Relaxed);
        if before.saturating_add(bytes) > MOST_KEPT {
            return Err(Exhausted::Kept);
        }
        self.check()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_limit_ends_the_call_and_says_which() {
        let flag = AtomicBool::new(false);
        let budget = Budget::new(&flag);
        assert_eq!(budget.check(), Ok(()));
        assert_eq!(budget.visit(MOST_ENTRIES), Ok(()));
        assert_eq!(budget.visit(1), Err(Exhausted::Entries));
        assert_eq!(budget.read(MOST_READ), Ok(()));
        assert_eq!(budget.read(1), Err(Exhausted::Read));
        assert_eq!(budget.keep(MOST_KEPT), Ok(()));
        assert_eq!(budget.keep(u64::MAX), Err(Exhausted::Kept));
        let late = Budget::until(&flag, Instant::now().checked_sub(Duration::from_millis(1)));
        assert_eq!(late.check(), Err(Exhausted::Time));
        assert_eq!(late.visit(1), Ok(()));
        assert_eq!(late.visit(CLOCK), Err(Exhausted::Time));
        flag.store(true, Ordering::Relaxed);
        assert_eq!(late.visit(1), Err(Exhausted::Cancelled));
        assert_eq!(budget.check(), Err(Exhausted::Cancelled));
    }
}
