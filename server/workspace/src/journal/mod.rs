//! What is done to the disk, in steps that can be taken back, also by another process.
//!
//! Every visible change is one rename, or an exchange of two names. What takes the place of
//! something is made under a hidden name beside it first; what goes is not destroyed but renamed
//! aside, until all steps are done. The steps are recorded durably before the first one, so that
//! whoever finds them after a crash can tell by the files' own numbers which were done: all of
//! them, then the rest is cleared up; else they are taken back, last one first.

mod back;
mod exchange;
mod perform;
mod place;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use self::back::{is_done, node_at, take_back};
pub(crate) use self::perform::{Ready, StepError};
pub(crate) use self::place::{Place, read_path, written_path};
use crate::Root;
use crate::entries::{Node, remove};
use crate::platform::{Errno, remove_folder, stat, sync};
use crate::trash::Trash;

/// One change on disk.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum Step<P = Place> {
    /// A folder on the way that is not there yet.
    Folder { at: P },
    /// A hidden copy.
    Copy { from: P, to: P },
    /// `from` gets the name `to`. `over` stands there and gets the name `from`; where it is
    /// `None`, nothing may stand there.
    Rename {
        from: P,
        to: P,
        /// Which file it is; `None` for one that a step before makes.
        node: Option<Node>,
        over: Option<Node>,
        /// Whether `from` is of our own making, and goes when the step is taken back.
        made: bool,
    },
}

impl<P> Step<P> {
    fn map<Q>(&self, mut place: impl FnMut(&P) -> Option<Q>) -> Option<Step<Q>> {
        Some(match self {
            Self::Folder { at } => Step::Folder { at: place(at)? },
            Self::Copy { from, to } => Step::Copy { from: place(from)?, to: place(to)? },
            Self::Rename { from, to, node, over, made } => Step::Rename {
                from: place(from)?,
                to: place(to)?,
                node: *node,
                over: *over,
                made: *made,
            },
        })
    }
}

/// The steps of one action, as they are recorded.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct Written {
    steps: Vec<Step<String>>,
    clear: Vec<String>,
    #[serde(default)]
    tidy: Vec<String>,
}

/// The steps of one action, and what is left to be removed once all are done.
pub(crate) struct Steps {
    pub(crate) steps: Vec<Step>,
    pub(crate) clear: Vec<Place>,
    /// Folders that go if nothing is in them, inner ones first. What somebody has put there stays.
    pub(crate) tidy: Vec<Place>,
}

impl Steps {
    pub(crate) fn written(&self) -> Option<Written> {
        let write = |place: &Place| Some(place.written());
        Some(Written {
            steps: self.steps.iter().filter_map(|step| step.map(write)).collect(),
            clear: self.clear.iter().filter_map(write).collect(),
            tidy: self.tidy.iter().filter_map(write).collect(),
        })
    }

    /// `None` where a place lies in no folder that is open.
    pub(crate) fn read(written: &Written, roots: &[Arc<Root>]) -> Option<Self> {
        let read = |place: &String| Place::read(place, roots);
        Some(Self {
            steps: written.steps.iter().map(|step| step.map(read)).collect::<Option<_>>()?,
            clear: written.clear.iter().map(read).collect::<Option<_>>()?,
            tidy: written.tidy.iter().map(read).collect::<Option<_>>()?,
        })
    }

    /// Whether all of them have been done: the last one has.
    pub(crate) fn are_done(&self, trash: Option<&Trash>) -> bool {
        match self.steps.last() {
            None => true,
            Some(Step::Copy { .. }) => false,
            Some(Step::Folder { at }) => {
                at.parent(trash).is_ok_and(|(dir, name)| node_at(&dir, &name).is_some())
            }
            Some(step @ Step::Rename { .. }) => is_done(step, trash),
        }
    }

    /// Whether something is copied, which may be all that is left of it once it is cleared up.
    pub(crate) fn have_copies(&self) -> bool {
        self.steps.iter().any(|step| matches!(step, Step::Copy { .. }))
    }

    /// The number of a step whose replaced file somebody has written to since: it lies aside, and
    /// their change would go with it.
    pub(crate) fn overtaken(&self, trash: Option<&Trash>) -> Option<usize> {
        let is_overtaken = |(number, step): &(usize, &Step)| {
            let Step::Rename { from, over: Some(over), .. } = step else { return false };
            // It may have gone on to the trash.
            let place = match self.steps.get(number + 1) {
                Some(Step::Rename { from: next, to, .. }) if next == from => to,
                _ => from,
            };
            let found = place.parent(trash).ok().and_then(|(dir, name)| node_at(&dir, &name));
            found.is_some_and(|(found, _)| found != *over)
        };
        self.steps.iter().enumerate().find(is_overtaken).map(|(number, _)| number)
    }

    /// Takes back the first `count` steps, last one first. `kept` are places of what others have
    /// written, which stays; more of them are added.
    ///
    /// # Errors
    /// When one of them could not be taken back.
    pub(crate) fn take_back(
        &self,
        count: usize,
        trash: Option<&Trash>,
        kept: &mut Vec<Place>,
    ) -> Result<(), Errno> {
        let mut outcome = Ok(());
        for step in self.steps[..count.min(self.steps.len())].iter().rev() {
            if let Step::Copy { to, .. } = step
                && kept.contains(to)
            {
                continue;
            }
            match take_back(step, trash) {
                Ok(None) => {}
                Ok(Some(place)) => kept.push(place.clone()),
                Err(errno) => outcome = Err(errno),
            }
        }
        self.sync(trash);
        outcome
    }

    /// Removes what is left over once all steps are done.
    pub(crate) fn clear(&self, trash: Option<&Trash>) {
        for place in &self.clear {
            let cleared = place.parent(trash).and_then(|(dir, name)| remove(&dir, &name));
            if let Err(error) = cleared {
                tracing::warn!("{}: could not be removed: {error}", place.written());
            }
        }
        for place in &self.tidy {
            // One that is not empty stays.
            let _ = place.parent(trash).and_then(|(dir, name)| remove_folder(&dir, &name));
        }
    }

    /// Makes the folders of all steps durable, each once.
    pub(crate) fn sync(&self, trash: Option<&Trash>) {
        let mut synced: Vec<(u64, u64)> = Vec::new();
        let places = self.steps.iter().flat_map(|step| match step {
            Step::Folder { at } => [Some(at), None],
            // Durable once it returns.
            Step::Copy { .. } => [None, None],
            Step::Rename { from, to, .. } => [Some(to), Some(from)],
        });
        for place in places.flatten() {
            let Ok((dir, _)) = place.parent(trash) else { continue };
            let Ok(stat) = stat(&dir) else { continue };
            let id = (stat.device(), stat.inode());
            if synced.contains(&id) {
                continue;
            }
            synced.push(id);
            // It has happened; a failing sync only makes it less durable.
            if let Err(errno) = sync(&dir) {
                tracing::warn!("{}: the folder could not be synced: {errno}", place.written());
            }
        }
    }
}
