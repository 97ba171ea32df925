//! A write-ahead journal: changes on disk in steps that can be reverted, also by another process.
//!
//! Every visible change is one rename, or an exchange of two names. New content is first created
//! under a hidden name beside its target; replaced content is not deleted but moved aside until all
//! steps are done. The steps are recorded durably before the first one. After a crash, recovery
//! compares inodes to tell which steps were done: if all were, it removes the leftovers; otherwise
//! it reverts the steps from last to first. `ActionHistory::recover` does that when a history is locked.

mod exchange;
mod parent_folders;
mod perform;
mod revert;
mod step_path;

use std::sync::Arc;

use serde::{Deserialize, Serialize};

pub(crate) use self::parent_folders::ParentFolders;
pub(crate) use self::perform::{PreparedStep, StepError};
use self::revert::{inode_at, is_done, revert};
pub(crate) use self::step_path::{StepPath, decode_path, encode_path};
use crate::Root;
use crate::entries::{InodeState, remove};
use crate::platform::{Errno, remove_folder, stat, sync};

/// One change on disk. Field and variant names are an on-disk format.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) enum Step<P = StepPath> {
    /// Creates a missing parent folder.
    Folder { at: P },
    /// Creates a hidden copy.
    Copy { from: P, to: P },
    /// Renames `from` to `to`. If `over` is set, it is the inode at `to`, and the two names are
    /// exchanged; otherwise `to` must not exist.
    Rename {
        from: P,
        to: P,
        /// The inode at `from`; `None` if an earlier step creates it.
        node: Option<InodeState>,
        over: Option<InodeState>,
        /// Whether we created `from`, so that reverting the step deletes it.
        made: bool,
    },
}

impl<P> Step<P> {
    /// Converts the paths of the step; `None` if one cannot be converted.
    fn map<Q>(&self, mut convert: impl FnMut(&P) -> Option<Q>) -> Option<Step<Q>> {
        Some(match self {
            Self::Folder { at } => Step::Folder { at: convert(at)? },
            Self::Copy { from, to } => Step::Copy { from: convert(from)?, to: convert(to)? },
            Self::Rename { from, to, node, over, made } => Step::Rename {
                from: convert(from)?,
                to: convert(to)?,
                node: *node,
                over: *over,
                made: *made,
            },
        })
    }
}

/// The steps of one action as they are stored in the history.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct RecordedSteps {
    steps: Vec<Step<String>>,
    #[serde(rename = "clear")]
    leftovers: Vec<String>,
    #[serde(default, rename = "tidy")]
    empty_folders: Vec<String>,
}

/// The steps of one action, and what to remove once all are done.
pub(crate) struct Steps {
    pub(crate) steps: Vec<Step>,
    pub(crate) leftovers: Vec<StepPath>,
    /// Folders to remove if they are empty, inner ones first.
    pub(crate) empty_folders: Vec<StepPath>,
}

impl Steps {
    pub(crate) fn to_record(&self) -> Option<RecordedSteps> {
        let encode = |step_path: &StepPath| Some(step_path.encode());
        Some(RecordedSteps {
            steps: self.steps.iter().filter_map(|step| step.map(encode)).collect(),
            leftovers: self.leftovers.iter().filter_map(encode).collect(),
            empty_folders: self.empty_folders.iter().filter_map(encode).collect(),
        })
    }

    /// `None` if a path is not in an open root.
    pub(crate) fn from_record(record: &RecordedSteps, roots: &[Arc<Root>]) -> Option<Self> {
        let decode = |step_path: &String| StepPath::decode(step_path, roots);
        Some(Self {
            steps: record.steps.iter().map(|step| step.map(decode)).collect::<Option<_>>()?,
            leftovers: record.leftovers.iter().map(decode).collect::<Option<_>>()?,
            empty_folders: record.empty_folders.iter().map(decode).collect::<Option<_>>()?,
        })
    }

    /// Whether all steps were done. They run in order, so the last one tells.
    pub(crate) fn are_done(&self, folders: &ParentFolders<'_>) -> bool {
        match self.steps.last() {
            None => true,
            Some(Step::Copy { .. }) => false,
            Some(Step::Folder { at }) => {
                folders.parent(at).is_ok_and(|(dir, name)| inode_at(&dir, &name).is_some())
            }
            Some(step @ Step::Rename { .. }) => is_done(step, folders),
        }
    }

    /// Whether a step copies something: the copy may be all that is left after the clean-up.
    pub(crate) fn have_copies(&self) -> bool {
        self.steps.iter().any(|step| matches!(step, Step::Copy { .. }))
    }

    /// The number of a step whose replaced file was written to after it was moved aside: removing
    /// it would lose that change.
    pub(crate) fn overwritten_step(&self, folders: &ParentFolders<'_>) -> Option<usize> {
        let is_overwritten = |(number, step): &(usize, &Step)| {
            let Step::Rename { from, over: Some(over), .. } = step else { return false };
            // The next step may have moved it to the trash.
            let step_path = match self.steps.get(number + 1) {
                Some(Step::Rename { from: next, to, .. }) if next == from => to,
                _ => from,
            };
            let found =
                folders.parent(step_path).ok().and_then(|(dir, name)| inode_at(&dir, &name));
            found.is_some_and(|(found, _)| found != *over)
        };
        self.steps.iter().enumerate().find(is_overwritten).map(|(number, _)| number)
    }

    /// Reverts the first `count` steps from last to first. `kept` are paths of content that others
    /// have written and that must stay; more are added.
    ///
    /// # Errors
    /// When a step could not be reverted.
    pub(crate) fn revert(
        &self,
        count: usize,
        folders: &ParentFolders<'_>,
        kept: &mut Vec<StepPath>,
    ) -> Result<(), Errno> {
        let mut outcome = Ok(());
        for step in self.steps[..count.min(self.steps.len())].iter().rev() {
            if let Step::Copy { to, .. } = step
                && kept.contains(to)
            {
                continue;
            }
            match revert(step, folders) {
                Ok(None) => {}
                Ok(Some(step_path)) => kept.push(step_path.clone()),
                Err(errno) => outcome = Err(errno),
            }
        }
        self.sync(folders);
        outcome
    }

    /// Removes the leftovers once all steps are done.
    pub(crate) fn clean_up(&self, folders: &ParentFolders<'_>) {
        for step_path in &self.leftovers {
            let cleared = folders.parent(step_path).and_then(|(dir, name)| remove(&dir, &name));
            if let Err(error) = cleared {
                tracing::warn!("{}: could not be removed: {error}", step_path.encode());
            }
        }
        for step_path in &self.empty_folders {
            // A folder that is not empty stays.
            let _ = folders.parent(step_path).and_then(|(dir, name)| remove_folder(&dir, &name));
        }
    }

    /// Syncs the folders of all steps, each once.
    pub(crate) fn sync(&self, folders: &ParentFolders<'_>) {
        let mut synced: Vec<(u64, u64)> = Vec::new();
        let places = self.steps.iter().flat_map(|step| match step {
            Step::Folder { at } => [Some(at), None],
            // Durable once it returns.
            Step::Copy { .. } => [None, None],
            Step::Rename { from, to, .. } => [Some(to), Some(from)],
        });
        for step_path in places.flatten() {
            let Ok((dir, _)) = folders.parent(step_path) else { continue };
            let Ok(stat) = stat(&dir) else { continue };
            let id = (stat.device(), stat.inode());
            if synced.contains(&id) {
                continue;
            }
            synced.push(id);
            // The change itself has succeeded; a failed sync only makes it less durable.
            if let Err(errno) = sync(&dir) {
                tracing::warn!("{}: the folder could not be synced: {errno}", step_path.encode());
            }
        }
    }
}
