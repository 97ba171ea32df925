//! Links with guarded names, wherever they are in the workspace: `sub/.vscode -> ../settings` makes
//! `settings` a guarded place.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use workspace::{Entry, FileKind, FilePath, OwnFiles, Snapshot};

/// How long they are taken as found. Tools and commands that make one have them found anew, so this
/// is about other programs only.
const FRESH: Duration = Duration::from_secs(10);

/// Most links that are followed anew for each call.
const FEW: usize = 100;

/// How long they are taken while another thread looks.
const TOO_OLD: Duration = Duration::from_secs(60);

/// Where each link stands, and where it leads: to what may not be there yet.
pub(super) type Links = Vec<(PathBuf, FilePath)>;

/// The links as they were found last. The whole workspace has to be listed for them, so while they
/// are not too old, another thread does it.
#[derive(Default)]
pub(super) struct GuardedLinks(Arc<Mutex<State>>);

#[derive(Default)]
struct State {
    found: Option<(Instant, Arc<Links>)>,
    is_looking: bool,
    /// How often they were forgotten: what was looked for before is then out of date.
    generation: u64,
}

impl GuardedLinks {
    /// The links. Where the system notes changes, and they are few, as they are now; else 10 s old at
    /// most, or found while this waits.
    pub(super) fn current(&self, snapshot: &Snapshot, own: &OwnFiles) -> Arc<Links> {
        if let Some(tracked) = snapshot.tracked_guarded_links(own)
            && tracked.len() <= FEW
        {
            return Arc::new(tracked.iter().filter_map(|link| led(snapshot, link)).collect());
        }
        let generation = {
            let mut state = self.0.lock();
            let found = state.found.clone();
            if let Some((at, links)) = found {
                let age = at.elapsed();
                if age > FRESH && age < TOO_OLD && !state.is_looking {
                    state.is_looking = self.look_behind(snapshot.clone(), state.generation);
                }
                if age < FRESH || age < TOO_OLD && state.is_looking {
                    return links;
                }
            }
            state.generation
        };
        let links = Arc::new(find(snapshot));
        self.keep(generation, &links);
        links
    }

    /// Has them found anew before the next call.
    pub(super) fn forget(&self) {
        let mut state = self.0.lock();
        state.found = None;
        state.generation += 1;
    }

    /// Takes those among `entries`, which were just found, in place of what was known.
    pub(super) fn replace(&self, snapshot: &Snapshot, entries: &[Entry]) {
        self.forget();
        let generation = self.0.lock().generation;
        self.keep(generation, &Arc::new(links_among(snapshot, entries)));
    }

    fn keep(&self, generation: u64, links: &Arc<Links>) {
        let mut state = self.0.lock();
        if state.generation == generation {
            state.found = Some((Instant::now(), links.clone()));
        }
    }

    /// Has another thread look; false where there is none.
    fn look_behind(&self, snapshot: Snapshot, generation: u64) -> bool {
        let this = Self(self.0.clone());
        let looking = std::thread::Builder::new().name("guarded links".to_owned());
        let started = looking.spawn(move || {
            workspace::lower_thread_priority();
            let links = Arc::new(find(&snapshot));
            this.keep(generation, &links);
            this.0.lock().is_looking = false;
        });
        started.is_ok()
    }
}

fn find(snapshot: &Snapshot) -> Links {
    links_among(snapshot, &snapshot.guarded_entries().entries)
}

fn links_among(snapshot: &Snapshot, entries: &[Entry]) -> Links {
    let links = entries.iter().filter(|entry| entry.kind == FileKind::Link);
    links.filter_map(|entry| led(snapshot, &entry.path)).collect()
}

/// A link, and where it leads, unless it leads nowhere that the workspace could know of.
fn led(snapshot: &Snapshot, link: &FilePath) -> Option<(PathBuf, FilePath)> {
    let place = link.absolute();
    let target = snapshot.locate_absolute(&place).ok()?;
    (target.absolute() != place).then_some((place, target))
}
