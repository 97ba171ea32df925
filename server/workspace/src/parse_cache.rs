//! Parses the versions of a document incrementally, one at a time.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Mutex, MutexGuard};
use syntax::{FinishedLine, Language, StaleTree, Syntax};
use text::Text;

/// Interval at which a thread that waits for the lock checks for cancellation.
const INTERRUPT_POLL_INTERVAL: Duration = Duration::from_millis(10);

/// The latest trees of a document, shared by all of its versions.
#[derive(Debug, Default)]
pub(crate) struct ParseCache {
    /// Held while parsing, so that a second thread reuses the first one's tree.
    parse_lock: Mutex<()>,
    /// The tree of the version that was parsed last.
    latest: Mutex<Option<Syntax>>,
    /// The duration of that parse, in microseconds.
    last_duration_micros: AtomicU64,
    /// The recent tree with the fewest syntax errors, and their weight. Usually it is the tree of a
    /// text whose line at the cursor was completed.
    least_broken: Mutex<Option<(Syntax, usize)>>,
}

/// A document's syntax as available within a time limit.
#[derive(Debug)]
pub enum AvailableSyntax {
    /// The tree of the current text.
    Current(Syntax),
    /// An earlier tree shifted to the current text, which is still to be parsed.
    Stale(StaleTree),
}

impl ParseCache {
    /// Waits for the parse lock. `None` once `interrupt` is set.
    pub(crate) fn lock(&self, interrupt: &AtomicBool) -> Option<MutexGuard<'_, ()>> {
        loop {
            if interrupt.load(Ordering::Relaxed) {
                return None;
            }
            if let Some(lock) = self.parse_lock.try_lock_for(INTERRUPT_POLL_INTERVAL) {
                return Some(lock);
            }
        }
    }

    /// Waits for the parse lock at most `budget`. `None` at once if the last parse took much
    /// longer.
    pub(crate) fn lock_within(&self, budget: Duration) -> Option<MutexGuard<'_, ()>> {
        let took = Duration::from_micros(self.last_duration_micros.load(Ordering::Relaxed));
        if took > 2 * budget { None } else { self.parse_lock.try_lock_for(budget) }
    }

    /// Parses `text` incrementally from the latest tree. The caller holds the parse lock.
    pub(crate) fn parse(
        &self,
        language: Language,
        text: &Text,
        stop: &mut dyn FnMut() -> bool,
    ) -> Option<Syntax> {
        let before = self.latest();
        let begun = Instant::now();
        let parsed = Syntax::parse_until(language, text, before.as_ref(), stop);
        // An interrupted parse would have taken longer.
        let took = begun.elapsed().mul_f32(if parsed.is_some() { 1.0 } else { 3.0 });
        self.last_duration_micros
            .store(u64::try_from(took.as_micros()).unwrap_or(u64::MAX), Ordering::Relaxed);
        if let Some(syntax) = &parsed {
            let errors = syntax.error_weight();
            if self.least_broken().is_none_or(|(_, before)| errors <= before) {
                self.set_least_broken(syntax, errors);
            }
        }
        let earlier = self.latest.lock().replace(parsed.clone()?);
        // Drop outside the lock: freeing the last reference to a tree takes time.
        drop((earlier, before));
        parsed
    }

    /// The text with `name` at `offset` and the line completed; see [`Syntax::finish_line`]. It
    /// does not need the parse lock.
    pub(crate) fn finish_line(
        &self,
        language: Language,
        text: &Text,
        offset: usize,
        name: &str,
        stop: &mut dyn FnMut() -> bool,
    ) -> Option<FinishedLine> {
        let base = self.least_broken();
        let base = base.as_ref().map(|(syntax, errors)| (syntax, *errors));
        let finished = Syntax::finish_line(language, text, offset, name, base, stop)?;
        // Keep it even if it has more errors: those elsewhere stay while this line is typed.
        self.set_least_broken(&finished.syntax, finished.errors);
        Some(finished)
    }

    fn least_broken(&self) -> Option<(Syntax, usize)> {
        self.least_broken.lock().clone()
    }

    fn set_least_broken(&self, syntax: &Syntax, errors: usize) {
        let earlier = self.least_broken.lock().replace((syntax.clone(), errors));
        // Drop outside the lock, as in `parse`.
        drop(earlier);
    }

    /// The tree of the version that was parsed last.
    pub(crate) fn latest(&self) -> Option<Syntax> {
        self.latest.lock().clone()
    }
}
