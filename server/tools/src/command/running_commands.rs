//! Commands that run at the same time in one workspace.
//!
//! When a command ends, the guarded places that it created are searched. Another running command
//! could move such a place out of the first one's sight, and count it as existing before its own
//! start. So a command that ends intersects the known places of all others with its own: what it
//! did not know, they no longer know, and the last one to end finds it.

use std::collections::HashSet;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;
use workspace::{Entry, EntryIdentity};

/// The running commands, with the guarded places that each may treat as known.
#[derive(Default)]
pub(crate) struct RunningCommands(Mutex<Vec<Weak<KnownPlaces>>>);

/// The guarded places that existed before a command started.
#[derive(Default)]
pub(crate) struct KnownPlaces(Mutex<KnownState>);

#[derive(Default)]
struct KnownState {
    /// `None` until the workspace has been searched.
    places: Option<HashSet<EntryIdentity>>,
    /// The known places of commands that ended before the search was done.
    ended: Vec<HashSet<EntryIdentity>>,
    /// Approved places that they created.
    approved: Vec<EntryIdentity>,
    is_ending: bool,
}

impl KnownPlaces {
    /// The places that its command may treat as known, while it runs.
    pub(crate) fn places(&self) -> HashSet<EntryIdentity> {
        self.0.lock().places.clone().unwrap_or_default()
    }
}

impl RunningCommands {
    /// Registers a command; `find_places` lists the existing guarded places.
    pub(crate) fn start(
        &self,
        find_places: impl FnOnce() -> Vec<Entry>,
    ) -> (Arc<KnownPlaces>, Vec<Entry>) {
        let known = Arc::new(KnownPlaces::default());
        {
            let mut running = self.0.lock();
            running.retain(|one| one.strong_count() > 0);
            // Commands that are searching for created places at this moment.
            for one in running.iter().filter_map(Weak::upgrade) {
                let state = one.0.lock();
                if let (true, Some(places)) = (state.is_ending, &state.places) {
                    known.0.lock().ended.push(places.clone());
                }
            }
            running.push(Arc::downgrade(&known));
        }
        let entries = find_places();
        let mut state = known.0.lock();
        let mut places: HashSet<EntryIdentity> = entries.iter().map(Entry::identity).collect();
        for known in std::mem::take(&mut state.ended) {
            places.retain(|place| known.contains(place));
        }
        places.extend(state.approved.drain(..));
        state.places = Some(places);
        drop(state);
        (known, entries)
    }

    /// Marks a command as ended, before the search for created places. Returns the places it knew.
    pub(crate) fn end(&self, known: &Arc<KnownPlaces>) -> HashSet<EntryIdentity> {
        let running = self.0.lock();
        let known_places = {
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
                Some(places) => places.retain(|place| known_places.contains(place)),
                None => state.ended.push(known_places.clone()),
            }
        }
        known_places
    }

    /// Makes an approved place known to all running commands.
    pub(crate) fn keep(&self, entry: &Entry) {
        for one in self.0.lock().iter().filter_map(Weak::upgrade) {
            let mut state = one.0.lock();
            match &mut state.places {
                Some(places) => _ = places.insert(entry.identity()),
                None => state.approved.push(entry.identity()),
            }
        }
    }
}
