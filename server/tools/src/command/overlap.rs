//! Programs that run at the same time in one workspace.
//!
//! What a program makes in guarded places is looked for when it ends. Another one that still runs could
//! move it about meanwhile, so that it is never where the first one's look comes by, and would itself
//! have found it there when it started. So a program that ends hands what it knew of to all others that
//! run: what it did not know, they do not know any more either, and the last one to end finds it.

use std::collections::HashSet;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use workspace::{Entry, EntryIdentity};

/// The guarded places that each running program may take for known.
#[derive(Default)]
pub(crate) struct Overlap(Mutex<Vec<Weak<Known>>>);

/// The guarded places that stood there before a program started.
#[derive(Default)]
pub(crate) struct Known(Mutex<State>);

#[derive(Default)]
struct State {
    /// `None` until the workspace has been looked through.
    places: Option<HashSet<EntryIdentity>>,
    /// What programs that ended meanwhile knew of, for when it has been.
    limits: Vec<HashSet<EntryIdentity>>,
    /// What may stay of what they made.
    kept: Vec<EntryIdentity>,
    is_ending: bool,
}

impl Overlap {
    /// A program starts: `look` finds the guarded places that are there.
    pub(crate) fn start(&self, look: impl FnOnce() -> Vec<Entry>) -> (Arc<Known>, Vec<Entry>) {
        let known = Arc::new(Known::default());
        {
            let mut running = self.0.lock();
            running.retain(|one| one.strong_count() > 0);
            // Those that look for what they made at this moment.
            for one in running.iter().filter_map(Weak::upgrade) {
                let state = one.0.lock();
                if let (true, Some(places)) = (state.is_ending, &state.places) {
                    known.0.lock().limits.push(places.clone());
                }
            }
            running.push(Arc::downgrade(&known));
        }
        let entries = look();
        let mut state = known.0.lock();
        let mut places: HashSet<EntryIdentity> = entries.iter().map(Entry::identity).collect();
        for limit in std::mem::take(&mut state.limits) {
            places.retain(|place| limit.contains(place));
        }
        places.extend(state.kept.drain(..));
        state.places = Some(places);
        drop(state);
        (known, entries)
    }

    /// A program has ended, and what it made is looked for from now on. Gives what it knew of.
    pub(crate) fn end(&self, known: &Arc<Known>) -> HashSet<EntryIdentity> {
        let running = self.0.lock();
        let own = {
            let mut state = known.0.lock();
            state.is_ending = true;
            state.places.clone().unwrap_or_default()
        };
        for one in running.iter().filter_map(Weak::upgrade) {
            if Arc::ptr_eq(&one, known) {
                continue;
            }
            let mut state = one.0.lock();
            match &mut state.places {
                Some(places) => places.retain(|place| own.contains(place)),
                None => state.limits.push(own.clone()),
            }
        }
        own
    }

    /// What a program made may stay: nobody has to look at it again.
    pub(crate) fn keep(&self, entry: &Entry) {
        for one in self.0.lock().iter().filter_map(Weak::upgrade) {
            let mut state = one.0.lock();
            match &mut state.places {
                Some(places) => _ = places.insert(entry.identity()),
                None => state.kept.push(entry.identity()),
            }
        }
    }
}
