//! Tools that rewrite code by patterns and rules.
//!
//! The crate `rewrite` has the patterns and rules; this module finds the files, checks what would
//! change, and edits them.

mod plan;
mod plan_cache;
mod structural_replace;

use std::any::TypeId;

use workspace::Snapshot;

use self::plan_cache::PlanCache;
use tools::{
    Entry,
    family::Family,
    session::{FamilyState, FamilyStates},
};

impl FamilyState for PlanCache {}

/// The family; a feature, because ast-grep's crates take a while to build.
#[must_use]
pub fn family() -> Family {
    Family { feature: Some("rewrite"), tools, states }
}

fn tools() -> Vec<Entry> {
    vec![Entry::new::<structural_replace::StructuralReplace>()]
}

fn states(_: &Snapshot, states: &mut FamilyStates) {
    states.insert(TypeId::of::<PlanCache>(), Box::<PlanCache>::default());
}
