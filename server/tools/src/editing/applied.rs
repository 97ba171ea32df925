//! Which patches were applied to which text: one that is sent again is not applied once more.

use std::collections::VecDeque;
use std::hash::BuildHasher;
use std::sync::{Mutex, PoisonError};

use patch::{OutcomeKind, Patch};
use workspace::{ContentHash, FilePath};

use super::plan::{Planned, hash_of};
use super::{Action, Wanted};

/// Texts whose patches are kept.
const MOST: usize = 1000;

/// What was applied, the newest last. In memory only: what another server did is not known.
#[derive(Default)]
pub(crate) struct Applied {
    hasher: std::hash::RandomState,
    texts: Mutex<VecDeque<Made>>,
}

/// A text that patches have made.
struct Made {
    path: FilePath,
    hash: ContentHash,
    patches: Vec<u64>,
}

/// The patches of one call, and the texts that they make.
pub(super) struct Done(Vec<(FilePath, ContentHash, Vec<Patch>)>);

/// What a plan does by patches.
pub(super) fn of(planned: &[Planned], wanted: &[Wanted]) -> Done {
    let by_patches = planned.iter().zip(wanted).filter_map(|(planned, wanted)| {
        let (Planned::Edit { file, plan, after }, Action::Patch(patches)) =
            (planned, &wanted.action)
        else {
            return None;
        };
        let applied = patches.iter().zip(&plan.outcomes);
        let applied = applied.filter(|(_, outcome)| outcome.kind == OutcomeKind::Applied);
        let applied: Vec<Patch> = applied.map(|(patch, _)| patch.clone()).collect();
        (!applied.is_empty()).then(|| (file.path.clone(), hash_of(file, after), applied))
    });
    Done(by_patches.collect())
}

impl Applied {
    /// Keeps what was done.
    pub(super) fn note(&self, done: Done) {
        let mut texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        for (path, hash, patches) in done.0 {
            let patches = patches.iter().map(|patch| self.hasher.hash_one(patch)).collect();
            texts.push_back(Made { path, hash, patches });
        }
        let surplus = texts.len().saturating_sub(MOST);
        texts.drain(..surplus);
    }

    /// Whether a patch has made the text with this hash, which nobody has changed since.
    pub(super) fn has(&self, path: &FilePath, hash: ContentHash, patch: &Patch) -> bool {
        let texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        let made = texts.iter().rev().find(|made| made.hash == hash && made.path == *path);
        made.is_some_and(|made| made.patches.contains(&self.hasher.hash_one(patch)))
    }
}
