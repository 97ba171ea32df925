//! Remembers which patches were applied to which text: a repeated patch is not applied again.

use std::collections::VecDeque;
use std::hash::BuildHasher;
use std::sync::{Mutex, PoisonError};

use patch::{OutcomeKind, Patch};
use workspace::{ContentHash, FilePath};

use super::plan::{Planned, encoded_hash};
use super::{Action, RequestedEdit};

/// Limit for remembered texts.
const MAX_TEXTS: usize = 1000;

/// The applied patches by resulting text, the newest last. In memory only: what another server did
/// is unknown.
#[derive(Default)]
pub(crate) struct AppliedPatches {
    hasher: std::hash::RandomState,
    texts: Mutex<VecDeque<PatchedText>>,
}

/// A text that patches have produced.
struct PatchedText {
    path: FilePath,
    hash: ContentHash,
    patches: Vec<u64>,
}

/// The patches of one call, and the texts that they produce.
pub(super) struct CallPatches(Vec<(FilePath, ContentHash, Vec<Patch>)>);

/// The patches that a plan applies.
pub(super) fn applied_patches(planned: &[Planned], wanted: &[RequestedEdit]) -> CallPatches {
    let by_patches = planned.iter().zip(wanted).filter_map(|(planned, wanted)| {
        let (Planned::Edit { file, plan, after }, Action::Patch(patches)) =
            (planned, &wanted.action)
        else {
            return None;
        };
        let applied = patches.iter().zip(&plan.outcomes);
        let applied = applied.filter(|(_, outcome)| outcome.kind == OutcomeKind::Applied);
        let applied: Vec<Patch> = applied.map(|(patch, _)| patch.clone()).collect();
        (!applied.is_empty()).then(|| (file.path.clone(), encoded_hash(file, after), applied))
    });
    CallPatches(by_patches.collect())
}

impl AppliedPatches {
    /// Remembers the patches of a call.
    pub(super) fn record(&self, call: CallPatches) {
        let mut texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        for (path, hash, patches) in call.0 {
            let patches = patches.iter().map(|patch| self.hasher.hash_one(patch)).collect();
            texts.push_back(PatchedText { path, hash, patches });
        }
        let surplus = texts.len().saturating_sub(MAX_TEXTS);
        texts.drain(..surplus);
    }

    /// Whether this patch produced the text with this hash, unchanged since.
    pub(super) fn has(&self, path: &FilePath, hash: ContentHash, patch: &Patch) -> bool {
        let texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        let text = texts.iter().rev().find(|text| text.hash == hash && text.path == *path);
        text.is_some_and(|text| text.patches.contains(&self.hasher.hash_one(patch)))
    }
}
