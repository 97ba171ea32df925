//! Limits of one call: time, visited entries and read bytes, and cancellation.
//!
//! Every loop over outside data takes a [`Budget`] and counts against it. The length of results is
//! limited elsewhere (`tools::budget`). Crates without a clock take [`Budget::interrupt`] only.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use thiserror::Error;

/// How long a call may compute. Waiting for a person or a program does not count.
const MAX_DURATION: Duration = Duration::from_secs(60);
/// Maximum number of files, folders and git objects that a call visits.
const MAX_ENTRIES: u64 = 5_000_000;
/// Maximum number of bytes that a call reads.
const MAX_READ_BYTES: u64 = 4 << 30;
/// Number of entries between two reads of the clock.
const CLOCK_CHECK_INTERVAL: u64 = 1 << 10;

/// The limits of one call, shared by all threads that work for it.
#[derive(Debug)]
pub struct CallBudget<'a> {
    interrupt: &'a AtomicBool,
    deadline: Option<Instant>,
    entries: AtomicU64,
    read: AtomicU64,
}

/// Why a call ends early.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum BudgetExceeded {
    /// The call was cancelled.
    #[error("cancelled")]
    Cancelled,
    /// The time is up.
    #[error("not done after {} seconds", MAX_DURATION.as_secs())]
    Time,
    /// Too many entries.
    #[error("more than {MAX_ENTRIES} files and folders to look through")]
    Entries,
    /// Too many bytes to read.
    #[error("more than {} GiB to read", MAX_READ_BYTES >> 30)]
    Read,
}

static NEVER_CANCELLED: AtomicBool = AtomicBool::new(false);

impl<'a> CallBudget<'a> {
    /// The budget of a call that begins now and is cancelled by `interrupt`.
    #[must_use]
    pub fn new(interrupt: &'a AtomicBool) -> Self {
        Self::with_deadline(interrupt, Some(Instant::now() + MAX_DURATION))
    }

    /// A budget that cannot be cancelled, for callers that always wait for the result.
    #[must_use]
    pub fn without_cancel() -> CallBudget<'static> {
        CallBudget::new(&NEVER_CANCELLED)
    }

    fn with_deadline(interrupt: &'a AtomicBool, deadline: Option<Instant>) -> Self {
        Self { interrupt, deadline, entries: AtomicU64::new(0), read: AtomicU64::new(0) }
    }

    /// The cancellation flag.
    #[must_use]
    pub fn interrupt(&self) -> &'a AtomicBool {
        self.interrupt
    }

    /// # Errors
    /// When the call is cancelled or its time is up.
    pub fn check(&self) -> Result<(), BudgetExceeded> {
        if self.interrupt.load(Ordering::Relaxed) {
            return Err(BudgetExceeded::Cancelled);
        }
        match self.deadline {
            Some(deadline) if Instant::now() > deadline => Err(BudgetExceeded::Time),
            _ => Ok(()),
        }
    }

    /// Counts visited entries.
    ///
    /// # Errors
    /// When the limit is exceeded, or as [`Budget::check`].
    pub fn visit(&self, entries: u64) -> Result<(), BudgetExceeded> {
        let before = self.entries.fetch_add(entries, Ordering::Relaxed);
        let now = before.saturating_add(entries);
        if now > MAX_ENTRIES {
            return Err(BudgetExceeded::Entries);
        }
        // Reading the clock would cost more than most loops do per entry.
        if before / CLOCK_CHECK_INTERVAL != now / CLOCK_CHECK_INTERVAL {
            return self.check();
        }
        match self.interrupt.load(Ordering::Relaxed) {
            true => Err(BudgetExceeded::Cancelled),
            false => Ok(()),
        }
    }

    /// Counts bytes that are about to be read.
    ///
    /// # Errors
    /// When the limit would be exceeded (the bytes are then not counted), or as [`Budget::check`].
    pub fn read(&self, bytes: u64) -> Result<(), BudgetExceeded> {
        let add = |read: u64| read.checked_add(bytes).filter(|read| *read <= MAX_READ_BYTES);
        match self.read.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add) {
            Ok(_) => self.check(),
            Err(_) => Err(BudgetExceeded::Read),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_limit_ends_the_call_with_its_own_error() {
        let flag = AtomicBool::new(false);
        let budget = CallBudget::new(&flag);
        assert_eq!(budget.check(), Ok(()));
        assert_eq!(budget.visit(MAX_ENTRIES), Ok(()));
        assert_eq!(budget.visit(1), Err(BudgetExceeded::Entries));
        assert_eq!(budget.read(MAX_READ_BYTES - 1), Ok(()));
        // One file that is too large does not prevent others from being read.
        assert_eq!(budget.read(u64::MAX), Err(BudgetExceeded::Read));
        assert_eq!(budget.read(1), Ok(()));
        assert_eq!(budget.read(1), Err(BudgetExceeded::Read));
        let expired =
            CallBudget::with_deadline(&flag, Instant::now().checked_sub(Duration::from_millis(1)));
        assert_eq!(expired.check(), Err(BudgetExceeded::Time));
        assert_eq!(expired.visit(1), Ok(()));
        assert_eq!(expired.visit(CLOCK_CHECK_INTERVAL), Err(BudgetExceeded::Time));
        flag.store(true, Ordering::Relaxed);
        assert_eq!(expired.visit(1), Err(BudgetExceeded::Cancelled));
        assert_eq!(budget.check(), Err(BudgetExceeded::Cancelled));
    }
}
