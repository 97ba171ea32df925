//! What one call may cost: time, entries visited, bytes read; and whether it is still wanted.
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
/// Most bytes that it reads.
const MOST_READ: u64 = 4 << 30;
/// Entries after which the clock is read again.
const CLOCK: u64 = 1 << 10;

/// What one call may cost. Threads that work for it share it.
#[derive(Debug)]
pub struct Budget<'a> {
    interrupt: &'a AtomicBool,
    until: Option<Instant>,
    entries: AtomicU64,
    read: AtomicU64,
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
        Self { interrupt, until, entries: AtomicU64::new(0), read: AtomicU64::new(0) }
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

    /// Counts bytes that are about to be read.
    ///
    /// # Errors
    /// When that is more than the call may read, which then does not count, or as [`Budget::check`].
    pub fn read(&self, bytes: u64) -> Result<(), Exhausted> {
        let add = |read: u64| read.checked_add(bytes).filter(|read| *read <= MOST_READ);
        match self.read.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add) {
            Ok(_) => self.check(),
            Err(_) => Err(Exhausted::Read),
        }
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
        assert_eq!(budget.read(MOST_READ - 1), Ok(()));
        // One file that is too long does not keep others from being read.
        assert_eq!(budget.read(u64::MAX), Err(Exhausted::Read));
        assert_eq!(budget.read(1), Ok(()));
        assert_eq!(budget.read(1), Err(Exhausted::Read));
        let late = Budget::until(&flag, Instant::now().checked_sub(Duration::from_millis(1)));
        assert_eq!(late.check(), Err(Exhausted::Time));
        assert_eq!(late.visit(1), Ok(()));
        assert_eq!(late.visit(CLOCK), Err(Exhausted::Time));
        flag.store(true, Ordering::Relaxed);
        assert_eq!(late.visit(1), Err(Exhausted::Cancelled));
        assert_eq!(budget.check(), Err(Exhausted::Cancelled));
    }
}
