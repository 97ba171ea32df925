//! Who parses a document's states, one at a time.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use parking_lot::{Mutex, MutexGuard};
use syntax::{Finished, Language, Shifted, Syntax};
use text::Text;

/// How often who waits for a turn looks whether it is still wanted.
const LOOK: Duration = Duration::from_millis(10);

/// What was parsed of a document, shared by all of its states.
#[derive(Debug, Default)]
pub(crate) struct Parses {
    /// The second finds the first one's tree.
    turn: Mutex<()>,
    /// The tree of the state that was parsed last.
    latest: Mutex<Option<Syntax>>,
    /// How long that took, in microseconds.
    took: AtomicU64,
    /// The least broken tree of late, and how broken it is; that of a text whose line at the cursor
    /// was finished, as a rule.
    soundest: Mutex<Option<(Syntax, usize)>>,
}

/// A document's syntax as far as it is known in time.
#[derive(Debug)]
pub enum Seen {
    /// The tree of this very text.
    Fresh(Syntax),
    /// What an earlier tree says of it. It is to be parsed yet.
    Earlier(Shifted),
}

impl Parses {
    /// Waits for the turn to parse. `None` once `interrupt` is set.
    pub(crate) fn turn(&self, interrupt: &AtomicBool) -> Option<MutexGuard<'_, ()>> {
        loop {
            if interrupt.load(Ordering::Relaxed) {
                return None;
            }
            if let Some(turn) = self.turn.try_lock_for(LOOK) {
                return Some(turn);
            }
        }
    }

    /// The same for so long; `None` at once where the last parse took much longer than that.
    pub(crate) fn turn_within(&self, budget: Duration) -> Option<MutexGuard<'_, ()>> {
        let took = Duration::from_micros(self.took.load(Ordering::Relaxed));
        if took > 2 * budget { None } else { self.turn.try_lock_for(budget) }
    }

    /// Parses `text` from what is known of earlier states. To be called in one's turn.
    pub(crate) fn parse(
        &self,
        language: Language,
        text: &Text,
        stop: &mut dyn FnMut() -> bool,
    ) -> Option<Syntax> {
        let before = self.latest();
        let begun = Instant::now();
        let parsed = Syntax::parse_until(language, text, before.as_ref(), stop);
        // Where it was given up it takes longer than that.
        let took = begun.elapsed().mul_f32(if parsed.is_some() { 1.0 } else { 3.0 });
        self.took.store(u64::try_from(took.as_micros()).unwrap_or(u64::MAX), Ordering::Relaxed);
        if let Some(syntax) = &parsed {
            let errors = syntax.error_weight();
            if self.soundest().is_none_or(|(_, before)| errors <= before) {
                self.keep_soundest(syntax, errors);
            }
        }
        let earlier = self.latest.lock().replace(parsed.clone()?);
        // Outside the lock: a tree that nobody has any more takes its time to go.
        drop((earlier, before));
        parsed
    }

    /// The text with `name` at `offset` and the line finished; see [`Syntax::finish_line`]. Nobody
    /// waits for the turn.
    pub(crate) fn finish_line(
        &self,
        language: Language,
        text: &Text,
        offset: usize,
        name: &str,
        stop: &mut dyn FnMut() -> bool,
    ) -> Option<Finished> {
        let base = self.soundest();
        let base = base.as_ref().map(|(syntax, errors)| (syntax, *errors));
        let finished = Syntax::finish_line(language, text, offset, name, base, stop)?;
        // Even if it is worse: what is broken elsewhere stays so while this line is typed.
        self.keep_soundest(&finished.syntax, finished.errors);
        Some(finished)
    }

    fn soundest(&self) -> Option<(Syntax, usize)> {
        self.soundest.lock().clone()
    }

    fn keep_soundest(&self, syntax: &Syntax, errors: usize) {
        let earlier = self.soundest.lock().replace((syntax.clone(), errors));
        // Outside the lock, as below.
        drop(earlier);
    }

    /// The tree of the state that was parsed last.
    pub(crate) fn latest(&self) -> Option<Syntax> {
        self.latest.lock().clone()
    }
}
