//! Links with guarded names anywhere in the workspace: `sub/.vscode -> ../settings` makes
//! `settings` a guarded place.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use workspace::{Entry, FileKind, FilePath, OwnFiles, Snapshot};

/// How long found links are used without a new search. Our tools and commands invalidate them, so
/// this only concerns other programs.
const MAX_AGE: Duration = Duration::from_secs(10);

/// Limit for links that are resolved anew for each call.
const MAX_TRACKED_LINKS: usize = 100;

/// How long found links are used while a background thread searches again.
const MAX_STALE_AGE: Duration = Duration::from_secs(60);

/// Each link's path and its target, which may not exist yet.
pub(super) type Links = Vec<(PathBuf, FilePath)>;

/// A cache of the links. Finding them lists the whole workspace, so a background thread does it
/// while the cached ones are recent enough.
#[derive(Default)]
pub(super) struct GuardedLinks(Arc<Mutex<LinkCache>>);

#[derive(Default)]
struct LinkCache {
    found: Option<(Instant, Arc<Links>)>,
    is_searching: bool,
    /// Incremented by each invalidation: searches that began before it are outdated.
    generation: u64,
}

impl GuardedLinks {
    /// The links. If the file watcher tracks them and they are few, they are current; otherwise
    /// they are up to 10 s old, or this call waits for a search.
    pub(super) fn current(&self, snapshot: &Snapshot, own: &OwnFiles) -> Arc<Links> {
        if let Some(tracked) = snapshot.tracked_guarded_links(own)
            && tracked.len() <= MAX_TRACKED_LINKS
        {
            return Arc::new(
                tracked.iter().filter_map(|link| resolve_link(snapshot, link)).collect(),
            );
        }
        let generation = {
            let mut state = self.0.lock();
            let found = state.found.clone();
            if let Some((at, links)) = found {
                let age = at.elapsed();
                if age > MAX_AGE && age < MAX_STALE_AGE && !state.is_searching {
                    state.is_searching =
                        self.search_in_background(snapshot.clone(), state.generation);
                }
                if age < MAX_AGE || age < MAX_STALE_AGE && state.is_searching {
                    return links;
                }
            }
            state.generation
        };
        let links = Arc::new(find_links(snapshot));
        self.store(generation, &links);
        links
    }

    /// Makes the next call search again.
    pub(super) fn invalidate(&self) {
        let mut state = self.0.lock();
        state.found = None;
        state.generation += 1;
    }

    /// Replaces the known links by those among `entries`.
    pub(super) fn replace(&self, snapshot: &Snapshot, entries: &[Entry]) {
        self.invalidate();
        let generation = self.0.lock().generation;
        self.store(generation, &Arc::new(links_among(snapshot, entries)));
    }

    fn store(&self, generation: u64, links: &Arc<Links>) {
        let mut state = self.0.lock();
        if state.generation == generation {
            state.found = Some((Instant::now(), links.clone()));
        }
    }

    /// Starts a search in a background thread; false if no thread could be started.
    fn search_in_background(&self, snapshot: Snapshot, generation: u64) -> bool {
        let this = Self(self.0.clone());
        let thread = std::thread::Builder::new().name("guarded links".to_owned());
        let started = thread.spawn(move || {
            workspace::lower_thread_priority();
            let links = Arc::new(find_links(&snapshot));
            this.store(generation, &links);
            this.0.lock().is_searching = false;
        });
        started.is_ok()
    }
}

fn find_links(snapshot: &Snapshot) -> Links {
    links_among(snapshot, &snapshot.guarded_entries().entries)
}

fn links_among(snapshot: &Snapshot, entries: &[Entry]) -> Links {
    let links = entries.iter().filter(|entry| entry.kind == FileKind::Link);
    links.filter_map(|entry| resolve_link(snapshot, &entry.path)).collect()
}

/// A link's path and target; `None` if the target is outside the workspace.
fn resolve_link(snapshot: &Snapshot, link: &FilePath) -> Option<(PathBuf, FilePath)> {
    let place = link.absolute();
    let target = snapshot.locate_absolute(&place).ok()?;
    (target.absolute() != place).then_some((place, target))
}
